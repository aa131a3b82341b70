#include "engine/free.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

/* --------------------------------------------------------------- parameter */

/* Digits from text[*at] on. False: there are none, or the number is too large. */
static bool read_number(const char *text, size_t *at, uint64_t most, uint64_t *number)
{
    size_t digits = strspn(text + *at, "0123456789");
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(text[*at + i] - '0'), number))
            return false;
    *at += digits;
    return digits && *number <= most;
}

static bool read_name(const char *text, size_t *at, struct free_name *name)
{
    uint64_t rank;
    size_t begin = *at;
    *at += strspn(text + *at, " ");
    if (!read_number(text, at, INT32_MAX, &rank) || text[*at] != ':')
        return false;
    ++*at;
    if (!read_number(text, at, UINT64_MAX, &name->number) || !name->number) {
        *at = begin;
        return false;
    }
    name->rank = (uint32_t)rank;
    *at += strspn(text + *at, " ");
    return text[*at] == ',' || !text[*at];
}

static bool parse_names(const struct param *self, const char *text, void *field,
                        struct param_problem *problem)
{
    struct free_config config = {.count = 0};
    (void)self;
    for (size_t at = 0; strcmp(text, "none") != 0; at++) {
        if (config.count == FREE_MESSAGES)
            return param_fail(problem, at, "more than %d messages", FREE_MESSAGES);
        if (!read_name(text, &at, &config.names[config.count++]))
            return param_fail(problem, at,
                              "not the name of a message; expected RANK:N, the N-th message that the rank "
                              "sends, from 1 on, several joined by commas, or none");
        if (!text[at])
            break;
    }
    memcpy(field, &config, sizeof config);
    return true;
}

PARAM_TABLE(
    free_params, "what-if", struct free_config, "what the run would be without some of its times",
    {.name = "free",
     .type = PARAM_CUSTOM,
     .offset = 0,
     .default_text = "none",
     .parse = parse_names,
     .doc = "messages that take no time in the network: RANK:N, the N-th that the rank sends, several "
            "joined by commas; --insight names those on the critical path (docs/insight.md)"});

const char *free_name_print(uint32_t rank, uint64_t number, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRIu32 ":%" PRIu64, rank, number);
    return buffer;
}

/* ---------------------------------------------------------------- counting */

struct free_messages {
    const struct config *config;
    const struct free_config *wanted;
    uint64_t *sent; /* by each rank */
};

static enum status refuse(const struct config *config)
{
    config_note_origin(config, "free");
    return STATUS_BAD_INPUT;
}

enum status free_messages_open(const struct config *config, uint32_t ranks, struct free_messages **messages)
{
    const struct free_config *wanted = config_of(config, &free_params);
    *messages = NULL;
    if (!wanted || !wanted->count)
        return STATUS_OK;
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (wanted->names[i].rank < ranks)
            continue;
        diag_error("free: there is no rank %" PRIu32 "; the program has the ranks 0 to %" PRIu32,
                   wanted->names[i].rank, ranks - 1);
        return refuse(config);
    }
    *messages = mem_alloc(1, sizeof **messages, "free messages");
    **messages = (struct free_messages){.config = config, .wanted = wanted};
    (*messages)->sent = mem_alloc(ranks, sizeof *(*messages)->sent, "free messages");
    return STATUS_OK;
}

void free_messages_close(struct free_messages *messages)
{
    if (messages)
        free(messages->sent);
    free(messages);
}

bool free_messages_count(struct free_messages *messages, uint32_t rank)
{
    const struct free_config *wanted = messages->wanted;
    uint64_t number = ++messages->sent[rank];
    bool is_free = false;
    for (uint32_t i = 0; i < wanted->count; i++)
        is_free |= wanted->names[i].rank == rank && wanted->names[i].number == number;
    return is_free;
}

enum status free_messages_check(const struct free_messages *messages)
{
    const struct free_config *wanted = messages->wanted;
    for (uint32_t i = 0; i < wanted->count; i++) {
        const struct free_name *name = &wanted->names[i];
        if (name->number <= messages->sent[name->rank])
            continue;
        diag_error("free: there is no message %" PRIu32 ":%" PRIu64 "; rank %" PRIu32 " sends %" PRIu64
                   " message%s",
                   name->rank, name->number, name->rank, messages->sent[name->rank],
                   messages->sent[name->rank] == 1 ? "" : "s");
        return refuse(messages->config);
    }
    return STATUS_OK;
}
