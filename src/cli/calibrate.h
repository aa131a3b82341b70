#ifndef HELIO_CLI_CALIBRATE_H
#define HELIO_CLI_CALIBRATE_H

#include "calibrate/choices.h"
#include "output/json.h"

/* --check: a program, runs of it, and their forecasts: calibrate_check.c. */
struct calibrate_check {
    const char *machine, *fabric, *mpi, *html;
    uint64_t runs;
    bool force, json;
    char **words; /* the launcher and the program */
    int word_count;
};
enum status calibrate_check_program(const struct calibrate_check *check);

/* What `helio calibrate` prints: calibrate_print.c. */
void calibrate_print(const struct calibrate_samples *samples, const struct calibration *calibration,
                     const struct calibrate_entries *entries);
json_t *calibrate_json(const struct calibrate_samples *samples, const struct calibration *calibration,
                       const struct choices *choices, const struct calibrate_entries *entries,
                       const char *schema); /* NULL: without one */
enum status calibrate_print_json(const struct calibrate_samples *samples,
                                 const struct calibration *calibration, const struct choices *choices,
                                 const struct calibrate_entries *entries);

/* Parts of both outputs. */
void calibrate_print_guards(const struct calibrate_guard *guards, size_t count);
json_t *calibrate_guards_json(const struct calibrate_guard *guards, size_t count);
void calibrate_put_value(json_t *object, const char *key, struct calibrate_value value);

#endif
