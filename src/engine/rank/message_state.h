#ifndef HELIO_ENGINE_RANK_MESSAGE_STATE_H
#define HELIO_ENGINE_RANK_MESSAGE_STATE_H

/* How far a message has come, and how it goes: bits of message->state. */
enum message_state {
    MESSAGE_SENT = 1,          /* the send has been posted */
    MESSAGE_RECEIVING = 2,     /* the receive has been posted, and both are matched */
    MESSAGE_EAGER = 4,         /* goes before its receive is posted */
    MESSAGE_SENDER_DONE = 8,   /* the sender has been told */
    MESSAGE_DELIVERED = 16,    /* `delivered` is known */
    MESSAGE_VISIBLE = 32,      /* mailboxes and buffered messages: its envelope can be matched */
    MESSAGE_BUFFERED = 64,     /* buffered by the fabric */
                               /* 128: MESSAGE_CONTROL (fabric/message.h) */
    MESSAGE_RTS_HERE = 256,    /* rendezvous: the receiver knows of it */
    MESSAGE_CTS_SENT = 512,    /* rendezvous: the sender may send */
    MESSAGE_FIN_SENT = 1024,   /* rendezvous: the sender will know of the end */
    MESSAGE_IN_MAILBOX = 2048, /* its destination matches in a mailbox */
    MESSAGE_BY_NIC = 4096,     /* of the endpoint: through PCIe and NIC at both ends */
    MESSAGE_FREE = 8192,       /* takes no time between or within nodes (engine/free.h) */
};

#endif
