#ifndef HELIO_ENGINE_RANK_INTERNAL_H
#define HELIO_ENGINE_RANK_INTERNAL_H

/* What the files of this room share: the machine that executes a program's calls on a fabric.
 *
 *   machine.c     the four-state machine of every rank, its requests, compute, the end of a run
 *   protocol.c    one message: matched, eager / rendezvous / buffered, transferred, both ends told
 *   match.c       which send meets which receive
 *   collective.c  a collective call: its schedule's phases, posted as messages
 *   hosted.c      with a host model: what a message waits for at its ends, what a core spends on it
 *   gathering.c   the ranks of a node in a collective call: barriers and flags
 *   report.c      why a run cannot go on: the blocked ranks, their calls and lines
 */

#include "base/event.h"
#include "base/queue_table.h"
#include "base/tap.h"
#include "call/call.h"
#include "coll/coll.h"
#include "engine/params.h"
#include "engine/rank/machine.h"
#include "fabric/fabric.h"
#include "fabric/message.h"
#include "host/copy.h"
#include "host/node.h"

/* Norm, Comm, Wait and Fin of the FMU paper, section V. */
enum rank_state { RANK_NORM, RANK_COMM, RANK_WAIT, RANK_FIN };

struct rank {
    const struct call *call; /* the one it is in */
    uint32_t first_slot;     /* its slots in machine->slots */
    uint32_t slot_count;
    uint32_t awaited; /* requests that block it and are not complete */
    uint8_t state;    /* enum rank_state */
    uint8_t cause;    /* enum call_op of the last completion it waited for */
    uint8_t idle;     /* its next resume ends an idle time that began at blocked_at */
    ps_t blocked_at;
    ps_t software_before; /* with a host model: what its core had spent when its call began */
    ps_t wake;            /* the latest completion it waited for */
    uint32_t peer;        /* the rank at that one's other end */
};

/* A request: when it completes, or one of the values below, and which call it belongs to. */
struct slot {
    ps_t at;
    uint8_t op;    /* enum call_op */
    uint32_t peer; /* the rank at the other end, or TAP_NOBODY */
};

#define SLOT_FREE    ((ps_t)-1)
#define SLOT_OPEN    ((ps_t)-2) /* not complete, nobody waits for it */
#define SLOT_AWAITED ((ps_t)-3) /* not complete, its rank is blocked by it */

/* Whom to tell that a message's end is done: a slot of the rank, or a run of a collective. */
#define OWNER_RUN  (UINT32_C(1) << 31)
#define OWNER_FLAG (UINT32_C(1) << 30) /* with OWNER_RUN: a record of machine->waits, whose flag goes up */
#define OWNER_NONE UINT32_MAX

enum message_state {
    MESSAGE_SENT = 1,          /* the send has been posted */
    MESSAGE_RECEIVING = 2,     /* the receive has been posted and they are matched */
    MESSAGE_EAGER = 4,         /* goes before its receiver is there */
    MESSAGE_SENDER_DONE = 8,   /* the sender has been told */
    MESSAGE_DELIVERED = 16,    /* `delivered` is known */
    MESSAGE_VISIBLE = 32,      /* mailboxes and stored messages: its envelope can be matched */
    MESSAGE_STORED = 64,       /* by the fabric, on its way */
    MESSAGE_CONTROL = 128,     /* a handshake of the message named in `next` */
    MESSAGE_RTS_HERE = 256,    /* rendezvous: the receiver knows of it */
    MESSAGE_CTS_SENT = 512,    /* rendezvous: the sender may send */
    MESSAGE_FIN_SENT = 1024,   /* rendezvous: the sender will know of the end */
    MESSAGE_IN_MAILBOX = 2048, /* its destination matches in a mailbox */
    MESSAGE_BY_NIC = 4096,     /* with a host model: through PCIe and NIC at both ends */
};

/* One end of a message, as it is posted. */
struct post {
    uint32_t rank; /* who posts */
    uint32_t peer; /* or (uint32_t)CALL_ANY_SOURCE */
    uint32_t context;
    int32_t tag;
    uint32_t channel;
    uint32_t owner;
    uint64_t bytes;
    uint8_t op;
    uint8_t call_flags;
};

/* Contexts of collectives never meet those of point-to-point messages. */
#define CONTEXT_COLLECTIVE (UINT32_C(1) << 31)

/* One rank's passage through one collective call. */
struct run {
    struct coll_call call;
    const struct coll_algorithm *algorithm;
    ps_t latest;   /* completion of the phase, so far */
    uint32_t peer; /* of that completion */
    uint32_t rank;
    uint32_t group;
    uint32_t context;
    uint32_t sequence; /* the how many-th collective of its context this is */
    uint32_t phase;
    uint32_t pending; /* ends of messages, barriers and flags not complete in this phase */
    uint32_t slot;
    uint32_t gathering;                /* POOL_NONE: its schedule knows no nodes */
    uint64_t working_set;              /* bytes that its local steps have touched */
    uint64_t copied_from, copied_into; /* where the last of them ended */
    uint8_t op;
};

/* The ranks of one node in one collective call. */
struct gathering {
    uint32_t ranks, left; /* of the node; those that have left the call */
    uint32_t arrived;     /* at its barrier */
    ps_t arrived_at;      /* the last of them */
    uint32_t waits;       /* list of records of machine->waits */
    ps_t *raised_at;      /* FLAG_DOWN, or when each flag goes up; kept for the record's next user */
    size_t flag_capacity;
    struct queue_key key;
};

/* A run that waits for a flag or the barrier of its gathering, or a message that will raise a flag. */
struct wait {
    uint32_t run;
    uint32_t flag; /* WAIT_BARRIER */
    uint32_t next; /* POOL_NONE: the last */
};

#define WAIT_BARRIER UINT32_MAX
#define FLAG_DOWN    ((ps_t)-1)

/* Which ranks of a group share a node; made when a schedule first asks. */
struct group_nodes {
    struct coll_nodes nodes;
    uint32_t *words;
};

/* Ranks that have begun the same collective call. */
struct meeting {
    uint32_t arrived;
    uint32_t first; /* rank that came first */
    int32_t root;
    uint8_t op;
};

/* Ranks that have wildcards receive here. Lists of messages linked by `next`. */
struct mailbox {
    struct queue posted; /* receives, in posting order */
    struct queue sent; /* messages whose envelope is not visible yet, or may not overtake, in posting order */
    struct queue ready; /* messages to be matched, in the order in which they became so */
};

/* One rank with a host model: its core, and the messages that wait there, linked by `fabric`. */
struct hosted {
    struct host_core core;
    struct queue pending; /* to be posted: the transmit queue is full */
    struct queue arrived; /* in memory, not polled */
    struct queue held;    /* at the NIC: the receive queue is full */
    uint32_t arrived_count;
    uint32_t posted_count; /* places taken in the transmit queue */
    uint32_t batch;        /* the sends that the next completion speaks for; POOL_NONE = none so far */
    bool polled;           /* something, in the present call */
};

/* Sends of one rank that share a completion. */
struct batch {
    uint32_t rank;
    uint32_t posted, acknowledged;
    ps_t latest;
};

struct machine {
    const struct engine_params *params;
    const struct host *host; /* NULL = none */
    const struct protocol_config *protocol;
    const struct node_config *node;
    const struct collective_config *collective;
    double ps_per_operation;
    struct program *program;
    struct event_loop *loop;
    struct tap *tap;
    struct fabric *fabric;
    enum status status;

    struct rank *ranks;
    struct slot *slots;
    uint32_t *sequences;        /* collectives begun, per rank and group */
    struct call *blocked_calls; /* per rank, of programs whose calls do not stay where they were returned */
    uint64_t calls;             /* executed so far */
    uint32_t ended;             /* ranks in Fin */

    struct pool messages;
    struct queue *channels;
    struct queue_table keyed;
    struct mailbox **mailboxes; /* per rank, made when first needed; NULL when the program has none */
    struct pool runs;
    struct queue_table meetings;
    struct pool meeting_records;
    struct group_nodes *group_nodes; /* per group */
    struct queue_table gatherings;
    struct pool gathering_records, waits;

    struct hosted *hosted; /* per rank */
    struct pool batches;
    struct host_nodes nodes;

    uint32_t resume_kind, phase_kind, visible_kind, control_kind;
    uint32_t nic_kind, leave_kind, memory_kind, taken_kind, completion_kind;
};

/* machine.c */
void machine_complete(struct machine *machine, uint32_t owner, uint32_t rank, ps_t at, uint8_t op,
                      uint32_t peer);
void machine_fail(struct machine *machine, enum status status);
struct call_place machine_place(const struct machine *machine, uint32_t rank);

/* protocol.c */
void protocol_send(struct machine *machine, const struct post *post);
void protocol_receive(struct machine *machine, const struct post *post);
void protocol_matched(struct machine *machine, uint32_t index); /* a mailbox put both ends together */
struct fabric_callbacks protocol_callbacks(struct machine *machine);
void protocol_on_control(void *self, uint32_t control); /* event: a handshake has arrived */
void protocol_on_visible(void *self, uint32_t message); /* event: an envelope can be matched */

/* For hosted.c: the message goes to its fabric now; its sender, its receiver's end are done. */
void protocol_submit(struct machine *machine, uint32_t message);
void protocol_sender_done(struct machine *machine, struct message *message, ps_t at);
void protocol_received(struct machine *machine, uint32_t message);

/* Its sender may go on as soon as it has posted it. */
static inline bool protocol_done_when_posted(const struct machine *machine, const struct message *message)
{
    return (message->call_flags & CALL_BUFFERED) ||
           ((message->state & MESSAGE_EAGER) && machine->protocol->eager_done == EAGER_DONE_POST);
}

/* hosted.c; with a host model only */
void hosted_open(struct machine *machine, uint32_t nodes);
void hosted_close(struct machine *machine);
size_t hosted_bytes(const struct machine *machine);
void hosted_post(struct machine *machine, uint32_t message); /* it may leave: to the NIC, or waits for it */
void hosted_delivered(struct machine *machine, uint32_t message, ps_t at); /* it is at the other NIC */
void hosted_enter(struct machine *machine, uint32_t rank);                 /* it waits: polls what has come */
ps_t hosted_pass(struct machine *machine, uint32_t rank, ps_t at);         /* it need not; until when */
ps_t hosted_leave(struct machine *machine, uint32_t rank, ps_t at);  /* its call is over; returns when */
ps_t hosted_step(struct machine *machine, uint32_t rank, ps_t work); /* does it; returns when it is done */
/* Copies `bytes`, of `working_set` in all; `continues`: behind the piece before. */
void hosted_copy(struct machine *machine, uint32_t rank, uint64_t bytes, uint64_t working_set,
                 bool continues);
void hosted_test(struct machine *machine, uint32_t rank); /* polls once */

/* Posts a send: what it costs above the LLP. */
static inline void hosted_call(struct machine *machine, uint32_t rank)
{
    host_core_work(&machine->hosted[rank].core, machine->loop->now, machine->host->hlp_post);
}

/* match.c */
/* The record of the other end if it is waiting there, taken out; otherwise POOL_NONE, and *record_index is a
 * new one in the same queue for the caller to fill. Not for mailboxes. */
uint32_t match_meet(struct machine *machine, const struct post *post, bool sending, uint32_t *record);
void mailbox_send(struct machine *machine, uint32_t message);
void mailbox_receive(struct machine *machine, uint32_t receive);
void mailbox_visible(struct machine *machine, uint32_t message); /* its envelope is there */

/* collective.c */
void collective_begin(struct machine *machine, uint32_t rank, const struct call *call, uint32_t slot);
void collective_message_done(struct machine *machine, uint32_t run, ps_t at, uint32_t peer);
void collective_on_phase(void *self, uint32_t run); /* event: the phase is complete */

/* gathering.c */
const struct coll_nodes *gathering_nodes(struct machine *machine, uint32_t group);
void gathering_enter(struct machine *machine, uint32_t run);
void gathering_leave(struct machine *machine, uint32_t run);
void gathering_barrier(struct machine *machine, uint32_t run, ps_t at);
void gathering_raise(struct machine *machine, uint32_t run, uint32_t flag, ps_t at); /* now or later */
void gathering_await(struct machine *machine, uint32_t run, uint32_t flag);
uint32_t gathering_flag_owner(struct machine *machine, uint32_t run, uint32_t flag); /* of a receive */
size_t gathering_bytes(const struct machine *machine);
void gathering_open(struct machine *machine);
void gathering_close(struct machine *machine);

/* report.c */
void report_blocked(const struct machine *machine);
void report_mismatch(struct machine *machine, const struct run *run, const struct call *call,
                     const struct meeting *meeting);
void report_never_received(const struct machine *machine);

#endif
