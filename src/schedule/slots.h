#ifndef HELIO_SCHEDULE_SLOTS_H
#define HELIO_SCHEDULE_SLOTS_H

#include <stdint.h>

/* Which slots of each link are taken: a bitmap per link that grows with the degree. */
struct tdm_slots {
    uint64_t *taken;      /* [link * words + word] */
    uint32_t *first_open; /* [link]: the words before it are full */
    uint32_t links, words;
};

void tdm_slots_init(struct tdm_slots *slots, uint32_t links);
void tdm_slots_free(struct tdm_slots *slots);

/* The first slot that is free on all of these links. */
uint32_t tdm_slots_first_free(const struct tdm_slots *slots, const uint32_t *links, uint32_t count);
void tdm_slots_take(struct tdm_slots *slots, const uint32_t *links, uint32_t count, uint32_t slot);

#endif
