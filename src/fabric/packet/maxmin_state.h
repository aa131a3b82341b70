#ifndef HELIO_FABRIC_PACKET_MAXMIN_STATE_H
#define HELIO_FABRIC_PACKET_MAXMIN_STATE_H

#include <stdbool.h>

#include "base/mem.h"
#include "fabric/packet/maxmin.h"

/* What the files of the solver share: maxmin.c, in which flows come and go; sweep.c, which solves; fill.c,
 * which solves where most rates change, and repair.c, its short way. */

#define NO_LEVEL UINT64_MAX

enum flow_state { FLOW_FIXED, FLOW_LOOSE, FLOW_SOLVED };
enum link_state { LINK_RESTING, LINK_ACTIVE, LINK_SOLVED };

struct maxmin_flow {
    uint64_t rate;       /* while loose: the rate it had before */
    uint32_t bottleneck; /* a full link on which no flow is faster */
    uint8_t state, links;
    bool alive, fresh; /* fresh: in the list of new flows */
};

/* A link of a flow, and where it lists the flow. */
struct maxmin_hop {
    uint32_t link, position;
};

struct maxmin_link {
    uint64_t capacity;
    uint64_t fixed;        /* sum of its flows' rates, without those of open flows */
    uint64_t level;        /* when it is full: no rate of its flows is higher, but for rounding */
    uint64_t top;          /* no flow on it is faster */
    uint64_t opened_above; /* active: fixed flows faster than this count as open ... */
    uint64_t next;         /* ... and none of them is slower than this */
    uint64_t key;          /* active: its place in the sweep; NO_LEVEL when it is not in the heap */
    uint32_t *uses;        /* its flows */
    uint32_t *opened;      /* active: the open flows, and some that were open */
    uint32_t *parts;       /* of flows that are spread: [2 i] of uses[i], [2 i + 1] of opened[i]; else NULL */
    size_t use_capacity;   /* of all */
    uint64_t open;         /* active: the parts of flows whose rate the sweep has not found yet; each is 1 */
    uint32_t count;
    uint32_t listed; /* active: flows in `opened` */
    uint8_t state;
    bool loosened; /* active: the old level holds no flow any more */
    bool busy;     /* active: the sweep has something left to do here */
    bool lost;     /* in the list of links that may have room */
    bool cut;      /* in the list of links whose capacity fell */
};

/* An element of the heap; out of date unless `key` is still the link's. */
struct maxmin_share {
    uint64_t key;
    uint32_t link;
};

struct maxmin_list {
    uint32_t *items;
    size_t count, capacity;
};

/* A link in the filling. */
struct maxmin_filled {
    int64_t left;           /* of its capacity, beside the flows that turns hold */
    uint32_t open;          /* flows that no turn holds */
    uint32_t turn : 31;     /* that of the link, if it has one */
    uint32_t is_listed : 1; /* in `used` of the filling; if not, the rest is out of date */
};
#define TURN_MASK UINT32_C(0x7FFFFFFF)

/* A link became full, and held its open flows at this level. */
struct maxmin_turn {
    uint64_t level;
    uint64_t sum; /* of the rates of its flows */
    size_t first; /* of its flows in `held` */
    uint32_t link, count, room;
    bool is_even; /* all its flows have its level, and none a rate that is nearly it */
    bool is_new;  /* its flows may have other rates than before */
};

/* Progressive filling, as it went; fill.c. */
struct maxmin_fill {
    enum maxmin_method method;
    bool is_on;         /* else all but the room for arrays is out of date */
    uint32_t long_ones; /* solutions in a row that ask for the other method */
    uint32_t open_flows;
    struct maxmin_filled *links; /* [link] */
    uint8_t *is_open;            /* [flow] */
    uint32_t *across;            /* [flow] where all have two links: the exclusive or of their numbers */
    uint64_t *told;              /* [flow] the rate that was told last */
    bool are_pairs;              /* all have two links */
    struct maxmin_list used;     /* links with flows, and some that had some */
    struct maxmin_list held;     /* flows, turn by turn */
    struct maxmin_turn *turns;
    size_t turn_count, kept; /* changes since the last solution leave so many turns as they are */
    size_t link_capacity, flow_capacity, turn_capacity;
};

struct maxmin {
    struct maxmin_link *links;
    uint32_t link_count, stride;
    size_t link_capacity;
    bool is_spread, keeps_order;
    struct maxmin_flow *flows;
    struct maxmin_hop *hops; /* [flow * stride + nth] */
    size_t flow_capacity, hop_capacity;
    uint32_t flow_count;        /* ids given out so far */
    struct maxmin_list unused;  /* ids that are free again */
    struct maxmin_list fresh;   /* flows that came since the last solve */
    struct maxmin_list lost;    /* links that lost flows or got more capacity since the last solve */
    struct maxmin_list cut;     /* links whose capacity has fallen since the last solve */
    struct maxmin_list active;  /* links that take part in this solve */
    struct maxmin_list solved;  /* flows that take part */
    struct maxmin_list changed; /* flows with a new rate */
    struct maxmin_list held;    /* flows that the link being visited held at its old level */
    uint32_t busy_count;        /* links that are busy */
    struct maxmin_share *heap;
    size_t heap_count, heap_capacity;
    size_t went; /* flows since the last solve */
    uint64_t looked_at;
    struct maxmin_fill fill;
};

static inline __attribute__((always_inline)) void append(struct maxmin_list *list, uint32_t item)
{
    if (__builtin_expect(list->count == list->capacity, 0))
        list->items = mem_grow(list->items, &list->capacity, list->count + 1, "the max-min solver");
    list->items[list->count++] = item;
}

static inline struct maxmin_hop *hops_of(const struct maxmin *solver, uint32_t id)
{
    return &solver->hops[(size_t)id * solver->stride];
}

/* Flows of a turn, and their links, stand anywhere in memory, so that the processor does not see which one
 * comes next. Those of two links need little memory. */
static inline __attribute__((always_inline)) void
fetch_ahead(const struct maxmin *solver, const uint32_t *held, uint32_t index, uint32_t count, bool are_pairs)
{
    enum { AHEAD = 8 };
    if (are_pairs || index + AHEAD >= count)
        return;
    __builtin_prefetch(&solver->flows[held[index + AHEAD]], 1);
    __builtin_prefetch(hops_of(solver, held[index + AHEAD]));
}

/* Puts the share into the hole of a heap, or below it, where it belongs. There is room for one share more. */
static inline void heap_sift(struct maxmin_share *heap, size_t count, size_t hole, struct maxmin_share share)
{
    size_t child;
    heap[count].key = UINT64_MAX;
    while ((child = 2 * hole + 1) < count) {
        child += heap[child + 1].key < heap[child].key;
        if (heap[child].key >= share.key)
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = share;
}

/* A rate that would rise by less than 2^-36 stays, so that rounding does not spread through the
 * network. */
static inline bool nearly_is(uint64_t rate, uint64_t higher)
{
    return rate <= higher && higher - rate <= higher >> 36;
}

/* ------------------------------------------------------------------- fill.c */

/* After a flow has come, before it goes, and after a link's capacity has changed. */
void fill_add(struct maxmin *solver, uint32_t flow);
void fill_remove(struct maxmin *solver, uint32_t flow);
void fill_set_capacity(struct maxmin *solver, uint32_t link, uint64_t before);
/* Where it is on: finds all rates. */
void fill_solve(struct maxmin *solver);
/* After a sweep for so many flows that came or went: whether the filling takes over. */
void fill_consider(struct maxmin *solver, size_t changes);
/* The first turn of a link of the flow; TURN_MASK: there is none. It holds the flow, if the flow is not
 * open. */
uint32_t fill_holder(const struct maxmin *solver, uint32_t flow);
/* Finds the rates by new levels of the turns. False: it did not succeed, and the filling has to go on from
 * the first turn that changes. */
bool fill_repair(struct maxmin *solver);
void fill_free(struct maxmin_fill *fill);
size_t fill_bytes(const struct maxmin_fill *fill);
double fill_estimate(double used_links, double flows, double uses);

/* -------------------------------------------------------- parts of the rate */

/* The part of a flow on the link, by its place in `uses`, and what it adds there at this rate. */
static inline uint32_t part_at(const struct maxmin_link *link, uint32_t position)
{
    return link->parts ? link->parts[2 * (size_t)position] : 1;
}

static inline uint64_t load_of(const struct maxmin_link *link, uint32_t part, uint64_t rate)
{
    return link->parts ? (uint64_t)((unsigned __int128)rate * part >> MAXMIN_WHOLE_SHIFT) : rate;
}

/* The rate at which so many parts make this load. */
static inline uint64_t rate_at(const struct maxmin_link *link, uint64_t load, uint64_t parts)
{
    if (!link->parts)
        return load / parts;
    unsigned __int128 rate = ((unsigned __int128)load << MAXMIN_WHOLE_SHIFT) / parts;
    return rate < UINT64_MAX / 2 ? (uint64_t)rate : UINT64_MAX / 2;
}

#endif
