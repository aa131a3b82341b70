#ifndef HELIO_CLI_TOLERANCE_H
#define HELIO_CLI_TOLERANCE_H

#include "output/json.h"
#include "tolerance/answer.h"

/* What `helio tolerance` answered, for one or several parameters of one experiment. */
struct tolerance_report {
    const struct experiment *experiment;
    double by; /* better and worse, of the tornado; 0: there is none */
    const struct tolerance_answer *answers;
    size_t count;
    const struct tolerance_shares *critical; /* of a run, if an answer is bracketed */
};

/* One parameter is an object, several are a list of objects. With `curve` also what the page draws. */
json_t *tolerance_json(const struct tolerance_report *report, bool curve);
void tolerance_print(const struct tolerance_report *report);

/* "30519/2 ns", "80 ps/B": exactly. */
const char *tolerance_exact_text(enum tolerance_kind kind, struct tolerance_at x, char *buffer, size_t size);
/* "8.00000 us", "12.5000 GB/s", "80.0000 ps/B" */
const char *tolerance_value_text(enum tolerance_kind kind, double value, char *buffer, size_t size);
/* "128 KiB to 256 KiB": the latter is not in it. */
const char *tolerance_size_text(uint32_t size_class, char *buffer, size_t size);
/* The answers by effect, the largest first; the caller frees the list. */
const struct tolerance_answer **tolerance_by_effect(const struct tolerance_report *report);

#endif
