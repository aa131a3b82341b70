/* A fabric: LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995), as a plug-in.
 *
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/loggp.c -o examples/loggp.so
 *     helio run --plugin examples/loggp.so --as-published -f loggp,hockney -w alltoall:ranks=16,bytes=8KiB
 *     helio run --plugin examples/loggp.so --as-published -f loggp -w pingpong --set loggp.L=1us
 *
 * The model has its hosts in o, so it runs without those of a machine. A message of k bytes takes
 * o + (k-1)G + L + o. A node begins a message no sooner than g, and no sooner than (k-1)G, behind the one
 * before it. */
#include <heliograph.h>
#include <stdlib.h>

enum { L, OVERHEAD, GAP, RATE };

static const struct heliograph_parameter parameters[] = {
    [L] = {.name = "L", .type = HELIOGRAPH_TIME, .default_value = "5 us", .doc = "latency of the network"},
    [OVERHEAD] = {.name = "o",
                  .type = HELIOGRAPH_TIME,
                  .default_value = "1 us",
                  .doc = "overhead of each end"},
    [GAP] = {.name = "g",
             .type = HELIOGRAPH_TIME,
             .default_value = "2 us",
             .doc = "gap between messages of a node"},
    [RATE] = {.name = "rate", .type = HELIOGRAPH_RATE, .default_value = "12.5 GB/s", .doc = "1/G"},
};

struct loggp {
    const union heliograph_value *values;
    int64_t free_ps[]; /* of each node: its next message begins no sooner */
};

static void *loggp_begin(void *self, const struct heliograph_fabric_setup *setup)
{
    (void)self;
    struct loggp *loggp = calloc(1, sizeof *loggp + setup->nodes * sizeof *loggp->free_ps);
    if (loggp)
        loggp->values = setup->values;
    return loggp;
}

/* (k-1)G, rounded up to whole picoseconds. */
static int64_t bytes_ps(uint64_t bytes, uint64_t rate)
{
    long double ps = bytes ? (long double)(bytes - 1) * 1e12L / (long double)rate : 0;
    int64_t whole = (int64_t)ps;
    return whole + ((long double)whole < ps);
}

static void loggp_transfer(void *state, const struct heliograph_message *message,
                           struct heliograph_transfer *times)
{
    struct loggp *loggp = state;
    const union heliograph_value *values = loggp->values;
    int64_t *free_ps = &loggp->free_ps[message->source];
    int64_t begin_ps = message->now_ps > *free_ps ? message->now_ps : *free_ps;
    int64_t long_ps = bytes_ps(message->bytes, values[RATE].count);
    int64_t gap_ps = values[GAP].time_ps;
    times->sender_done_ps = begin_ps + values[OVERHEAD].time_ps + long_ps;
    times->delivered_ps = times->sender_done_ps + values[L].time_ps + values[OVERHEAD].time_ps;
    times->visible_ps = times->delivered_ps;
    *free_ps = begin_ps + (gap_ps > long_ps ? gap_ps : long_ps);
}

enum heliograph_status heliograph_plugin_init(const struct heliograph_plugin_api *api)
{
    static const struct heliograph_fabric loggp = {
        .struct_size = sizeof loggp,
        .name = "loggp",
        .doc = "LogGP: latency, overhead, gaps between messages and bytes",
        .parameters = parameters,
        .parameter_count = sizeof parameters / sizeof *parameters,
        .begin = loggp_begin,
        .transfer = loggp_transfer,
        .end = free};
    return api->register_fabric(&loggp);
}
