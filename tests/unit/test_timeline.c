/* Timelines, read back by another decoder: slices nest, nothing ends before it begins, and sums of slices
 * equal the results of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "report/timeline/timeline.h"
#include "sim/components.h"
#include "sim/experiment.h"

/* ----------------------------------------------------------------- reading */

struct span {
    const uint8_t *at, *end;
};

static uint64_t varint(struct span *from)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(from->at < from->end && shift < 64);
        uint8_t byte = *from->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

struct field {
    uint32_t number;
    uint64_t value; /* the value of a number, or the bits of a double */
    struct span block;
};

/* The next field of a message. False at the end. */
static int next_field(struct span *from, struct field *field)
{
    if (from->at == from->end)
        return 0;
    uint64_t key = varint(from);
    *field = (struct field){.number = (uint32_t)(key >> 3)};
    switch (key & 7) {
    case 0:
        field->value = varint(from);
        return 1;
    case 1:
        assert_true(from->end - from->at >= 8);
        memcpy(&field->value, from->at, 8);
        from->at += 8;
        return 1;
    case 2: {
        uint64_t length = varint(from);
        assert_true(length <= (uint64_t)(from->end - from->at));
        field->block = (struct span){from->at, from->at + length};
        from->at += length;
        return 1;
    }
    }
    fail_msg("wire type %u", (unsigned)(key & 7));
    return 0;
}

/* ---------------------------------------------------------------- checking */

enum { TRACKS = 4096, DEPTH = 2, RANKS = 64 };
enum { RANK = 1, MESSAGE = 2, PART = 3 }; /* categories, in the order in which they are named */
enum { NOTE_NS = 1, NOTE_IDLE_NS = 2, NOTE_BYTES = 8 };

struct track {
    uint64_t rank; /* index plus 1 in the ranks' own categories */
    uint64_t depth, time, category[DEPTH], begun[DEPTH];
    int is_computing;
    double message_ns, parts_ns;
};

static struct track tracks[TRACKS];
static double compute_ns[RANKS], idle_ns[RANKS];
static uint64_t messages, bytes, events, compute_name, unnamed_name;

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct slice_event {
    uint64_t type, track, category, name;
    double ns;
    int has_ns;
};

static unsigned core_tracks; /* of cores behind core 0 */
static unsigned cores_computing[RANKS];
static uint64_t computing_since[RANKS];

static void read_annotation(struct span from, struct slice_event *event)
{
    struct field field;
    uint64_t name = 0;
    while (next_field(&from, &field)) {
        if (field.number == 1)
            name = field.value;
        if (field.number == 5 && (name == NOTE_NS || name == NOTE_IDLE_NS)) {
            event->ns = as_double(field.value);
            event->has_ns = 1;
        }
        if (field.number == 3 && name == NOTE_BYTES)
            bytes += field.value;
    }
}

static void begin_slice(struct track *track, const struct slice_event *event, uint64_t time)
{
    assert_true(track->depth < DEPTH);
    assert_int_equal(event->category, track->rank ? RANK : track->depth == 0 ? MESSAGE : PART);
    track->begun[track->depth] = time;
    track->category[track->depth++] = event->category;
    if (event->category == RANK) {
        track->is_computing = event->name == compute_name;
        if (track->is_computing && cores_computing[track->rank - 1]++ == 0)
            computing_since[track->rank - 1] = time;
    }
    if (event->category == MESSAGE) {
        messages++;
        track->message_ns = event->ns;
        track->parts_ns = 0;
    }
    if (event->category == PART) {
        assert_true(event->ns > 0);
        assert_int_not_equal(event->name, unnamed_name); /* these fabrics report every part of a message */
        track->parts_ns += event->ns;
    }
}

static void end_slice(struct track *track, const struct slice_event *event, uint64_t time)
{
    assert_true(track->depth > 0);
    uint64_t category = track->category[--track->depth];
    assert_true(time >= track->begun[track->depth]);
    if (category == RANK) {
        double ns = event->has_ns && !track->is_computing ? event->ns : 0;
        idle_ns[track->rank - 1] += ns;
        if (track->is_computing && --cores_computing[track->rank - 1] == 0)
            compute_ns[track->rank - 1] += (double)(time - computing_since[track->rank - 1]);
    }
    if (category == MESSAGE) /* each nanosecond of a message has one name */
        assert_true(track->parts_ns - track->message_ns < 1e-3 && track->message_ns - track->parts_ns < 1e-3);
}

static void read_event(struct span from, uint64_t time)
{
    struct slice_event event = {0};
    struct field field;
    while (next_field(&from, &field)) {
        if (field.number == 3)
            event.category = field.value;
        if (field.number == 4)
            read_annotation(field.block, &event);
        if (field.number == 9)
            event.type = field.value;
        if (field.number == 10)
            event.name = field.value;
        if (field.number == 11)
            event.track = field.value;
    }
    assert_in_range(event.track, 1, TRACKS - 1);
    struct track *track = &tracks[event.track];
    assert_true(time >= track->time); /* the events of a track are ordered by time */
    track->time = time;
    events++;
    assert_in_range(event.type, 1, 2);
    (event.type == 1 ? begin_slice : end_slice)(track, &event, time);
}

/* "core 1 of rank 3": 1 + 3. 0: another name. */
static uint64_t rank_of_core(struct span name)
{
    char text[64] = "";
    unsigned core;
    unsigned long rank;
    assert_true((size_t)(name.end - name.at) < sizeof text);
    memcpy(text, name.at, (size_t)(name.end - name.at));
    if (sscanf(text, "core %u of rank %lu", &core, &rank) != 2)
        return 0;
    assert_true(core > 0);
    core_tracks++;
    return 1 + rank;
}

static void read_track(struct span from)
{
    struct field field, inner;
    uint64_t uuid = 0, rank = 0;
    while (next_field(&from, &field)) {
        if (field.number == 1)
            uuid = field.value;
        if (field.number == 2)
            rank = rank_of_core(field.block);
        if (field.number != 4)
            continue;
        while (next_field(&field.block, &inner))
            if (inner.number == 5)
                rank = 1 + strtoull((const char *)inner.block.at + strlen("rank "), NULL, 10);
    }
    assert_in_range(uuid, 1, TRACKS - 1);
    tracks[uuid] = (struct track){.rank = rank};
}

static int is_text(struct span block, const char *text)
{
    size_t length = (size_t)(block.end - block.at);
    return length == strlen(text) && memcmp(block.at, text, length) == 0;
}

static void read_names(struct span from)
{
    struct field table, entry;
    while (next_field(&from, &table)) {
        uint64_t id = 0;
        while (next_field(&table.block, &entry)) {
            if (entry.number == 1)
                id = entry.value;
            else if (table.number == 2 && is_text(entry.block, "compute"))
                compute_name = id;
            else if (table.number == 2 && is_text(entry.block, "fabric"))
                unnamed_name = id;
        }
    }
}

static void read_packet(struct span from)
{
    struct field field;
    uint64_t time = 0;
    while (next_field(&from, &field)) {
        if (field.number == 8)
            time = field.value;
        if (field.number == 11)
            read_event(field.block, time);
        if (field.number == 12)
            read_names(field.block);
        if (field.number == 60)
            read_track(field.block);
    }
}

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    uint8_t *content = mem_alloc((size_t)size, 1, "a timeline");
    size_t length = fread(content, 1, (size_t)size, file);
    fclose(file);
    assert_int_equal(length, size);
    struct span from = {content, content + length};
    struct field field;
    memset(tracks, 0, sizeof tracks);
    memset(compute_ns, 0, sizeof compute_ns);
    memset(idle_ns, 0, sizeof idle_ns);
    messages = bytes = events = 0;
    while (next_field(&from, &field)) {
        assert_int_equal(field.number, 1);
        read_packet(field.block);
    }
    free(content);
    for (int i = 0; i < TRACKS; i++)
        assert_int_equal(tracks[i].depth, 0);
}

/* ------------------------------------------------------------------- tests */

static char path[] = "/tmp/helio-timeline-XXXXXX";

static struct config *configure(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_non_null(config);
    for (; *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    return config;
}

/* Checks that both agree within a nanosecond for each of `slices` slices: Perfetto's clock has whole
 * nanoseconds. */
static void check_ns(double shown, ps_t exact, double slices)
{
    double off = shown - (double)exact / 1000;
    assert_true(off > -slices - 1e-3 && off < slices + 1e-3);
}

/* One run on one fabric. The sums of its timeline must equal its results. */
static void check(const char *const *settings)
{
    struct config *config = configure(settings);
    struct experiment experiment;
    struct result result;
    struct timeline *timeline;
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_int_equal(timeline_open(path, 1, &timeline), STATUS_OK);
    struct experiment_watch watch = {.listen = timeline_listen, .listener = timeline};
    assert_int_equal(timeline_begin_run(timeline, experiment.fabrics[0]->name), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    assert_int_equal(timeline_end_run(timeline, STATUS_OK), STATUS_OK);
    assert_int_equal(timeline_close(timeline, STATUS_OK), STATUS_OK);
    read_file(path);
    assert_int_equal(messages, result.messages);
    assert_int_equal(bytes, result.bytes);
    assert_true(result.messages > 0);
    for (uint32_t rank = 0; rank < result.ranks; rank++) {
        check_ns(idle_ns[rank], result.rows[rank].idle, 0);
        check_ns(compute_ns[rank], result.rows[rank].compute, (double)events);
    }
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
}

static void timelines_of_all_fabrics_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=ideal", "fabric=hockney", "fabric=packet", "fabric=fmu",
                                           "fabric=hybrid"};
    static const char *const workloads_[] = {
        "workload=fmu-allreduce:ranks=8,bytes=1MiB,iterations=3", "workload=alltoall:ranks=8,bytes=8KiB",
        "workload=npb:cg:class=S,ranks=4", "workload=pingpong:bytes=1MiB,iterations=20"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++)
        for (size_t k = 0; k < sizeof workloads_ / sizeof *workloads_; k++)
            check((const char *const[]){fabrics_[i], workloads_[k], NULL});
}

/* A core is a lane, and a rank computes while one of its lanes does. */
static void timelines_of_graphs_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=hockney", "fabric=packet", "fabric=fmu"};
    static const char *const traces_[] = {"trace=tests/goal/cases/cpu-05.goal",
                                          "trace=tests/goal/cases/dag-00.goal",
                                          "trace=tests/goal/cases/xcpu-04.goal"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++)
        for (size_t k = 0; k < sizeof traces_ / sizeof *traces_; k++) {
            core_tracks = 0;
            check((const char *const[]){fabrics_[i], traces_[k], NULL});
            assert_int_equal(core_tracks > 0, k != 1); /* dag-00 has one core */
        }
}

static void timelines_with_handshakes_and_nodes_add_up(void **state)
{
    static const char *const handshakes[] = {"rendezvous.handshakes=1", "rendezvous.handshakes=2",
                                             "rendezvous.handshakes=3"};
    (void)state;
    for (size_t i = 0; i < sizeof handshakes / sizeof *handshakes; i++)
        check((const char *const[]){"fabric=packet", "workload=fmu-allreduce:ranks=8,bytes=4MiB,iterations=2",
                                    "ranks_per_node=2", handshakes[i], NULL});
}

/* The parts of a message in its hosts, full queues included. */
static void timelines_with_hosts_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=hockney", "fabric=packet", "fabric=fmu"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++) {
        check((const char *const[]){fabrics_[i], "workload=alltoall:ranks=8,bytes=512B",
                                    "host.system=thunderx2", "packet.latency=383 ns",
                                    "hockney.latency=383 ns", "ranks_per_node=2", NULL});
        check((const char *const[]){fabrics_[i], "workload=npb:lu:class=S,ranks=4", "host.system=thunderx2",
                                    "packet.latency=383 ns", "hockney.latency=383 ns",
                                    "rendezvous.handshakes=3", "mpi.eager_threshold=100 B", NULL});
    }
}

/* Queues, switching, tags that travel by network, full rings. */
static void timelines_of_fmu_fabrics_add_up(void **state)
{
    (void)state;
    check((const char *const[]){"fabric=fmu", "workload=alltoall:ranks=8,bytes=64KiB", "fmu.count=2",
                                "fmu.t_ocm=10 ns", "fmu.t_map=7 ns", "fmu.tag=network", "fmu.coalesce=off",
                                "fmu.capacity=1 MB", NULL});
    check((const char *const[]){"fabric=fmu", "workload=alltoall:ranks=8,bytes=64KiB", "fmu.count=3",
                                "fmu.tag=header", NULL});
}

/* Reserved channels, full buffers, slots, and failed reservations. */
static void timelines_of_photonic_fabrics_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=circuit", "fabric=packetised", "fabric=segment"};
    static const char *const ways[] = {"photonic.retry=wait", "photonic.retry=now", "photonic.retry=backoff"};
    static const char *const topologies[] = {"topology=linear:8", "topology=fattree:2x3"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            const char *topology = topologies[(i + k) % 2];
            check((const char *const[]){fabrics_[i], ways[k], topology, "photonic.channels=2",
                                        "workload=alltoall:ranks=8,bytes=9000B", "segment.buffer_size=16KiB",
                                        NULL});
            check((const char *const[]){fabrics_[i], ways[k], topology, "photonic.channels=1",
                                        "photonic.reservation=hop-by-hop", "photonic.eo=3 ns",
                                        "workload=fmu-allreduce:ranks=8,bytes=16KiB", NULL});
        }
}

static void timelines_of_tdm_fabrics_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=tdm-compiled", "fabric=tdm-dynamic"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++) {
        check((const char *const[]){fabrics_[i], "workload=alltoall:ranks=8,bytes=3000B", NULL});
        check(
            (const char *const[]){fabrics_[i], "workload=npb:cg:class=S,ranks=4", "topology=linear:4", NULL});
    }
    check((const char *const[]){"fabric=tdm-compiled", "workload=alltoall:ranks=8,bytes=3000B",
                                "tdm.schedule=logical", NULL});
}

static void timelines_of_rotor_switches_add_up(void **state)
{
    static const char *const ways[] = {"rotor.hops=1", "rotor.hops=2", "rotor.short=4kB"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        check((const char *const[]){"fabric=rotor", ways[i], "rotor.switches=3", "rotor.slot=5us",
                                    "rotor.guard=300ns", "workload=alltoall:ranks=8,bytes=3000B", NULL});
}

/* Nodes send without ranks, and neither compute nor wait. */
static void timelines_of_traffic_add_up(void **state)
{
    static const char *const fabrics_[] = {"fabric=packet",     "fabric=fmu",     "fabric=circuit",
                                           "fabric=packetised", "fabric=segment", "fabric=ocs"};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics_ / sizeof *fabrics_; i++)
        check((const char *const[]){fabrics_[i], "workload=uniform:messages=20,interval=2us",
                                    "topology=mesh:2x3", NULL});
}

static void a_failed_run_leaves_nothing(void **state)
{
    (void)state;
    struct timeline *timeline;
    unlink(path);
    assert_int_equal(timeline_open(path, 1, &timeline), STATUS_OK);
    assert_int_equal(timeline_close(timeline, STATUS_FAILED), STATUS_FAILED);
    assert_int_equal(access(path, F_OK), -1);
}

static int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void quiet(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timelines_of_all_fabrics_add_up),
        cmocka_unit_test(timelines_of_graphs_add_up),
        cmocka_unit_test(timelines_with_handshakes_and_nodes_add_up),
        cmocka_unit_test(timelines_with_hosts_add_up),
        cmocka_unit_test(timelines_of_fmu_fabrics_add_up),
        cmocka_unit_test(timelines_of_photonic_fabrics_add_up),
        cmocka_unit_test(timelines_of_tdm_fabrics_add_up),
        cmocka_unit_test(timelines_of_rotor_switches_add_up),
        cmocka_unit_test(timelines_of_traffic_add_up),
        cmocka_unit_test(a_failed_run_leaves_nothing),
    };
    diag_set_sink(quiet, NULL);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
