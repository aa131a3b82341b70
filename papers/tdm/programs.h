#ifndef HELIO_PAPERS_TDM_PROGRAMS_H
#define HELIO_PAPERS_TDM_PROGRAMS_H

#include "reproduce/paper.h"

/* The patterns of Table 5, and runs of them in slots.
 *
 * The paper states neither how large messages are nor what a slot carries. Messages follow from the sizes of
 * the problems:
 *
 *     GS         a row of the N x N points, on 64 processors in a line: N elements
 *     P3M 1, 4   the processor's part of the N^3 array, N^3 / 64, in 16 messages
 *     P3M 2, 3   that part in 64 messages
 *     P3M 5      N / 4 elements: a line of the processor's cube
 *     TSCF       one slot
 *
 * A slot of GS carries 4 elements and one of P3M 2. These two, the line of P3M 5 and the slot of TSCF are
 * fitted to the first compiled time of their patterns; the other compiled times are predicted. */
struct tdm_row {
    const char *item, *pattern;
    int slots; /* of a message */
};

enum { TDM_ROWS = 12, TDM_DEGREES = 4 };
extern const struct tdm_row tdm_rows[TDM_ROWS];
extern const int tdm_degrees[TDM_DEGREES]; /* of dynamic control */

/* The pattern's name in this configuration: P3M 5 has several. */
const char *tdm_pattern_of(struct reproduction *reproduction, const struct tdm_row *row);

/* A world in which slots and control may be faster; a message takes `scale` times as many slots. */
struct tdm_world {
    const char *name, *settings;
    int scale;
};
extern const struct tdm_world tdm_paper_world;

/* Slots until the last message has arrived, with schedules of these settings. */
double tdm_compiled_slots(struct reproduction *reproduction, const struct tdm_row *row, const char *pattern,
                          const struct tdm_world *world, const char *settings);
/* Slots until the last connection is released: the mean over seeds. */
double tdm_dynamic_slots(struct reproduction *reproduction, const struct tdm_row *row, const char *pattern,
                         const struct tdm_world *world, int degree);

#endif
