/* Opens the shared object and passes the request on. */
#include "data/vocab_train.h"

#include "ranks/plugin.h"

ramus_status ramus_vocab_train(ramus_buffer *out, const ramus_vocab_training *t, ramus_error *err)
{
    ramus_sentencepiece_train_fn *train = NULL;
    const ramus_status st =
        ramus_plugin_open((void **)&train, "ramus-sentencepiece.so", RAMUS_SENTENCEPIECE_TRAIN,
                          "build ramus where it can find SentencePiece (Debian: "
                          "libsentencepiece-dev)",
                          err);
    return st ? st : train(out, t, err);
}
