/* Where ids end in their text, against the SentencePiece library itself: its begin and end of every
 * piece, both ways, on every golden text, on drawn bytes and on drawn ids.
 *
 *     sentencepiece_ranges                 every golden vocabulary
 *     sentencepiece_ranges MODEL <lines    one vocabulary, on the lines of standard input */
extern "C" {
#include "base/rng.h"
#include "text/tokenizer.h"
}

#include "check.h"

#include <sentencepiece_processor.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace
{

const char *const models[] = {"unigram-8k",  "bpe-4k",    "zh-4k",      "symbols",
                              "bpe-symbols", "suffix",    "bpe-suffix", "identity",
                              "bpe-spaces",  "word",      "char",       "unused",
                              "bpe-unused",  "unescaped", "tied",       "bpe-tied"};

/* What normalisation joins, splits, drops, replaces; spaces of every kind; what is not UTF-8. */
const char *const texts[] = {"",
                             " ",
                             "  ",
                             " a",
                             "a ",
                             "  a  ",
                             "a  b",
                             "  Grüße  aus   Köln ",
                             "ﬁne oﬃce ﬂow",
                             "Ｆｕｌｌ　ｗｉｄｔｈ １２３",
                             "a\u200Bb\u200B",
                             "\u200B\u200Ba",
                             "a \u200B",
                             "a\u200B ",
                             "\uFEFFa",
                             "a\u00A0b\u00A0",
                             "a\t\tb\r\nc\n",
                             "u\u0308ber A\u030A",
                             "½ € ™ … ㎏ ㌔",
                             "😀 a😀b😀😀",
                             "👩‍👩‍👧 🇩🇪",
                             "\xF0\x9F\x98",
                             "\xF0\x9F a\xFF\xFE b\xC3",
                             "\xF0\x9F\x98\x80\x80",
                             "今天天气很好。ﾊﾝｶｸ",
                             "ﷺ ﷺﷺ",
                             "▁ ▁a▁▁b ",
                             "a\u3000\u3000b\u3000",
                             "  \u3000\u200B x",
                             "12,345.67",
                             "don't “quote” ‘it’",
                             "e\u0301\u0301\u0301",
                             "한국어 각"};

class Setup
{
  public:
    explicit Setup(const std::string &path)
    {
        ramus_error err = {};
        REQUIRE_OK(ramus_vocab_load(&vocab, path.c_str(), &err), err);
        REQUIRE_OK(ramus_tokenizer_create(&tok, vocab, &err), err);
        EXPECT(theirs.Load(path).ok(), "%s", path.c_str());
    }
    ~Setup()
    {
        ramus_ids_free(&ids);
        ramus_ids_free(&ends);
        ramus_buffer_free(&out);
        ramus_tokenizer_destroy(tok);
        ramus_vocab_destroy(vocab);
    }
    Setup(const Setup &) = delete;
    Setup &operator=(const Setup &) = delete;

    ramus_vocab *vocab = nullptr;
    ramus_tokenizer *tok = nullptr;
    ramus_ids ids = {}, ends = {};
    ramus_buffer out = {};
    sentencepiece::SentencePieceProcessor theirs;
};

void check_encoding(Setup *s, const std::string &text)
{
    ramus_error err = {};
    std::vector<int> plain;
    if (!s->theirs.Encode(text, &plain).ok()) return; // the text spells a control piece
    s->ids.n = s->ends.n = 0;
    REQUIRE_OK(
        ramus_tokenizer_encode_ranges(s->tok, text.data(), text.size(), &s->ids, &s->ends, &err),
        err);
    const auto want = s->theirs.EncodeAsImmutableProto(text);
    EXPECT_INT(s->ends.n, want.pieces_size(), "ends");
    EXPECT_INT(s->ids.n, want.pieces_size(), "ids");
    for (int i = 0; i < s->ends.n && i < s->ids.n && i < (int)want.pieces_size(); i++) {
        EXPECT_INT(s->ids.data[i], want.pieces(i).id(), text.c_str());
        EXPECT_INT(s->ends.data[i], want.pieces(i).end(), text.c_str());
        if (i > 0) EXPECT_INT(s->ends.data[i - 1], want.pieces(i).begin(), text.c_str());
    }
}

/* Their ends are those before denormalisation: where there are rules, the law must do. */
void check_decoding(Setup *s, const std::vector<int> &ids, bool denormalises)
{
    ramus_error err = {};
    s->ends.n = 0;
    ramus_buffer_clear(&s->out);
    REQUIRE_OK(
        ramus_vocab_decode_ends(s->vocab, ids.data(), (int)ids.size(), &s->out, &s->ends, &err),
        err);
    const auto want = s->theirs.DecodeIdsAsImmutableProto(ids);
    EXPECT(want.text() == std::string(s->out.data ? s->out.data : "", s->out.size), "%s",
           want.text().c_str());
    EXPECT_INT(s->ends.n, ids.size(), "ends");
    for (int i = 0; i < s->ends.n; i++) {
        if (!denormalises) EXPECT_INT(s->ends.data[i], want.pieces(i).end(), want.text().c_str());
        if (i > 0) EXPECT(s->ends.data[i - 1] <= s->ends.data[i], "in order");
    }
    if (s->ends.n > 0) EXPECT_INT(s->ends.data[s->ends.n - 1], s->out.size, "the last end");
}

std::vector<std::string> golden_texts()
{
    std::vector<std::string> all(texts, texts + sizeof texts / sizeof *texts);
    for (const char *name : {"adversarial", "sample.en-de", "sample.zh-en"}) {
        std::ifstream in(std::string(GOLDEN "/text/") + name + ".txt");
        for (std::string line; std::getline(in, line);)
            all.push_back(line);
    }
    EXPECT(all.size() > 1500, "%zu texts", all.size());
    return all;
}

uint32_t drawn(uint64_t *n)
{
    const ramus_rng rng = {check_seed(), 3, 0, 0};
    return ramus_rng_bits(&rng, (*n)++);
}

/* Snippets of the texts above and bytes, in any order. */
std::string drawn_text(uint64_t *n)
{
    std::string text;
    for (uint32_t parts = drawn(n) % 12; parts > 0; parts--) {
        const std::string some = texts[drawn(n) % (sizeof texts / sizeof *texts)];
        if (drawn(n) % 3 == 0)
            text += (char)(drawn(n) % 256);
        else if (!some.empty())
            text += some.substr(drawn(n) % some.size(), 1 + drawn(n) % 8);
    }
    return text;
}

void ends_in_text_are_those_of_sentencepiece()
{
    const std::vector<std::string> all = golden_texts();
    uint64_t n = 0;
    for (const char *name : models) {
        Setup s(std::string(GOLDEN "/text/") + name + ".model");
        for (const std::string &text : all)
            check_encoding(&s, text);
        for (int i = 0; i < 3000; i++)
            check_encoding(&s, drawn_text(&n));
    }
}

void ends_in_decoded_text_are_those_of_sentencepiece()
{
    uint64_t n = 0;
    for (const char *name : models) {
        Setup s(std::string(GOLDEN "/text/") + name + ".model");
        for (int i = 0; i < 3000; i++) {
            std::vector<int> ids(drawn(&n) % 12);
            for (int &id : ids) // half of them special pieces and bytes
                id =
                    (int)(drawn(&n) % (drawn(&n) % 2 ? 300 : (uint32_t)ramus_vocab_count(s.vocab)));
            check_decoding(&s, ids, strcmp(name, "suffix") == 0);
        }
        for (const char *text : texts) { // bytes that make characters
            std::vector<int> ids;
            if (s.theirs.Encode(text, &ids).ok())
                check_decoding(&s, ids, strcmp(name, "suffix") == 0);
        }
    }
}

int check_lines(const char *model)
{
    Setup s(model);
    long lines = 0;
    for (std::string line; std::getline(std::cin, line); lines++) {
        check_encoding(&s, line);
        check_decoding(&s, s.theirs.EncodeAsIds(line), false);
    }
    printf("%ld lines, %ld expectations, %ld failed\n", lines, check_expectations, check_failures);
    return check_failures > 0;
}

} // namespace

int main(int argc, char **argv)
{
    static const check_fact facts[] = {
        {"ends_in_text_are_those_of_sentencepiece", ends_in_text_are_those_of_sentencepiece},
        {"ends_in_decoded_text_are_those_of_sentencepiece",
         ends_in_decoded_text_are_those_of_sentencepiece}};
    if (argc == 2 && strstr(argv[1], ".model")) return check_lines(argv[1]);
    return check_run(argc, argv, facts, (int)(sizeof facts / sizeof facts[0]));
}
