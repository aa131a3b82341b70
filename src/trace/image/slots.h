#ifndef HELIO_TRACE_IMAGE_SLOTS_H
#define HELIO_TRACE_IMAGE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slots for the requests of a rank (struct call, `slot`). A request gets the smallest free slot, so that a
 * rank has no more slots than it ever has requests outstanding. Slots count from 0 here, and from SLOT_FIRST
 * in a struct call. */
struct image_slots {
    uint64_t *taken; /* bit per slot */
    size_t words;
    size_t first_free_word; /* no word before it has a free slot */
    uint32_t outstanding;   /* slots that are taken */
    uint32_t in_use;        /* the highest slot taken since all were free, plus 1 */
};

uint32_t image_slots_take(struct image_slots *slots);
void image_slots_give(struct image_slots *slots, uint32_t slot);
/* The first taken slot from `slot` on; UINT32_MAX: there is none. */
uint32_t image_slots_next(const struct image_slots *slots, uint32_t slot);
void image_slots_clear(struct image_slots *slots); /* gives back all; keeps the memory */
void image_slots_free(struct image_slots *slots);

#endif
