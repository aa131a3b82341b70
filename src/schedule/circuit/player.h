#ifndef HELIO_SCHEDULE_CIRCUIT_PLAYER_H
#define HELIO_SCHEDULE_CIRCUIT_PLAYER_H

#include "schedule/circuit/circuit.h"

/* Plays slots, one after another: each begins with a set-up, which takes the switching time, and lasts as
 * long as its maker says. With several switches a slot goes to the one that is free first.
 *
 * all-stop: nobody carries during a set-up. A slot with the circuits of the slot before needs none.
 * not-all-stop: a circuit of the slot before that is in this slot too carries during the set-up as well, and
 * a set-up takes place even if no circuit changes: the slots of the simulator of "Sunflow: Efficient Optical
 * Circuit Scheduling for Coflows" (Huang, Sun and Ng, CoNEXT 2016). */
struct player {
    const struct circuit_problem *problem;
    struct circuit_schedule *schedule;
    ps_t *left_ps;       /* [entries]: what is not carried yet */
    uint32_t *up;        /* [switches][senders]: the entry whose circuit is up */
    uint32_t *last;      /* [switches][senders]: the last piece of the sender + 1; 0: none */
    ps_t *free_at_ps;    /* [switches] */
    uint32_t unfinished; /* entries with something left */
    uint64_t slots, most_slots;
};

void player_init(struct player *player, const struct circuit_problem *problem,
                 struct circuit_schedule *schedule);
void player_free(struct player *player);

/* `entries`: for each sender the entry that it carries; CIRCUIT_NONE: none. False: everything is carried, or
 * the slots are too many (player_end reports it). */
bool player_slot(struct player *player, const uint32_t *entries, ps_t slot_ps);

/* The entries of a matching of senders with receivers, for player_slot: only those with something left.
 * `receiver_of` has numbers from the number of receivers on for senders without one. */
void player_matched(const struct player *player, const uint32_t *receiver_of, uint32_t *entries);

/* What is left of the entries, ascending: [entries]. Returns how many have something left. */
uint32_t player_sort_left(const struct player *player, ps_t *sorted_ps);

/* Frees the player. STATUS_FAILED, reported: slots were too many. */
enum status player_end(struct player *player);

#endif
