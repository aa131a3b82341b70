#ifndef HELIOGRAPH_H
#define HELIOGRAPH_H

#include <stddef.h>
#include <stdint.h>

/* libheliograph: experiments of Heliograph from a program of your own.
 *
 *     struct heliograph *experiment = heliograph_new();
 *     if (heliograph_set(experiment, "workload", "alltoall:ranks=64,bytes=8KiB") == HELIOGRAPH_OK &&
 *         heliograph_set(experiment, "fabric", "packet,fmu") == HELIOGRAPH_OK &&
 *         heliograph_run(experiment) == HELIOGRAPH_OK)
 *         printf("%lld ps\n", (long long)heliograph_makespan_ps(experiment, 0));
 *     else
 *         fputs(heliograph_said(), stderr);
 *     heliograph_free(experiment);
 *
 * Times are whole picoseconds. The same parameters give the same results, byte for byte. Nothing is printed,
 * and no input ends the process; running out of memory does. An experiment belongs to one thread at a time,
 * and one thread at a time may run any. docs/library.md */

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__ && defined HELIOGRAPH_BUILDING
#define HELIOGRAPH_API __attribute__((visibility("default")))
#else
#define HELIOGRAPH_API
#endif

/* Of this header. As long as the first number is 0, a change of the second may break programs. */
#define HELIOGRAPH_VERSION_MAJOR 0
#define HELIOGRAPH_VERSION_MINOR 1
#define HELIOGRAPH_VERSION_PATCH 0

/* Of the library that is running: "0.1.0". */
HELIOGRAPH_API const char *heliograph_version(void);

enum heliograph_status {
    HELIOGRAPH_OK = 0,
    HELIOGRAPH_FAILED = 1,   /* the run could not go on: a deadlock, a file that cannot be read */
    HELIOGRAPH_BAD_INPUT = 2 /* an experiment, a name or a value is wrong */
};

/* What the last call of this thread that returned a status had to say: errors with their places, warnings,
 * notes, as helio prints them. "" = nothing. Valid until the next such call. */
HELIOGRAPH_API const char *heliograph_said(void);

/* ---------------------------------------------------------------------------------------------- experiments
 */

struct heliograph;

/* An experiment with all parameters at their defaults; NULL where that cannot be. To be freed; NULL is fine
 * there. */
HELIOGRAPH_API struct heliograph *heliograph_new(void);
HELIOGRAPH_API void heliograph_free(struct heliograph *experiment);

/* An experiment file, or its text, on top of what is set. `name` stands in messages for the file. */
HELIOGRAPH_API enum heliograph_status heliograph_load(struct heliograph *experiment, const char *path);
HELIOGRAPH_API enum heliograph_status heliograph_load_text(struct heliograph *experiment, const char *name,
                                                           const char *text);

/* One parameter by its name, with its unit, as `helio run --set` takes it: "packet.latency", "2 us". */
HELIOGRAPH_API enum heliograph_status heliograph_set(struct heliograph *experiment, const char *parameter,
                                                     const char *value);

/* The parameter's value in its shortest form, "2 us"; NULL: there is none, or no such parameter. Valid until
 * the parameter is set again. */
HELIOGRAPH_API const char *heliograph_get(const struct heliograph *experiment, const char *parameter);

/* Runs the program on each of the fabrics. Results of an earlier run are gone, also where this one fails. */
HELIOGRAPH_API enum heliograph_status heliograph_run(struct heliograph *experiment);

/* -------------------------------------------------------------------------------------------------- results
 */

/* How many runs there are, one per fabric, in the order in which they are named. `run` below is from 0 on;
 * where there is no such run, numbers are 0 and texts NULL. Texts live until the next run. */
HELIOGRAPH_API size_t heliograph_runs(const struct heliograph *experiment);

HELIOGRAPH_API const char *heliograph_fabric(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API int64_t heliograph_makespan_ps(const struct heliograph *experiment, size_t run);

/* The share of the ranks' time that they were blocked. */
HELIOGRAPH_API double heliograph_idle_fraction(const struct heliograph *experiment, size_t run);

/* Between ranks. */
HELIOGRAPH_API uint64_t heliograph_messages(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API uint64_t heliograph_bytes(const struct heliograph *experiment, size_t run);

HELIOGRAPH_API uint32_t heliograph_ranks(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API int64_t heliograph_rank_finish_ps(const struct heliograph *experiment, size_t run,
                                                 uint32_t rank);
HELIOGRAPH_API int64_t heliograph_rank_compute_ps(const struct heliograph *experiment, size_t run,
                                                  uint32_t rank);
HELIOGRAPH_API int64_t heliograph_rank_idle_ps(const struct heliograph *experiment, size_t run,
                                               uint32_t rank);

/* What the fabric counted, one of its statistics that are single numbers, times in seconds. 0: there is none
 * of that name, and *value stays. */
HELIOGRAPH_API int heliograph_metric(const struct heliograph *experiment, size_t run, const char *name,
                                     double *value);

/* Everything: the bytes that `helio run --json` prints. NULL before a run. */
HELIOGRAPH_API const char *heliograph_json(const struct heliograph *experiment);

/* ------------------------------------------------------------------------------------ fabrics from outside
 */

/* A message that is ready to move from one node to another. Messages of one time come in a fixed order. */
struct heliograph_message {
    uint32_t source, destination; /* nodes, different ones */
    uint64_t bytes;
    int64_t now_ps;
};

/* When what happens to it; none earlier than now, and nothing later than its delivery. */
struct heliograph_transfer {
    int64_t visible_ps;     /* the receiver can match it */
    int64_t sender_done_ps; /* its last byte has left the sender */
    int64_t delivered_ps;   /* its last byte is there */
};

/* A fabric that says at once what becomes of a message, from what it remembers of those before: latencies,
 * links that are busy until a time, paths. */
struct heliograph_fabric {
    const char *name; /* as `fabric` takes it: a-z, 0-9, - and _ */
    const char *doc;  /* one line */
    void *self;       /* handed to begin */
    /* A run begins; what it returns is `state` below. NULL, the member: state is self. NULL, returned: it
     * cannot be. */
    void *(*begin)(void *self, uint32_t nodes);
    void (*transfer)(void *state, const struct heliograph_message *message,
                     struct heliograph_transfer *transfer);
    void (*end)(void *state); /* NULL: nothing is to be done */
};

/* From now on every experiment of the process has this fabric. It is copied; what it points to has to stay.
 */
HELIOGRAPH_API enum heliograph_status heliograph_register_fabric(const struct heliograph_fabric *fabric);

#ifdef __cplusplus
}
#endif

#endif
