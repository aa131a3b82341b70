/* Opening a fabric: it succeeds, or leaves NULL and nothing to free. The address sanitizer checks the
 * latter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"

static char said[4096];

static void keep_saying(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

static struct config *configure(const char *topology)
{
    static const struct param_table *tables[2 + 2 * FABRICS_AT_MOST];
    size_t count = 0;
    tables[count++] = &topology_params;
    tables[count++] = &fault_params;
    for (size_t i = 0; fabric_param_table(i); i++)
        tables[count++] = fabric_param_table(i);
    struct config *config = config_open(tables, count);
    assert_int_equal(config_assign(config, "topology", topology, "test"), STATUS_OK);
    return config;
}

/* Opens the fabric for eight nodes over this topology, and closes it. */
static enum status open_and_close(const struct fabric_ops *ops, const char *topology)
{
    struct config *config = configure(topology);
    struct event_loop loop;
    struct pool messages;
    struct tap tap = {.count = {0}};
    const struct fabric_traffic traffic = {.count = 0};
    loop_init(&loop);
    pool_init(&messages, sizeof(struct message), "messages");
    const struct fabric_params params = {.config = config,
                                         .loop = &loop,
                                         .messages = &messages,
                                         .nodes = 8,
                                         .seed = 1,
                                         .tap = &tap,
                                         .traffic = &traffic};
    struct fabric *fabric = (struct fabric *)&loop; /* any value but NULL */
    said[0] = '\0';
    diag_set_sink(keep_saying, NULL);
    enum status status = fabric_open(ops, &params, &fabric);
    diag_set_sink(NULL, NULL);
    if (status == STATUS_OK) {
        assert_ptr_equal(fabric->ops, ops);
        size_t counted = ops->counted_bytes ? ops->counted_bytes : ops->size;
        assert_in_range(ops->size - counted, 0, 2 * sizeof *fabric); /* near the struct's true size */
        assert_true(fabric_memory_bytes(fabric) >= counted);
    } else {
        assert_null(fabric);
        assert_non_null(strstr(said, "error"));
    }
    fabric_close(fabric);
    pool_free(&messages);
    loop_free(&loop);
    config_close(config);
    return status;
}

static void every_fabric_opens_and_closes(void **state)
{
    (void)state;
    for (size_t i = 0; fabrics[i]; i++)
        assert_int_equal(open_and_close(fabrics[i], "torus:4x2"), STATUS_OK);
}

/* Every fabric with switches and links refuses a topology of four nodes, at different points of its init. */
static void a_fabric_that_fails_to_open_leaves_nothing(void **state)
{
    (void)state;
    size_t refused = 0;
    for (size_t i = 0; fabrics[i]; i++)
        refused += open_and_close(fabrics[i], "torus:2x2") != STATUS_OK;
    assert_int_equal(refused, 7); /* packet, hybrid, three photonic fabrics, two TDM fabrics */
}

struct failing {
    struct fabric fabric;
    void *memory;
};

static enum status failing_init(struct fabric *fabric)
{
    ((struct failing *)fabric)->memory = mem_alloc(1, 100, "a fabric that fails");
    diag_error("it fails");
    return STATUS_FAILED;
}

static void failing_free(struct fabric *fabric)
{
    free(((struct failing *)fabric)->memory);
}

static const struct fabric_ops failing_packet = {
    .name = "packet", .size = sizeof(struct failing), .init = failing_init, .free = failing_free};
static const struct fabric_ops failing_fmu = {
    .name = "fmu", .size = sizeof(struct failing), .init = failing_init, .free = failing_free};

static const struct fabric_ops **place_of(const char *name)
{
    size_t i = 0;
    while (strcmp(fabrics[i]->name, name) != 0)
        i++;
    return &fabrics[i];
}

/* Hybrid opens packet and then fmu. Either the first fails, or the second fails while the first is open. */
static void hybrid_closes_what_it_opened_when_a_fabric_below_fails(void **state)
{
    (void)state;
    const struct fabric_ops *const failing[] = {&failing_packet, &failing_fmu};
    for (size_t i = 0; i < 2; i++) {
        const struct fabric_ops **place = place_of(failing[i]->name), *kept = *place;
        *place = failing[i];
        assert_int_equal(open_and_close(fabric_find("hybrid"), "crossbar"), STATUS_FAILED);
        assert_non_null(strstr(said, "it fails"));
        *place = kept;
    }
    assert_int_equal(open_and_close(fabric_find("hybrid"), "crossbar"), STATUS_OK);
}

/* A program that is built without fmu. */
static void hybrid_says_which_fabric_is_missing(void **state)
{
    (void)state;
    static const struct fabric_ops other = {.name = "other", .size = sizeof(struct fabric)};
    const struct fabric_ops **place = place_of("fmu"), *kept = *place;
    *place = &other;
    assert_int_equal(open_and_close(fabric_find("hybrid"), "crossbar"), STATUS_FAILED);
    assert_non_null(strstr(said, "there is no fabric fmu in this program"));
    *place = kept;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fabric_opens_and_closes),
        cmocka_unit_test(a_fabric_that_fails_to_open_leaves_nothing),
        cmocka_unit_test(hybrid_closes_what_it_opened_when_a_fabric_below_fails),
        cmocka_unit_test(hybrid_says_which_fabric_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
