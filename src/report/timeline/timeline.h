#ifndef HELIO_REPORT_TIMELINE_TIMELINE_H
#define HELIO_REPORT_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/tap.h"

/* The room that writes timelines.
 *
 *     timeline.h     takes the events of a run, sorts them by time, and gives each message a lane
 *     internal.h     what the files share: the ops table of a file format
 *     breakdown.c    a message's time in parts
 *     texts.c        names of parts, and causes of waits
 *     perfetto.c     formats: Perfetto (with protobuf.h),
 *     paje.c         Paje,
 *     otf2.c         OTF2 (with otf2_calls: the calls of MPI), or no_otf2.c if its library is not installed
 *
 * A timeline is a file for a viewer: what each rank does, and each message with the parts of its time. It is
 * written during the run, so memory holds only the messages under way (docs/timelines.md). */
struct timeline;

/* The suffix of `path` chooses the format: .paje and .trace are Paje (ViTE), .otf2 is OTF2 (Vampir), any
 * other is Perfetto. A Perfetto file shows several runs; in the other formats each of several runs gets a
 * file of its own, NAME.FABRIC.SUFFIX. STATUS_FAILED, reported: the file cannot be written. */
enum status timeline_open(const char *path, size_t runs, struct timeline **timeline);

/* Whether this program can write OTF2. */
bool timeline_writes_otf2(void);

/* Call it before a run. `fabric` has to be valid until the run's end. */
enum status timeline_begin_run(struct timeline *timeline, const char *fabric);

/* A message of the critical path: the `number`-th that `source` sends (engine/free.h), and its place on it.
 */
struct timeline_step {
    uint32_t source;
    uint64_t number, place;
};

/* What is known of a run that has been made before. */
struct timeline_known {
    const ps_t *slack;                 /* of each message in the order of sending; NULL: not known */
    const struct timeline_step *steps; /* of the critical path, by source and number */
    size_t step_count;
};

/* Whether the format can show that. */
bool timeline_shows_known(const struct timeline *timeline);
/* Shows it in the next run, until it is NULL again. */
void timeline_know(struct timeline *timeline, const struct timeline_known *known);

/* Adds the timeline's handlers to the tap of a run: the `listen` of struct experiment_watch. */
void timeline_listen(void *timeline, uint32_t ranks, struct tap *tap);

/* Call it after the run, also if that failed. Returns `run`, or the status of a failed file. */
enum status timeline_end_run(struct timeline *timeline, enum status run);

/* Keeps the file if `run` is STATUS_OK and all of it was written, else removes it. Returns as output_close.
 */
enum status timeline_close(struct timeline *timeline, enum status run);

#endif
