#ifndef HELIO_SCHEDULE_AAPC_H
#define HELIO_SCHEDULE_AAPC_H

#include <stdbool.h>
#include <stdint.h>

/* Phases of all-to-all communication on an N x N torus, N a multiple of 8, after Hinrichs, Kosak, O'Hallaron,
 * Stricker and Take, "An Architecture for Optimal All-to-All Personalized Communication" (SPAA 1994): N^3 / 8
 * phases, each of which uses every link of the network once. They hold for routes that go along the high
 * coordinate first and then along the low one, the shorter way round, and at distance N / 2 in increasing
 * direction from odd coordinates and in decreasing direction from even ones.
 *
 * A ring has N groups of N / 8 phases. A group is a permutation of the ring's nodes, each phase of it uses
 * every link of the ring once. For residues u < v modulo N / 2 there is a cycle u, v, u + N/2, v + N/2 in
 * each direction; a 1-factorisation of the complete graph of residues tells which cycles make a group. Two
 * more groups are swaps over half the ring. A message of the torus is in a group and phase of its high
 * coordinate's ring and in those of its low one's; the two groups and the difference of the two phases name
 * its phase. */
struct tdm_ring_phases {
    uint32_t size;   /* N */
    uint32_t *group; /* [from * N + to]: 0 ... N - 1 */
    uint32_t *index; /* [from * N + to]: phase within the group, 0 ... N / 8 - 1 */
};

/* Whether there is a closed form: N is a multiple of 8, and N^3 / 8 is a number of slots. */
bool tdm_ring_phases_exist(uint32_t size);

void tdm_ring_phases_init(struct tdm_ring_phases *ring, uint32_t size);
void tdm_ring_phases_free(struct tdm_ring_phases *ring);

/* The phase of a message between nodes N * high + low, below N^3 / 8. */
uint32_t tdm_torus_phase(const struct tdm_ring_phases *ring, uint32_t source, uint32_t destination);

#endif
