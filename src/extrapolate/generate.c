#include "extrapolate/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "extrapolate/walk.h"

struct generated_rank {
    struct walk walk;
    struct event held; /* behind the computation that was returned first */
    bool holds;
    struct outstanding outstanding;
    uint32_t *free_slots; /* of those that have been in use */
    uint32_t free_count, slots;
    uint64_t calls;
};

struct generated {
    struct program program; /* first, so that a program can be cast back */
    struct group world;
    struct instance instance;
    struct arena arena;
    struct generated_rank *ranks;
    bool wildcards; /* some receive names no source or tag */
    uint64_t hash;
};

static struct generated *generated_of(const struct program *program)
{
    return (struct generated *)program;
}

/* ----------------------------------------------------------------- requests */

static uint32_t take_slot(struct generated_rank *rank)
{
    return rank->free_count ? rank->free_slots[--rank->free_count] : rank->slots++;
}

/* The oldest request with these ends and tag; false where there is none. */
static bool take_request(struct generated_rank *rank, const struct event *wait, uint32_t *slot)
{
    for (size_t i = 0; i < rank->outstanding.count; i++) {
        const struct pending *one = &rank->outstanding.at[i];
        if (one->op != wait->waits_for || one->peer != wait->peer || one->tag != wait->tag)
            continue;
        *slot = one->slot;
        outstanding_remove(&rank->outstanding, i);
        rank->free_slots[rank->free_count++] = *slot;
        return true;
    }
    return false;
}

static void take_all_requests(struct generated_rank *rank)
{
    rank->outstanding.count = 0;
    rank->free_count = 0;
    rank->slots = SLOT_FIRST;
}

/* ----------------------------------------------------------- the first walk */

/* What the first walk adds up. Sends count up and receives down, so that all pairs together give zero; only
 * an accident of one in 2^64 hides a message that nobody receives. */
struct survey {
    uint64_t unpaired;
    uint64_t collectives, first_collectives; /* their sequence, of this rank and of rank 0 */
    struct walk walk;
    struct outstanding outstanding;
    size_t most_outstanding;
};

static uint64_t channel_hash(uint32_t from, uint32_t to, int32_t tag)
{
    return hash_add(hash_add(1, (uint64_t)from << 32 | to), (uint64_t)(uint32_t)tag);
}

static uint64_t hash_event(uint64_t hash, const struct event *event)
{
    hash =
        hash_add(hash, (uint64_t)event->op | (uint64_t)event->flags << 8 | (uint64_t)event->waits_for << 16);
    hash = hash_add(hash, (uint64_t)(uint32_t)event->peer << 32 | (uint32_t)event->source);
    hash = hash_add(hash, (uint32_t)event->tag);
    return hash_add(hash_add(hash, event->bytes), event->recv_bytes);
}

static bool survey_request(struct survey *survey, const struct event *event)
{
    if (event->flags & CALL_IMMEDIATE)
        outstanding_add(&survey->outstanding, (struct pending){event->peer, event->tag, 0, event->op});
    if (survey->outstanding.count > survey->most_outstanding)
        survey->most_outstanding = survey->outstanding.count;
    if (event->op == CALL_WAITALL)
        survey->outstanding.count = 0;
    if (event->op != CALL_WAIT)
        return true;
    for (size_t i = 0; i < survey->outstanding.count; i++) {
        const struct pending *one = &survey->outstanding.at[i];
        if (one->op == event->waits_for && one->peer == event->peer && one->tag == event->tag) {
            outstanding_remove(&survey->outstanding, i);
            return true;
        }
    }
    return false;
}

static void survey_messages(struct survey *survey, struct generated *generated, uint32_t rank,
                            const struct event *event)
{
    bool sends = event->op == CALL_SEND || event->op == CALL_SENDRECV;
    bool receives = event->op == CALL_RECV || event->op == CALL_SENDRECV;
    int32_t source = event->op == CALL_SENDRECV ? event->source : event->peer;
    if (sends)
        survey->unpaired += channel_hash(rank, (uint32_t)event->peer, event->tag);
    if (receives && (source == CALL_ANY_SOURCE || event->tag == CALL_ANY_TAG))
        generated->wildcards = true;
    else if (receives)
        survey->unpaired -= channel_hash((uint32_t)source, rank, event->tag);
    if (event->op >= CALL_BARRIER)
        survey->collectives =
            hash_add(survey->collectives, (uint64_t)event->op << 32 | (uint32_t)event->peer);
}

/* One rank from its first call to its last; NULL, or what is wrong with it. */
static const char *survey_rank(struct survey *survey, struct generated *generated, uint32_t rank)
{
    struct event event;
    enum walk_step step;
    survey->walk.rank = rank;
    survey->outstanding.count = survey->most_outstanding = 0;
    survey->collectives = 0;
    walk_begin(&survey->walk, &generated->instance);
    generated->hash = hash_add(generated->hash, rank);
    while ((step = walk_next(&survey->walk, &generated->instance, &event)) == WALK_CALL) {
        if (!survey_request(survey, &event))
            return "would wait for a request that it has not started";
        survey_messages(survey, generated, rank, &event);
        generated->hash = hash_event(generated->hash, &event);
        generated->ranks[rank].calls += 1 + (event.operations > 0);
    }
    if (step == WALK_LOST)
        return "would have a partner or a size that means nothing";
    if (rank == 0)
        survey->first_collectives = survey->collectives;
    return survey->collectives == survey->first_collectives ? NULL
                                                            : "would call other collectives than rank 0";
}

static uint32_t deepest(const struct model *model)
{
    uint32_t first = model->roles[0].pattern.depth, second = model->roles[1].pattern.depth;
    return first > second ? first : second;
}

static void make_room(struct generated *generated, uint32_t rank, size_t requests)
{
    struct generated_rank *one = &generated->ranks[rank];
    one->walk.rank = rank;
    one->walk.frames =
        arena_alloc(&generated->arena, deepest(generated->instance.model) * sizeof(struct frame));
    one->outstanding.at = arena_alloc(&generated->arena, requests * sizeof(struct pending));
    one->outstanding.capacity = requests;
    one->free_slots = arena_alloc(&generated->arena, requests * sizeof *one->free_slots);
}

static bool survey_ranks(struct generated *generated, char *why, size_t why_size)
{
    struct survey survey = {0};
    const char *wrong = NULL;
    uint32_t ranks = generated->program.ranks;
    survey.walk.frames = mem_alloc(deepest(generated->instance.model), sizeof(struct frame), "loops");
    for (uint32_t rank = 0; rank < ranks && !wrong; rank++) {
        wrong = survey_rank(&survey, generated, rank);
        make_room(generated, rank, survey.most_outstanding);
        generated->program.total_calls += generated->ranks[rank].calls;
        if (wrong)
            snprintf(why, why_size, "rank %u of %u %s", rank, ranks, wrong);
    }
    free(survey.walk.frames);
    free(survey.outstanding.at);
    if (!wrong && survey.unpaired && !generated->wildcards) {
        wrong = "unpaired";
        snprintf(why, why_size, "on %u ranks some message would be sent to a rank that does not receive it",
                 ranks);
    }
    return !wrong;
}

/* -------------------------------------------------------------- the program */

static bool to_call(const struct generated *generated, struct generated_rank *rank, const struct event *event,
                    struct call *call)
{
    uint32_t channel = generated->wildcards ? CHANNEL_MAILBOX : CHANNEL_KEYED;
    bool point = event->op == CALL_SEND || event->op == CALL_RECV || event->op == CALL_SENDRECV;
    *call = (struct call){.op = event->op,
                          .flags = event->flags,
                          .element_bytes = event->element_bytes,
                          .datatype = event->datatype,
                          .peer = event->peer,
                          .source = event->source,
                          .tag = event->tag,
                          .channel = point ? channel : 0,
                          .source_channel = event->op == CALL_SENDRECV ? channel : 0,
                          .bytes = event->bytes,
                          .recv_bytes = event->recv_bytes,
                          .amount = event->amount};
    if (event->op == CALL_WAITALL) {
        take_all_requests(rank);
    } else if (event->op == CALL_WAIT) {
        call->peer = call->tag = 0;
        return take_request(rank, event, &call->slot);
    } else if (event->flags & CALL_IMMEDIATE) {
        call->slot = take_slot(rank);
        outstanding_add(&rank->outstanding, (struct pending){event->peer, event->tag, call->slot, event->op});
    }
    return true;
}

static const struct call *generated_next(struct program *program, uint32_t index, struct call *scratch)
{
    struct generated *generated = generated_of(program);
    struct generated_rank *rank = &generated->ranks[index];
    if (!rank->holds) {
        if (walk_next(&rank->walk, &generated->instance, &rank->held) != WALK_CALL)
            return NULL;
        rank->calls++;
        if (rank->held.operations > 0) {
            rank->holds = true;
            *scratch = (struct call){.op = CALL_COMPUTE, .amount = rank->held.operations};
            return scratch;
        }
    } else {
        rank->holds = false;
        rank->calls++;
    }
    return to_call(generated, rank, &rank->held, scratch) ? scratch : NULL;
}

static uint32_t generated_slots(const struct program *program, uint32_t rank)
{
    return SLOT_FIRST + (uint32_t)generated_of(program)->ranks[rank].outstanding.capacity;
}

static struct call_place generated_place(const struct program *program, uint32_t rank)
{
    return (struct call_place){program->name, generated_of(program)->ranks[rank].calls};
}

static void generated_rewind(struct program *program)
{
    struct generated *generated = generated_of(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        take_all_requests(&generated->ranks[rank]);
        generated->ranks[rank].holds = false;
        generated->ranks[rank].calls = 0;
        walk_begin(&generated->ranks[rank].walk, &generated->instance);
    }
}

static void generated_close(struct program *program)
{
    struct generated *generated = generated_of(program);
    instance_free(&generated->instance);
    arena_free(&generated->arena);
    free(generated->ranks);
    free(generated);
}

static const struct program_ops generated_ops = {
    .next = generated_next,
    .slots = generated_slots,
    .place = generated_place,
    .rewind = generated_rewind,
    .close = generated_close,
};

struct program *generate_open(const struct model *model, uint32_t ranks, char *why, size_t why_size)
{
    struct generated *generated = mem_alloc(1, sizeof *generated, "an extrapolated program");
    generated->world.size = ranks;
    generated->program = (struct program){.ops = &generated_ops,
                                          .name = "extrapolated",
                                          .ranks = ranks,
                                          .groups = &generated->world,
                                          .group_count = 1};
    generated->ranks = mem_alloc(ranks, sizeof *generated->ranks, "ranks");
    if (!instance_init(&generated->instance, model, ranks, why, why_size) ||
        !survey_ranks(generated, why, why_size)) {
        generated_close(&generated->program);
        return NULL;
    }
    generated_rewind(&generated->program);
    return &generated->program;
}

uint64_t generate_hash(const struct program *program)
{
    return generated_of(program)->hash;
}

/* ---------------------------------------------------------------- verifying */

static bool verify_rank(const struct instance *instance, struct walk *walk, const struct events *events,
                        size_t *at)
{
    struct event event;
    walk_begin(walk, instance);
    for (*at = 0; *at < events->count; (*at)++)
        if (walk_next(walk, instance, &event) != WALK_CALL || !event_same(&event, &events->at[*at]))
            return false;
    return walk_next(walk, instance, &event) == WALK_END;
}

bool generate_verify(const struct model *model, struct sample *sample, struct misfit *misfit)
{
    struct instance instance;
    struct events events = {0};
    struct walk walk = {.frames = mem_alloc(deepest(model), sizeof(struct frame), "loops")};
    bool same = instance_init(&instance, model, sample->ranks, misfit->why, sizeof misfit->why);
    misfit->sample = sample;
    misfit->event = 0;
    misfit->progress = PROGRESS_LEARNED;
    sample->program->ops->rewind(sample->program);
    for (walk.rank = 0; walk.rank < sample->ranks && same; walk.rank++) {
        events_read(sample->program, walk.rank, &events);
        same = verify_rank(&instance, &walk, &events, &misfit->event);
        if (!same) {
            misfit->rank = walk.rank;
            snprintf(misfit->why, sizeof misfit->why,
                     "the program is expected to do something else here, from what it does on fewer ranks");
        }
    }
    instance_free(&instance);
    free(walk.frames);
    free(events.at);
    return same;
}
