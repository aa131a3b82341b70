#ifndef HELIO_SCHEDULE_SCHEDULE_LINES_H
#define HELIO_SCHEDULE_SCHEDULE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* What verifiers of schedules share: the lines of a text, field by field, and the problems of a replay. */
struct schedule_lines {
    const char *name, *header; /* "switch,start_s,end_s,src,dst" */
    const char *line;
    size_t length, at; /* of the line; the byte that is read next */
    uint32_t number;   /* of the line, from 1 */
    uint64_t wrong;    /* lines that cannot be read */
    uint64_t unfit;    /* lines that can be read, and do not fit what they are about */
};

/* Calls `read` for each line that is not the header, empty, or a comment; `read` takes its fields. Notes how
 * many lines are wrong besides those reported. */
void schedule_lines_read(struct schedule_lines *lines, const char *text, size_t size,
                         void (*read)(void *context), void *context);

/* Reports a field, or the line, that is wrong; up to ten of them. Returns false. */
bool schedule_lines_malformed(struct schedule_lines *lines, size_t at, size_t span, const char *problem);

/* Reports a line that does not fit, among the same ten. Returns false. */
bool schedule_lines_unfit(struct schedule_lines *lines, size_t at, const char *problem);

/* The next field; all but the last end with a comma. False: it is wrong, and that is reported. */
bool schedule_lines_number(struct schedule_lines *lines, bool is_last, uint32_t limit, const char *problem,
                           uint32_t *number);
bool schedule_lines_time(struct schedule_lines *lines, ps_t *time_ps);

/* start_s,end_s of a circuit, which carries something, and not before `after_ps`, the start of the line
 * above.
 */
bool schedule_lines_span(struct schedule_lines *lines, ps_t after_ps, ps_t *start_ps, ps_t *end_ps);

/* ----------------------------------------------------------------- problems */

enum { SCHEDULE_PROBLEM = 256 };

struct schedule_problem {
    ps_t at_ps;
    uint32_t line; /* 0: it is about no line */
    char text[SCHEDULE_PROBLEM];
};

struct schedule_problems {
    struct schedule_problem *list;
    size_t count, capacity;
};

void schedule_problems_add(struct schedule_problems *problems, ps_t at_ps, uint32_t line, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));

/* Reports up to ten problems in the order of their times, copies the first one, and frees the list. Returns
 * how many there are. */
size_t schedule_problems_report(struct schedule_problems *problems, const char *name,
                                char first[SCHEDULE_PROBLEM]);

/* "byte 17 of 3,5": what circuits of the pair have carried after this time. Returns text. */
enum { SCHEDULE_BYTE = 96 };
uint64_t schedule_bytes(ps_t carried_ps, uint64_t rate_bytes_per_s);
const char *schedule_byte(ps_t carried_ps, uint64_t rate_bytes_per_s, uint32_t source, uint32_t destination,
                          char text[SCHEDULE_BYTE]);

/* A time in seconds, as "0.000001000000 s". Returns text. */
enum { SCHEDULE_TIME = 48 };
const char *schedule_seconds(ps_t time_ps, char text[SCHEDULE_TIME]);

#endif
