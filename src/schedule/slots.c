#include "schedule/slots.h"

#include <string.h>

#include "base/mem.h"

enum { WORD_SLOTS = 64, WORDS_AT_FIRST = 2 };

void tdm_slots_init(struct tdm_slots *slots, uint32_t links)
{
    *slots = (struct tdm_slots){.links = links, .words = WORDS_AT_FIRST};
    slots->taken = mem_alloc((size_t)links * WORDS_AT_FIRST + 1, sizeof *slots->taken, "slots of links");
    slots->first_open = mem_alloc((size_t)links + 1, sizeof *slots->first_open, "slots of links");
}

void tdm_slots_free(struct tdm_slots *slots)
{
    free(slots->taken);
    free(slots->first_open);
}

uint32_t tdm_slots_first_free(const struct tdm_slots *slots, const uint32_t *links, uint32_t count)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < count; i++)
        if (slots->first_open[links[i]] > word)
            word = slots->first_open[links[i]];
    for (; word < slots->words; word++) {
        uint64_t taken = 0;
        for (uint32_t i = 0; i < count; i++)
            taken |= slots->taken[(size_t)links[i] * slots->words + word];
        if (~taken)
            return word * WORD_SLOTS + (uint32_t)__builtin_ctzll(~taken);
    }
    return word * WORD_SLOTS;
}

static void widen(struct tdm_slots *slots, uint32_t words)
{
    uint64_t *wider = mem_alloc((size_t)slots->links * words + 1, sizeof *wider, "slots of links");
    for (uint32_t link = 0; link < slots->links; link++)
        memcpy(wider + (size_t)link * words, slots->taken + (size_t)link * slots->words,
               slots->words * sizeof *wider);
    free(slots->taken);
    slots->taken = wider;
    slots->words = words;
}

void tdm_slots_take(struct tdm_slots *slots, const uint32_t *links, uint32_t count, uint32_t slot)
{
    if (slot / WORD_SLOTS >= slots->words)
        widen(slots, slots->words + slots->words / 2 > slot / WORD_SLOTS ? slots->words + slots->words / 2
                                                                         : slot / WORD_SLOTS + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *taken = slots->taken + (size_t)links[i] * slots->words;
        uint32_t *first_open = &slots->first_open[links[i]];
        taken[slot / WORD_SLOTS] |= UINT64_C(1) << slot % WORD_SLOTS;
        while (*first_open < slots->words && !~taken[*first_open])
            ++*first_open;
    }
}
