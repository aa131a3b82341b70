#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "trace/image/compiled.h"
#include "trace/image/number.h"

/* The bursts of a compiled trace. Behind its computation each is a call that does nothing, with a text such
 * as "comm_size #burst 1500 1200 4000". */

static bool read_burst(const char *text, size_t length, struct call_burst *burst)
{
    static const char mark[] = "comm_size #burst ";
    const size_t size = sizeof mark - 1;
    const char *end = text + length, *at;
    int64_t lasted_ns = 0, used_ns = 0, instructions = 0;
    *burst = (struct call_burst){.lasted_ns = 0};
    if (length < size || memcmp(text, mark, size) != 0)
        return false;
    at = number_integer(text + size, end, &lasted_ns);
    if (at && at < end)
        at = number_integer(at + 1, end, &used_ns);
    if (!at || used_ns < 0 || lasted_ns < used_ns)
        return false;
    burst->lasted_ns = (uint64_t)lasted_ns;
    burst->used_ns = (uint64_t)used_ns;
    burst->is_counted = at < end && number_integer(at + 1, end, &instructions) && instructions >= 0;
    burst->instructions = burst->is_counted ? (uint64_t)instructions : 0;
    return true;
}

/* Whether the token is one. */
static bool burst_at(const struct compiled_trace *compiled, uint32_t rank, uint32_t token,
                     struct call_burst *burst)
{
    size_t length;
    if (token & TOKEN_COMPUTE || compiled_calls(compiled, rank)[token].op != CALL_NOTHING)
        return false;
    const char *text = compiled_text(compiled, rank, token, &length);
    return read_burst(text, length, burst);
}

/* Whether the token is a call of the program, which may have a call site, and no line that says something
 * about others. */
static bool is_call(const struct compiled_trace *compiled, uint32_t rank, uint32_t token, uint32_t *site)
{
    if (token & TOKEN_COMPUTE)
        return false;
    const struct program_sites *sites = compiled->program.sites;
    const struct call *call = &compiled_calls(compiled, rank)[token];
    *site = sites ? sites->of(sites, rank, call) : 0;
    return *site || call->op != CALL_NOTHING;
}

static const struct compiled_trace *compiled_from(const struct program_bursts *bursts)
{
    return (const void *)((const char *)bursts - offsetof(struct compiled_trace, bursts));
}

/* The site of the last call in front of `at`. The search ends where the one before it began, so that a rank
 * without calls costs no more than its tokens. A rank that has been rewound is searched from its begin. */
static uint32_t site_before(const struct compiled_trace *compiled, uint32_t rank, const uint32_t *at)
{
    struct burst_place *place = &compiled->burst_places[rank];
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    const bool goes_on = place->at && place->at <= at;
    const uint32_t *const begin = goes_on ? place->at : tokens;
    uint32_t site = 0;
    const uint32_t *back = at;
    for (; back > begin; back--) {
        place->steps++;
        if (is_call(compiled, rank, back[-1], &site))
            break;
    }
    place->site = back > begin || !goes_on ? site : place->site;
    place->at = at;
    return place->site;
}

static bool last_burst(const struct program_bursts *bursts, uint32_t rank, struct call_burst *burst)
{
    const struct compiled_trace *compiled = compiled_from(bursts);
    const uint32_t *tokens = compiled_tokens(compiled, rank), *at = compiled->cursors[rank];
    if (at == tokens || !(at[-1] & TOKEN_COMPUTE) || *at == TOKEN_END ||
        !burst_at(compiled, rank, *at, burst))
        return false;
    burst->after = site_before(compiled, rank, at - 1);
    while (*++at != TOKEN_END && !(*at & TOKEN_COMPUTE) && !is_call(compiled, rank, *at, &burst->before))
        ;
    return true;
}

static void each_burst(const struct program_bursts *bursts, uint32_t rank, bursts_take *take, void *self)
{
    const struct compiled_trace *compiled = compiled_from(bursts);
    struct call_burst burst, held = {.lasted_ns = 0};
    uint32_t after = 0, site = 0;
    bool holds = false;
    for (const uint32_t *token = compiled_tokens(compiled, rank); *token != TOKEN_END; token++) {
        const bool is_one = burst_at(compiled, rank, *token, &burst);
        const bool is_next = !is_one && is_call(compiled, rank, *token, &site);
        if (holds && (is_one || is_next || *token & TOKEN_COMPUTE)) {
            held.before = is_next ? site : 0;
            take(self, &held);
            holds = false;
        }
        if (is_one) {
            held = burst;
            held.after = after;
            holds = true;
        }
        after = is_next ? site : after;
    }
    if (holds)
        take(self, &held);
}

void compiled_use_bursts(struct compiled_trace *compiled)
{
    if (!(compiled->header->flags & IMAGE_HAS_BURSTS))
        return;
    compiled->burst_places =
        mem_alloc(compiled->program.ranks, sizeof *compiled->burst_places, "the bursts of a trace");
    compiled->bursts = (struct program_bursts){.last = last_burst, .each = each_burst};
    compiled->program.bursts = &compiled->bursts;
}
