#include <string.h>

#include "alltoall/live.h"

struct execution {
    struct live_comm *comm;
    const struct plan *plan;
    unsigned char *buffers[COLL_SHARED + 1];
    int posted;
    bool raises; /* a receive of this phase raises a flag */
    const struct plan_step *phase, *end;
};

/* ----------------------------------------------------------------------------------------------- messages */

static int post(struct execution *self, const struct plan_step *step)
{
    struct live_comm *comm = self->comm;
    MPI_Request *request = &comm->requests[self->posted++];
    if (step->op == PLAN_SEND)
        return PMPI_Isend(self->buffers[step->from] + step->from_offset, (int)step->bytes, MPI_BYTE,
                          (int)step->peer, LIVE_TAG, comm->mine, request);
    self->raises |= step->flag != PLAN_NO_FLAG;
    return PMPI_Irecv(self->buffers[step->into] + step->into_offset, (int)step->bytes, MPI_BYTE,
                      (int)step->peer, LIVE_TAG, comm->mine, request);
}

/* The flag of the index-th message of the phase. */
static uint32_t flag_of_message(const struct execution *self, int index)
{
    const struct plan_step *step = self->phase;
    for (int messages = 0;; step++)
        if ((step->op == PLAN_SEND || step->op == PLAN_RECV) && messages++ == index)
            return step->flag;
}

/* An MPI's own wait may spin, in the way of those whose messages it waits for. */
static void give_way(struct wait *wait, uint32_t *polls)
{
    if (++*polls > wait->patience->polls && !patience_yield(wait))
        patience_nap();
}

int live_wait_for_all(struct live_comm *comm, int first, int count)
{
    int error = MPI_SUCCESS, done = count == 0;
    uint32_t polls = 0;
    struct wait wait = patience_begin(&comm->patience);
    while (error == MPI_SUCCESS && !done) {
        error = PMPI_Testall(count, comm->requests + first, &done, comm->statuses);
        if (!done)
            give_way(&wait, &polls);
    }
    return error;
}

static int wait_and_raise(struct execution *self)
{
    int error = MPI_SUCCESS, left = self->posted;
    uint32_t polls = 0;
    struct wait wait = patience_begin(&self->comm->patience);
    while (error == MPI_SUCCESS && left > 0) {
        int count = 0;
        error = PMPI_Testsome(self->posted, self->comm->requests, &count, self->comm->completed,
                              self->comm->statuses);
        if (error != MPI_SUCCESS || count <= 0) {
            give_way(&wait, &polls);
            continue;
        }
        polls = 0;
        left -= count;
        for (int i = 0; i < count; i++) {
            uint32_t flag = flag_of_message(self, self->comm->completed[i]);
            if (flag != PLAN_NO_FLAG)
                word_raise(&self->comm->flags[flag], self->comm->turns);
        }
    }
    return error;
}

/* ------------------------------------------------------------------------------------------------- phases */

/* Everything that the phase begins; what it waits for comes behind. */
static int begin_phase(struct execution *self)
{
    struct live_comm *comm = self->comm;
    int error = MPI_SUCCESS;
    self->posted = 0;
    self->raises = false;
    for (const struct plan_step *step = self->phase; error == MPI_SUCCESS && step < self->end; step++)
        switch ((enum plan_op)step->op) {
        case PLAN_SEND:
        case PLAN_RECV:
            error = post(self, step);
            break;
        case PLAN_COPY:
            memcpy(self->buffers[step->into] + step->into_offset,
                   self->buffers[step->from] + step->from_offset, step->bytes);
            break;
        case PLAN_BARRIER:
            comm->barriers++;
            word_add(comm->barrier, comm->barriers * comm->here);
            break;
        case PLAN_RAISE:
            word_raise(&comm->flags[step->flag], comm->turns);
            break;
        case PLAN_AWAIT:
        case PLAN_PHASE_END:
            break;
        }
    return error;
}

static int end_phase(struct execution *self)
{
    struct live_comm *comm = self->comm;
    int error = self->raises ? wait_and_raise(self) : live_wait_for_all(comm, 0, self->posted);
    for (const struct plan_step *step = self->phase; error == MPI_SUCCESS && step < self->end; step++)
        if (step->op == PLAN_BARRIER)
            word_await(comm->barrier, comm->barriers * comm->here, &comm->patience);
        else if (step->op == PLAN_AWAIT)
            word_await(&comm->flags[step->flag], comm->turns, &comm->patience);
    return error;
}

unsigned char *live_turn_memory(struct live_comm *comm)
{
    comm->turns++;
    return comm->shared + (comm->shared_bytes - SHARED_COPIES * comm->copy_bytes) +
           comm->turns % SHARED_COPIES * comm->copy_bytes;
}

int live_execute(struct live_comm *comm, const struct plan *plan, const void *send, void *recv)
{
    struct execution self = {.comm = comm, .plan = plan};
    int error = MPI_SUCCESS;
    self.buffers[COLL_SEND_BUFFER] = (unsigned char *)(uintptr_t)send; /* steps only read it */
    self.buffers[COLL_RECV_BUFFER] = recv;
    self.buffers[COLL_SCRATCH] = comm->scratch;
    if (plan->shared_bytes > 0)
        self.buffers[COLL_SHARED] = live_turn_memory(comm);
    const struct plan_step *last = plan->steps + plan->step_count;
    for (self.phase = plan->steps; error == MPI_SUCCESS && self.phase < last; self.phase = self.end + 1) {
        self.end = self.phase;
        while (self.end->op != PLAN_PHASE_END)
            self.end++;
        error = begin_phase(&self);
        if (error == MPI_SUCCESS)
            error = end_phase(&self);
    }
    return error;
}
