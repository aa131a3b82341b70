#include "topo/families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

enum { FAMILIES_LIMIT = 64, WORDS_LIMIT = 256 };

static const struct topo_ops *families[FAMILIES_LIMIT] = {
#define TOPO_FAMILY(name) &name##_family,
#include "topo/families.def"
#undef TOPO_FAMILY
};

bool topo_word_find(const char *name, size_t length, struct topo_word *word)
{
    for (size_t i = 0; i < FAMILIES_LIMIT && families[i]; i++)
        for (const struct topo_form *form = families[i]->forms; form->name; form++)
            if (strlen(form->name) == length && memcmp(form->name, name, length) == 0) {
                *word = (struct topo_word){form, families[i]};
                return true;
            }
    return false;
}

const struct topo_ops *topo_family_at(size_t index)
{
    return index < FAMILIES_LIMIT ? families[index] : NULL;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* All words in alphabetical order. */
static size_t sort_words(const char *words[WORDS_LIMIT])
{
    size_t count = 0;
    for (size_t i = 0; i < FAMILIES_LIMIT && families[i]; i++)
        for (const struct topo_form *form = families[i]->forms; form->name && count < WORDS_LIMIT; form++)
            words[count++] = form->name;
    qsort(words, count, sizeof *words, compare_names);
    return count;
}

/* The name with '+' as "plus": a family is known as Dragonfly+, and its word has letters alone. */
static void spell(const char *name, char *buffer, size_t size)
{
    size_t stem = strcspn(name, "+");
    snprintf(buffer, size, "%.*s%s", (int)stem, name, name[stem] ? "plus" : "");
}

void topo_word_suggest(const char *name, char *buffer, size_t size)
{
    char spelled[128];
    const char *words[WORDS_LIMIT];
    size_t count = sort_words(words), length = 0;
    spell(name, spelled, sizeof spelled);
    const char *guess = diag_nearest_of(spelled, words, count);
    if (guess) {
        snprintf(buffer, size, "%s", diag_did_you_mean(guess));
        return;
    }
    for (size_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%s%s",
                                   i == 0          ? "; there are "
                                   : i + 1 < count ? ", "
                                                   : " and ",
                                   words[i]);
}

enum status topo_add(const struct topo_ops *ops)
{
    struct topo_word other;
    size_t count = 0;
    for (const struct topo_form *form = ops->forms; form->name; form++)
        if (topo_word_find(form->name, strlen(form->name), &other)) {
            diag_error("there is a topology '%s' already", form->name);
            return STATUS_BAD_INPUT;
        }
    while (count < FAMILIES_LIMIT && families[count])
        count++;
    if (count == FAMILIES_LIMIT) {
        diag_error("topology '%s' cannot be added: there are %d already", ops->name, FAMILIES_LIMIT);
        return STATUS_BAD_INPUT;
    }
    families[count] = ops;
    return STATUS_OK;
}
