#ifndef HELIO_SIM_MESSAGE_LOG_H
#define HELIO_SIM_MESSAGE_LOG_H

#include "base/status.h"
#include "base/tap.h"

/* The log of every message, one CSV file for all fabrics of an experiment:
 * fabric,src,dst,tag,bytes,kind,send_start_s,send_end_s,recv_start_s,recv_end_s. It has its name only when it
 * is complete (output/output.h). */
struct message_log;
enum status message_log_open(const char *path, struct message_log **log);
void message_log_attach(struct message_log *log, const char *fabric, struct tap *tap);
/* Keeps the file if `run` is STATUS_OK, else removes it; returns as output_close. */
enum status message_log_close(struct message_log *log, enum status run);

#endif
