#include <pthread.h>
#include <string.h>

#include "live/coll/internal.h"

/* The results of trials on communicators of one shape. Communicators of a program have few shapes; when there
 * is no room for another one, the oldest is forgotten. */
enum { SHAPES = 16 };

struct shape_known {
    uint32_t size, nodes, most_here;
    struct live_known known;
};

static struct shape_known shapes[SHAPES];
static uint32_t shape_count; /* of all that have been seen */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL: nothing is known. */
static struct shape_known *shape_of(const struct live_comm *comm)
{
    for (uint32_t i = 0; i < SHAPES && i < shape_count; i++)
        if (shapes[i].size == comm->size && shapes[i].nodes == comm->nodes.count &&
            shapes[i].most_here == comm->most_here)
            return &shapes[i];
    return NULL;
}

/* What is known of the shape; nothing yet, if it is new. */
static struct shape_known *shape_to_note(const struct live_comm *comm)
{
    struct shape_known *shape = shape_of(comm);
    if (!shape) {
        shape = &shapes[shape_count++ % SHAPES];
        *shape = (struct shape_known){
            .size = comm->size, .nodes = comm->nodes.count, .most_here = comm->most_here};
    }
    return shape;
}

void live_known_note(const struct live_comm *comm, uint32_t function, uint32_t class, bool ours)
{
    pthread_mutex_lock(&lock);
    shape_to_note(comm)->known.choice[function][class] = ours ? LIVE_KNOWN_OURS : LIVE_KNOWN_THEIRS;
    pthread_mutex_unlock(&lock);
}

void live_known_note_costs(const struct live_comm *comm)
{
    pthread_mutex_lock(&lock);
    shape_to_note(comm)->known.costs = comm->known.costs;
    pthread_mutex_unlock(&lock);
}

void live_known_share(struct live_comm *comm)
{
    pthread_mutex_lock(&lock);
    const struct shape_known *shape = shape_of(comm);
    if (shape)
        comm->known = shape->known;
    pthread_mutex_unlock(&lock);
    PMPI_Bcast(&comm->known, sizeof comm->known, MPI_BYTE, 0, comm->mine);
}
