/* The shared object ramus-sentencepiece.so: what vocab_train.h asks of the SentencePiece library,
 * and the only file that knows it. */
extern "C" {
#include "data/vocab_train.h"
#include "ranks/plugin.h"

RAMUS_PLUGIN
RAMUS_PUBLIC ramus_sentencepiece_train_fn ramus_sentencepiece_train;
}

#include <sentencepiece_trainer.h>

#include <exception>
#include <string>
#include <unordered_map>

namespace
{

class Texts : public sentencepiece::SentenceIterator
{
  public:
    explicit Texts(const ramus_vocab_training *t) : t_(t)
    {
        read();
    }
    bool done() const override
    {
        return done_;
    }
    void Next() override
    {
        read();
    }
    const std::string &value() const override
    {
        return value_;
    }
    sentencepiece::util::Status status() const override
    {
        return sentencepiece::util::Status();
    }

  private:
    void read()
    {
        size_t size = 0;
        const char *text = t_->next(t_->arg, &size);
        done_ = text == nullptr;
        if (text) value_.assign(text, size);
    }

    const ramus_vocab_training *t_;
    std::string value_;
    bool done_ = false;
};

/* The sentence of "Internal: file(line) [condition] sentence", with our names of its options. */
std::string explain(std::string text)
{
    static const char *const names[][2] = {
        {"character_coverage with --character_coverage option", "--coverage"},
        {"vocab_size", "--size"},
        {"Please set it", "Set --size"},
        {"required_chars", "the number of characters that need a piece"},
    };
    const size_t end = text.rfind("] ");
    if (end != std::string::npos && end + 2 < text.size()) text.erase(0, end + 2);
    for (const auto &name : names)
        for (size_t at; (at = text.find(name[0])) != std::string::npos;)
            text.replace(at, std::string(name[0]).size(), name[1]);
    return text;
}

ramus_status train(ramus_buffer *out, const ramus_vocab_training *t, ramus_error *err)
{
    std::unordered_map<std::string, std::string> args = {
        {"vocab_size", std::to_string(t->size)},
        {"model_type", t->type},
        {"hard_vocab_limit", t->at_most ? "false" : "true"},
        {"character_coverage", std::to_string(t->coverage)},
        {"byte_fallback", t->byte_fallback ? "true" : "false"},
        {"split_digits", t->split_digits ? "true" : "false"},
        {"num_threads", std::to_string(t->threads)},
        {"input_sentence_size", "5000000"},
        {"train_extremely_large_corpus", "false"},
        {"unk_id", "0"},
        {"bos_id", "1"},
        {"eos_id", "2"},
        {"pad_id", "-1"},
        {"minloglevel", t->quiet ? "2" : "0"},
    };
    if (t->user) args["user_defined_symbols"] = t->user;
    Texts texts(t);
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(args, &texts, &model);
    if (!status.ok())
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "SentencePiece: %.400s",
                          explain(status.ToString()).c_str());
    ramus_buffer_add(out, model.data(), model.size());
    return ramus_buffer_check(out, err);
}

} // namespace

ramus_status ramus_sentencepiece_train(ramus_buffer *out, const ramus_vocab_training *t,
                                       ramus_error *err)
{
    try {
        return train(out, t, err);
    } catch (const std::exception &e) {
        return ramus_fail(err, RAMUS_NO_MEMORY, "SentencePiece: %s", e.what());
    }
}
