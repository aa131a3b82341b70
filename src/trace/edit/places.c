#include "trace/edit/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/progress.h"
#include "trace/edit/open_requests.h"
#include "trace/edit/pieces.h"

/* ------------------------------------------------------------------ walking */

static bool is_place(const struct call *call)
{
    return call_is_collective(call) && !call->group && !(call->flags & CALL_IMMEDIATE);
}

/* Whether the walk is at the next place of its rank. */
static bool has_arrived(const struct place_walk *walk)
{
    const struct loop *loop = &walk->places->loops.of[walk->rank];
    return loop->period && walk->place < walk->places->count &&
           walk->passed == loop->start + walk->place * loop->period;
}

struct place_walk place_walk_begin(const struct places *places, uint32_t rank)
{
    struct rank_piece body = piece_body(places->source, rank);
    struct place_walk walk = {.places = places, .rank = rank, .at = body.from, .end = body.to};
    if (places->kind == PLACES_ITERATIONS) {
        if (!places->loops.of[rank].period) /* the rank has no calls */
            walk.place = places->count;
        walk.place += has_arrived(&walk);
    }
    return walk;
}

bool place_walk_next(struct place_walk *walk, const struct call **call, uint64_t *at)
{
    const uint32_t *tokens = compiled_tokens(walk->places->source, walk->rank);
    while (walk->at < walk->end && tokens[walk->at] & TOKEN_COMPUTE)
        walk->at++;
    if (walk->at >= walk->end)
        return false;
    *at = walk->at++;
    *call = &compiled_calls(walk->places->source, walk->rank)[tokens[*at]];
    return true;
}

void place_walk_pass(struct place_walk *walk, const struct call *call)
{
    if (walk->places->kind == PLACES_COLLECTIVES) {
        walk->place += is_place(call);
    } else if (loops_have(call)) {
        walk->passed++;
        walk->place += has_arrived(walk);
    }
}

uint64_t place_token(const struct places *places, uint32_t rank, uint64_t place)
{
    struct place_walk walk = place_walk_begin(places, rank);
    const struct call *call;
    uint64_t at = walk.at;
    if (place > places->count)
        return walk.end;
    while (walk.place < place && place_walk_next(&walk, &call, &at)) {
        place_walk_pass(&walk, call);
        at++;
    }
    return at;
}

/* ----------------------------------------------------------------- balances */

/* What each distinct call of a rank adds to the balance. */
struct effects {
    const struct places *places;
    uint64_t *groups; /* per communicator: what a collective of its first member takes */
    uint64_t *of;
    size_t capacity;
};

enum place_event { EVENT_CHANNEL, EVENT_MAILBOX, EVENT_MEMBER };

static uint64_t number_of(enum place_event event, uint64_t what, uint64_t rank)
{
    uint64_t seed = hash_add(UINT64_C(0x243f6a8885a308d3) + (uint64_t)event, what);
    return hash_key(hash_add(hash_add(seed, rank), HASH_ODD));
}

/* Collectives are in balance if all members have made equally many: each member but the first adds a number
 * of its own, and the first one takes them all. */
static void find_groups(struct effects *effects)
{
    const struct program *program = &effects->places->source->program;
    effects->groups = mem_alloc(program->group_count, sizeof *effects->groups, "communicators");
    for (uint32_t group = 0; group < program->group_count; group++)
        for (uint32_t i = 1; i < program->groups[group].size; i++)
            effects->groups[group] += number_of(EVENT_MEMBER, group, group_world(&program->groups[group], i));
}

/* Messages to a mailbox meet receives of their communicator and tag, unless these take any tag. */
static uint64_t number_in_mailbox(const struct places *places, uint32_t destination, uint32_t context,
                                  int32_t tag)
{
    uint64_t kind = (uint64_t)context << 32 | (places->any_tag[destination] ? 0 : (uint32_t)tag);
    return number_of(EVENT_MAILBOX, destination, kind);
}

static uint64_t number_of_end(const struct places *places, uint32_t channel, uint32_t destination,
                              uint32_t context, int32_t tag)
{
    return channel == CHANNEL_MAILBOX ? number_in_mailbox(places, destination, context, tag)
                                      : number_of(EVENT_CHANNEL, channel, 0);
}

uint64_t place_balance(const struct places *places, uint32_t rank, const struct call *call)
{
    uint64_t balance = 0;
    if (call->op == CALL_SEND || call->op == CALL_SENDRECV)
        balance += number_of_end(places, call->channel, (uint32_t)call->peer, call->context, call->tag);
    if (call->op == CALL_RECV)
        balance -= number_of_end(places, call->channel, rank, call->context, call->tag);
    if (call->op == CALL_SENDRECV)
        balance -= number_of_end(places, call->source_channel, rank, call->context, call_source_tag(call));
    return balance;
}

/* Ranks that receive with a wildcard tag. */
static void find_any_tags(struct places *places)
{
    const uint32_t ranks = places->source->program.ranks;
    places->any_tag = mem_alloc(ranks, sizeof *places->any_tag, "ranks");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct call *calls = compiled_calls(places->source, rank);
        for (uint64_t i = 0; i < places->source->ranks[rank].calls.count; i++)
            places->any_tag[rank] |=
                (calls[i].op == CALL_RECV && calls[i].tag == CALL_ANY_TAG) ||
                (calls[i].op == CALL_SENDRECV && call_source_tag(&calls[i]) == CALL_ANY_TAG);
    }
}

static uint64_t effect_of(const struct effects *effects, uint32_t rank, const struct call *call)
{
    if (!call_is_collective(call))
        return place_balance(effects->places, rank, call);
    bool is_first = group_world(&effects->places->source->program.groups[call->group], 0) == rank;
    return is_first ? 0 - effects->groups[call->group] : number_of(EVENT_MEMBER, call->group, rank);
}

static void find_effects(struct effects *effects, uint32_t rank)
{
    const struct call *calls = compiled_calls(effects->places->source, rank);
    uint64_t distinct = effects->places->source->ranks[rank].calls.count;
    effects->of = mem_grow(effects->of, &effects->capacity, distinct, "distinct calls");
    for (uint64_t i = 0; i < distinct; i++)
        effects->of[i] = effect_of(effects, rank, &calls[i]);
}

/* Requests that are open from one place to another count at each place between them: first as a difference.
 */
static void add_open(void *self, uint64_t first, uint64_t last, uint64_t started, uint64_t ended)
{
    struct places *places = self;
    uint64_t most = places->count + 1; /* a rank may have more places than rank 0, which is an error */
    (void)started, (void)ended;
    first = first < most ? first : most;
    last = last < most ? last : most;
    places->open[first + 1]++;
    places->open[last + 1]--;
}

/* How many places the rank has. */
static uint64_t add_rank(struct places *places, struct effects *effects, struct open_requests *requests,
                         uint32_t rank)
{
    struct place_walk walk = place_walk_begin(places, rank);
    const struct call *call, *calls = compiled_calls(places->source, rank);
    uint64_t at, sum = 0;
    find_effects(effects, rank);
    open_requests_begin(requests, places->source, rank);
    while (place_walk_next(&walk, &call, &at)) {
        uint64_t before = walk.place;
        sum += effects->of[call - calls];
        open_requests_see(requests, call, at, walk.place, add_open, places);
        place_walk_pass(&walk, call);
        if (walk.place > before && walk.place <= places->count)
            places->balance[walk.place] += sum;
    }
    places->balance[places->count + 1] += sum;
    return walk.place;
}

static uint64_t count_places(const struct places *places, uint32_t rank)
{
    struct place_walk walk = place_walk_begin(places, rank);
    const struct call *call;
    uint64_t at;
    while (place_walk_next(&walk, &call, &at))
        place_walk_pass(&walk, call);
    return walk.place;
}

static enum status add_ranks(struct places *places, bool report)
{
    struct effects effects = {.places = places};
    struct open_requests requests = {0};
    enum status status = STATUS_OK;
    find_groups(&effects);
    progress_begin("looking for places to cut", places->source->program.ranks);
    for (uint32_t rank = 0; status == STATUS_OK && rank < places->source->program.ranks; rank++) {
        progress_tell(rank);
        uint64_t count = add_rank(places, &effects, &requests, rank);
        if (count == places->count)
            continue;
        status = STATUS_BAD_INPUT;
        if (report)
            compiled_report(places->source, DIAG_ERROR, rank, 0,
                            "rank %" PRIu32 " has %" PRIu64
                            " blocking collective calls of the world, and rank 0 "
                            "has %" PRIu64 ": the trace has no common places for a cut",
                            rank, count, places->count);
    }
    progress_end();
    open_requests_free(&requests);
    free(effects.groups);
    free(effects.of);
    return status;
}

/* ------------------------------------------------------------------ opening */

static enum status find_balance(struct places *places, bool report)
{
    places->balance = mem_alloc(places->count + 2, sizeof *places->balance, "places of a trace");
    places->open = mem_alloc(places->count + 3, sizeof *places->open, "places of a trace");
    enum status status = add_ranks(places, report);
    for (uint64_t i = 1; i < places->count + 3; i++)
        places->open[i] += places->open[i - 1];
    return status;
}

static uint64_t free_places(const struct places *places)
{
    uint64_t count = 0;
    for (uint64_t place = 1; place <= places->count; place++)
        count += place_is_free(places, place);
    return count;
}

static void free_balance(struct places *places)
{
    free(places->balance);
    free(places->open);
}

/* Ranks with more repeats than others can take part from the first one on or up to the last one. Keeps what
 * has more places to cut. */
static void try_ends(struct places *places)
{
    const uint32_t ranks = places->source->program.ranks;
    struct places other = *places;
    uint64_t before = free_places(places);
    if (before == places->count)
        return;
    other.loops.of = mem_alloc(ranks, sizeof *other.loops.of, "loops");
    memcpy(other.loops.of, places->loops.of, ranks * sizeof *other.loops.of);
    if (!loops_align_ends(&other.loops, ranks)) {
        loops_free(&other.loops);
        return;
    }
    find_balance(&other, false);
    bool better = free_places(&other) > before;
    struct places *worse = better ? places : &other;
    free_balance(worse);
    loops_free(&worse->loops);
    if (better)
        *places = other;
}

static enum status open_iterations(struct places *places, bool report)
{
    uint32_t rank = 0;
    enum status status = loops_find(places->source, &places->loops, &rank);
    places->count = places->loops.repeats + 1;
    if (status == STATUS_OK)
        status = find_balance(places, report);
    else if (report)
        compiled_report(places->source, DIAG_ERROR, rank, 0,
                        "rank %" PRIu32
                        " repeats no sequence for half of its calls, so the trace has no iterations",
                        rank);
    if (status == STATUS_OK)
        try_ends(places);
    return status;
}

enum status places_open(struct places *places, const struct compiled_trace *source, enum place_kind kind,
                        bool report)
{
    *places = (struct places){.source = source, .kind = kind};
    find_any_tags(places);
    if (kind == PLACES_ITERATIONS)
        return open_iterations(places, report);
    places->count = count_places(places, 0);
    return find_balance(places, report);
}

void places_free(struct places *places)
{
    free_balance(places);
    loops_free(&places->loops);
    free(places->any_tag);
}
