#ifndef HELIO_CAPTURE_COMMS_H
#define HELIO_CAPTURE_COMMS_H

#include <mpi.h>
#include <stdbool.h>

struct neighbours;

struct capture_comm {
    char name[48]; /* "#c3.1": the annotation behind its lines; empty for the world */
    int size, rank;
    int *
        world; /* the rank in the world of each of its ranks; of an intercommunicator, of the other group's */
    int *members; /* the same, but of an intercommunicator those of both groups: all who use its context */
    int member_count;
    bool is_inter;      /* an intercommunicator */
    bool has_outsiders; /* it has processes of another world, which the trace does not know: its calls are
                           lost */
    struct neighbours *neighbours; /* NULL: not used yet */
    struct capture_comm *parts;    /* a list: what comm_with_root and comm_own_group have returned */
    int uses;                      /* 1 for the MPI's communicator, 1 for each request; 0: it is freed */
    int idup_count;                /* how often MPI_Comm_idup has copied it */
    int alone_count;               /* how often comm_alone has */
    struct capture_comm *next;     /* in the list of those that the MPI has deleted, or in `parts` */
};

void comms_open(void);

/* What is known of a communicator. Each gets a name on which all members agree. */
struct capture_comm *comm_of(MPI_Comm handle);

/* Of an intercommunicator: the ranks that take part in a collective with this root, as a communicator. The
 * root comes first, then the other group. `root` is the argument of the MPI's function, and not
 * MPI_PROC_NULL. NULL: no memory. */
struct capture_comm *comm_with_root(struct capture_comm *between, int root);

/* Of an intercommunicator: this rank's own group. NULL: no memory. */
struct capture_comm *comm_own_group(struct capture_comm *between);

/* A communicator with the same members for one persistent collective alone. The ranks initialise those of a
 * communicator in the same order, but may start them in different ones (MPI 4.0, section 6.13). To be held.
 * NULL: no memory. */
struct capture_comm *comm_alone(struct capture_comm *comm);

/* A call has created a communicator. Collective: its members agree on its name here. */
void comm_created(MPI_Comm handle);

/* MPI_Comm_idup(of) has returned `handle`, which is not valid yet. Its members cannot communicate to agree on
 * a name, so they count the copies of `of` instead. */
void comm_pending(MPI_Comm of, MPI_Comm handle);

/* A request may outlive the communicator in which it was made, so it holds it. */
void comm_hold(struct capture_comm *comm);
void comm_release(struct capture_comm *comm); /* NULL: does nothing */

/* Writes a line that names the members of a communicator. */
void comm_write_members(const struct capture_comm *comm, const char *name);

#endif
