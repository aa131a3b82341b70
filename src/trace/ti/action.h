#ifndef HELIO_TRACE_TI_ACTION_H
#define HELIO_TRACE_TI_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"
#include "trace/image/comms.h"
#include "trace/image/counts.h"
#include "trace/ti/requests.h"

/* One line of a time-independent trace behind its rank field. Everything that a line means by itself is found
 * here; what depends on the lines before it (slots) or on other ranks (channels) is filled in by
 * trace/ti/compile.c. */

enum action_role {
    ROLE_PLAIN,
    ROLE_INIT,
    ROLE_FINALIZE,
    ROLE_COMPUTE,
    ROLE_START, /* begins a request of `key` */
    ROLE_WAIT,
    ROLE_TEST,
    ROLE_WAITALL,
};

/* What is replayed, but not for sure as the program ran; reported once per kind with a count. */
enum action_doubt {
    DOUBT_NONE,
    DOUBT_UNDEFINED_SOURCE, /* -333 may be MPI_ANY_SOURCE or MPI_PROC_NULL */
    DOUBT_ZERO_COUNTS,      /* Reduce_scatter_block prints zeros */
    DOUBT_LOST,             /* a call that is not in the trace */
};

struct action {
    struct call call;
    enum action_role role;
    enum action_doubt doubt;
    uint32_t key; /* ROLE_START, ROLE_WAIT, ROLE_TEST */
};

/* Where the line stands, and what it is read into. */
struct action_reader {
    const char *file;
    uint64_t line;
    const char *text; /* the whole line, without its end */
    size_t length;
    size_t body; /* where the action's name starts */
    uint32_t rank, ranks;
    int default_datatype; /* of counts without one */
    struct requests *requests;
    struct counts *counts;
    struct comms *comms;
    uint32_t comm;   /* of the line at hand: 0 is the world */
    uint32_t errors; /* reported so far */

    struct action_field *fields;
    size_t field_count, field_capacity;
    uint64_t *vector; /* `ranks` entries */
};

/* Reads reader->text from reader->body on. False: an error has been reported. */
bool action_read(struct action_reader *reader, struct action *action);
/* The key of the requests of non-blocking collectives of a kind, in the communicator of the line at hand. */
uint32_t action_collective_key(struct action_reader *reader, uint8_t op);

void action_reader_free(struct action_reader *reader);

/* Reports an error at `span` bytes from byte `at` of the line (at = length: behind its end). */
void action_error(struct action_reader *reader, size_t at, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
