/* A generated program, as a plug-in: ranks in a ring that exchange halos with both neighbours, and compute.
 *
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/halo.c -o examples/halo.so
 *     helio run --plugin examples/halo.so --workload halo:ranks=64,bytes=256KiB --fabric ideal,packet
 *     helio run --plugin examples/halo.so --workload halo:operations=0 --fabric ideal,packet
 *
 * Each iteration posts two receives and two sends, computes, and waits for all four. Nothing is stored: a
 * call is computed from the rank and its number. */
#include <heliograph.h>
#include <stdlib.h>

enum { RANKS, BYTES, OPERATIONS, ITERATIONS };
enum { CALLS = 6 }; /* of an iteration */

static const struct heliograph_parameter parameters[] = {
    [RANKS] = {.name = "ranks",
               .type = HELIOGRAPH_COUNT,
               .default_value = "16",
               .min = "2",
               .max = "1000000",
               .doc = "number of ranks"},
    [BYTES] = {.name = "bytes", .type = HELIOGRAPH_SIZE, .default_value = "64 KiB", .doc = "size of a halo"},
    [OPERATIONS] = {.name = "operations",
                    .type = HELIOGRAPH_NUMBER,
                    .default_value = "1e6",
                    .min = "0",
                    .doc = "computation of an iteration"},
    [ITERATIONS] = {.name = "iterations",
                    .type = HELIOGRAPH_COUNT,
                    .default_value = "10",
                    .doc = "iterations"},
};

/* The values are all that the program needs to know. */
static void *halo_open(void *self, const union heliograph_value *values, uint32_t *ranks, uint32_t *requests,
                       char *problem, size_t size)
{
    (void)self, (void)problem, (void)size;
    *ranks = (uint32_t)values[RANKS].count;
    *requests = 4;
    return (void *)values;
}

static int halo_call(void *state, uint32_t rank, uint64_t step, struct heliograph_call *call)
{
    const union heliograph_value *values = state;
    uint32_t ranks = (uint32_t)values[RANKS].count, nth = step % CALLS;
    int32_t right = (int32_t)((rank + 1) % ranks), left = (int32_t)((rank + ranks - 1) % ranks);
    if (step / CALLS == values[ITERATIONS].count)
        return 0;
    if (nth == 4) {
        call->operation = HELIOGRAPH_COMPUTE;
        call->amount = values[OPERATIONS].number;
    } else if (nth == 5) {
        call->operation = HELIOGRAPH_WAITALL;
    } else {
        call->operation = nth < 2 ? HELIOGRAPH_RECV : HELIOGRAPH_SEND;
        call->immediate = 1;
        call->request = nth;
        call->peer = nth % 2 ? right : left;
        call->tag = nth == 0 || nth == 3; /* 1: to the right */
        call->bytes = values[BYTES].count;
    }
    return 1;
}

enum heliograph_status heliograph_plugin_init(const struct heliograph_plugin_api *api)
{
    static const struct heliograph_workload halo = {.struct_size = sizeof halo,
                                                    .name = "halo",
                                                    .doc = "neighbours in a ring: halo:ranks=16,bytes=64KiB",
                                                    .parameters = parameters,
                                                    .parameter_count = sizeof parameters / sizeof *parameters,
                                                    .open = halo_open,
                                                    .call = halo_call};
    return api->register_workload(&halo);
}
