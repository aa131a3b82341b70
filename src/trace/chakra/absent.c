#include <stdlib.h>
#include <string.h>

#include "trace/chakra/chakra.h"

/* PyTorch lists the process groups of a run in the inputs of a node, as JSON that converters have quoted in
 * their own ways:
 *
 *   ['[{"pg_name": "0", "ranks": [], "group_size": 8}, {"pg_name": "1", "ranks": [0, 4], "group_size": 2}]']
 *
 * A group without ranks has all. So keys are looked for, and quotes may have backslashes. */

struct text_part {
    const char *at, *end;
};

static const char *skip(const char *at, const char *end, const char *these)
{
    while (at < end && *at && strchr(these, *at))
        at++;
    return at;
}

/* What comes behind "key": in the part; NULL: it has no such key. */
static const char *value_of(struct text_part part, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = part.at; (at = memmem(at, (size_t)(part.end - at), key, length));) {
        at += length;
        const char *quote = skip(at, part.end, "\\\"'"), *colon = skip(quote, part.end, " ");
        if (quote > at && colon < part.end && *colon == ':')
            return skip(colon + 1, part.end, " ");
    }
    return NULL;
}

/* The number at `at`, behind which *at is then. False: there is none. */
static bool next_number(const char **at, const char *end, uint64_t *number)
{
    const char *digit = *at;
    *number = 0;
    while (digit < end && *digit >= '0' && *digit <= '9' && *number < UINT32_MAX)
        *number = *number * 10 + (uint64_t)(*digit++ - '0');
    const bool found = digit > *at;
    *at = digit;
    return found;
}

static bool group_names_absent(struct text_part group, uint32_t npus, struct chakra_absent *absent)
{
    const char *ranks = value_of(group, "ranks"), *size = value_of(group, "group_size");
    uint64_t number;
    if (ranks && ranks < group.end && *ranks == '[')
        for (ranks = skip(ranks + 1, group.end, " "); next_number(&ranks, group.end, &number);
             ranks = skip(ranks, group.end, ", "))
            if (number >= npus) {
                absent->npu = number;
                absent->size = 0;
                return true;
            }
    if (!size || !next_number(&size, group.end, &number) || number <= npus)
        return false;
    absent->size = number;
    return true;
}

bool chakra_names_absent(const char *inputs, uint32_t npus, struct chakra_absent *absent)
{
    static const char name[] = "pg_name";
    const char *end = inputs + strlen(inputs);
    for (const char *at = strstr(inputs, name), *next; at; at = next) {
        next = strstr(at + sizeof name - 1, name);
        const struct text_part group = {at, next ? next : end};
        const char *begin = value_of(group, name);
        if (!begin || !group_names_absent(group, npus, absent))
            continue;
        begin = skip(begin, group.end, "\\\"'");
        size_t length = strcspn(begin, "\\\"',}");
        if (length >= sizeof absent->group)
            length = sizeof absent->group - 1;
        memcpy(absent->group, begin, length);
        absent->group[length] = '\0';
        return true;
    }
    return false;
}
