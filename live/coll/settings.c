#include "live/coll/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "coll/coll.h"
#include "live/coll/digits.h"

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of standard error. The values in it do not control the terminal: control characters appear as \xNN.
 */
static void complain(const char *format, ...)
{
    char line[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fputs("helio coll: ", stderr);
    for (size_t at = 0, bytes, length = strlen(line); at < length; at += bytes ? bytes : 1) {
        bytes = utf8_shown_bytes(line + at, length - at);
        if (bytes)
            fwrite(line + at, 1, bytes, stderr);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)line[at]);
    }
    fputc('\n', stderr);
}

/* The environment has a shorter name for one algorithm of coll. */
static const char *coll_name(const char *name)
{
    return strcmp(name, "scatter") == 0 ? "scatter-destination" : name;
}

static bool read_number(const char *name, uint32_t *number)
{
    const char *text = getenv(name), *end = text;
    uint64_t value;
    if (!text || !*text)
        return true;
    if (!digits_read(&end, UINT32_MAX, &value) || *end) {
        complain("%s=%.1000s is not a number; the MPI's own is used", name, text);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

/* A number, or `socket`, which becomes 0. */
static bool read_leaders(uint32_t *leaders)
{
    const char *text = getenv("HELIO_ALLTOALL_LEADERS");
    *leaders = text && strcmp(text, "socket") == 0 ? 0 : 1;
    if (*leaders == 0)
        return true;
    bool valid = read_number("HELIO_ALLTOALL_LEADERS", leaders);
    if (*leaders == 0)
        *leaders = 1;
    return valid;
}

/* --------------------------------------------------------------- algorithms */

const char *live_settings_variable(enum coll_kind kind, char text[SETTINGS_VARIABLE])
{
    snprintf(text, SETTINGS_VARIABLE, "HELIO_%s", coll_kind_name(kind));
    for (char *at = text; *at; at++)
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
    return text;
}

/* What one may think is a variable. True: none of them is set. */
static bool no_other_is_set(void)
{
    static const struct {
        const char *name, *right, *function;
    } others[] = {
        {"HELIO_ALLGATHERV", "HELIO_ALLGATHER", "MPI_Allgatherv"},
        {"HELIO_ALLTOALLW", "HELIO_ALLTOALLV", "MPI_Alltoallw"},
        {"HELIO_REDUCE_SCATTER_BLOCK", "HELIO_REDUCE_SCATTER", "MPI_Reduce_scatter_block"},
    };
    bool none = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *text = getenv(others[i].name);
        if (!text || !*text)
            continue;
        complain("%s is no variable: %s is for %s too; the MPI's own is used", others[i].name,
                 others[i].right, others[i].function);
        none = false;
    }
    return none;
}

/* The kinds that the library replaces. */
static bool is_live(enum coll_kind kind)
{
    switch (kind) {
    case COLL_BARRIER:
    case COLL_BCAST:
    case COLL_REDUCE:
    case COLL_ALLREDUCE:
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_ALLGATHER:
    case COLL_GATHER:
    case COLL_GATHERV:
    case COLL_SCATTER:
    case COLL_SCATTERV:
    case COLL_REDUCE_SCATTER:
        return true;
    default:
        return false;
    }
}

/* Calls of which no rank knows all counts have an exchange of their own, which is no schedule of coll. */
static bool is_vector(enum coll_kind kind)
{
    return kind == COLL_ALLTOALLV || kind == COLL_GATHERV || kind == COLL_SCATTERV;
}

static bool has_algorithm(enum coll_kind kind, const char *name)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "mpi") == 0)
        return true;
    return is_vector(kind) ? strcmp(name, "leaders") == 0 : coll_find(kind, name) != NULL;
}

static void complain_of_algorithm(enum coll_kind kind, const char *variable, const char *text)
{
    char names[1024] = "";
    const char *last = is_vector(kind) ? "leaders" : NULL; /* the one that comes behind "or" */
    for (size_t i = 0, used = 0; coll_algorithms[i]; i++) {
        if (coll_algorithms[i]->kind != kind || is_vector(kind))
            continue;
        if (last && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, ", %s", last);
        last = coll_algorithms[i]->name;
    }
    complain("%s=%.1000s: it must be auto, mpi%s or %s%s; the MPI's own is used", variable, text, names, last,
             kind == COLL_ALLTOALL ? ", or scatter" : "");
}

/* `otherwise`: what holds if the variable is not set. */
static bool read_algorithm(enum coll_kind kind, const char *otherwise, char algorithm[SETTINGS_NAME])
{
    char variable[SETTINGS_VARIABLE];
    const char *text = getenv(live_settings_variable(kind, variable));
    if (!text || !*text)
        text = otherwise;
    const char *name = kind == COLL_ALLTOALL ? coll_name(text) : text;
    if (!has_algorithm(kind, name)) {
        complain_of_algorithm(kind, variable, text);
        return false;
    }
    snprintf(algorithm, SETTINGS_NAME, "%s", name);
    return true;
}

static bool is_of_any_kind(const char *name)
{
    for (int kind = 0; kind < COLL_KINDS; kind++)
        if (is_live(kind) && has_algorithm(kind, name))
            return true;
    return false;
}

/* HELIO_COLL holds for all kinds that have such an algorithm, and HELIO_REDUCE=ordered for all reductions;
 * the variable of a kind goes before both. */
static bool read_algorithms(struct live_settings *settings)
{
    const char *all = getenv("HELIO_COLL"), *reduce = getenv("HELIO_REDUCE");
    bool valid = true, is_ordered = reduce && strcmp(reduce, "ordered") == 0;
    if (!all || !*all)
        all = "auto";
    if (!is_of_any_kind(all)) {
        complain(
            "HELIO_COLL=%.1000s: it must be auto, mpi, leaders or another algorithm that helio coll plan "
            "lists; the MPI's own is used",
            all);
        return false;
    }
    for (int kind = 0; kind < COLL_KINDS; kind++) {
        const char *otherwise = has_algorithm(kind, all) ? all : "auto";
        if (is_ordered && has_algorithm(kind, "ordered"))
            otherwise = "ordered";
        if (kind == COLL_ALLTOALLV && strcmp(settings->algorithms[COLL_ALLTOALL], "mpi") == 0)
            otherwise = "mpi";
        if (is_live(kind))
            valid &= read_algorithm(kind, otherwise, settings->algorithms[kind]);
        else
            snprintf(settings->algorithms[kind], SETTINGS_NAME, "mpi");
    }
    return valid;
}

/* -------------------------------------------------------------------- table */

/* What is wrong in a table, and where. */
struct table_problem {
    unsigned line; /* 0: nothing is wrong */
    size_t at;     /* in the line, from 0 */
    char text[192];
};

static bool wrong(struct table_problem *problem, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Always false. */
static bool wrong(struct table_problem *problem, size_t at, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(problem->text, sizeof problem->text, format, values);
    va_end(values);
    problem->at = at;
    return false;
}

static bool wrong_form(struct table_problem *problem, size_t at)
{
    return wrong(problem, at,
                 "a collective, nodes, ranks of the largest node, bytes and an algorithm are expected");
}

static const char blanks[] = " \t\r\n";

static const char *call_name(uint32_t call)
{
    switch (call) {
    case SETTINGS_ALLTOALLW:
        return "alltoallw";
    case SETTINGS_REDUCE_SCATTERV:
        return "reduce_scatterv";
    default:
        return coll_kind_name(call);
    }
}

/* The kind whose algorithms execute the calls. */
static enum coll_kind kind_of_call(uint32_t call)
{
    switch (call) {
    case SETTINGS_ALLTOALLW:
        return COLL_ALLTOALLV;
    case SETTINGS_REDUCE_SCATTERV:
        return COLL_REDUCE_SCATTER;
    case COLL_ALLGATHERV:
        return COLL_ALLGATHER;
    default:
        return call;
    }
}

/* The calls whose name the line begins with, and where that name ends. Tables may leave out the name of
 * alltoall.
 */
static bool read_call(const char *line, uint32_t *call, const char **end, struct table_problem *problem)
{
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_-");
    *end = line + length;
    *call = COLL_ALLTOALL;
    if (length == 0)
        return true;
    if (!**end || !strchr(blanks, **end))
        return wrong_form(problem, length);
    for (*call = 0; *call < SETTINGS_CALLS; ++*call)
        if (is_live(kind_of_call(*call)) && strlen(call_name(*call)) == length &&
            strncmp(call_name(*call), line, length) == 0)
            return true;
    return wrong(problem, 0, "'%.*s' is not a collective of this library", (int)(length < 64 ? length : 64),
                 line);
}

/* Takes the algorithm, whose name begins at `at` in the line. */
static bool take_algorithm(struct live_settings_choice *choice, const char *line, size_t at, size_t length,
                           struct table_problem *problem)
{
    enum coll_kind kind = kind_of_call(choice->call);
    char name[SETTINGS_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, line + at);
    snprintf(choice->algorithm, sizeof choice->algorithm, "%s",
             kind == COLL_ALLTOALL ? coll_name(name) : name);
    if (length < sizeof name && strcmp(name, "auto") != 0 && has_algorithm(kind, choice->algorithm))
        return true;
    if (is_vector(kind))
        return wrong(problem, at, "'%s' is neither leaders nor mpi, which %s has", name,
                     call_name(choice->call));
    return wrong(problem, at, "'%s' is not an algorithm of %s, which helio coll plan --op %s lists, nor mpi",
                 name, call_name(choice->call), coll_kind_name(kind));
}

/* "call nodes ranks bytes algorithm", separated by blanks; a comment may follow. */
static bool read_choice(const char *line, struct live_settings_choice *choice, struct table_problem *problem)
{
    const uint64_t most[] = {UINT32_MAX, UINT32_MAX, UINT64_MAX};
    uint64_t numbers[3];
    uint32_t call;
    const char *at, *number = line;
    if (!read_call(line, &call, &at, problem))
        return false;
    for (size_t i = 0; i < 3; i++) {
        number = at += strspn(at, blanks);
        if (!digits_read(&at, most[i], &numbers[i]) || !*at || !strchr(blanks, *at))
            return wrong_form(problem, (size_t)(number - line));
    }
    if (is_vector(kind_of_call(call)) && numbers[2] != 0)
        return wrong(problem, (size_t)(number - line),
                     "a line of %s holds for all sizes, and has 0 in this place", call_name(call));
    at += strspn(at, blanks);
    size_t length = strcspn(at, blanks);
    const char *rest = at + length + strspn(at + length, blanks);
    if (length == 0 || (*rest && *rest != '#'))
        return wrong_form(problem, (size_t)((length ? rest : at) - line));
    *choice = (struct live_settings_choice){
        .call = call, .nodes = (uint32_t)numbers[0], .most_here = (uint32_t)numbers[1], .bytes = numbers[2]};
    return take_algorithm(choice, line, (size_t)(at - line), length, problem);
}

/* Whether the line is a choice that there is room for. */
static bool take_choice(const char *line, bool is_whole, struct live_settings *settings,
                        struct table_problem *problem)
{
    if (!is_whole)
        return wrong(problem, 0, "a line has at most 254 bytes");
    if (settings->choice_count == SETTINGS_CHOICES)
        return wrong(problem, 0, "a table has at most %d lines", SETTINGS_CHOICES);
    return read_choice(line, &settings->choices[settings->choice_count++], problem);
}

/* A comment may be longer than a line. */
static void read_lines(FILE *file, struct live_settings *settings, struct table_problem *problem)
{
    char line[256];
    unsigned number = 0;
    bool begins = true, is_comment = false;
    while (fgets(line, sizeof line, file)) {
        bool ends = strchr(line, '\n') || feof(file);
        number += begins;
        is_comment = begins ? *line == '#' : is_comment;
        if (!is_comment && *line != '\n' && !take_choice(line, begins && ends, settings, problem)) {
            problem->line = number;
            return;
        }
        begins = ends;
    }
}

static bool read_table(struct live_settings *settings)
{
    const char *variable = getenv("HELIO_COLL_TABLE") ? "HELIO_COLL_TABLE" : "HELIO_ALLTOALL_TABLE";
    const char *path = getenv(variable);
    if (!path || !*path)
        return true;
    snprintf(settings->table_variable, SETTINGS_VARIABLE, "%s", variable);
    errno = 0;
    FILE *file = fopen(path, "re");
    struct table_problem problem = {.line = 0};
    if (file)
        read_lines(file, settings, &problem);
    bool was_read = file && !ferror(file); /* a folder can be opened, but not read */
    int cause = errno;
    if (file)
        fclose(file);
    if (!was_read)
        complain("%s: cannot read %.1000s: %s; the MPI's own is used", variable, path, strerror(cause));
    else if (problem.line)
        complain("%.1000s:%u:%zu: error: %s; the MPI's own is used", path, problem.line, problem.at + 1,
                 problem.text);
    return was_read && !problem.line;
}

void live_settings_read(struct live_settings *settings)
{
    *settings = (struct live_settings){0};
    bool valid = read_algorithms(settings);
    valid &= no_other_is_set();
    valid &= read_number("HELIO_RANKS_PER_NODE", &settings->ranks_per_node);
    valid &= read_number("HELIO_RANKS_PER_SOCKET", &settings->ranks_per_socket);
    valid &= read_leaders(&settings->leaders);
    valid &= read_number("HELIO_VERBOSE", &settings->verbose);
    valid &= read_table(settings);
    settings->valid = valid;
}
