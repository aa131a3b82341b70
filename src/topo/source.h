#ifndef HELIO_TOPO_SOURCE_H
#define HELIO_TOPO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* The text of a network file: its lines and words, and messages with their places in it. */
struct network_source {
    const char *name; /* of the file, for messages */
    const char *text; /* a zero byte follows */
    size_t length;
};

/* Reports an error at `span` bytes of the text from `at` on. NULL: at no place. Returns false. */
bool source_refuse(const struct network_source *source, const char *at, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* --------------------------------------------------------- lines and words */

/* A part of the text. */
struct source_part {
    const char *text;
    size_t length;
};

/* What is left of the text, or of a line. */
struct source_rest {
    const char *at, *end;
};

struct source_rest source_all(const struct network_source *source);

/* The next line that is not blank and is no comment (#); false: there is none. */
bool source_next_line(struct source_rest *rest, struct source_rest *line);

/* The next word between blanks; false: there is none. */
bool source_next_word(struct source_rest *line, struct source_part *word);

/* Whether the word is this text, where capitals do not matter. */
bool source_is(struct source_part word, const char *text);

/* A whole number from `least` to `most`, of digits alone. False, reported: it is none. `what` says what it
 * is, such as "a tier". */
bool source_number(const struct network_source *source, struct source_part word, const char *what,
                   uint64_t least, uint64_t most, uint64_t *number);

/* -------------------------------------------------------------- quantities */

/* A unit, and what one of it is. */
struct source_unit {
    const char *name;
    double factor;
};

/* Ends with one whose name is NULL. SimGrid and ns-3 write them: 125MBps, 100Gb/s; 50us. */
extern const struct source_unit source_rates[]; /* in bytes per second */
extern const struct source_unit source_times[]; /* in picoseconds */

/* A number and its unit, which may have blanks between them. `bare` is what a number without a unit is in; 0:
 * only 0 may have none. False, reported: the text is none. */
bool source_quantity(const struct network_source *source, struct source_part word,
                     const struct source_unit *units, const char *what, double bare, double *value);

/* The rate of a link, from 1 B/s to 70 TB/s, and a latency, to 1000 s; both rounded. */
bool source_rate(const struct network_source *source, struct source_part word, const char *what, double bare,
                 uint64_t *rate_bytes_per_s);
bool source_latency(const struct network_source *source, struct source_part word, const char *what,
                    double bare, ps_t *latency_ps);

#endif
