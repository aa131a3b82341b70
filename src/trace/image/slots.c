#include "trace/image/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WORD_BITS = 64 };

uint32_t image_slots_take(struct image_slots *slots)
{
    size_t word = slots->first_free_word;
    while (word < slots->words && slots->taken[word] == UINT64_MAX)
        word++;
    if (word == slots->words) {
        size_t words = word ? word * 2 : 1;
        slots->taken = mem_resize(slots->taken, words, sizeof *slots->taken, "request slots");
        memset(slots->taken + word, 0, (words - word) * sizeof *slots->taken);
        slots->words = words;
    }
    slots->first_free_word = word;
    unsigned bit = (unsigned)__builtin_ctzll(~slots->taken[word]);
    slots->taken[word] |= UINT64_C(1) << bit;
    slots->outstanding++;
    uint32_t slot = (uint32_t)(word * WORD_BITS + bit);
    if (slot >= slots->in_use)
        slots->in_use = slot + 1;
    return slot;
}

void image_slots_give(struct image_slots *slots, uint32_t slot)
{
    size_t word = slot / WORD_BITS;
    slots->taken[word] &= ~(UINT64_C(1) << slot % WORD_BITS);
    if (word < slots->first_free_word)
        slots->first_free_word = word;
    if (--slots->outstanding == 0)
        slots->in_use = 0;
}

uint32_t image_slots_next(const struct image_slots *slots, uint32_t slot)
{
    while (slot < slots->in_use && !(slots->taken[slot / WORD_BITS] >> slot % WORD_BITS & 1))
        slot++;
    return slot < slots->in_use ? slot : UINT32_MAX;
}

void image_slots_clear(struct image_slots *slots)
{
    if (slots->words)
        memset(slots->taken, 0, slots->words * sizeof *slots->taken);
    slots->first_free_word = 0;
    slots->outstanding = slots->in_use = 0;
}

void image_slots_free(struct image_slots *slots)
{
    free(slots->taken);
    *slots = (struct image_slots){0};
}
