#ifndef HELIO_TRACE_TI_ANNOTATIONS_H
#define HELIO_TRACE_TI_ANNOTATIONS_H

#include "trace/ti/line.h"

/* Annotations of a line: words that begin with '#' behind its fields, and their own fields. helio capture
 * writes them for what SimGrid's format cannot say, and SimGrid ignores them (docs/trace-format.md). */
struct annotations {
    bool any;                                       /* #any: the source is MPI_ANY_SOURCE */
    bool immediate;                                 /* #i: a non-blocking collective */
    bool synchronous;                               /* #s: MPI_Ssend, MPI_Issend */
    bool buffered;                                  /* #b: MPI_Bsend, MPI_Ibsend */
    const struct action_field *send_tag, *recv_tag; /* #tags: the tags of a sendRecv */
    const struct action_field *waited;              /* #wait: the collective that is waited for */
    const struct action_field *lost;                /* #lost: a call that is not in the trace */
    const struct action_field *comm;                /* #c...: the communicator */
    const struct action_field *members;             /* comm_split: the field behind #c */
    const struct action_field *phase;               /* #phase: the number of the phase that begins */
    const struct action_field *site;                /* #@3: the call site */
    const struct action_field *site_number;         /* #site: the number that it defines; its text follows */
};

/* Reads the annotations of a line and removes them from its fields. False: an error has been reported. */
bool annotations_read(struct action_reader *reader, struct annotations *annotations);

/* Adds the communicator that a comm_split defines. False: an error has been reported. */
bool annotations_define(struct action_reader *reader, const struct annotations *annotations);

/* Adds the call site that a comm_size defines. False: an error has been reported. */
bool annotations_define_site(struct action_reader *reader, const struct annotations *annotations);

/* Changes an action, whose fields have been read, as they say. False: an error has been reported. */
bool annotations_apply(struct action_reader *reader, const struct annotations *annotations,
                       struct action *action);

#endif
