#include "engine/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The same text may be a constant of several files. */
uint32_t waits_text(struct waits *waits, const char *what)
{
    for (size_t i = 0; i < waits->text_count; i++)
        if (waits->texts[i] == what || strcmp(waits->texts[i], what) == 0)
            return (uint32_t)i;
    waits->texts = mem_grow(waits->texts, &waits->text_capacity, waits->text_count + 1, "critical path");
    waits->texts[waits->text_count] = what;
    return (uint32_t)waits->text_count++;
}

/* The number of the place, from 1 on. */
static uint32_t find_place(struct waits *waits, const char *what, uint32_t which)
{
    uint32_t *slot = hashmap_slot(&waits->by_place, (uint64_t)waits_text(waits, what) << 32 | which);
    if (!*slot) {
        waits->places = mem_grow(waits->places, &waits->capacity, waits->count + 1, "critical path");
        waits->places[waits->count++] = (struct waits_place){.what = what, .which = which};
        *slot = (uint32_t)waits->count;
    }
    return *slot;
}

void waits_add(struct waits *waits, const char *what, uint32_t which, ps_t time)
{
    uint32_t *recent = &waits->recent[which % WAITS_RECENT];
    const struct waits_place *place = *recent ? &waits->places[*recent - 1] : NULL;
    if (!place || place->what != what || place->which != which)
        *recent = find_place(waits, what, which);
    waits->places[*recent - 1].ps += (double)time;
}

const struct waits_place *waits_longest(const struct waits *waits, double *share)
{
    const struct waits_place *longest = NULL;
    double total = 0;
    for (size_t i = 0; i < waits->count; i++) {
        total += waits->places[i].ps;
        if (!longest || waits->places[i].ps > longest->ps)
            longest = &waits->places[i];
    }
    *share = longest ? longest->ps / total : 0;
    return longest;
}

void waits_free(struct waits *waits)
{
    hashmap_free(&waits->by_place);
    free(waits->places);
    free(waits->texts);
    *waits = (struct waits){.count = 0};
}
