#include "coll/choice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

struct choice_parser {
    enum coll_kind kind;
    const char *text;
    struct coll_choice choice;
    struct param_problem *problem;
};

/* A piece of the text, without the blanks around it. */
struct choice_piece {
    const char *start;
    int length;
};

static struct choice_piece trim(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct choice_piece){start, (int)(end - start)};
}

static bool fail(const struct choice_parser *parser, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct choice_parser *parser, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->problem->text, sizeof parser->problem->text, format, arguments);
    va_end(arguments);
    parser->problem->at = (uint32_t)(at - parser->text);
    return false;
}

/* --------------------------------------------------------- names and limits */

struct choice_names {
    const char *name[32];
    size_t count;
    char listed[384]; /* "binomial, linear, scatter-allgather" */
};

static void names_of(enum coll_kind kind, struct choice_names *names)
{
    size_t length = 0;
    names->count = 0;
    for (size_t i = 0; coll_algorithms[i]; i++) {
        if (coll_algorithms[i]->kind != kind || names->count == sizeof names->name / sizeof *names->name)
            continue;
        if (length < sizeof names->listed)
            length += (size_t)snprintf(names->listed + length, sizeof names->listed - length, "%s%s",
                                       names->count > 0 ? ", " : "", coll_algorithms[i]->name);
        names->name[names->count++] = coll_algorithms[i]->name;
    }
}

static bool parse_name(struct choice_parser *parser, struct choice_piece piece)
{
    struct choice_names names;
    names_of(parser->kind, &names);
    for (size_t i = 0; i < names.count; i++)
        if (strlen(names.name[i]) == (size_t)piece.length &&
            memcmp(names.name[i], piece.start, (size_t)piece.length) == 0) {
            parser->choice.algorithm[parser->choice.count] = coll_find(parser->kind, names.name[i]);
            return true;
        }
    const char *kind = coll_kind_name(parser->kind);
    if (piece.length == 0)
        return fail(parser, piece.start, "an algorithm of %s is expected here: %s", kind, names.listed);
    char word[64];
    snprintf(word, sizeof word, "%.*s", piece.length, piece.start);
    return fail(parser, piece.start, "'%s' is not an algorithm of %s, which has %s%s", word, kind,
                names.listed, diag_did_you_mean(diag_nearest_of(word, names.name, names.count)));
}

static bool parse_limit(struct choice_parser *parser, struct choice_piece piece)
{
    char text[64];
    struct units_problem problem = {.at = 0};
    uint32_t index = parser->choice.count;
    uint64_t *limit = &parser->choice.limit[index];
    if (piece.length == 0)
        return fail(parser, piece.start, "a size is missing after '<=', such as 64KiB");
    if ((size_t)piece.length >= sizeof text)
        return fail(parser, piece.start, "this is too long for a size such as 64KiB");
    memcpy(text, piece.start, (size_t)piece.length);
    text[piece.length] = '\0';
    if (!units_size(text, limit, &problem))
        return fail(parser, piece.start + problem.at, "%s", problem.text);
    if (index > 0 && *limit <= parser->choice.limit[index - 1])
        return fail(parser, piece.start, "limits must rise, and %s is not above the limit before it", text);
    return true;
}

/* -------------------------------------------------------------------- parse */

/* One algorithm, with its limit; the last one has no limit. */
static bool parse_item(struct choice_parser *parser, const char *start, const char *end, bool last)
{
    const char *sign = start + strcspn(start, "<>=,");
    struct choice_piece name = trim(start, sign < end ? sign : end);
    const char *kind = coll_kind_name(parser->kind);
    if (parser->choice.count == COLL_CHOICES)
        return fail(parser, name.start, "a choice has at most %d algorithms", COLL_CHOICES);
    if (!parse_name(parser, name))
        return false;
    if (sign < end && !coll_sizes_agree(parser->kind))
        return fail(parser, sign, "%s takes one algorithm for all sizes: its ranks %s", kind,
                    parser->kind == COLL_BARRIER ? "send no data"
                                                 : "know only their own lengths and could not agree");
    if (sign < end && strncmp(sign, "<=", 2) != 0)
        return fail(parser, sign, "'<=' and a size are expected after the algorithm, such as %.*s<=64KiB",
                    name.length, name.start);
    if (sign < end && last)
        return fail(parser, sign, "the last algorithm takes no limit: it serves all larger sizes");
    if (sign >= end && !last)
        return fail(parser, name.start + name.length,
                    "'%.*s' needs a limit, such as %.*s<=64KiB, or must be the last", name.length, name.start,
                    name.length, name.start);
    if (!last && !parse_limit(parser, trim(sign + 2, end)))
        return false;
    parser->choice.count++;
    return true;
}

bool coll_choice_parse(enum coll_kind kind, const char *text, struct coll_choice *choice,
                       struct param_problem *problem)
{
    struct choice_parser parser = {.kind = kind, .text = text, .problem = problem};
    const char *start = text;
    for (;;) {
        const char *end = start + strcspn(start, ",");
        if (!parse_item(&parser, start, end, *end == '\0'))
            return false;
        if (*end == '\0')
            break;
        start = end + 1;
    }
    parser.choice.limit[parser.choice.count - 1] = UINT64_MAX;
    *choice = parser.choice;
    return true;
}

/* -------------------------------------------------------------------- print */

/* "64 KiB" without its blank. */
static void print_limit(uint64_t limit, char *buffer, size_t size)
{
    units_print_size(limit, buffer, size);
    char *blank = strchr(buffer, ' ');
    if (blank)
        memmove(blank, blank + 1, strlen(blank));
}

const char *coll_choice_print(const struct coll_choice *choice, char *buffer, size_t size)
{
    size_t length = 0;
    for (uint32_t i = 0; i < choice->count && length < size; i++) {
        char limit[48] = "";
        bool last = i == choice->count - 1;
        if (!last)
            print_limit(choice->limit[i], limit, sizeof limit);
        length += (size_t)snprintf(buffer + length, size - length, "%s%s%s%s", choice->algorithm[i]->name,
                                   last ? "" : "<=", limit, last ? "" : ",");
    }
    return buffer;
}
