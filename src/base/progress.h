#ifndef HELIO_BASE_PROGRESS_H
#define HELIO_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"

/* How far the work of this thread is. Code that may take longer than a second opens a task, and tells now and
 * then how much of it is done:
 *
 *     progress_begin("checking the schedule", connections);
 *     for (...)
 *         progress_tell(i);
 *     progress_end();
 *
 * Tasks nest. What is told is of the innermost one. Nothing listens unless the thread has a sink
 * (output/progress_line.h has the one of the command line). To tell costs two loads and a store. */
struct progress_task {
    /* In parts of any size. Any thread may read these at any time. */
    _Atomic uint64_t done, total; /* total 0: not known */
    _Atomic int64_t simulated_ps; /* 0: not known */
    /* Parts that other processes have done, in shared memory; NULL: none. It changes in begin and end. */
    const _Atomic uint64_t *done_elsewhere;
};

enum { PROGRESS_TASKS = 4 }; /* that may be open and count; those inside them do not */

struct progress_sink {
    /* The task at index `depth` - 1 has begun; it is about to end; it has another name. */
    void (*begin)(struct progress_sink *sink, const char *name);
    void (*end)(struct progress_sink *sink);
    void (*rename)(struct progress_sink *sink, const char *name);
    /* Before and after a message to the user: what the sink shows makes room. */
    void (*hide)(struct progress_sink *sink);
    void (*show)(struct progress_sink *sink);
    struct progress_task tasks[PROGRESS_TASKS];
    struct progress_task *told; /* the innermost task; NULL: none is open, or too many are */
    unsigned depth;             /* open tasks */
};

/* Each thread has a sink of its own; NULL: none. */
extern _Thread_local struct progress_sink *progress_sink;

/* `total` 0: it is not known. The name is copied. */
void progress_begin(const char *name, uint64_t total);
/* The same for work that other processes do, which count the parts there. */
void progress_begin_elsewhere(const char *name, uint64_t total, const _Atomic uint64_t *done);
void progress_end(void);

/* Another name for the task, which goes on. */
void progress_rename(const char *name);

/* Before and after a message on the terminal. */
void progress_hide(void);
void progress_show(void);

/* Whether somebody looks, so that it is worth while to find out the total. */
static inline bool progress_is_shown(void)
{
    return progress_sink;
}

/* So many parts are done. */
static inline void progress_tell(uint64_t done)
{
    struct progress_sink *sink = progress_sink;
    if (sink && sink->told)
        atomic_store_explicit(&sink->told->done, done, memory_order_relaxed);
}

/* So many more parts are done. */
static inline void progress_steps(uint64_t parts)
{
    struct progress_sink *sink = progress_sink;
    if (sink && sink->told)
        progress_tell(atomic_load_explicit(&sink->told->done, memory_order_relaxed) + parts);
}

/* One more part is done. */
static inline void progress_step(void)
{
    progress_steps(1);
}

/* The simulated time that has been reached. */
static inline void progress_tell_time(ps_t now)
{
    struct progress_sink *sink = progress_sink;
    if (sink && sink->told)
        atomic_store_explicit(&sink->told->simulated_ps, now, memory_order_relaxed);
}

#endif
