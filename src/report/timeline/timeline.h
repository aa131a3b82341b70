#ifndef HELIO_REPORT_TIMELINE_TIMELINE_H
#define HELIO_REPORT_TIMELINE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/tap.h"

/* The timeline of a run as a file for a viewer: what every rank did, and every message on a lane of its own
 * with the parts of its time. Written while the run goes on: memory is taken for what is under way, not for
 * what has been. docs/timelines.md */
struct timeline;

/* The format follows from the name: .paje and .trace are Paje's (ViTE), .otf2 OTF2's (Vampir), any other is
 * Perfetto's. Perfetto shows several runs beside each other; of the others, where there is more than one run,
 * each gets a file of its own, NAME.FABRIC.SUFFIX. STATUS_BAD_INPUT or STATUS_FAILED, reported, when it
 * cannot be written. */
enum status timeline_open(const char *path, size_t runs, struct timeline **timeline);

/* Before a run. `fabric` lives until its end. */
enum status timeline_begin_run(struct timeline *timeline, const char *fabric);

/* Listens to the run, of `ranks` ranks; the struct experiment_watch's `listen`. */
void timeline_listen(void *timeline, uint32_t ranks, struct tap *tap);

/* Behind the run, whether it went well or not; returns `run`, or what went wrong with the file. */
enum status timeline_end_run(struct timeline *timeline, enum status run);

/* Keeps the file if `run` is STATUS_OK and all of it could be written, else removes it; returns as
 * output_close. */
enum status timeline_close(struct timeline *timeline, enum status run);

#endif
