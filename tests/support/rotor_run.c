#include "support/rotor_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"

struct rotor_sent rotor_sent[ROTOR_MOST];
size_t rotor_sent_count;

struct rotor_statistics rotor_seen;
char rotor_said[ROTOR_SAID];
static struct event_loop loop;
static struct pool messages;
static struct fabric *fabric;
uint64_t rotor_events;
static ps_t latest_visible[64][64];
static enum status failure;

void rotor_keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(rotor_said, message, sizeof rotor_said - strlen(rotor_said) - 1);
}

static struct rotor_sent *sent_of(uint32_t index)
{
    return &rotor_sent[message_at(&messages, index)->tag];
}

static void on_visible(void *self, uint32_t index, ps_t at)
{
    struct rotor_sent *of = sent_of(index);
    (void)self;
    assert_true(of->visible == -1 && at >= of->at && at >= loop.now);
    of->visible = at;
    if (of->source < 64 && of->destination < 64) { /* pairs keep their order */
        assert_true(at >= latest_visible[of->source][of->destination]);
        latest_visible[of->source][of->destination] = at;
    }
}

static void on_left(void *self, uint32_t index, ps_t at)
{
    (void)self;
    assert_true(sent_of(index)->left == -1 && at >= loop.now);
    sent_of(index)->left = at;
}

static void on_delivered(void *self, uint32_t index, ps_t at)
{
    struct rotor_sent *of = sent_of(index);
    (void)self;
    assert_true(of->arrived == -1 && of->visible != -1 && of->left != -1);
    assert_true(at >= of->visible && at >= of->left && at >= loop.now);
    of->arrived = at;
    pool_give(&messages, index);
}

static void on_failed(void *self, enum status status)
{
    (void)self;
    failure = status;
    loop.stopped = true;
}

static void on_submit(void *self, uint32_t number)
{
    (void)self;
    uint32_t index = pool_take(&messages);
    *message_at(&messages, index) = (struct message){.bytes = rotor_sent[number].bytes,
                                                     .tag = (int32_t)number,
                                                     .source_node = rotor_sent[number].source,
                                                     .destination_node = rotor_sent[number].destination,
                                                     .injected = loop.now};
    fabric->ops->submit(fabric, index);
}

struct config *rotor_configure(const char *settings)
{
    static const struct param_table *tables[3 + 2 * FABRICS_AT_MOST];
    size_t count = 0;
    tables[count++] = &topology_params;
    tables[count++] = &fault_params;
    for (size_t i = 0; fabric_param_table(i); i++)
        tables[count++] = fabric_param_table(i);
    struct config *config = config_open(tables, count);
    char *copy = mem_text(settings), *rest = copy;
    for (char *setting; (setting = strsep(&rest, " "));)
        if (*setting)
            assert_int_equal(config_set(config, setting), STATUS_OK);
    free(copy);
    return config;
}

enum status rotor_run(uint32_t nodes, uint32_t switches, const char *settings)
{
    char text[512];
    snprintf(text, sizeof text,
             "rotor.slot=90us rotor.guard=10us rotor.switches=%u rotor.bandwidth=%uGB/s %s", switches,
             switches, settings);
    struct config *config = rotor_configure(text);
    struct tap tap = {.count = {0}};
    loop_init(&loop);
    pool_init(&messages, sizeof(struct message), "messages");
    memset(latest_visible, 0, sizeof latest_visible);
    const struct fabric_params params = {.config = config,
                                         .loop = &loop,
                                         .messages = &messages,
                                         .nodes = nodes,
                                         .seed = 1,
                                         .callbacks = {.visible = on_visible,
                                                       .sender_done = on_left,
                                                       .delivered = on_delivered,
                                                       .failed = on_failed},
                                         .tap = &tap};
    rotor_said[0] = '\0';
    failure = STATUS_OK;
    diag_set_sink(rotor_keep, NULL);
    enum status status = fabric_open(fabric_find("rotor"), &params, &fabric);
    if (status == STATUS_OK) {
        uint32_t kind = loop_register(&loop, on_submit, NULL);
        for (size_t i = 0; i < rotor_sent_count; i++) {
            rotor_sent[i].visible = rotor_sent[i].left = rotor_sent[i].arrived = -1;
            loop_at(&loop, rotor_sent[i].at, kind, (uint32_t)i);
        }
        loop_run(&loop);
        rotor_seen = *(const struct rotor_statistics *)fabric->ops->statistics(fabric);
        status = failure;
        if (status == STATUS_OK)
            assert_int_equal(messages.live, 0);
    }
    rotor_events = loop.taken;
    diag_set_sink(NULL, NULL);
    fabric_close(fabric);
    pool_free(&messages);
    loop_free(&loop);
    config_close(config);
    return status;
}

void rotor_clear(void)
{
    rotor_sent_count = 0;
}

struct rotor_sent *rotor_add(uint32_t source, uint32_t destination, uint64_t bytes, ps_t at)
{
    assert_true(rotor_sent_count < ROTOR_MOST);
    rotor_sent[rotor_sent_count] =
        (struct rotor_sent){.source = source, .destination = destination, .bytes = bytes, .at = at};
    return &rotor_sent[rotor_sent_count++];
}

void rotor_check_conservation(void)
{
    sum_t bytes = 0;
    for (size_t i = 0; i < rotor_sent_count; i++)
        bytes += rotor_sent[i].bytes ? rotor_sent[i].bytes : 1;
    assert_true(rotor_seen.direct_bytes + rotor_seen.two_hop_bytes + rotor_seen.short_bytes == bytes);
    assert_int_equal(rotor_seen.direct_messages + rotor_seen.two_hop_messages + rotor_seen.short_messages,
                     rotor_sent_count);
}

static int by_time(const void *a, const void *b)
{
    const struct rotor_sent *first = a, *second = b;
    return first->at < second->at ? -1 : first->at > second->at;
}

void rotor_draw(struct rng *rng, uint32_t nodes, size_t count, uint64_t bytes, ps_t within)
{
    rotor_clear();
    for (size_t i = 0; i < count; i++) {
        uint32_t source = (uint32_t)rng_below(rng, nodes);
        uint32_t destination = (source + 1 + (uint32_t)rng_below(rng, nodes - 1)) % nodes;
        rotor_add(source, destination, rng_below(rng, bytes), (ps_t)rng_below(rng, (uint64_t)within));
    }
    qsort(rotor_sent, rotor_sent_count, sizeof *rotor_sent, by_time);
}
