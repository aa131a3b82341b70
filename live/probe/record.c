#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "live/probe/probe.h"

struct probe_samples {
    float *values;
    size_t count, capacity, mark;
};

enum { SAMPLES_MAX = 200000, DELAY_SERIES = 32, TEXT = 16384 };

static const char *const names[QUANTITIES] = {
    [Q_LLP_POST] = "llp_post",         [Q_LLP_PROG] = "llp_prog",
    [Q_BUSY_POST] = "busy_post",       [Q_EMPTY_PROG] = "empty_prog",
    [Q_LLP_LATENCY] = "llp_latency",   [Q_ISEND] = "isend",
    [Q_UCP_SEND] = "ucp_send",         [Q_UCT_POST] = "uct_post",
    [Q_RX_TOTAL] = "rx_total",         [Q_HANDLER] = "handler",
    [Q_MPI_CALLBACK] = "mpi_callback", [Q_LATENCY] = "latency",
    [Q_WINDOW_POST] = "window_post",   [Q_WINDOW_PROG] = "window_prog",
    [Q_WINDOW_RATE] = "window_rate",   [Q_LINE] = "line",
    [Q_LLP_TURN] = "llp_turn",         [Q_MPI_TURN] = "mpi_turn",
};

static struct probe_samples all[QUANTITIES];

static struct find_delay_series {
    char layer[24];
    unsigned delay_ns;
    struct probe_samples samples;
} delays[DELAY_SERIES];
static size_t delay_count;

static char remarks[TEXT];
static size_t remarks_length;

static void add(struct probe_samples *samples, double ns)
{
    if (samples->count == SAMPLES_MAX)
        return;
    samples->values = mem_grow(samples->values, &samples->capacity, samples->count + 1, "samples");
    samples->values[samples->count++] = (float)ns;
}

void record_sample(enum probe_quantity quantity, double ns)
{
    add(&all[quantity], ns);
}

/* The samples of that layer and delay, begun if there are none. NULL: there are too many series. */
static struct probe_samples *find_delay_series(const char *layer, unsigned delay_ns)
{
    size_t i = 0;
    while (i < delay_count && (strcmp(delays[i].layer, layer) != 0 || delays[i].delay_ns != delay_ns))
        i++;
    if (i == DELAY_SERIES)
        return NULL;
    if (i == delay_count) {
        delay_count++;
        snprintf(delays[i].layer, sizeof delays[i].layer, "%s", layer);
        delays[i].delay_ns = delay_ns;
    }
    return &delays[i].samples;
}

void record_delay(const char *layer, unsigned delay_ns, double ns)
{
    struct probe_samples *samples = find_delay_series(layer, delay_ns);
    if (samples)
        add(samples, ns);
}

void record_mark(void)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        all[i].mark = all[i].count;
    for (size_t i = 0; i < delay_count; i++)
        delays[i].samples.mark = delays[i].samples.count;
}

/* A series that began after the mark has mark 0. */
void record_forget(void)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        all[i].count = all[i].mark;
    for (size_t i = 0; i < delay_count; i++)
        delays[i].samples.count = delays[i].samples.mark;
}

/* ------------------------------------------------------------------ gather */

/* Sends `count` values of the second process to the first, which adds them to `into`. */
static void gather(struct probe_pair *pair, const struct probe_samples *mine, uint64_t count,
                   struct probe_samples *into)
{
    enum { CHUNK = 1024 };
    float sent[CHUNK] = {0}, got[CHUNK];
    for (uint64_t from = 0; from < count; from += CHUNK) {
        uint64_t length = count - from < CHUNK ? count - from : CHUNK;
        if (pair->me == 1)
            memcpy(sent, mine->values + from, length * sizeof *sent);
        pair->exchange(pair, sent, got, length * sizeof *sent);
        for (uint64_t i = 0; into && i < length; i++)
            add(into, (double)got[i]);
    }
}

static void gather_quantity(struct probe_pair *pair, struct probe_samples *samples)
{
    uint64_t mine = samples->count, theirs;
    pair->exchange(pair, &mine, &theirs, sizeof mine);
    gather(pair, samples, pair->me == 1 ? mine : theirs, pair->me == 0 ? samples : NULL);
}

/* The processes may have begun their series in different orders, so each comes with its layer and delay. */
static void gather_series(struct probe_pair *pair, size_t index)
{
    struct header {
        char layer[sizeof delays->layer];
        unsigned delay_ns;
        uint64_t count;
    } mine = {.count = 0}, theirs;
    if (index < delay_count) {
        memcpy(mine.layer, delays[index].layer, sizeof mine.layer);
        mine.delay_ns = delays[index].delay_ns;
        mine.count = delays[index].samples.count;
    }
    pair->exchange(pair, &mine, &theirs, sizeof mine);
    struct probe_samples *into =
        pair->me == 0 && theirs.count ? find_delay_series(theirs.layer, theirs.delay_ns) : NULL;
    gather(pair, &delays[index].samples, pair->me == 1 ? mine.count : theirs.count, into);
}

void record_gather(struct probe_pair *pair)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        gather_quantity(pair, &all[i]);
    for (size_t i = 0; i < DELAY_SERIES; i++)
        gather_series(pair, i);
}

/* ------------------------------------------------------------------- print */

static void add_remark(const char *head, const char *format, va_list arguments)
{
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    int length = snprintf(remarks + remarks_length, sizeof remarks - remarks_length, "%s%s\n", head, line);
    if (length > 0 && (size_t)length < sizeof remarks - remarks_length)
        remarks_length += (size_t)length;
}

void record_guard(const char *name, bool passed, const char *format, ...)
{
    char head[64];
    snprintf(head, sizeof head, "guard %s %s ", name, passed ? "ok" : "failed");
    va_list arguments;
    va_start(arguments, format);
    add_remark(head, format, arguments);
    va_end(arguments);
}

void record_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_remark("note ", format, arguments);
    va_end(arguments);
}

static void print_samples(const struct probe_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        printf(" %.2f", (double)samples->values[i]);
    putchar('\n');
}

bool record_print(const char *kind, const char *stack)
{
    printf("helioprobe 1\nkind %s\nstack %s\n", kind, stack);
    printf("timer %.3f %.3f\n", probe_clock.pair_ns, probe_clock.resolution_ns);
    remarks[remarks_length] = '\0';
    fputs(remarks, stdout);
    for (size_t i = 0; i < QUANTITIES; i++) {
        if (all[i].count == 0)
            continue;
        printf("samples %s", names[i]);
        print_samples(&all[i]);
    }
    for (size_t i = 0; i < delay_count; i++) {
        if (delays[i].samples.count == 0)
            continue;
        printf("delay %s %u", delays[i].layer, delays[i].delay_ns);
        print_samples(&delays[i].samples);
    }
    puts("end");
    return !fflush(stdout) && !ferror(stdout);
}
