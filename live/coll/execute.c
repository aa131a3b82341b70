#include <string.h>

#include "live/coll/internal.h"

struct execution {
    struct live_comm *comm;
    const struct coll_plan *plan;
    const struct live_reduction *reduction;
    unsigned char *buffers[COLL_TOKEN + 1]; /* by enum coll_buffer; NULL: none, or this rank has no memory */
    int posted;                             /* requests of this phase */
    bool raises;                            /* a receive of this phase raises a flag */
    const struct plan_step *phase, *end;    /* the first step of this phase, and the step that ends it */
    int error;                              /* the first */
};

/* NULL: this rank has no memory for the buffer. */
static unsigned char *address_of(const struct execution *self, uint8_t buffer, uint64_t offset)
{
    unsigned char *start = self->buffers[buffer];
    return start ? start + offset : NULL;
}

/* ---------------------------------------------------------------- messages */

static int post(struct execution *self, const struct plan_step *step)
{
    struct live_comm *comm = self->comm;
    MPI_Request *request = &comm->requests[self->posted++];
    bool sends = step->op == PLAN_SEND;
    unsigned char *data = sends ? address_of(self, step->from, step->from_offset)
                                : address_of(self, step->into, step->into_offset);
    int bytes = data ? (int)step->bytes : 0;
    *request = MPI_REQUEST_NULL;
    if (sends)
        return PMPI_Isend(data, bytes, MPI_BYTE, (int)step->peer, LIVE_TAG, comm->mine, request);
    self->raises |= step->flag != PLAN_NO_FLAG;
    return PMPI_Irecv(data, bytes, MPI_BYTE, (int)step->peer, LIVE_TAG, comm->mine, request);
}

/* The flag that message `index` of the phase raises. */
static uint32_t flag_of_message(const struct execution *self, int index)
{
    const struct plan_step *step = self->phase;
    for (int messages = 0;; step++)
        if ((step->op == PLAN_SEND || step->op == PLAN_RECV) && messages++ == index)
            return step->flag;
}

/* One step of the wait for a message, after the MPI was called at `began` and has found nothing. The MPI's
 * own wait functions may spin and keep the core from the ranks whose messages they wait for, so they are not
 * used. `polls` counts the looks of this wait. */
static void wait_a_moment(struct backoff_wait *wait, uint32_t *polls, int64_t began)
{
    enum { CONTENTION_POLLS = 16, ASK_NS = 10000000 };
    if (wait->asked_ns == 0)
        wait->asked_ns = began;
    if (began - wait->asked_ns > ASK_NS) { /* whether the communicator is given up */
        wait->backoff->progress(wait->backoff->self);
        wait->asked_ns = began;
    }
    if (backoff_mpi_yielded(wait, began))
        return;
    if (++*polls <= wait->polls) {
        if (*polls % CONTENTION_POLLS == 0)
            backoff_finds_contention(wait);
        return;
    }
    if (!backoff_yield(wait))
        backoff_sleep();
}

/* Frees a request that is complete. `error`: what the MPI has already reported for it, if anything. */
static int finish(MPI_Request *request, int error)
{
    if (error == MPI_SUCCESS)
        return PMPI_Wait(request, MPI_STATUS_IGNORE);
    if (*request != MPI_REQUEST_NULL)
        PMPI_Request_free(request);
    return error;
}

/* Ends requests of a communicator that is given up. */
static void abandon(MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        PMPI_Cancel(&requests[i]);
        PMPI_Request_free(&requests[i]);
    }
}

/* Waits for the requests one after another. Any call of the MPI moves all messages, and each error is that of
 * its message; if several requests are tested in one call, MPICH does not tell which one has failed. It does
 * not use MPI_Test: there MPICH looks for messages even if the request is complete, and an MPICH that yields
 * when it finds none would yield once for each request. */
int live_wait_for_all(struct live_comm *comm, int first, int count)
{
    int error = MPI_SUCCESS;
    uint32_t polls = 0;
    struct backoff_wait wait = backoff_begin(&comm->backoff);
    for (int i = first; i < first + count; i++, polls = 0)
        for (int done = 0; !done;) {
            if (comm->broken != MPI_SUCCESS) {
                abandon(comm->requests + i, first + count - i);
                note_error(&error, comm->broken);
                return error;
            }
            int64_t began = backoff_now_ns();
            int result = PMPI_Request_get_status(comm->requests[i], &done, MPI_STATUS_IGNORE);
            done |= result != MPI_SUCCESS;
            if (done)
                note_error(&error, finish(&comm->requests[i], result));
            else
                wait_a_moment(&wait, &polls, began);
        }
    return error;
}

/* The error of a call that tests several requests: that of the first request that has one. */
static int error_of(int error, const MPI_Status *statuses, int count)
{
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &class);
    for (int i = 0; class == MPI_ERR_IN_STATUS && i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS)
            return statuses[i].MPI_ERROR;
    return error;
}

/* Raises the flags of messages that have failed, so that no rank waits for them for ever. */
static void raise_remaining_flags(struct execution *self)
{
    struct live_comm *comm = self->comm;
    for (const struct plan_step *step = self->phase; step < self->end; step++)
        if (step->op == PLAN_RECV && step->flag != PLAN_NO_FLAG &&
            !shm_counter_reached(&comm->flags[step->flag], comm->shared_calls))
            shm_counter_raise(&comm->flags[step->flag], comm->shared_calls);
}

/* Waits for all requests of the phase and raises the flag of each receive as soon as it completes. */
static int wait_and_raise(struct execution *self)
{
    struct live_comm *comm = self->comm;
    int first = MPI_SUCCESS, count = 0;
    uint32_t polls = 0;
    struct backoff_wait wait = backoff_begin(&comm->backoff);
    for (int left = self->posted; left > 0 && count != MPI_UNDEFINED; left -= count) {
        if (comm->broken != MPI_SUCCESS) {
            abandon(comm->requests, self->posted);
            note_error(&first, comm->broken);
            break;
        }
        int64_t began = backoff_now_ns();
        int error = PMPI_Testsome(self->posted, comm->requests, &count, comm->completed, comm->statuses);
        note_error(&first, error_of(error, comm->statuses, count));
        if (count <= 0) {
            if (error != MPI_SUCCESS)
                break;
            wait_a_moment(&wait, &polls, began);
            continue;
        }
        polls = 0;
        for (int i = 0; i < count; i++) {
            uint32_t flag = flag_of_message(self, comm->completed[i]);
            if (flag != PLAN_NO_FLAG)
                shm_counter_raise(&comm->flags[flag], comm->shared_calls);
        }
    }
    if (first != MPI_SUCCESS || self->error != MPI_SUCCESS)
        raise_remaining_flags(self);
    return first;
}

/* ------------------------------------------------------------------ phases */

/* One of the copies or reductions of a step. In calls in place a copy may find its data where they are to
 * go. */
static int copy_or_reduce(const struct execution *self, const struct plan_step *step,
                          const unsigned char *from, unsigned char *into)
{
    const struct live_reduction *reduction = self->reduction;
    if (from == into)
        return MPI_SUCCESS;
    if (step->op == PLAN_REDUCE)
        return PMPI_Reduce_local(from, into, (int)(step->bytes / reduction->element), reduction->type,
                                 reduction->op);
    memcpy(into, from, step->bytes);
    return MPI_SUCCESS;
}

static int local_step(const struct execution *self, const struct plan_step *step)
{
    unsigned char *from = address_of(self, step->from, step->from_offset);
    unsigned char *into = address_of(self, step->into, step->into_offset);
    int error = MPI_SUCCESS;
    for (uint32_t i = 0; from && into && i < step->times; i++) {
        note_error(&error, copy_or_reduce(self, step, from, into));
        if (i + 1 < step->times)
            from += step->from_stride, into += step->into_stride;
    }
    return error;
}

/* Does all steps of the phase that do not wait. end_phase waits. */
static void begin_phase(struct execution *self)
{
    struct live_comm *comm = self->comm;
    self->posted = 0;
    self->raises = false;
    for (const struct plan_step *step = self->phase; step < self->end; step++)
        switch ((enum plan_op)step->op) {
        case PLAN_SEND:
        case PLAN_RECV:
            note_error(&self->error, post(self, step));
            break;
        case PLAN_COPY:
        case PLAN_REDUCE:
            note_error(&self->error, local_step(self, step));
            break;
        case PLAN_BARRIER:
            comm->barriers++;
            shm_counter_add(comm->barrier, comm->barriers * comm->here);
            break;
        case PLAN_RAISE:
            shm_counter_raise(&comm->flags[step->flag], comm->shared_calls);
            break;
        case PLAN_AWAIT:
        case PLAN_PHASE_END:
            break;
        }
}

static void end_phase(struct execution *self)
{
    struct live_comm *comm = self->comm;
    note_error(&self->error, self->raises ? wait_and_raise(self) : live_wait_for_all(comm, 0, self->posted));
    if (self->error != MPI_SUCCESS && live_is_broken(comm))
        return;
    for (const struct plan_step *step = self->phase; step < self->end; step++) {
        bool came = true;
        if (step->op == PLAN_BARRIER)
            came = shm_counter_await(comm->barrier, comm->barriers * comm->here, &comm->backoff);
        else if (step->op == PLAN_AWAIT)
            came = shm_counter_await(&comm->flags[step->flag], comm->shared_calls, &comm->backoff);
        if (!came) {
            note_error(&self->error, comm->broken);
            return;
        }
    }
}

int live_execute(struct live_comm *comm, const struct coll_plan *plan, const void *send, void *recv,
                 const struct live_reduction *reduction)
{
    struct execution self = {.comm = comm, .plan = plan, .reduction = reduction, .error = MPI_SUCCESS};
    self.buffers[COLL_SEND_BUFFER] = (unsigned char *)(uintptr_t)send; /* no step writes it */
    self.buffers[COLL_RECV_BUFFER] = recv;
    self.buffers[COLL_SCRATCH] = comm->scratch;
    if (plan->shared_bytes > 0 || plan->flags > 0) /* a call that raises flags counts too */
        self.buffers[COLL_SHARED] = live_memory_next_copy(comm);
    const struct plan_step *last = plan->steps + plan->step_count;
    for (self.phase = plan->steps; self.phase < last && comm->broken == MPI_SUCCESS;
         self.phase = self.end + 1) {
        self.end = self.phase;
        while (self.end->op != PLAN_PHASE_END)
            self.end++;
        begin_phase(&self);
        end_phase(&self);
    }
    return self.error;
}
