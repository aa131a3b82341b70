#include "base/tap.h"

static void pass_part(void *self, uint32_t index, enum tap_part part, ps_t since, ps_t at,
                      const struct tap_awaited *awaited)
{
    const struct tap *tap = self;
    for (uint32_t i = 0; i < tap->part_count; i++)
        tap->parts[i].handle(tap->parts[i].self, index, part, since, at, awaited);
}

void tap_handle_parts(struct tap *tap, struct tap_part_handler handler)
{
    assert(tap->part_count < TAP_HANDLERS);
    tap->wants_parts = true;
    tap->parts[tap->part_count++] = handler;
    tap->part = tap->part_count == 1 ? handler : (struct tap_part_handler){.handle = pass_part, .self = tap};
}

void tap_add_up(struct tap *tap, struct causes *causes)
{
    assert(!tap->causes);
    tap->wants_parts = true;
    tap->causes = causes;
}
