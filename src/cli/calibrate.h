#ifndef HELIO_CLI_CALIBRATE_H
#define HELIO_CLI_CALIBRATE_H

#include "calibrate/machine_file.h"

/* What `helio calibrate` prints: calibrate_print.c. */
void calibrate_print(const struct calibrate_samples *samples, const struct calibration *calibration,
                     const struct calibrate_entries *entries);
enum status calibrate_print_json(const struct calibrate_samples *samples,
                                 const struct calibration *calibration,
                                 const struct calibrate_entries *entries);

#endif
