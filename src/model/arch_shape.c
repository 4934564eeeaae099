/* What the settings of a shape say about one stack, layer or sublayer, and which shapes cannot be.
 */
#include "model/arch.h"

#include "model/attention.h"
#include "model/param.h"
#include "model/routing.h"

/* What the list of the decoder, where it has one, or that of the encoder says about the layer. */
static int of_layer(const ramus_site *site, const ramus_numbers *encoder,
                    const ramus_numbers *decoder)
{
    const int own = site->stack == RAMUS_STACK_DECODER ? ramus_numbers_at(decoder, site->layer) : 0;
    return own ? own : ramus_numbers_at(encoder, site->layer);
}

int ramus_arch_width(const ramus_arch *a, int stack)
{
    return stack == RAMUS_STACK_DECODER && a->decoder_width ? a->decoder_width : a->width;
}

int ramus_arch_position_width(const ramus_arch *a, int stack)
{
    return a->position_width ? a->position_width : ramus_arch_width(a, stack);
}

int ramus_arch_embedding_width(const ramus_arch *a, int stack)
{
    const int width = ramus_arch_width(a, stack),
              other = ramus_arch_width(a, RAMUS_STACK_ENCODER + RAMUS_STACK_DECODER - stack);
    return a->tie == RAMUS_TIE_ALL && other > width ? other : width;
}

int ramus_arch_filter(const ramus_arch *a, const ramus_site *site)
{
    return of_layer(site, &a->filter, &a->decoder_filter);
}

int ramus_arch_heads(const ramus_arch *a, const ramus_site *site)
{
    const int cross =
        site->sublayer == RAMUS_SUBLAYER_CROSS ? ramus_numbers_at(&a->cross_heads, site->layer) : 0;
    return cross ? cross : of_layer(site, &a->heads, &a->decoder_heads);
}

int ramus_arch_taps(const ramus_arch *a, const ramus_site *site)
{
    static const ramus_numbers published = {4, {3, 7, 15, 31}}; // Wu et al. 2020
    const int own = of_layer(site, &a->taps, &a->decoder_taps);
    return own ? own : ramus_numbers_at(&published, site->layer);
}

int ramus_arch_convolution(const ramus_arch *a, int stack)
{
    return stack == RAMUS_STACK_DECODER && a->decoder_convolution != RAMUS_CONVOLUTION_AS_ENCODER
               ? a->decoder_convolution
               : a->convolution;
}

int ramus_arch_convolution_width(const ramus_arch *a, int stack)
{
    return a->convolution_width ? a->convolution_width : ramus_arch_width(a, stack) / 2;
}

int ramus_arch_convolution_heads(const ramus_arch *a, int stack)
{
    return stack == RAMUS_STACK_DECODER && a->decoder_convolution_heads
               ? a->decoder_convolution_heads
               : a->convolution_heads;
}

int ramus_arch_cross_layers(const ramus_arch *a, int layer)
{
    return ramus_numbers_at(&a->cross_layers, layer);
}

static ramus_status check_lists(const ramus_arch *a, ramus_error *err)
{
    const struct {
        const char *name;
        const ramus_numbers *list;
        int layers;
    } lists[] = {{"filter", &a->filter, a->encoder_layers},
                 {"heads", &a->heads, a->encoder_layers},
                 {"taps", &a->taps, a->encoder_layers},
                 {"decoder-filter", &a->decoder_filter, a->decoder_layers},
                 {"decoder-heads", &a->decoder_heads, a->decoder_layers},
                 {"cross-heads", &a->cross_heads, a->decoder_layers},
                 {"cross-layers", &a->cross_layers, a->decoder_layers},
                 {"decoder-taps", &a->decoder_taps, a->decoder_layers}};
    for (int i = 0; i < RAMUS_COUNT(lists); i++)
        if (lists[i].list->n > lists[i].layers)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s has %d numbers for %d layers",
                              lists[i].name, lists[i].list->n, lists[i].layers);
    for (int i = 0; i < a->decoder_layers; i++)
        if (ramus_arch_cross_layers(a, i) > a->encoder_layers)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "cross-layers is %d but the encoder has %d layers",
                              ramus_arch_cross_layers(a, i), a->encoder_layers);
    return RAMUS_OK;
}

static ramus_status check_widths(const ramus_arch *a, int stack, ramus_error *err)
{
    const char *name = stack == RAMUS_STACK_DECODER ? "decoder-width" : "width";
    const int width = ramus_arch_width(a, stack), signal = ramus_arch_position_width(a, stack);
    if (width % 2 || width < 4)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s is %d, expected an even number from 4 on (half of the position "
                          "signal are sines, half cosines)",
                          name, width);
    if (signal % 2 || signal < width)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "position-width is %d, expected an even number from %s %d on", signal,
                          name, width);
    return RAMUS_OK;
}

static ramus_status check_stack(const ramus_arch *a, int stack, ramus_error *err)
{
    const int layers = stack == RAMUS_STACK_DECODER ? a->decoder_layers : a->encoder_layers;
    ramus_status st = check_widths(a, stack, err);
    for (int i = 0; i < layers && !st; i++) {
        ramus_site site = {stack, i, RAMUS_SUBLAYER_ATTENTION, 0};
        st = ramus_attention_check(a, &site, err);
        site.sublayer = RAMUS_SUBLAYER_CROSS;
        if (!st && stack == RAMUS_STACK_DECODER) st = ramus_attention_check(a, &site, err);
    }
    return st;
}

static ramus_status check_words(const ramus_arch *a, ramus_error *err)
{
    if (a->start_token >= a->target_vocab)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "start-token is %d, the target vocabulary has tokens 0 to %d",
                          a->start_token, a->target_vocab - 1);
    if (a->tie == RAMUS_TIE_ALL && a->source_vocab != a->target_vocab)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "tie is all but the vocabularies have %d and %d words: choose tie target",
                          a->source_vocab, a->target_vocab);
    return RAMUS_OK;
}

static ramus_status check_branches(const ramus_arch *a, ramus_error *err)
{
    if (a->top_k > a->branches)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "top-k is %d, expected at most the %d branches",
                          a->top_k, a->branches);
    if (a->gate_noise && a->top_k == a->branches)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "gate-noise is on but all %d branches are taken: choose a smaller top-k",
                          a->branches);
    return RAMUS_OK;
}

ramus_status ramus_arch_check(ramus_arch *a, ramus_error *err)
{
    ramus_routing_settle(a);
    if (a->tie == RAMUS_TIE_AUTO)
        a->tie = a->source_vocab == a->target_vocab ? RAMUS_TIE_ALL : RAMUS_TIE_TARGET;

    if (a->source_vocab == 0 || a->target_vocab == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s is not given: the shape of a model includes both vocabulary sizes",
                          a->source_vocab ? "target-vocab" : "source-vocab");
    ramus_status st = check_lists(a, err);
    if (!st) st = check_stack(a, RAMUS_STACK_ENCODER, err);
    if (!st) st = check_stack(a, RAMUS_STACK_DECODER, err);
    if (!st) st = check_words(a, err);
    return st ? st : check_branches(a, err);
}
