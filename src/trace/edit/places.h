#ifndef HELIO_TRACE_EDIT_PLACES_H
#define HELIO_TRACE_EDIT_PLACES_H

#include "trace/edit/loops.h"

/* The places between two calls of every rank at which a trace could be cut. Place 0 is the beginning of the
 * program, 1 to `count` follow, and count + 1 is its end.
 *
 *   PLACES_COLLECTIVES   place i is behind the i-th blocking collective call of the world
 *   PLACES_ITERATIONS    place i is before iteration i of the outermost loop, and `count` behind the last
 * one. Computation belongs to the call that follows it.
 *
 * A trace can be cut at a place if no message is under way there: every message that has been sent has been
 * received, and the other way round. The ranks' messages and collectives are added up as random numbers, each
 * kind of event its own, so that one pass over all ranks finds the sum at each place: it is 0 where all is in
 * balance. If the program as a whole is not, what is left at its end is left out at each place too. Nor may a
 * request be open there that a call behind it names. */
enum place_kind { PLACES_COLLECTIVES, PLACES_ITERATIONS };

struct places {
    const struct compiled_trace *source;
    enum place_kind kind;
    struct loops loops; /* of PLACES_ITERATIONS */
    uint64_t count;
    bool *any_tag;     /* per rank: it receives with a wildcard tag */
    uint64_t *balance; /* per place */
    uint64_t *open;    /* per place: requests */
};

/* STATUS_BAD_INPUT: the ranks have no common places; reported, if `report`. */
enum status places_open(struct places *places, const struct compiled_trace *source, enum place_kind kind,
                        bool report);
void places_free(struct places *places);

static inline bool place_is_balanced(const struct places *places, uint64_t place)
{
    return !places->balance[place] || places->balance[place] == places->balance[places->count + 1];
}

static inline bool place_is_free(const struct places *places, uint64_t place)
{
    return place_is_balanced(places, place) && !places->open[place];
}

/* What the two ends of messages add to the balance. Receives count downwards. */
uint64_t place_balance(const struct places *places, uint32_t rank, const struct call *call);

/* A walk over the calls of a rank from place to place: `place` is the last one that is behind the walk. */
struct place_walk {
    const struct places *places;
    uint32_t rank;
    uint64_t at, end; /* tokens, from 0 */
    uint64_t place;
    uint64_t passed; /* calls of PLACES_ITERATIONS */
};
struct place_walk place_walk_begin(const struct places *places, uint32_t rank);

/* The next token of the body that is no computation, by its index; false: there is none. `place` becomes that
 * behind the call with place_walk_pass. */
bool place_walk_next(struct place_walk *walk, const struct call **call, uint64_t *at);
void place_walk_pass(struct place_walk *walk, const struct call *call);

/* The index of the first token behind a place. */
uint64_t place_token(const struct places *places, uint32_t rank, uint64_t place);

#endif
