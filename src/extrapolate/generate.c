#include "extrapolate/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "extrapolate/communicators.h"
#include "extrapolate/model_walk.h"

struct extrapolated_rank {
    struct model_walk walk;
    struct rank_event held; /* the call after the computation that has been returned */
    bool holds;
    struct pending_list outstanding;
    uint32_t *free_slots; /* slots that have been in use */
    uint32_t free_count, slots;
    uint64_t calls;
};

struct extrapolated {
    struct program program;            /* first, so that a program can be cast back */
    struct group *groups;              /* the world, then those of each code */
    uint32_t *codes, *first, families; /* of communicators: the code, and the number of its first group */
    struct model_instance instance;
    struct arena arena;
    struct extrapolated_rank *ranks;
    uint64_t *counts;
    size_t count_count, vector_count;
    const uint64_t **vectors; /* sizes of the instance, and where they are in `counts` */
    size_t *vector_at;
    bool wildcards; /* some receive has no source or tag */
    uint64_t hash;
};

static struct extrapolated *extrapolated_of(const struct program *program)
{
    return (struct extrapolated *)program;
}

/* ----------------------------------------------------------------- requests */

static uint32_t take_slot(struct extrapolated_rank *rank)
{
    return rank->free_count ? rank->free_slots[--rank->free_count] : rank->slots++;
}

/* The oldest request with the ends and tag of the wait. False: there is none. */
static bool take_request(struct extrapolated_rank *rank, const struct rank_event *wait, uint32_t *slot)
{
    for (size_t i = 0; i < rank->outstanding.count; i++) {
        const struct pending_request *one = &rank->outstanding.at[i];
        if (one->op != wait->waits_for || one->peer != wait->peer || one->tag != wait->tag ||
            one->comm != wait->comm)
            continue;
        *slot = one->slot;
        pending_remove(&rank->outstanding, i);
        rank->free_slots[rank->free_count++] = *slot;
        return true;
    }
    return false;
}

static void take_all_requests(struct extrapolated_rank *rank)
{
    rank->outstanding.count = 0;
    rank->free_count = 0;
    rank->slots = SLOT_FIRST;
}

/* ------------------------------------------------------ check of all calls */

/* Sums over all calls. `unpaired` adds the hash of each send and subtracts that of each receive: it is 0 if
 * all of them pair up, and by accident with a probability of 2^-64. */
struct survey {
    uint64_t unpaired;
    uint64_t collectives, first_collectives; /* hashes of their sequence: of this rank, of rank 0 */
    struct model_walk walk;
    struct pending_list outstanding;
    size_t most_outstanding;
};

static uint64_t channel_hash(uint32_t from, uint32_t to, int32_t tag, uint32_t comm)
{
    return hash_add(hash_add(1, (uint64_t)from << 32 | to), (uint64_t)comm << 32 | (uint32_t)tag);
}

static uint64_t hash_event(uint64_t hash, const struct rank_event *event)
{
    hash =
        hash_add(hash, (uint64_t)event->op | (uint64_t)event->flags << 8 | (uint64_t)event->waits_for << 16);
    hash = hash_add(hash, (uint64_t)(uint32_t)event->peer << 32 | (uint32_t)event->source);
    hash = hash_add(hash, (uint32_t)event->tag);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < event->members && event->sizes[side]; i++)
            hash = hash_add(hash, event->sizes[side][i]);
    return hash_add(hash_add(hash, event->bytes), event->recv_bytes);
}

static bool survey_request(struct survey *survey, const struct rank_event *event)
{
    if (event->flags & CALL_IMMEDIATE)
        pending_add(&survey->outstanding,
                    (struct pending_request){event->peer, event->tag, 0, event->comm, event->op});
    if (survey->outstanding.count > survey->most_outstanding)
        survey->most_outstanding = survey->outstanding.count;
    if (event->op == CALL_WAITALL)
        survey->outstanding.count = 0;
    if (event->op != CALL_WAIT)
        return true;
    for (size_t i = 0; i < survey->outstanding.count; i++) {
        const struct pending_request *one = &survey->outstanding.at[i];
        if (one->op == event->waits_for && one->peer == event->peer && one->tag == event->tag &&
            one->comm == event->comm) {
            pending_remove(&survey->outstanding, i);
            return true;
        }
    }
    return false;
}

static void survey_messages(struct survey *survey, struct extrapolated *extrapolated, uint32_t rank,
                            const struct rank_event *event)
{
    bool sends = event->op == CALL_SEND || event->op == CALL_SENDRECV;
    bool receives = event->op == CALL_RECV || event->op == CALL_SENDRECV;
    int32_t source = event->op == CALL_SENDRECV ? event->source : event->peer;
    if (sends)
        survey->unpaired += channel_hash(rank, (uint32_t)event->peer, event->tag, event->comm);
    int32_t source_tag = (int32_t)((uint32_t)event->tag + event->tag_apart);
    if (receives && (source == CALL_ANY_SOURCE || source_tag == CALL_ANY_TAG))
        extrapolated->wildcards = true;
    else if (receives)
        survey->unpaired -= channel_hash((uint32_t)source, rank, source_tag, event->comm);
    if (event->op >= CALL_BARRIER && !(event->comm & COMM_FIRST)) /* else only some ranks call it */
        survey->collectives = hash_add(
            hash_add(survey->collectives, (uint64_t)event->op << 32 | (uint32_t)event->peer), event->comm);
}

/* All calls of one rank. NULL: they are right; else what is wrong. */
static const char *survey_rank(struct survey *survey, struct extrapolated *extrapolated, uint32_t rank)
{
    struct rank_event event;
    enum model_walk_step step;
    survey->walk.rank = rank;
    survey->outstanding.count = survey->most_outstanding = 0;
    survey->collectives = 0;
    model_walk_begin(&survey->walk, &extrapolated->instance);
    extrapolated->hash = hash_add(extrapolated->hash, rank);
    while ((step = model_walk_next(&survey->walk, &extrapolated->instance, &event)) == WALK_CALL) {
        if (!survey_request(survey, &event))
            return "would wait for a request that it has not started";
        survey_messages(survey, extrapolated, rank, &event);
        extrapolated->hash = hash_event(extrapolated->hash, &event);
        extrapolated->hash =
            hash_add(extrapolated->hash, comm_hash(event.comm, &extrapolated->instance.grid, rank));
        extrapolated->ranks[rank].calls += 1 + (event.operations > 0);
    }
    uint32_t bits;
    if (step == WALK_LOST)
        return grid_log2(extrapolated->instance.grid.ranks, &bits)
                   ? "would have a partner or a size that is not defined"
                   : "would have a partner or a size that is not defined; partners that differ in a bit, and "
                     "passes that are a logarithm, need powers of two";
    if (rank == 0)
        survey->first_collectives = survey->collectives;
    return survey->collectives == survey->first_collectives ? NULL
                                                            : "would call other collectives than rank 0";
}

static uint32_t deepest(const struct program_model *model)
{
    uint32_t first = model->roles[0].pattern.depth, second = model->roles[1].pattern.depth;
    return first > second ? first : second;
}

static void make_room(struct extrapolated *extrapolated, uint32_t rank, size_t requests)
{
    struct extrapolated_rank *one = &extrapolated->ranks[rank];
    one->walk.rank = rank;
    one->walk.frames =
        arena_alloc(&extrapolated->arena, deepest(extrapolated->instance.model) * sizeof(struct loop_frame));
    one->outstanding.at = arena_alloc(&extrapolated->arena, requests * sizeof(struct pending_request));
    one->outstanding.capacity = requests;
    one->free_slots = arena_alloc(&extrapolated->arena, requests * sizeof *one->free_slots);
}

static bool survey_ranks(struct extrapolated *extrapolated, char *why, size_t why_size)
{
    struct survey survey = {0};
    const char *wrong = NULL;
    uint32_t ranks = extrapolated->program.ranks;
    survey.walk.frames = mem_alloc(deepest(extrapolated->instance.model), sizeof(struct loop_frame), "loops");
    progress_begin("extrapolating", ranks);
    for (uint32_t rank = 0; rank < ranks && !wrong; rank++) {
        progress_tell(rank);
        wrong = survey_rank(&survey, extrapolated, rank);
        make_room(extrapolated, rank, survey.most_outstanding);
        extrapolated->program.total_calls += extrapolated->ranks[rank].calls;
        if (wrong)
            snprintf(why, why_size, "rank %u of %u %s", rank, ranks, wrong);
    }
    progress_end();
    free(survey.walk.frames);
    free(survey.outstanding.at);
    if (!wrong && survey.unpaired && !extrapolated->wildcards) {
        wrong = "unpaired";
        snprintf(why, why_size, "on %u ranks some message would be sent to a rank that does not receive it",
                 ranks);
    }
    return !wrong;
}

/* ----------------------------------------------------------- communicators */

static void note_code(struct extrapolated *extrapolated, uint32_t code, size_t *capacity,
                      size_t *first_capacity)
{
    for (uint32_t i = 0; i < extrapolated->families; i++)
        if (extrapolated->codes[i] == code)
            return;
    size_t count = extrapolated->families + UINT64_C(1);
    extrapolated->codes = mem_grow(extrapolated->codes, capacity, count, "communicators");
    extrapolated->first = mem_grow(extrapolated->first, first_capacity, count, "communicators");
    extrapolated->codes[extrapolated->families] = code;
    extrapolated->first[extrapolated->families++] = extrapolated->program.group_count;
    extrapolated->program.group_count += comm_count(code, &extrapolated->instance.grid);
}

static void fill_groups(struct extrapolated *extrapolated, uint32_t family)
{
    const struct grid *grid = &extrapolated->instance.grid;
    uint32_t code = extrapolated->codes[family], size = comm_size(code, grid);
    struct group *groups = &extrapolated->groups[extrapolated->first[family]];
    uint32_t *members = arena_alloc(&extrapolated->arena, (size_t)grid->ranks * sizeof *members);
    for (uint32_t i = 0; i < comm_count(code, grid); i++)
        groups[i].world = members + (size_t)i * size;
    for (uint32_t rank = 0; rank < grid->ranks; rank++) {
        uint32_t index = comm_index(code, grid, rank);
        if (!comm_has(code, grid, rank))
            continue;
        members[(size_t)index * size + groups[index].size++] = rank;
    }
}

/* The groups of all codes that calls have. */
static void make_groups(struct extrapolated *extrapolated)
{
    size_t capacity = 0, first_capacity = 0;
    const struct program_model *model = extrapolated->instance.model;
    for (uint32_t role = 0; role <= model->hypothesis.apart; role++)
        for (uint32_t leaf = 0; leaf < model->roles[role].pattern.leaf_count; leaf++)
            if (model->roles[role].pattern.leaves[leaf]->event.comm)
                note_code(extrapolated, model->roles[role].pattern.leaves[leaf]->event.comm, &capacity,
                          &first_capacity);
    extrapolated->groups =
        mem_alloc(extrapolated->program.group_count, sizeof(struct group), "communicators");
    extrapolated->groups[0].size = extrapolated->program.ranks;
    for (uint32_t family = 0; family < extrapolated->families; family++)
        fill_groups(extrapolated, family);
    extrapolated->program.groups = extrapolated->groups;
}

static void add_counts(struct extrapolated *extrapolated, const uint64_t *sizes, uint32_t members,
                       size_t *capacity)
{
    size_t at = extrapolated->count_count ? extrapolated->count_count : 1; /* 0 stands for none */
    extrapolated->counts = mem_grow(extrapolated->counts, capacity, at + members, "sizes of messages");
    memcpy(extrapolated->counts + at, sizes, members * sizeof *sizes);
    extrapolated->vectors[extrapolated->vector_count] = sizes;
    extrapolated->vector_at[extrapolated->vector_count++] = at;
    extrapolated->count_count = at + members;
}

/* The sizes for each peer of all calls, as the counts of the program. */
static void make_counts(struct extrapolated *extrapolated)
{
    const struct model_instance *instance = &extrapolated->instance;
    size_t capacity = 0, calls = 0;
    for (uint32_t role = 0; role <= instance->model->hypothesis.apart; role++)
        calls += instance->model->roles[role].pattern.leaf_count;
    extrapolated->vectors = mem_alloc(4 * calls, sizeof *extrapolated->vectors, "sizes of messages");
    extrapolated->vector_at = mem_alloc(4 * calls, sizeof *extrapolated->vector_at, "sizes of messages");
    for (uint32_t role = 0; role <= instance->model->hypothesis.apart; role++)
        for (uint32_t leaf = 0; leaf < instance->model->roles[role].pattern.leaf_count; leaf++)
            for (int i = 0; i < 4; i++)
                if (instance->sites[role][leaf].vectors[i / 2][i % 2])
                    add_counts(extrapolated, instance->sites[role][leaf].vectors[i / 2][i % 2],
                               instance->sites[role][leaf].members, &capacity);
    extrapolated->program.counts = extrapolated->counts;
}

/* -------------------------------------------------------------- the program */

/* The communicator of a rank as a number of the program's groups. */
static uint32_t group_of(const struct extrapolated *extrapolated, uint32_t code, uint32_t rank)
{
    for (uint32_t i = 0; i < extrapolated->families; i++)
        if (extrapolated->codes[i] == code)
            return extrapolated->first[i] + comm_index(code, &extrapolated->instance.grid, rank);
    return 0;
}

/* Where the sizes are in the program's counts. 0: all are alike. */
static uint64_t counts_at(const struct extrapolated *extrapolated, const uint64_t *sizes)
{
    for (size_t i = 0; sizes && i < extrapolated->vector_count; i++)
        if (extrapolated->vectors[i] == sizes)
            return extrapolated->vector_at[i];
    return 0;
}

static bool to_call(const struct extrapolated *extrapolated, struct extrapolated_rank *rank,
                    const struct rank_event *event, struct call *call)
{
    uint32_t group = event->comm ? group_of(extrapolated, event->comm, rank->walk.rank) : 0;
    uint32_t channel = extrapolated->wildcards ? CHANNEL_MAILBOX : CHANNEL_KEYED;
    bool point = event->op == CALL_SEND || event->op == CALL_RECV || event->op == CALL_SENDRECV;
    *call = (struct call){.op = event->op,
                          .flags = event->flags,
                          .element_bytes = event->element_bytes,
                          .datatype = event->datatype,
                          .peer = event->peer,
                          .source = event->source,
                          .tag = event->tag,
                          .expected = event->tag_apart,
                          .group = event->op >= CALL_BARRIER ? group : 0,
                          .context = event->op == CALL_WAIT ? 0 : group,
                          .channel = point ? channel : 0,
                          .source_channel = event->op == CALL_SENDRECV ? channel : 0,
                          .bytes = event->bytes,
                          .recv_bytes = event->recv_bytes,
                          .send_counts = counts_at(extrapolated, event->sizes[0]),
                          .recv_counts = counts_at(extrapolated, event->sizes[1]),
                          .amount = event->amount};
    if (event->op == CALL_WAITALL) {
        take_all_requests(rank);
    } else if (event->op == CALL_WAIT) {
        call->peer = call->tag = 0;
        return take_request(rank, event, &call->slot);
    } else if (event->flags & CALL_IMMEDIATE) {
        call->slot = take_slot(rank);
        pending_add(&rank->outstanding,
                    (struct pending_request){event->peer, event->tag, call->slot, event->comm, event->op});
    }
    return true;
}

static const struct call *extrapolated_next(struct program *program, uint32_t index, struct call *scratch)
{
    struct extrapolated *extrapolated = extrapolated_of(program);
    struct extrapolated_rank *rank = &extrapolated->ranks[index];
    if (!rank->holds) {
        if (model_walk_next(&rank->walk, &extrapolated->instance, &rank->held) != WALK_CALL)
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
    return to_call(extrapolated, rank, &rank->held, scratch) ? scratch : NULL;
}

static uint32_t extrapolated_slots(const struct program *program, uint32_t rank)
{
    return SLOT_FIRST + (uint32_t)extrapolated_of(program)->ranks[rank].outstanding.capacity;
}

static struct call_place extrapolated_place(const struct program *program, uint32_t rank)
{
    return (struct call_place){program->name, extrapolated_of(program)->ranks[rank].calls};
}

static void extrapolated_rewind(struct program *program)
{
    struct extrapolated *extrapolated = extrapolated_of(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        take_all_requests(&extrapolated->ranks[rank]);
        extrapolated->ranks[rank].holds = false;
        extrapolated->ranks[rank].calls = 0;
        model_walk_begin(&extrapolated->ranks[rank].walk, &extrapolated->instance);
    }
}

static void extrapolated_close(struct program *program)
{
    struct extrapolated *extrapolated = extrapolated_of(program);
    model_instance_free(&extrapolated->instance);
    arena_free(&extrapolated->arena);
    free(extrapolated->groups);
    free(extrapolated->counts);
    free(extrapolated->vectors);
    free(extrapolated->vector_at);
    free(extrapolated->codes);
    free(extrapolated->first);
    free(extrapolated->ranks);
    free(extrapolated);
}

static const struct program_ops extrapolated_ops = {
    .next = extrapolated_next,
    .slots = extrapolated_slots,
    .place = extrapolated_place,
    .rewind = extrapolated_rewind,
    .close = extrapolated_close,
};

struct program *generate_open(const struct program_model *model, uint32_t ranks, char *why, size_t why_size)
{
    struct extrapolated *extrapolated = mem_alloc(1, sizeof *extrapolated, "an extrapolated program");
    extrapolated->program =
        (struct program){.ops = &extrapolated_ops, .name = "extrapolated", .ranks = ranks, .group_count = 1};
    extrapolated->ranks = mem_alloc(ranks, sizeof *extrapolated->ranks, "ranks");
    if (!model_instance_init(&extrapolated->instance, model, ranks, why, why_size) ||
        !survey_ranks(extrapolated, why, why_size)) {
        extrapolated_close(&extrapolated->program);
        return NULL;
    }
    make_groups(extrapolated);
    make_counts(extrapolated);
    extrapolated_rewind(&extrapolated->program);
    return &extrapolated->program;
}

uint64_t generate_hash(const struct program *program)
{
    return extrapolated_of(program)->hash;
}

/* ---------------------------------------------------------------- verifying */

static bool verify_rank(const struct model_instance *instance, struct model_walk *walk,
                        const struct rank_events *events, size_t *at)
{
    struct rank_event event;
    model_walk_begin(walk, instance);
    for (*at = 0; *at < events->count; (*at)++)
        if (model_walk_next(walk, instance, &event) != WALK_CALL ||
            !rank_event_same(&event, &events->at[*at]))
            return false;
    return model_walk_next(walk, instance, &event) == WALK_END;
}

bool generate_verify(const struct program_model *model, struct sample *sample, struct misfit *misfit)
{
    struct model_instance instance;
    struct rank_events events = {0};
    struct model_walk walk = {.frames = mem_alloc(deepest(model), sizeof(struct loop_frame), "loops")};
    bool same = model_instance_init(&instance, model, sample->ranks, misfit->why, sizeof misfit->why);
    struct grid grid = grid_of(model->hypothesis.grid, sample->ranks);
    uint32_t *codes = comm_codes(sample->program, &grid);
    misfit->sample = sample;
    misfit->event = 0;
    misfit->progress = PROGRESS_LEARNED;
    sample->program->ops->rewind(sample->program);
    progress_begin("checking the model", sample->ranks);
    for (walk.rank = 0; walk.rank < sample->ranks && same; walk.rank++) {
        progress_tell(walk.rank);
        sample_events(sample, walk.rank, codes, &events);
        same = verify_rank(&instance, &walk, &events, &misfit->event);
        if (!same) {
            misfit->rank = walk.rank;
            snprintf(misfit->why, sizeof misfit->why,
                     "the model that the other traces give predicts another call here");
        }
    }
    progress_end();
    model_instance_free(&instance);
    free(codes);
    free(walk.frames);
    free(events.at);
    return same;
}
