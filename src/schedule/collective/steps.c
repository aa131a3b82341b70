#include "schedule/collective/steps.h"

#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------ what the ranks post */

/* A send or a receive, as a rank posts it. */
struct posting {
    uint32_t source, destination;
    uint32_t phase; /* of all ranks: rank r has those from first_phase[r] on */
    uint64_t bytes;
    size_t order; /* how many were posted before */
};

struct postings {
    struct posting *at;
    size_t count, capacity;
};

struct collector {
    struct coll_sink base;
    struct postings sends, receives;
    uint32_t rank, phase;
};

static void add(struct postings *postings, struct posting posting)
{
    postings->at =
        mem_grow(postings->at, &postings->capacity, postings->count + 1, "messages of a collective");
    posting.order = postings->count;
    postings->at[postings->count++] = posting;
}

static void take_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct collector *self = (struct collector *)sink;
    add(&self->sends, (struct posting){self->rank, peer, self->phase, from.bytes, 0});
}

static void take_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    struct collector *self = (struct collector *)sink;
    add(&self->receives, (struct posting){peer, self->rank, self->phase, into.bytes, 0});
}

static void take_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

static struct coll_call call_of(const struct collective_task *collective)
{
    /* A vector is cut at any byte, and into no more segments than an algorithm needs. */
    return (struct coll_call){.kind = collective->kind,
                              .size = collective->ranks,
                              .element = 1,
                              .bytes = collective->bytes,
                              .segment_bytes = COLL_BYTES_AT_MOST};
}

/* Returns the number of phases of all ranks; first_phase has an entry for each rank and one behind. */
static uint32_t collect(struct collector *self, const struct coll_algorithm *algorithm,
                        const struct collective_task *collective, uint32_t *first_phase)
{
    struct coll_call call = call_of(collective);
    for (call.rank = 0; call.rank < call.size; call.rank++) {
        self->rank = call.rank;
        first_phase[call.rank] = self->phase;
        for (uint32_t phase = 0; coll_emit(algorithm, &call, phase, &self->base); phase++)
            self->phase++;
    }
    first_phase[call.size] = self->phase;
    return self->phase;
}

/* Sorts by (source, destination), and leaves those of one pair in their order. */
static void sort(struct postings *postings, uint32_t ranks)
{
    struct posting *other = mem_alloc(postings->count + 1, sizeof *other, "messages of a collective");
    size_t *place = mem_alloc((size_t)ranks + 1, sizeof *place, "messages of a collective");
    for (int by_source = 0; by_source < 2; by_source++) {
        memset(place, 0, ((size_t)ranks + 1) * sizeof *place);
        for (size_t i = 0; i < postings->count; i++)
            place[1 + (by_source ? postings->at[i].source : postings->at[i].destination)]++;
        for (uint32_t rank = 0; rank < ranks; rank++)
            place[rank + 1] += place[rank];
        for (size_t i = 0; i < postings->count; i++)
            other[place[by_source ? postings->at[i].source : postings->at[i].destination]++] =
                postings->at[i];
        struct posting *sorted = other;
        other = postings->at;
        postings->at = sorted;
    }
    free(place);
    free(other);
}

static bool match(const struct collector *self)
{
    bool good = self->sends.count == self->receives.count;
    for (size_t i = 0; i < self->sends.count && good; i++) {
        const struct posting *send = &self->sends.at[i], *receive = &self->receives.at[i];
        good = send->source == receive->source && send->destination == receive->destination &&
               send->bytes == receive->bytes;
    }
    return good;
}

/* ------------------------------------------------------------------- rounds */

/* Phases in the order in which they begin: a phase begins when the one before it on its rank has ended, and
 * ends when all its messages have. A message goes once both of its phases have begun. */
struct rounds {
    const struct collector *postings;
    uint32_t *round_of;  /* of each message */
    uint32_t *begin;     /* of each phase: the round behind which it begins */
    uint32_t *end;       /* the last round of its messages so far */
    uint32_t *open;      /* messages of the phase that have not gone; counts down */
    uint8_t *ends_begun; /* of each message: how many of its phases have begun */
    size_t *first_of;    /* of each phase: where its messages begin in `members` */
    size_t *members;     /* messages, phase by phase */
    uint32_t *queue;     /* phases that begin */
    uint32_t queued, phases;
    const uint32_t *rank_end; /* of each phase: the phase behind its rank's last */
};

static void list_members(struct rounds *self)
{
    const struct collector *postings = self->postings;
    for (size_t i = 0; i < postings->sends.count; i++) {
        self->open[postings->sends.at[i].phase]++;
        self->open[postings->receives.at[i].phase]++;
    }
    for (uint32_t phase = 0; phase < self->phases; phase++)
        self->first_of[phase + 1] = self->first_of[phase] + self->open[phase];
    size_t *next = mem_alloc((size_t)self->phases + 1, sizeof *next, "phases of a collective");
    memcpy(next, self->first_of, self->phases * sizeof *next);
    for (size_t i = 0; i < postings->sends.count; i++) {
        self->members[next[postings->sends.at[i].phase]++] = i;
        self->members[next[postings->receives.at[i].phase]++] = i;
    }
    free(next);
}

/* The phase has ended; the next one of its rank begins. */
static void end_phase(struct rounds *self, uint32_t phase)
{
    uint32_t next = phase + 1;
    if (next == self->rank_end[phase])
        return;
    self->begin[next] = self->end[phase] > self->begin[phase] ? self->end[phase] : self->begin[phase];
    self->queue[self->queued++] = next;
}

static void go(struct rounds *self, size_t message)
{
    uint32_t ends[2] = {self->postings->sends.at[message].phase, self->postings->receives.at[message].phase};
    uint32_t later =
        self->begin[ends[0]] > self->begin[ends[1]] ? self->begin[ends[0]] : self->begin[ends[1]];
    self->round_of[message] = later + 1;
    for (int i = 0; i < 2; i++) {
        if (later + 1 > self->end[ends[i]])
            self->end[ends[i]] = later + 1;
        if (--self->open[ends[i]] == 0)
            end_phase(self, ends[i]);
    }
}

static void begin_phase(struct rounds *self, uint32_t phase)
{
    if (self->first_of[phase] == self->first_of[phase + 1])
        end_phase(self, phase);
    for (size_t i = self->first_of[phase]; i < self->first_of[phase + 1]; i++)
        if (++self->ends_begun[self->members[i]] == 2)
            go(self, self->members[i]);
}

/* Fills round_of, from 1 on. False: messages wait for each other for ever. */
static bool find_rounds(const struct collector *postings, uint32_t ranks, const uint32_t *first_phase,
                        uint32_t *round_of)
{
    size_t count = postings->sends.count, phases = first_phase[ranks];
    uint32_t *of_phases = mem_alloc(5 * (phases + 1), sizeof *of_phases, "phases of a collective");
    uint32_t *rank_end = of_phases + 4 * (phases + 1);
    struct rounds self = {.postings = postings,
                          .round_of = round_of,
                          .begin = of_phases,
                          .end = of_phases + (phases + 1),
                          .open = of_phases + 2 * (phases + 1),
                          .queue = of_phases + 3 * (phases + 1),
                          .rank_end = rank_end,
                          .ends_begun = mem_alloc(count + 1, 1, "messages of a collective"),
                          .first_of = mem_alloc(phases + 2, sizeof(size_t), "phases of a collective"),
                          .members = mem_alloc(2 * count + 1, sizeof(size_t), "phases of a collective"),
                          .phases = (uint32_t)phases};
    list_members(&self);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (uint32_t phase = first_phase[rank]; phase < first_phase[rank + 1]; phase++)
            rank_end[phase] = first_phase[rank + 1];
        if (first_phase[rank] < first_phase[rank + 1])
            self.queue[self.queued++] = first_phase[rank];
    }
    for (uint32_t next = 0; next < self.queued; next++)
        begin_phase(&self, self.queue[next]);
    free(self.members);
    free(self.first_of);
    free(self.ends_begun);
    free(of_phases);
    return self.queued == phases;
}

/* -------------------------------------------------------------------- steps */

/* Sorts the messages by round; those of one round stay in the order in which they were posted. `ends` gets
 * where each round ends. */
static void sort_by_round(struct collective_steps *steps, const struct collector *postings,
                          const uint32_t *round_of, size_t *ends)
{
    for (size_t i = 0; i < steps->message_count; i++)
        ends[round_of[i]]++;
    for (uint32_t round = 1; round <= steps->rounds; round++)
        ends[round] += ends[round - 1];
    size_t *posted = mem_alloc(steps->message_count + 1, sizeof *posted, "messages of a collective");
    for (size_t i = 0; i < steps->message_count; i++)
        posted[postings->sends.at[i].order] = i;
    /* From here on ends[r] is where round r + 1 goes on. */
    for (size_t i = 0; i < steps->message_count; i++) {
        const struct posting *send = &postings->sends.at[posted[i]];
        steps->messages[ends[round_of[posted[i]] - 1]++] =
            (struct collective_message){send->source, send->destination, 0, send->bytes};
    }
    free(posted);
}

static void add_step(struct collective_steps *steps, size_t *capacity, struct collective_step step)
{
    steps->steps = mem_grow(steps->steps, capacity, (size_t)steps->count + 1, "steps of a collective");
    steps->steps[steps->count++] = step;
}

static void find_shifts(const struct collective_steps *steps, struct collective_step *step)
{
    uint32_t ranks = steps->ranks, seen = 0;
    step->is_shift = step->count == (size_t)step->matchings * ranks;
    for (size_t i = 0; i < step->count && step->is_shift; i++) {
        const struct collective_message *message = &steps->messages[step->first + i];
        uint32_t shift = (message->destination + ranks - message->source) % ranks, k = message->matching;
        if (k == seen) { /* the first of its matching */
            step->shifts[k] = shift;
            step->bytes[k] = message->bytes;
            seen++;
        }
        step->is_shift = shift == step->shifts[k] && message->bytes == step->bytes[k];
    }
}

/* Makes the messages of a round steps of as many matchings as there are switches. */
static void add_round(struct collective_steps *steps, size_t *capacity, uint32_t round, size_t first,
                      size_t end)
{
    struct collective_message *messages = steps->messages + first;
    size_t count = end - first;
    uint32_t degree = matchings_split(steps->ranks, messages, count);
    size_t *place = mem_alloc((size_t)degree + 1, sizeof *place, "matchings of a round");
    struct collective_message *sorted = mem_alloc(count, sizeof *sorted, "matchings of a round");
    for (size_t i = 0; i < count; i++)
        place[messages[i].matching + 1]++;
    for (uint32_t i = 0; i < degree; i++)
        place[i + 1] += place[i];
    for (uint32_t i = 0; i < degree; i += steps->switches) {
        uint32_t behind = degree - i > steps->switches ? i + steps->switches : degree;
        struct collective_step step = {.first = first + place[i],
                                       .count = place[behind] - place[i],
                                       .matchings = behind - i,
                                       .round = round};
        add_step(steps, capacity, step);
    }
    for (size_t i = 0; i < count; i++) {
        struct collective_message message = messages[i];
        message.matching %= steps->switches;
        sorted[place[messages[i].matching]++] = message;
    }
    memcpy(messages, sorted, count * sizeof *sorted);
    free(sorted);
    free(place);
}

static void make_steps(struct collective_steps *steps, const struct collector *postings,
                       const uint32_t *round_of)
{
    size_t capacity = 0;
    steps->message_count = postings->sends.count;
    steps->messages = mem_alloc(steps->message_count + 1, sizeof *steps->messages, "steps of a collective");
    for (size_t i = 0; i < steps->message_count; i++)
        if (round_of[i] > steps->rounds)
            steps->rounds = round_of[i];
    size_t *ends = mem_alloc((size_t)steps->rounds + 1, sizeof *ends, "rounds of a collective");
    sort_by_round(steps, postings, round_of, ends);
    for (uint32_t round = 0; round < steps->rounds; round++)
        add_round(steps, &capacity, round, round ? ends[round - 1] : 0, ends[round]);
    for (uint32_t i = 0; i < steps->count; i++)
        find_shifts(steps, &steps->steps[i]);
    free(ends);
}

bool collective_steps_init(struct collective_steps *steps, const struct coll_algorithm *algorithm,
                           const struct collective_task *collective, uint32_t switches)
{
    struct collector postings = {
        .base = {.send = take_send, .recv = take_recv, .copy = take_local, .reduce = take_local}};
    uint32_t *first_phase =
        mem_alloc((size_t)collective->ranks + 1, sizeof *first_phase, "phases of a collective");
    *steps = (struct collective_steps){.ranks = collective->ranks, .switches = switches};
    collect(&postings, algorithm, collective, first_phase);
    sort(&postings.sends, collective->ranks);
    sort(&postings.receives, collective->ranks);
    uint32_t *round_of = mem_alloc(postings.sends.count + 1, sizeof *round_of, "rounds of a collective");
    bool good = match(&postings) && find_rounds(&postings, collective->ranks, first_phase, round_of);
    if (good)
        make_steps(steps, &postings, round_of);
    free(round_of);
    free(first_phase);
    free(postings.receives.at);
    free(postings.sends.at);
    return good;
}

void collective_steps_free(struct collective_steps *steps)
{
    free(steps->messages);
    free(steps->steps);
}

/* ----------------------------------------------------------- packet network */

static uint64_t busiest_port(const struct collective_steps *steps, size_t first, size_t end, uint64_t *bytes)
{
    uint64_t most = 0;
    memset(bytes, 0, 2 * (size_t)steps->ranks * sizeof *bytes);
    for (size_t i = first; i < end; i++) {
        const struct collective_message *message = &steps->messages[i];
        uint64_t out = bytes[message->source] += message->bytes;
        uint64_t in = bytes[steps->ranks + message->destination] += message->bytes;
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return most;
}

ps_t collective_packet_ps(const struct collective_steps *steps, const struct collective_network *network)
{
    uint64_t *bytes = mem_alloc(2 * (size_t)steps->ranks, sizeof *bytes, "bytes of ports");
    ps_t time_ps = 0;
    for (uint32_t i = 0; i < steps->count;) {
        uint32_t end = i;
        while (end < steps->count && steps->steps[end].round == steps->steps[i].round)
            end++;
        const struct collective_step *last = &steps->steps[end - 1];
        uint64_t most = busiest_port(steps, steps->steps[i].first, last->first + last->count, bytes);
        time_ps = ps_add(time_ps, network->packet_latency_ps);
        time_ps = ps_add(time_ps, service_ps(most, network->packet_rate_bytes_per_s));
        i = end;
    }
    free(bytes);
    return time_ps;
}
