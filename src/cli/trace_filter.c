#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "cli/values.h"
#include "output/quote.h"
#include "output/standard.h"
#include "trace/edit/filter.h"
#include "trace/trace.h"

enum filter_option {
    FILTER_RANKS,
    FILTER_COMM,
    FILTER_ONLY,
    FILTER_NO_COMPUTE,
    FILTER_DROP_OUTSIDE,
    FILTER_OUT
};

static const struct cli_option options[] = {
    [FILTER_RANKS] = {"--ranks", 'r', "LIST",
                      "the ranks to keep, such as 0-3,8; they are numbered anew from 0"},
    [FILTER_COMM] = {"--comm", 'c', "N",
                     "one communicator: its ranks, in its order, and its calls; it becomes the world"},
    [FILTER_ONLY] = {"--only", 0, "p2p|collectives", "only point-to-point calls, or only collective ones"},
    [FILTER_NO_COMPUTE] = {"--no-compute", 0, NULL, "no computation and no sleep"},
    [FILTER_DROP_OUTSIDE] = {"--drop-outside", 0, NULL,
                             "leave out messages to and from ranks that are not kept, and make collectives\n"
                             "those of the ranks kept; without, such calls are errors"},
    [FILTER_OUT] = {"--output", 'o', "OUT",
                    "what to write: a folder of text, NAME.tar.zst, or NAME.helio, which is compiled;\n"
                    "without, the communicators are printed"},
    CLI_PLUGIN,
};

static const char *const kinds[] = {"p2p", "collectives"};

static const char *name_at(size_t option, size_t index)
{
    return option == FILTER_ONLY && index < 2 ? kinds[index] : NULL;
}

static const struct cli_command command = {
    .name = "trace filter",
    .words = "TRACE [--ranks LIST] [--comm N] [--only p2p|collectives] [-o OUT]",
    .doc = "Some ranks of a trace, one communicator, or some kinds of calls. Prints what was left out.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .name_at = name_at,
    .after = "Examples:\n"
             "  helio trace filter cg.S.4.tar.zst\n"
             "  helio trace filter cg.S.4.tar.zst --ranks 0-1 --drop-outside -o cg.0-1\n"
             "  helio trace filter cg.S.4.tar.zst --only p2p --no-compute -o messages",
};

struct filter_arguments {
    const char *path, *ranks, *out;
    uint64_t comm;
    bool has_comm, has_choice;
    int only; /* -1: not given */
    struct filter_choice choice;
};

static bool take(void *self, int found, const char *value)
{
    struct filter_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->path, value, "trace");
    arguments->has_choice |= found != CLI_OPTION + FILTER_OUT;
    switch ((enum filter_option)(found - CLI_OPTION)) {
    case FILTER_RANKS:
        arguments->ranks = value;
        return true;
    case FILTER_COMM:
        arguments->has_comm = true;
        return cli_value_count("--comm", value, &arguments->comm);
    case FILTER_ONLY:
        return cli_value_choice("--only", value, kinds, sizeof kinds / sizeof *kinds, &arguments->only);
    case FILTER_NO_COMPUTE:
        return arguments->choice.no_compute = true;
    case FILTER_DROP_OUTSIDE:
        return arguments->choice.drop_outside = true;
    default:
        arguments->out = value;
        return true;
    }
}

/* -------------------------------------------------------------------- ranks */

/* "12" from *at on; false: there is no number, or it is no rank. */
static bool read_rank(const char **at, uint32_t ranks, uint32_t *rank)
{
    uint64_t number = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    while (isdigit((unsigned char)**at) && number < ranks)
        number = number * 10 + (uint64_t)(*(*at)++ - '0');
    *rank = (uint32_t)number;
    return number < ranks;
}

/* Marks the ranks of the list; false: it is none. */
static bool mark_ranks(const char *at, uint32_t ranks, bool *kept)
{
    uint32_t first, last;
    do {
        if (!read_rank(&at, ranks, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !read_rank(&at, ranks, &last)))
            return false;
        for (uint32_t rank = first; rank <= last; rank++)
            kept[rank] = true;
        if (last < first)
            return false;
    } while (*at == ',' && at++);
    return !*at;
}

/* The ranks kept, to be freed; NULL, reported: the list is wrong. */
static uint32_t *choose_ranks(const struct program *program, const char *list, uint32_t *count)
{
    bool *kept = mem_alloc(program->ranks, sizeof *kept, "ranks");
    uint32_t *ranks = mem_alloc(program->ranks, sizeof *ranks, "ranks");
    bool good = !list || mark_ranks(list, program->ranks, kept);
    *count = 0;
    for (uint32_t rank = 0; good && rank < program->ranks; rank++)
        if (!list || kept[rank])
            ranks[(*count)++] = rank;
    free(kept);
    if (good)
        return ranks;
    diag_error("--ranks: '%s' is no list of ranks such as 0-3,8; the trace has the ranks 0 to %" PRIu32, list,
               program->ranks - 1);
    free(ranks);
    return NULL;
}

/* The members of the communicator; NULL, reported: it does not exist. */
static uint32_t *choose_comm(const struct program *program, uint64_t comm, uint32_t *count)
{
    if (comm >= program->group_count) {
        diag_error("--comm: there is no communicator %" PRIu64
                   "; helio trace filter TRACE lists 0 to %" PRIu32,
                   comm, program->group_count - 1);
        return NULL;
    }
    const struct group *group = &program->groups[comm];
    uint32_t *ranks = mem_alloc(group->size, sizeof *ranks, "ranks");
    *count = group->size;
    for (uint32_t i = 0; i < group->size; i++)
        ranks[i] = group_world(group, i);
    return ranks;
}

/* ----------------------------------------------------------------- printing */

struct comm_counts {
    uint64_t sends, collectives; /* collectives: calls of all members */
};

static void count_calls(const struct compiled_trace *source, struct comm_counts *counts)
{
    for (uint32_t rank = 0; rank < source->program.ranks; rank++) {
        const uint32_t *tokens = compiled_tokens(source, rank);
        const struct call *calls = compiled_calls(source, rank);
        for (uint64_t i = 0; i < compiled_lines(source, rank); i++) {
            const struct call *call = tokens[i] & TOKEN_COMPUTE ? NULL : &calls[tokens[i]];
            if (call && call_is_collective(call))
                counts[call->context].collectives++;
            else if (call && (call->op == CALL_SEND || call->op == CALL_SENDRECV))
                counts[call->context].sends++;
        }
    }
}

/* "0-3,8", cut where it gets long. */
static void print_members(const struct group *group)
{
    enum { MOST_PARTS = 8 };
    uint32_t parts = 0;
    for (uint32_t i = 0, last; i < group->size; i = last + 1, parts++) {
        uint32_t first = group_world(group, i);
        for (last = i; last + 1 < group->size && group_world(group, last + 1) == first + last + 1 - i;)
            last++;
        if (parts == MOST_PARTS) {
            printf(",...");
            return;
        }
        printf("%s%" PRIu32, i ? "," : "", first);
        if (last > i)
            printf("-%" PRIu32, group_world(group, last));
    }
}

static enum status list(const struct compiled_trace *source)
{
    const struct program *program = &source->program;
    struct comm_counts *counts = mem_alloc(program->group_count, sizeof *counts, "communicators");
    count_calls(source, counts);
    quote_terminal(stdout, program->name);
    printf(": %" PRIu32 " ranks, %" PRIu64 " lines\n\n", program->ranks, source->header->lines);
    printf("comm      ranks     messages  collectives  members\n");
    for (uint32_t i = 0; i < program->group_count; i++) {
        printf("%4" PRIu32 " %10" PRIu32 " %12" PRIu64 " %12" PRIu64 "  ", i, program->groups[i].size,
               counts[i].sends, counts[i].collectives);
        print_members(&program->groups[i]);
        printf("%s\n", i ? "" : " (the world)");
    }
    free(counts);
    return standard_flush();
}

static void print_messages(const char *what, uint64_t messages, sum_t bytes)
{
    char size[32];
    if (messages)
        printf("  %-14s%14" PRIu64 "  messages of %s in all\n", what, messages,
               units_show_size((double)bytes, 4, size, sizeof size));
}

static void print_calls(const char *what, uint64_t calls, const char *why)
{
    if (calls)
        printf("  %-14s%14" PRIu64 "  %s\n", what, calls, why);
}

static enum status print_counts(const struct compiled_trace *source, const struct compiled_trace *result,
                                const struct filter_counts *counts)
{
    quote_terminal(stdout, source->program.name);
    printf(": %" PRIu32 " of %" PRIu32 " ranks, %" PRIu64 " of %" PRIu64 " lines\n", result->program.ranks,
           source->program.ranks, result->header->lines, source->header->lines);
    print_messages("left out, to", counts->sends, counts->sent);
    print_messages("and from", counts->receives, counts->received);
    print_calls("smaller", counts->smaller, "calls of collectives that are those of the ranks kept");
    print_calls("left out", counts->rootless, "calls of collectives whose root is not kept");
    print_calls("left out", counts->others, "calls of other communicators and kinds, by choice");
    return standard_flush();
}

/* ----------------------------------------------------------------- the rest */

static enum status filter(const struct compiled_trace *source, struct filter_arguments *arguments)
{
    struct filter_choice *choice = &arguments->choice;
    struct filter_counts counts;
    struct compiled_trace *result;
    choice->comm = arguments->has_comm ? (int64_t)arguments->comm : FILTER_ALL_COMMS;
    choice->no_collectives = arguments->only == 0;
    choice->no_messages = arguments->only == 1;
    uint32_t *ranks = arguments->has_comm ? choose_comm(&source->program, arguments->comm, &choice->count)
                                          : choose_ranks(&source->program, arguments->ranks, &choice->count);
    if (!ranks)
        return STATUS_BAD_INPUT;
    choice->ranks = ranks;
    enum status status = filter_make(source, choice, arguments->out, &counts, &result);
    free(ranks);
    if (status != STATUS_OK)
        return status;
    status = edit_put(result, arguments->out);
    if (status == STATUS_OK)
        status = print_counts(source, result, &counts);
    result->program.ops->close(&result->program);
    return status;
}

static bool is_complete(const struct filter_arguments *arguments)
{
    if (!arguments->path || arguments->has_choice != !!arguments->out)
        diag_error("helio trace filter needs a trace, and what to keep together with -o OUT: %s",
                   command.words);
    else if (arguments->ranks && arguments->has_comm)
        diag_error("--ranks and --comm: a communicator has its own ranks");
    else
        return true;
    return false;
}

int cli_trace_filter(int argc, char **argv)
{
    struct filter_arguments arguments = {.only = -1};
    struct compiled_trace *source;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!is_complete(&arguments))
        return STATUS_BAD_INPUT;
    enum status status = trace_open_compiled(arguments.path, &source);
    if (status != STATUS_OK)
        return status;
    compiled_report_notes(source, NOTES_ALL);
    status = arguments.out ? filter(source, &arguments) : list(source);
    source->program.ops->close(&source->program);
    return status;
}
