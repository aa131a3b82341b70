#include "support/light.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"

struct bench {
    struct event_loop loop;
    struct pool pool; /* the messages as the fabric sees them: message i is record i */
    struct fabric *network;
    const struct light_message *messages;
    struct light_outcome *outcome;
};

static void on_send(void *self, uint32_t index)
{
    struct bench *bench = self;
    bench->network->ops->submit(bench->network, index);
}

static void on_visible(void *self, uint32_t index, ps_t at)
{
    struct bench *bench = self;
    assert_int_equal(bench->outcome->visible[index], -1);
    assert_true(at >= bench->loop.now);
    bench->outcome->visible[index] = at;
}

static void on_sender_done(void *self, uint32_t index, ps_t at)
{
    struct bench *bench = self;
    assert_int_equal(bench->outcome->sender_done[index], -1);
    assert_true(at >= bench->loop.now);
    bench->outcome->sender_done[index] = at;
}

/* 0 <= channels in use <= channels. A negative count is a large unsigned number. */
static void check_channels(const struct photonic *network)
{
    for (uint32_t i = 0; i < network->topo.links; i++)
        assert_true(network->free[i] <= network->settings.photonic.channels);
}

static void on_delivered(void *self, uint32_t index, ps_t at)
{
    struct bench *bench = self;
    check_channels((const struct photonic *)bench->network);
    struct light_outcome *outcome = bench->outcome;
    assert_int_equal(outcome->delivered[index], -1);
    assert_true(at >= outcome->visible[index] && outcome->visible[index] >= 0);
    assert_true(at >= outcome->sender_done[index] && outcome->sender_done[index] >= 0);
    outcome->delivered[index] = at;
    outcome->deliveries++;
    outcome->makespan = ps_max(outcome->makespan, at);
}

static void on_failed(void *self, enum status status)
{
    struct bench *bench = self;
    bench->outcome->status = status;
    bench->loop.stopped = true;
}

static void keep_saying(void *self, enum diag_level level, const char *message)
{
    (void)level;
    char *said = self;
    strncat(said, message, sizeof((struct light_outcome *)0)->said - strlen(said) - 1);
}

static void check_all_is_free(const struct photonic *network)
{
    assert_int_equal(network->packets.live, 0);
    assert_int_equal(network->transmissions.live, 0);
    assert_int_equal(network->sending, 0);
    for (uint32_t i = 0; i < network->topo.links; i++)
        assert_int_equal(network->free[i], network->settings.photonic.channels);
    for (uint32_t i = 0; i < network->topo.links + network->topo.switches; i++)
        assert_int_equal(network->waiters[i].head, POOL_NONE);
    for (uint32_t i = 0; i < network->buffer_count; i++) {
        const struct photonic_buffer *buffer = &network->buffers[i];
        assert_int_equal(buffer->free_slots, network->settings.slots_of_a_buffer);
        assert_int_equal(buffer->free_inputs, network->settings.segment.inputs);
        assert_int_equal(buffer->free_outputs, network->settings.segment.outputs);
        assert_int_equal(buffer->stored.head, POOL_NONE);
    }
}

static void keep_statistics(struct fabric *fabric, struct light_outcome *outcome)
{
    const struct photonic *network = (const struct photonic *)fabric;
    outcome->statistics = *(const struct photonic_statistics *)fabric->ops->statistics(fabric);
    memcpy(outcome->stored, network->times_stored, sizeof outcome->stored);
    assert_true(network->topo.links <= LIGHT_LINKS);
    for (uint32_t i = 0; i < network->topo.links; i++) {
        outcome->link_data[i] = network->links[i].data_ps;
        outcome->link_granted[i] = network->links[i].granted_ps;
        outcome->link_busy[i] = (ps_t)network->links[i].busy_ps;
        outcome->link_steps[i] = network->links[i].steps;
    }
    for (uint32_t i = 0; i < network->buffer_count; i++)
        outcome->buffer_steps += network->buffers[i].steps;
}

static struct config *configure(const char *topology, const char *const *settings)
{
    static const struct param_table *tables[] = {&topology_params, &fault_params, &photonic_params, NULL};
    tables[3] = fabric_find("segment")->params;
    struct config *config = config_open(tables, 4);
    assert_int_equal(config_assign(config, "topology", topology, "test"), STATUS_OK);
    for (; settings && *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    return config;
}

static void run_messages(struct bench *bench, uint32_t count)
{
    uint32_t send_kind = loop_register(&bench->loop, on_send, bench);
    for (uint32_t i = 0; i < count; i++) {
        bench->outcome->visible[i] = bench->outcome->sender_done[i] = bench->outcome->delivered[i] = -1;
        uint32_t index = pool_take(&bench->pool);
        assert_int_equal(index, i);
        *message_at(&bench->pool, index) =
            (struct message){.bytes = bench->messages[i].bytes,
                             .source_node = bench->messages[i].source,
                             .destination_node = bench->messages[i].destination};
        loop_at(&bench->loop, bench->messages[i].at, send_kind, i);
    }
    loop_run(&bench->loop);
    if (bench->outcome->status == STATUS_OK) {
        assert_int_equal(bench->outcome->deliveries, count);
        check_all_is_free((const struct photonic *)bench->network);
    }
    keep_statistics(bench->network, bench->outcome);
}

struct tap_part_handler light_part_handler;

void light_run(const char *topology, enum photonic_switching switching, const char *const *settings,
               const struct light_message *messages, uint32_t count, uint64_t seed,
               struct light_outcome *outcome)
{
    static const char *const names[] = {
        [PHOTONIC_CIRCUIT] = "circuit", [PHOTONIC_PACKETISED] = "packetised", [PHOTONIC_SEGMENT] = "segment"};
    struct config *config = configure(topology, settings);
    struct tap tap = {.count = {0}};
    if (light_part_handler.handle)
        tap_handle_parts(&tap, light_part_handler);
    struct bench bench = {.messages = messages, .outcome = outcome};
    struct topo topo;
    assert_true(count <= LIGHT_MESSAGES);
    assert_int_equal(topo_parse("test", topology, &topo), STATUS_OK);
    memset(outcome, 0, sizeof *outcome);
    loop_init(&bench.loop);
    pool_init(&bench.pool, sizeof(struct message), "messages");
    struct fabric_params params = {.config = config,
                                   .loop = &bench.loop,
                                   .messages = &bench.pool,
                                   .nodes = topo.nodes,
                                   .seed = seed,
                                   .callbacks = {.self = &bench,
                                                 .visible = on_visible,
                                                 .sender_done = on_sender_done,
                                                 .delivered = on_delivered,
                                                 .failed = on_failed},
                                   .tap = &tap};
    diag_set_sink(keep_saying, outcome->said);
    outcome->status = fabric_open(fabric_find(names[switching]), &params, &bench.network);
    if (outcome->status == STATUS_OK)
        run_messages(&bench, count);
    fabric_close(bench.network);
    diag_set_sink(NULL, NULL);
    pool_free(&bench.pool);
    loop_free(&bench.loop);
    config_close(config);
}
