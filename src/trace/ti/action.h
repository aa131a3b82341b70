#ifndef HELIO_TRACE_TI_ACTION_H
#define HELIO_TRACE_TI_ACTION_H

#include "trace/ti/line.h"

/* Reads one line of a TI trace: reader->text from reader->body on. False: an error has been reported. */
bool action_read(struct action_reader *reader, struct action *action);

#endif
