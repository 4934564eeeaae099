/* The order is that of the charts of a page. */
#include "report/values.h"

// clang-format off
const ramus_report_value ramus_report_values[] = {
    {"validation_nll", "validation/nll", "Validation cross-entropy (nll)", "nats per target token", "validation", RAMUS_LOG_VALID_NLL, RAMUS_AXIS_ROUND, true},
    {"bleu", "validation/bleu", "BLEU", "validation", "BLEU", RAMUS_LOG_BLEU, RAMUS_AXIS_FROM_ZERO, true},
    {"perplexity", "validation/perplexity", "Perplexity", "validation", "perplexity", RAMUS_LOG_PERPLEXITY, RAMUS_AXIS_WIDE, true},
    {"training_nll", "training/nll", "Training cross-entropy (nll)", "nats per target token", "training", RAMUS_LOG_NLL, RAMUS_AXIS_ROUND, false},
    {"objective", "training/objective", "Objective", "with smoothing, less its least value", "loss", RAMUS_LOG_LOSS, RAMUS_AXIS_ROUND, false},
    {"rate", "training/rate", "Learning rate", "", "rate", RAMUS_LOG_RATE, RAMUS_AXIS_FROM_ZERO, false},
    {"gradient_norm", "training/gradient_norm", "Gradient norm", "", "norm", RAMUS_LOG_GRADIENT_NORM, RAMUS_AXIS_WIDE, false},
    {"tokens_per_second", "training/tokens_per_second", "Speed", "target tokens per second", "tokens/s", RAMUS_LOG_SPEED, RAMUS_AXIS_FROM_ZERO, false},
};
// clang-format on

const int ramus_report_n_values = RAMUS_COUNT(ramus_report_values);
