#ifndef HELIO_ENGINE_RANK_RANKS_H
#define HELIO_ENGINE_RANK_RANKS_H

#include "engine/engine.h"

/* Ranks that execute MPI calls on a fabric, by the four states of the FMU paper (section V): Norm, Comm
 * (blocked in a call), Wait (blocked by requests), Fin. docs/models/ranks.md
 *
 * The engine is made of layers. Each has a struct of its own, and includes only layers that stand above it in
 * this list, which src/rooms.txt has in the same order:
 *
 *   context        what all layers of a run share: its clock, its tap, its status
 *   job_queue      jobs that wait for nodes
 *   request        requests of ranks: opened, awaited, completed
 *   message_state  how far a message has come
 *   matching       which send meets which receive
 *   endpoint       what a message passes before and after the fabric: the interface, and the null endpoint
 *   endpoint_host    the host model: cores, PCIe, NICs
 *   endpoint_list    all endpoints
 *   p2p            one message: eager, rendezvous or buffered; posted, matched, moved, completed
 *   node_sync      barriers and flags of the ranks of a node in a collective call
 *   coll_check     whether all ranks make the same collective calls
 *   coll_exec      a collective call: the phases of its schedule, posted as messages
 *   layers         all of these, made for one run
 *   demand         how much a program will have under way at once
 *   scheduler      ranks that execute a sequence of calls: the four states
 *   deadlock       why a run cannot go on
 *   ranks          this engine: makes the layers and runs the program
 *
 * A layer tells those below it in this list by callbacks that it was given. The layers before `scheduler`
 * know nothing of states and sequences of calls, so that ranks that execute a graph of operations can use
 * them. */
extern const struct engine engine_ranks;

#endif
