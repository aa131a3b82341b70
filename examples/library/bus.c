/* A fabric of one's own beside two of Heliograph's: a bus, on which one message follows another.
 *
 *     cc examples/library/bus.c $(pkg-config --cflags --libs heliograph) -o bus
 *     ./bus */
#include <heliograph.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* 100 Gb/s, and 2 us from end to end. */
enum { PS_PER_BYTE = 80, LATENCY_PS = 2000000 };

struct bus {
    int64_t free_ps; /* from then on */
};

static void *bus_begin(void *self, const struct heliograph_fabric_setup *setup)
{
    (void)self;
    (void)setup;
    return calloc(1, sizeof(struct bus));
}

static void bus_transfer(void *state, const struct heliograph_message *message,
                         struct heliograph_transfer *transfer)
{
    struct bus *bus = state;
    int64_t begin_ps = message->now_ps > bus->free_ps ? message->now_ps : bus->free_ps;
    bus->free_ps = begin_ps + (int64_t)message->bytes * PS_PER_BYTE;
    transfer->visible_ps = begin_ps + LATENCY_PS;
    transfer->sender_done_ps = bus->free_ps;
    transfer->delivered_ps = bus->free_ps + LATENCY_PS;
}

static enum heliograph_status run(struct heliograph *experiment)
{
    enum heliograph_status status = heliograph_set(experiment, "workload", "alltoall:ranks=16,bytes=8KiB");
    if (status == HELIOGRAPH_OK)
        status = heliograph_set(experiment, "fabric", "hockney,packet,bus");
    if (status == HELIOGRAPH_OK) /* no machine: all three at 100 Gb/s, hosts within the latency */
        status = heliograph_set(experiment, "machine", "as-published");
    if (status == HELIOGRAPH_OK)
        status = heliograph_set(experiment, "packet.latency", "2 us");
    return status == HELIOGRAPH_OK ? heliograph_run(experiment) : status;
}

int main(void)
{
    const struct heliograph_fabric bus = {.struct_size = sizeof bus,
                                          .name = "bus",
                                          .doc = "one bus for all nodes",
                                          .begin = bus_begin,
                                          .transfer = bus_transfer,
                                          .end = free};
    struct heliograph *experiment = heliograph_new();
    enum heliograph_status status = heliograph_register_fabric(&bus);
    if (status == HELIOGRAPH_OK)
        status = run(experiment);
    if (status != HELIOGRAPH_OK)
        fputs(heliograph_last_error(), stderr);
    for (size_t i = 0; i < heliograph_run_count(experiment); i++)
        printf("%-8s %12" PRId64 " ps, %" PRIu64 " messages\n", heliograph_run_fabric(experiment, i),
               heliograph_makespan_ps(experiment, i), heliograph_messages(experiment, i));
    heliograph_free(experiment);
    return (int)status;
}
