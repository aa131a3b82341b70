#ifndef HELIO_CALIBRATE_MACHINE_FILE_H
#define HELIO_CALIBRATE_MACHINE_FILE_H

#include "calibrate/calibration.h"

/* A line of the machine file: a parameter with its value and source, or something measured that is none. */
struct calibrate_entry {
    char *name, *value; /* value: NULL for what is no parameter */
    char *text;         /* the source; or what was measured */
};

struct calibrate_entries {
    struct calibrate_entry *list;
    size_t count, capacity;
};

/* The texts are freed with the list. */
void calibrate_add_entry(struct calibrate_entries *entries, char *name, char *value, char *text);
void calibrate_list(const struct calibrate_samples *samples, const struct calibration *calibration,
                    struct calibrate_entries *entries);
void calibrate_free_entries(struct calibrate_entries *entries);

/* Writes the machine file. The doc of a calibration that is not sound begins with CALIBRATE_NOT_SOUND. */
#define CALIBRATE_NOT_SOUND "NOT SOUND"
/* In the doc of each of them. */
#define CALIBRATE_MEASURED "measured by helio calibrate"
void calibrate_write(const struct calibrate_samples *samples, const struct calibration *calibration,
                     const struct calibrate_entries *entries, FILE *out);

#endif
