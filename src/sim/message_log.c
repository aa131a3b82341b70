#include "sim/message_log.h"

#include <inttypes.h>

#include "base/mem.h"
#include "call/call.h"
#include "fabric/message.h"
#include "output/output.h"

struct message_log {
    struct output output;
    const char *fabric; /* of the run that is being logged */
};

enum status message_log_open(const char *path, struct message_log **log)
{
    struct output output;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    *log = mem_alloc(1, sizeof **log, "the message log");
    **log = (struct message_log){.output = output};
    fputs("fabric,src,dst,tag,bytes,kind,send_start_s,send_end_s,recv_start_s,recv_end_s\n", output.file);
    return STATUS_OK;
}

/* Seconds with all twelve decimals, so that each picosecond is kept. */
static void put_seconds(FILE *file, ps_t time)
{
    fprintf(file, ",%" PRId64 ".%012" PRId64, time / PS_PER_S, time % PS_PER_S);
}

static void put_message(void *self, const struct tap_record *record)
{
    const struct message_log *log = self;
    const struct message *message = record->message;
    FILE *file = log->output.file;
    bool p2p = message->op < CALL_BARRIER;
    fprintf(file, "%s,%u,%u,%d,%" PRIu64 ",%s", log->fabric, message->source, message->destination,
            message->tag, message->bytes, p2p ? "p2p" : call_op_name(message->op));
    put_seconds(file, message->send_posted);
    put_seconds(file, message->send_released);
    put_seconds(file, message->recv_posted);
    put_seconds(file, message_received(message));
    fputc('\n', file);
}

void message_log_attach(struct message_log *log, const char *fabric, struct tap *tap)
{
    log->fabric = fabric;
    tap_handle(tap, TAP_BIT(TAP_FINISHED), put_message, log);
}

enum status message_log_close(struct message_log *log, enum status run)
{
    run = output_close(&log->output, run);
    free(log);
    return run;
}
