#include "fabric/fabric.h"

/* The ideal fabric: a message arrives when it is ready. A run on it takes the time of the program's
 * computation and of its dependences, a bound that no network beats.
 *
 * It is also the shortest fabric there can be: it needs nothing but the loop's clock, so its struct is struct
 * fabric itself. To write another one, copy its shape, declare parameters and metrics beside it, and give it
 * a line in list.def (CONTRIBUTING.md has the recipe). */
static void ideal_submit(struct fabric *fabric, uint32_t message)
{
    fabric_visible(fabric, message, fabric_now(fabric));
    fabric_sender_done(fabric, message, fabric_now(fabric));
    fabric_delivered(fabric, message, fabric_now(fabric));
}

static void ideal_describe(const struct config *config, uint32_t nodes,
                           struct fabric_description *description)
{
    (void)config, (void)nodes;
    description->ignores_topology = description->has_no_nic = description->has_no_contention = true;
    description_add(&description->notes, "a bound: the network takes no time");
}

const struct fabric_ops ideal_fabric = {
    .name = "ideal",
    .doc = "no latency, no limit of bandwidth: what the program alone costs",
    .host_path = HOST_PATH_NIC,
    .is_bound = true,
    .describe = ideal_describe,
    .size = sizeof(struct fabric),
    .counted_bytes = 56,
    .submit = ideal_submit,
    .is_immediate = true,
};
