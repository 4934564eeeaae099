/* arch.h - what a model is: its hyper-parameters, and what it is trained for, as field tables.
 *
 * Parsing, checking, printing, --help and file metadata follow from the tables (base/settings.h).
 */
#ifndef RAMUS_MODEL_ARCH_H
#define RAMUS_MODEL_ARCH_H

#include "base/settings.h"
#include "base/status.h"
#include "graph/graph.h"

#include <stdbool.h>

typedef enum ramus_preset {
    RAMUS_PRESET_TINY,
    RAMUS_PRESET_SMALL,
    RAMUS_PRESET_BASE,
    RAMUS_PRESET_BIG,
    RAMUS_PRESET_PAPER,
    RAMUS_PRESET_LITE_200, // Wu et al. 2020
    RAMUS_PRESET_LITE_408,
    RAMUS_PRESET_LITE_496,
    RAMUS_PRESET_HAT_3_5, // Wang et al. 2020: seconds on a Raspberry Pi
    RAMUS_PRESET_HAT_4_0,
    RAMUS_PRESET_HAT_4_5,
    RAMUS_PRESET_HAT_5_0,
    RAMUS_PRESET_HAT_6_0,
    RAMUS_PRESET_HAT_6_9
} ramus_preset;
typedef enum ramus_routing_kind {
    RAMUS_DENSE,
    RAMUS_DMB,
    RAMUS_MOE,
    RAMUS_SWITCH
} ramus_routing_kind;
typedef enum ramus_routed {
    RAMUS_ROUTED_ALL,
    RAMUS_ROUTED_FFN,
    RAMUS_ROUTED_ATTENTION
} ramus_routed;
typedef enum ramus_attention_kind {
    RAMUS_ATTENTION_SOFTMAX,
    RAMUS_ATTENTION_LSRA
} ramus_attention_kind;
typedef enum ramus_convolution_kind {
    RAMUS_CONVOLUTION_DYNAMIC_GLU,
    RAMUS_CONVOLUTION_DYNAMIC,
    RAMUS_CONVOLUTION_LIGHTWEIGHT,
    RAMUS_CONVOLUTION_AS_ENCODER // of the decoder
} ramus_convolution_kind;
typedef enum ramus_decoder_kind { RAMUS_DECODER_ATTENTION } ramus_decoder_kind;
typedef enum ramus_activation {
    RAMUS_ACTIVATION_RELU,
    RAMUS_ACTIVATION_SWISH,
    RAMUS_ACTIVATION_GELU
} ramus_activation;
typedef enum ramus_norm_place { RAMUS_NORM_POST, RAMUS_NORM_PRE } ramus_norm_place;
typedef enum ramus_tie {
    RAMUS_TIE_ALL,
    RAMUS_TIE_TARGET,
    RAMUS_TIE_NONE,
    RAMUS_TIE_AUTO
} ramus_tie;

typedef struct ramus_arch {
    int preset;                  // ramus_preset: fills in others
    int width;                   // of the encoder, and of the decoder unless that has its own
    ramus_numbers filter, heads; // of each layer of the encoder; likewise
    int encoder_layers, decoder_layers;
    int routing;  // ramus_routing_kind
    int branches; // weights that each routed sublayer keeps
    int top_k;    // branches that a token takes (moe; 1 in the other kinds)
    int routed;   // ramus_routed
    bool shared_private;
    bool gate_noise; // a learned noise on the gate in training (moe)
    int attention;   // ramus_attention_kind
    int decoder;     // ramus_decoder_kind
    int activation;  // ramus_activation
    int norm;        // ramus_norm_place
    int tie;         // ramus_tie
    int source_vocab, target_vocab;

    /* Shapes of other papers; 0: as the comment says. Lists have a number for each layer. */
    int decoder_width;                           // 0: width
    ramus_numbers decoder_filter, decoder_heads; // 0: those of the encoder
    ramus_numbers cross_heads;     // of encoder-decoder attention; 0: those of the decoder
    ramus_numbers cross_layers;    // how many of the last encoder layers it looks at
    int attention_width;           // of q, k, v; 0: that of their stack
    int position_width;            // that the position signal is cut from; 0: that of their stack
    int convolution;               // ramus_convolution_kind, of lsra
    int decoder_convolution;       // likewise
    int convolution_width;         // channels that lsra convolves; 0: half
    int convolution_heads;         // that share taps
    int decoder_convolution_heads; // 0: those of the encoder
    ramus_numbers taps, decoder_taps; // taps; 0: 3, 7, 15, then 31; those of the encoder

    /* What other toolkits do otherwise. */
    int positions;        // ramus_positions (graph/ops.h)
    int first_position;   // of the first token of a sentence
    bool source_bias;     // of the words of the source
    bool embedding_scale; // word vectors are multiplied by sqrt(width)
    bool embedding_norm;  // and normalised together with the position signal
    bool output_bias;     // of the logits
    int start_token;      // the word before the first; -1: the zero vector
    bool start_excluded;  // which no translation has
    double norm_epsilon;
} ramus_arch;

/* Of a stack, which is ramus_stack (param.h); of the layer and sublayer at a site. */
int ramus_arch_width(const ramus_arch *a, int stack);
int ramus_arch_position_width(const ramus_arch *a, int stack);
int ramus_arch_filter(const ramus_arch *a, const ramus_site *site);
int ramus_arch_heads(const ramus_arch *a, const ramus_site *site);
int ramus_arch_taps(const ramus_arch *a, const ramus_site *site); // taps of a convolution
int ramus_arch_convolution(const ramus_arch *a, int stack);       // ramus_convolution_kind
int ramus_arch_convolution_width(const ramus_arch *a, int stack);
int ramus_arch_convolution_heads(const ramus_arch *a, int stack);
/* How many encoder layers a decoder layer looks at. */
int ramus_arch_cross_layers(const ramus_arch *a, int layer);
#define RAMUS_MOST_CROSS_LAYERS 3

/* Columns of the matrix of source words, of target words, of all if they are one. */
int ramus_arch_embedding_width(const ramus_arch *a, int stack);

ramus_settings ramus_arch_settings(ramus_arch *a);

/* Sets what follows from other fields (a dense model has one branch, only dmb has a shared part)
 * and refuses a shape that cannot be, with a sentence. */
RAMUS_CHECKED ramus_status ramus_arch_check(ramus_arch *a, ramus_error *err);

typedef enum ramus_ranges { RAMUS_RANGES_ROW, RAMUS_RANGES_LEARNED } ramus_ranges;
typedef enum ramus_products { RAMUS_PRODUCTS_FLOAT, RAMUS_PRODUCTS_BF16 } ramus_products;
typedef enum ramus_bits { RAMUS_BITS_NONE, RAMUS_BITS_8, RAMUS_BITS_4 } ramus_bits;

/* What training asks of the model. */
typedef struct ramus_objective {
    double label_smoothing;
    double dropout, attention_dropout, relu_dropout, convolution_dropout;
    double diversity_weight; // dmb, moe
    double entropy_weight;   // dmb
    double load_weight;      // switch; moe with gate noise
    int diversity_form;      // 0: mean over the branches (the authors' code), 1: sum (the paper)
    bool alike;              // branches begin with the same weights
    int quantize;            // ramus_bits: maps compute with what the runtime will have
    int quantize_embeddings; // 0: 8 bits, 1: 4 bits; counts where quantize is not none
    int ranges;              // ramus_ranges: where rounding has its scales from; likewise
    int products;            // ramus_products: what matrix products round their factors to
} ramus_objective;

ramus_settings ramus_objective_settings(ramus_objective *o);

/* Refuses what a checked arch cannot be trained for, with a sentence. */
RAMUS_CHECKED ramus_status ramus_objective_check(const ramus_objective *o, const ramus_arch *a,
                                                 ramus_error *err);

#endif
