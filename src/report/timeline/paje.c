#include <inttypes.h>
#include <stdio.h>

#include "output/output.h"
#include "output/quote.h"
#include "report/timeline/internal.h"

/* Paje's trace format ("Paje trace file", L. M. Schnorr), which ViTE reads. A file begins with the kinds of
 * events and their fields. The events follow in the order of time. A run is a container, a rank is a
 * container in it that has one state at a time, and a message is a link between two ranks. */

/* The kinds of events that are used, with their fields. */
static const char head[] =
    "%EventDef PajeDefineContainerType 0\n"
    "% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n"
    "% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 2\n"
    "% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n"
    "% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n"
    "% Alias string\n% Type string\n% Name string\n% Color color\n"
    "%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n"
    "% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n"
    "% Time date\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 6\n"
    "% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 7\n"
    "% Time date\n% Type string\n% Container string\n"
    "%EndEventDef\n"
    "%EventDef PajeStartLink 8\n"
    "% Time date\n% Type string\n% Container string\n% Value string\n% StartContainer string\n"
    "% Key string\n% Size string\n"
    "%EndEventDef\n"
    "%EventDef PajeEndLink 9\n"
    "% Time date\n% Type string\n% Container string\n% Value string\n% EndContainer string\n"
    "% Key string\n% Size string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 10\n"
    "% Time date\n% Type string\n% Container string\n% Value string\n"
    "% recorded_ns string\n% processor_ns string\n% instructions string\n"
    "% after_call_site string\n% before_call_site string\n"
    "%EndEventDef\n"
    "0 Run 0 \"Run\"\n"
    "0 Rank Run \"Rank\"\n"
    "1 State Rank \"State\"\n"
    "2 Message Run Rank Rank \"Message\"\n";

enum paje_event {
    DEFINE_VALUE = 3,
    CREATE_CONTAINER,
    DESTROY_CONTAINER,
    PUSH_STATE,
    POP_STATE,
    START_LINK,
    END_LINK,
    PUSH_COMPUTATION /* a state with what was recorded of it; what is not known is empty */
};

struct paje {
    struct output output;
    ps_t last;
};

/* Cool colours for computation, warm ones for waiting. */
static const char *colour_of(enum call_op op)
{
    switch (op) {
    case CALL_COMPUTE:
        return "0.60 0.78 0.60";
    case CALL_SEND:
        return "0.95 0.70 0.30";
    case CALL_RECV:
    case CALL_SENDRECV:
        return "0.85 0.40 0.30";
    case CALL_WAIT:
    case CALL_WAITALL:
    case CALL_FINALIZE:
        return "0.75 0.25 0.45";
    default:
        return "0.45 0.45 0.80";
    }
}

static enum status paje_open(struct timeline *timeline, const char *path)
{
    struct paje *paje = mem_alloc(1, sizeof *paje, "the timeline");
    if (output_open(&paje->output, path) != STATUS_OK) {
        free(paje);
        return STATUS_FAILED;
    }
    timeline->file = paje;
    FILE *file = paje->output.file;
    fputs(head, file);
    for (int op = 0; op < CALL_OPS; op++)
        fprintf(file, "%d %s State \"%s\" \"%s\"\n", DEFINE_VALUE, call_op_name((enum call_op)op),
                call_op_name((enum call_op)op), colour_of((enum call_op)op));
    fprintf(file, "%d p2p Message \"p2p\" \"0.2 0.2 0.2\"\n", DEFINE_VALUE);
    for (int op = CALL_BARRIER; op < CALL_OPS; op++)
        fprintf(file, "%d in-%s Message \"%s\" \"%s\"\n", DEFINE_VALUE, call_op_name((enum call_op)op),
                call_op_name((enum call_op)op), colour_of((enum call_op)op));
    return STATUS_OK;
}

static enum status paje_close(struct timeline *timeline, enum status run)
{
    struct paje *paje = timeline->file;
    run = output_close(&paje->output, run);
    free(paje);
    return run;
}

/* Number of the event and its time, in seconds with all twelve decimals, so that each
 * picosecond is kept. */
static FILE *put_event(struct timeline *timeline, enum paje_event event, ps_t at)
{
    struct paje *paje = timeline->file;
    paje->last = at;
    fprintf(paje->output.file, "%d %" PRId64 ".%012" PRId64, event, at / PS_PER_S, at % PS_PER_S);
    return paje->output.file;
}

static void paje_begin_run(struct timeline *timeline)
{
    FILE *file = put_event(timeline, CREATE_CONTAINER, 0);
    fputs(" run Run 0 ", file);
    quote_paje(file, timeline->fabric);
    fputc('\n', file);
    for (uint32_t rank = 0; rank < timeline->ranks; rank++)
        fprintf(put_event(timeline, CREATE_CONTAINER, 0), " r%" PRIu32 " Rank run \"rank %" PRIu32 "\"\n",
                rank, rank);
}

static void put_computation(struct timeline *timeline, uint32_t rank, const struct tap_burst *burst, ps_t at)
{
    FILE *file = put_event(timeline, PUSH_COMPUTATION, at);
    fprintf(file, " State r%" PRIu32 " %s \"%" PRIu64 "\" \"%" PRIu64 "\" \"", rank,
            call_op_name(CALL_COMPUTE), burst->lasted_ns, burst->used_ns);
    if (burst->is_counted)
        fprintf(file, "%" PRIu64, burst->instructions);
    fputs("\" ", file);
    quote_paje(file, burst->after ? burst->after : "");
    fputc(' ', file);
    quote_paje(file, burst->before ? burst->before : "");
    fputc('\n', file);
}

static void paje_enter(struct timeline *timeline, uint32_t rank, uint8_t call, ps_t at)
{
    if (call == CALL_COMPUTE && timeline->rank[rank].has_burst)
        put_computation(timeline, rank, &timeline->rank[rank].burst, at);
    else
        fprintf(put_event(timeline, PUSH_STATE, at), " State r%" PRIu32 " %s\n", rank, call_op_name(call));
}

static void paje_leave(struct timeline *timeline, uint32_t rank, const struct timeline_wait *wait)
{
    fprintf(put_event(timeline, POP_STATE, wait->at), " State r%" PRIu32 "\n", rank);
}

static void paje_end_rank(struct timeline *timeline, uint32_t rank, ps_t at)
{
    fprintf(put_event(timeline, DESTROY_CONTAINER, at), " Rank r%" PRIu32 "\n", rank);
}

static void put_link(FILE *file, const struct timeline_message *message, uint32_t rank)
{
    bool is_p2p = message->op < CALL_BARRIER;
    fprintf(file, " Message run %s%s r%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", is_p2p ? "" : "in-",
            is_p2p ? "p2p" : call_op_name(message->op), rank, message->number, message->bytes);
}

static void paje_sent(struct timeline *timeline, const struct timeline_message *message)
{
    put_link(put_event(timeline, START_LINK, message->since), message, message->source);
}

static void paje_received(struct timeline *timeline, const struct timeline_message *message, ps_t at)
{
    put_link(put_event(timeline, END_LINK, at), message, message->destination);
}

static void paje_end_run(struct timeline *timeline)
{
    const struct paje *paje = timeline->file;
    fprintf(put_event(timeline, DESTROY_CONTAINER, paje->last), " Run run\n");
}

const struct timeline_format paje_format = {
    .shows_bursts = true,
    .open = paje_open,
    .begin_run = paje_begin_run,
    .enter = paje_enter,
    .leave = paje_leave,
    .end_rank = paje_end_rank,
    .sent = paje_sent,
    .received = paje_received,
    .end_run = paje_end_run,
    .close = paje_close,
};
