#include "support/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/progress.h"

enum { MOST = 256 };

static struct progress_sink sink;
static char open_names[PROGRESS_TASKS][64];
static struct recorded_task tasks[MOST];
static size_t task_count;

static void on_name(struct progress_sink *self, const char *name)
{
    snprintf(open_names[self->depth - 1], sizeof open_names[0], "%s", name);
}

static void on_end(struct progress_sink *self)
{
    const struct progress_task *told = self->told;
    assert_true(task_count < MOST);
    struct recorded_task *task = &tasks[task_count++];
    snprintf(task->name, sizeof task->name, "%s", open_names[self->depth - 1]);
    task->done = told->done + (told->done_elsewhere ? *told->done_elsewhere : 0);
    task->total = told->total;
}

static void on_message(struct progress_sink *self)
{
    (void)self;
}

void tasks_record(void)
{
    sink = (struct progress_sink){
        .begin = on_name, .rename = on_name, .end = on_end, .hide = on_message, .show = on_message};
    task_count = 0;
    progress_sink = &sink;
}

void tasks_stop(void)
{
    progress_sink = NULL;
    assert_int_equal(sink.depth, 0);
}

const struct recorded_task *tasks_find(const char *name)
{
    for (size_t i = 0; i < task_count; i++)
        if (strncmp(tasks[i].name, name, strlen(name)) == 0)
            return &tasks[i];
    fail_msg("no task '%s'", name);
    return NULL;
}

void tasks_assert_reached(const char *name, double least_share, double most_share)
{
    const struct recorded_task *task = tasks_find(name);
    double share = task->total ? (double)task->done / (double)task->total : 0;
    if (!task->total || share < least_share || share > most_share)
        fail_msg("task '%s': %llu of %llu parts", task->name, (unsigned long long)task->done,
                 (unsigned long long)task->total);
}
