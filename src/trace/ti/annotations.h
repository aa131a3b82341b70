#ifndef HELIO_TRACE_TI_ANNOTATIONS_H
#define HELIO_TRACE_TI_ANNOTATIONS_H

#include "trace/ti/line.h"

/* What stands behind the fields of a line since helio capture wrote it: words that begin with '#', and what
 * belongs to them. SimGrid does not look there. */
struct annotations {
    bool any;                                       /* #any: the source is MPI_ANY_SOURCE */
    bool immediate;                                 /* #i: a non-blocking collective */
    bool synchronous;                               /* #s: MPI_Ssend and its kin */
    bool buffered;                                  /* #b: MPI_Bsend and its kin */
    const struct action_field *send_tag, *recv_tag; /* #tags: of a sendRecv */
    const struct action_field *waited;              /* #wait: for a collective of this name */
    const struct action_field *lost;                /* #lost: the call that the trace cannot say */
    const struct action_field *comm;                /* #c...: the communicator */
    const struct action_field *members;             /* behind #c of a comm_split */
};

/* Takes them off the line's fields. False: an error has been reported. */
bool annotations_read(struct action_reader *reader, struct annotations *annotations);

/* Enters what a comm_split defines. */
bool annotations_define(struct action_reader *reader, const struct annotations *annotations);

/* What they change in an action whose fields have been read. */
bool annotations_apply(struct action_reader *reader, const struct annotations *annotations,
                       struct action *action);

#endif
