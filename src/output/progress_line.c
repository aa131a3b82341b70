#include "output/progress_line.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/units.h"

/* ------------------------------------------------------------ what it says */

static void print_rest(double rest_s, char *text, size_t size)
{
    const double minute_s = 60, hour_s = 3600, day_s = 86400;
    if (rest_s < 2 * minute_s)
        snprintf(text, size, "%.0f s to go", rest_s);
    else if (rest_s < 2 * hour_s)
        snprintf(text, size, "%.0f min to go", rest_s / minute_s);
    else if (rest_s < 2 * day_s)
        snprintf(text, size, "%.1f h to go", rest_s / hour_s);
    else
        snprintf(text, size, "%.0f days to go", rest_s / day_s);
}

/* What the rest takes at the speed since the older mark; infinity: nothing has been done since. */
static double rest_of(struct progress_state *state, double share)
{
    const struct progress_mark now = {share, state->elapsed_s};
    if (now.elapsed_s >= 2 * state->marks[1].elapsed_s) {
        state->marks[0] = state->marks[1];
        state->marks[1] = now;
    }
    const struct progress_mark *since = &state->marks[0];
    return share > since->share ? (1 - share) * (now.elapsed_s - since->elapsed_s) / (share - since->share)
                                : INFINITY;
}

void progress_line_print(struct progress_state *state, char *text, size_t size)
{
    const double longest_s = 1e10;
    char percent[16] = "", simulated[48] = "", time[48];
    double share = state->total ? (double)state->done / (double)state->total : 0;
    double rest_s = share < 1 ? rest_of(state, share) : longest_s;
    if (state->total) {
        unsigned now = share < 0.99 ? (unsigned)(100 * share) : 99;
        if (now > state->shown_percent)
            state->shown_percent = now;
        snprintf(percent, sizeof percent, " %u %%,", state->shown_percent);
    }
    if (state->simulated) {
        char at[32];
        snprintf(simulated, sizeof simulated, " at %s,", units_show_time(state->simulated, 3, at, sizeof at));
    }
    if (rest_s < longest_s)
        print_rest(rest_s, time, sizeof time);
    else
        snprintf(time, sizeof time, "%.0f s so far", state->elapsed_s);
    snprintf(text, size, "%s:%s%s %s", state->name, percent, simulated, time);
}

/* ----------------------------------------------------------------- the line */

#define WIPE "\r\033[K"
enum { LINE_BYTES = 256, NAME_BYTES = 64 };

struct shown_task {
    char name[NAME_BYTES];
    double began_s;
    struct progress_state state;
};

static struct {
    struct progress_sink sink;
    pthread_mutex_t lock; /* of everything below, and of the terminal's line */
    pthread_cond_t stopping;
    pthread_t thread;
    bool is_open, is_visible, is_hidden, is_stopping;
    double started_s;
    struct shown_task tasks[PROGRESS_TASKS];
    unsigned open_tasks;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Errors are ignored: the line is no part of what the command has to say. */
static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        line.is_visible = false;
}

static void wipe(void)
{
    if (line.is_visible)
        put(WIPE);
    line.is_visible = false;
}

/* A line that the terminal breaks could not be wiped. */
static size_t columns(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || !window.ws_col)
        return 80;
    return window.ws_col;
}

/* The innermost task of those that take long, or the outermost one. */
static struct shown_task *task_to_show(double now_s)
{
    const double long_s = 1;
    unsigned index = line.open_tasks - 1;
    while (index > 0 && now_s - line.tasks[index].began_s < long_s)
        index--;
    struct shown_task *task = &line.tasks[index];
    const struct progress_task *told = &line.sink.tasks[index];
    task->state.name = task->name;
    task->state.done = told->done + (told->done_elsewhere ? *told->done_elsewhere : 0);
    task->state.total = told->total;
    task->state.simulated = told->simulated_ps;
    task->state.elapsed_s = now_s - task->began_s;
    return task;
}

/* A command in the background of its terminal shows nothing. */
static bool is_in_background(void)
{
    pid_t front = tcgetpgrp(STDERR_FILENO);
    return front >= 0 && front != getpgrp();
}

static void draw(double now_s)
{
    const double first_after_s = 0.5;
    char text[LINE_BYTES];
    if (!line.open_tasks || line.is_hidden || now_s - line.started_s < first_after_s || is_in_background())
        return;
    int used = snprintf(text, sizeof text, WIPE);
    progress_line_print(&task_to_show(now_s)->state, text + used, sizeof text - (size_t)used);
    size_t limit = (size_t)used + columns() - 1;
    if (limit < sizeof text)
        text[limit] = '\0';
    line.is_visible = true;
    put(text);
}

static void *draw_until_stopped(void *self)
{
    enum { EVERY_NS = 200 * 1000 * 1000, SECOND_NS = 1000 * 1000 * 1000 };
    pthread_mutex_lock(&line.lock);
    while (!line.is_stopping) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += EVERY_NS;
        until.tv_sec += until.tv_nsec / SECOND_NS;
        until.tv_nsec %= SECOND_NS;
        pthread_cond_timedwait(&line.stopping, &line.lock, &until);
        if (!line.is_stopping)
            draw(clock_seconds_now());
    }
    pthread_mutex_unlock(&line.lock);
    return self;
}

/* ---------------------------------------------------------------- the sink */

/* Bytes that a terminal may take for a command, as a plug-in's name could have, are not shown. */
static void take_name(struct shown_task *task, const char *name)
{
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof task->name; length++)
        task->name[length] = name[length] >= ' ' && name[length] <= '~' ? name[length] : '?';
    task->name[length] = '\0';
}

static void begin(struct progress_sink *sink, const char *name)
{
    pthread_mutex_lock(&line.lock);
    struct shown_task *task = &line.tasks[sink->depth - 1];
    *task = (struct shown_task){.began_s = clock_seconds_now()};
    take_name(task, name);
    line.open_tasks = sink->depth;
    pthread_mutex_unlock(&line.lock);
}

static void change_name(struct progress_sink *sink, const char *name)
{
    pthread_mutex_lock(&line.lock);
    take_name(&line.tasks[sink->depth - 1], name);
    pthread_mutex_unlock(&line.lock);
}

/* The line of an outer task is drawn anew when it is due. */
static void end(struct progress_sink *sink)
{
    pthread_mutex_lock(&line.lock);
    line.open_tasks = sink->depth - 1;
    sink->tasks[sink->depth - 1].done_elsewhere = NULL;
    if (!line.open_tasks)
        wipe();
    pthread_mutex_unlock(&line.lock);
}

static void hide(struct progress_sink *sink)
{
    (void)sink;
    pthread_mutex_lock(&line.lock);
    wipe();
    line.is_hidden = true;
    pthread_mutex_unlock(&line.lock);
}

static void show(struct progress_sink *sink)
{
    (void)sink;
    pthread_mutex_lock(&line.lock);
    line.is_hidden = false;
    pthread_mutex_unlock(&line.lock);
}

/* -------------------------------------------------------- start and stop */

/* A child of fork has this thread alone. The lock is taken over the fork, so that the child finds it free. */
static void before_fork(void)
{
    pthread_mutex_lock(&line.lock);
    wipe();
}

static void after_fork(void)
{
    pthread_mutex_unlock(&line.lock);
}

static void after_fork_in_child(void)
{
    line.is_open = false;
    line.open_tasks = 0;
    progress_sink = NULL;
    pthread_mutex_unlock(&line.lock);
}

/* The thread takes no signals: they are to interrupt the work. */
static bool start_thread(void)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    if (pthread_condattr_init(&monotonic))
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&line.stopping, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool started = pthread_create(&line.thread, NULL, draw_until_stopped, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool shows_lines(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0);
}

void progress_line_start(void)
{
    static bool prepared;
    if (line.is_open || !shows_lines())
        return;
    if (!prepared)
        prepared = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
    line.started_s = clock_seconds_now();
    line.is_stopping = false;
    line.open_tasks = 0;
    line.sink =
        (struct progress_sink){.begin = begin, .rename = change_name, .end = end, .hide = hide, .show = show};
    line.is_open = prepared && start_thread();
    progress_sink = line.is_open ? &line.sink : NULL;
}

void progress_line_abandon(void)
{
    if (line.is_visible)
        put(WIPE);
}

void progress_line_stop(void)
{
    if (!line.is_open)
        return;
    pthread_mutex_lock(&line.lock);
    wipe();
    line.is_stopping = true;
    pthread_cond_signal(&line.stopping);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.stopping);
    line.is_open = false;
    progress_sink = NULL;
}
