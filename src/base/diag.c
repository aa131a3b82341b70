#include "base/diag.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/utf8.h"

static _Thread_local diag_sink *current_sink;
static _Thread_local void *current_self;

/* A message is written into a fixed buffer, because reporting "out of memory" must not allocate. Each part of
 * it has its own bound, so that a very long name leaves room for the rest. */
enum { WHOLE = 24576, LONGEST_FILE = 6144, LONGEST_TEXT = 12288 };

struct diag_writer {
    char text[WHOLE];
    size_t used;
};

static void put(struct diag_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct diag_writer *writer, const char *format, ...)
{
    size_t room = sizeof writer->text - writer->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(writer->text + writer->used, room, format, args);
    va_end(args);
    if (length > 0)
        writer->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Appends bytes as they are. */
static void put_bytes(struct diag_writer *writer, const char *bytes, size_t count)
{
    size_t room = sizeof writer->text - 1 - writer->used;
    if (count > room)
        count = room;
    memcpy(writer->text + writer->used, bytes, count);
    writer->used += count;
    writer->text[writer->used] = '\0';
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of printable ASCII characters at the beginning. */
static size_t plain_bytes(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= ' ' && text[count] <= '~')
        count++;
    return count;
}

/* Appends at most about `limit` bytes. Names in a message come from outside and must not control the
 * terminal: control characters and their like appear as \xNN. */
static void put_shown(struct diag_writer *writer, const char *text, size_t limit)
{
    size_t length = strlen(text), end = writer->used + limit;
    while (length && writer->used < end) {
        size_t bytes = plain_bytes(text, smaller(length, end - writer->used));
        if (!bytes)
            bytes = utf8_shown_bytes(text, length);
        if (bytes)
            put_bytes(writer, text, bytes);
        else
            put(writer, "\\x%02x", (unsigned char)*text);
        text += bytes ? bytes : 1;
        length -= bytes ? bytes : 1;
    }
    if (length)
        put(writer, "...");
}

const char *diag_colours_refused(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (no_colour && *no_colour)
        return "NO_COLOR is set";
    return terminal && strcmp(terminal, "dumb") == 0 ? "TERM is dumb" : NULL;
}

static bool use_colour(void)
{
    return !current_sink && isatty(STDERR_FILENO) && !diag_colours_refused();
}

static const char *level_name(enum diag_level level, int colour)
{
    static const char *const names[][2] = {
        [DIAG_NOTE] = {"note", "\033[36mnote\033[0m"},
        [DIAG_WARNING] = {"warning", "\033[35mwarning\033[0m"},
        [DIAG_ERROR] = {"error", "\033[1;31merror\033[0m"},
    };
    return names[level][colour];
}

/* The offset at which the character that contains byte `at` begins. */
static size_t character_begin(const char *text, size_t at)
{
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    return at;
}

/* Writes the source line, and below it a caret under the column, which counts characters. Tabs and other
 * control characters become blanks, and what else is not shown a question mark, so that the caret is in the
 * right place. A long line begins shortly before the column. */
static void put_source(struct diag_writer *writer, const struct diag_place *place)
{
    enum { SHOWN = 120, BEFORE = 60 };
    size_t column = place->column ? place->column - 1 : 0, end = place->source_length;
    if (column > end)
        column = end;
    size_t start = 0;
    if (column > BEFORE && end > SHOWN)
        start = character_begin(place->source, column - BEFORE);
    if (end - start > SHOWN)
        end = character_begin(place->source, start + SHOWN);
    size_t marked_end = place->span < end - column ? column + place->span : end;
    unsigned long long line = place->line & ~DIAG_BYTE;
    int gutter = snprintf(NULL, 0, "%llu", line);

    put(writer, " %llu | ", line);
    for (size_t i = start, bytes; i < end; i += bytes ? bytes : 1) {
        bytes = plain_bytes(place->source + i, end - i);
        if (bytes) {
            put_bytes(writer, place->source + i, bytes);
            continue;
        }
        bytes = utf8_bytes(place->source + i, end - i);
        if (utf8_shown_bytes(place->source + i, end - i))
            put_bytes(writer, place->source + i, bytes);
        else
            put_bytes(writer, bytes == 1 ? " " : "?", 1);
    }
    put(writer, "\n");
    if (!place->column)
        return;
    put(writer, " %*s | %*s^", gutter, "", (int)utf8_count(place->source + start, column - start), "");
    for (size_t i = utf8_count(place->source + column, marked_end - column); i > 1; i--)
        put_bytes(writer, "~", 1);
    put(writer, "\n");
}

/* The line of progress makes room. */
static void put_on_terminal(const char *text)
{
    progress_hide();
    fputs(text, stderr);
    progress_show();
}

static void put_place(struct diag_writer *writer, const struct diag_place *place)
{
    put_shown(writer, place->file, LONGEST_FILE);
    put(writer, ":");
    if (place->line & DIAG_BYTE)
        put(writer, " byte %llu:", (unsigned long long)(place->line & ~DIAG_BYTE));
    else if (place->line)
        put(writer, "%llu:", (unsigned long long)place->line);
    if (place->line && place->column)
        put(writer, "%u:", place->column);
    put(writer, " ");
}

static void send(struct diag_writer *writer, enum diag_level level)
{
    if (writer->used == sizeof writer->text - 1) /* the end did not fit */
        writer->text[writer->used - 1] = '\n';
    if (current_sink)
        current_sink(current_self, level, writer->text);
    else
        put_on_terminal(writer->text);
}

static void begin(struct diag_writer *writer, enum diag_level level, const struct diag_place *place,
                  const char *format, va_list args)
{
    char text[LONGEST_TEXT];
    writer->used = 0;
    if (place && place->file)
        put_place(writer, place);
    else
        put(writer, "helio: ");
    put(writer, "%s: ", level_name(level, use_colour()));
    vsnprintf(text, sizeof text, format, args);
    put_shown(writer, text, LONGEST_TEXT);
    put(writer, "\n");
}

static void report_args(enum diag_level level, const struct diag_place *place, const char *format,
                        va_list args)
{
    struct diag_writer writer;
    begin(&writer, level, place, format, args);
    if (place && place->source && place->line)
        put_source(&writer, place);
    send(&writer, level);
}

void diag_cite(enum diag_level level, const char *messages, const char *format, ...)
{
    struct diag_writer writer;
    size_t length = strlen(messages);
    va_list args;
    va_start(args, format);
    begin(&writer, level, NULL, format, args);
    va_end(args);
    put(&writer, "%s%s", messages, length && messages[length - 1] != '\n' ? "\n" : "");
    send(&writer, level);
}

void diag_set_sink(diag_sink *sink, void *self)
{
    current_sink = sink;
    current_self = self;
}

static void drop(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

struct diag_silence diag_begin_silence(void)
{
    const struct diag_silence silence = {current_sink, current_self};
    diag_set_sink(drop, NULL);
    return silence;
}

void diag_end_silence(const struct diag_silence *silence)
{
    diag_set_sink(silence->sink, silence->self);
}

void diag_report(enum diag_level level, const struct diag_place *place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_args(level, place, format, args);
    va_end(args);
}

void diag_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_args(DIAG_ERROR, NULL, format, args);
    va_end(args);
}

void diag_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_args(DIAG_WARNING, NULL, format, args);
    va_end(args);
}

void diag_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_args(DIAG_NOTE, NULL, format, args);
    va_end(args);
}

/* ------------------------------------------------------------- did you mean */

/* A question costs at most about MOST_CANDIDATES x LONGEST_WORD^2 steps, whatever the input is. No table of
 * names is as long. */
enum { LONGEST_WORD = 64, MOST_CANDIDATES = 4096 };

/* Words are compared in small letters, since people mix up the case. */
static inline char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The number of edits from a to b: insert, delete, replace, swap neighbours. Any number above `limit` stands
 * for more than `limit`. Both are at most LONGEST_WORD long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, size_t limit)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t least_above = 0;
    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t least = row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1,
                             above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
            least = smaller(least, row[j]);
        }
        if (least > limit && least_above > limit) /* a later row follows from two rows, and is not smaller */
            return least;
        least_above = least;
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

/* A bit for each character that is there; some characters share one. */
static uint64_t letters_of(const char *word, size_t length)
{
    uint64_t letters = 0;
    for (size_t i = 0; i < length; i++)
        letters |= UINT64_C(1) << (lower(word[i]) & 63);
    return letters;
}

/* Each edit brings or removes at most one character. */
static size_t least_edits(uint64_t letters, uint64_t others)
{
    int missing = __builtin_popcountll(letters & ~others), added = __builtin_popcountll(others & ~letters);
    return (size_t)(missing > added ? missing : added);
}

const char *diag_nearest(const char *word, const void *candidates, size_t count,
                         const char *(*at)(const void *candidates, size_t index))
{
    const char *nearest = NULL;
    size_t length = strnlen(word, LONGEST_WORD + 1);
    size_t limit = length > 1 ? length / 3 + 1 : 0; /* with more edits it is another word */
    if (length > LONGEST_WORD)
        return NULL;
    uint64_t letters = letters_of(word, length);
    for (size_t i = 0; i < count && i < MOST_CANDIDATES; i++) {
        const char *candidate = at(candidates, i);
        size_t candidate_length = strnlen(candidate, LONGEST_WORD + 1);
        size_t longer = candidate_length > length ? candidate_length - length : length - candidate_length;
        if (candidate_length > LONGEST_WORD || longer > limit ||
            least_edits(letters, letters_of(candidate, candidate_length)) > limit)
            continue;
        size_t distance = edit_distance(word, length, candidate, candidate_length, limit);
        if (distance > limit)
            continue;
        nearest = candidate;
        if (distance == 0)
            break;
        limit = distance - 1; /* the first of equally near ones is suggested */
    }
    return nearest;
}

static const char *plain_at(const void *candidates, size_t index)
{
    return ((const char *const *)candidates)[index];
}

const char *diag_nearest_of(const char *word, const char *const *candidates, size_t count)
{
    return diag_nearest(word, candidates, count, plain_at);
}

const char *diag_did_you_mean(const char *guess)
{
    static _Thread_local char text[LONGEST_WORD + 32];
    if (!guess)
        return "";
    snprintf(text, sizeof text, "; did you mean '%s'?", guess);
    return text;
}
