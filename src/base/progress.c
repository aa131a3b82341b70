#include "base/progress.h"

#include <stddef.h>

_Thread_local struct progress_sink *progress_sink;

static void find_told(struct progress_sink *sink)
{
    bool counts = sink->depth > 0 && sink->depth <= PROGRESS_TASKS;
    sink->told = counts ? &sink->tasks[sink->depth - 1] : NULL;
}

void progress_begin_elsewhere(const char *name, uint64_t total, const _Atomic uint64_t *done)
{
    struct progress_sink *sink = progress_sink;
    if (!sink)
        return;
    sink->depth++;
    find_told(sink);
    if (!sink->told)
        return;
    *sink->told = (struct progress_task){.total = total, .done_elsewhere = done};
    sink->begin(sink, name);
}

void progress_begin(const char *name, uint64_t total)
{
    progress_begin_elsewhere(name, total, NULL);
}

void progress_end(void)
{
    struct progress_sink *sink = progress_sink;
    if (!sink || sink->depth == 0)
        return;
    if (sink->told)
        sink->end(sink);
    sink->depth--;
    find_told(sink);
}

void progress_rename(const char *name)
{
    struct progress_sink *sink = progress_sink;
    if (sink && sink->told)
        sink->rename(sink, name);
}

void progress_hide(void)
{
    if (progress_sink)
        progress_sink->hide(progress_sink);
}

void progress_show(void)
{
    if (progress_sink)
        progress_sink->show(progress_sink);
}
