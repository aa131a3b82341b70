#include <stdio.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/trace.h"
#include "extrapolate/extrapolate.h"
#include "trace/cache.h"
#include "trace/ti/write.h"

enum extrapolate_option { EXTRAPOLATE_RANKS, EXTRAPOLATE_OUT };

static const struct cli_option options[] = {
    [EXTRAPOLATE_RANKS] = {"--ranks", 'n', "N", "the number of ranks wanted"},
    [EXTRAPOLATE_OUT] = {"--output", 'o', "DIR",
                         "the folder to make, of rank-<k>.txt; without, only what was found is printed"},
};

static const struct cli_command command = {
    .name = "trace extrapolate",
    .words = "TRACE TRACE [TRACE...] --ranks N [-o DIR]",
    .doc = "From traces of one program on several numbers of ranks to its trace on another number.\n"
           "Communication is extrapolated exactly or refused with the reason; with three traces or more the\n"
           "largest is first predicted from the others, call by call. Computation is a fit, per call site a\n"
           "power of the number of ranks. Prints the loops, partners and sizes that it found.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio gen npb:cg:class=S,ranks=4 -o cg.S.4\n"
             "  helio gen npb:cg:class=S,ranks=16 -o cg.S.16\n"
             "  helio trace extrapolate cg.S.4 cg.S.16 --ranks 64 -o cg.S.64",
};

struct request {
    const char **paths;
    size_t count, capacity;
    const char *out;
    uint32_t ranks;
};

static enum status take_ranks(struct request *request, const char *value)
{
    struct units_problem problem;
    uint64_t ranks;
    if (!units_count(value, &ranks, &problem) || ranks < 1 || ranks > TRACE_MOST_RANKS) {
        diag_error("--ranks: '%s' is not a number of ranks; 1 to %d is expected", value, TRACE_MOST_RANKS);
        return STATUS_BAD_INPUT;
    }
    request->ranks = (uint32_t)ranks;
    return STATUS_OK;
}

static int read_command(struct request *request, int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_OPTION + EXTRAPOLATE_OUT) {
            request->out = value;
        } else if (found == CLI_OPTION + EXTRAPOLATE_RANKS) {
            if (take_ranks(request, value) != STATUS_OK)
                return CLI_ERROR;
        } else {
            request->paths =
                mem_grow(request->paths, &request->capacity, request->count + 1, "names of traces");
            request->paths[request->count++] = value;
        }
    }
    if (request->count >= 2 && request->ranks)
        return CLI_END;
    diag_error("helio trace extrapolate needs two traces or more and --ranks N: %s", command.words);
    return CLI_ERROR;
}

static enum status write_result(const struct request *request, struct extrapolation *extrapolation)
{
    extrapolation_print(extrapolation, stdout);
    if (fflush(stdout) || ferror(stdout)) {
        diag_error("cannot write to standard output");
        return STATUS_FAILED;
    }
    return request->out ? ti_write(extrapolation_program(extrapolation), request->out) : STATUS_OK;
}

static enum status run(const struct request *request, struct program **programs, size_t *opened)
{
    struct extrapolation *extrapolation;
    for (; *opened < request->count; (*opened)++) {
        enum status status = trace_open(request->paths[*opened], &programs[*opened]);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = extrapolate(programs, request->count, request->ranks, &extrapolation);
    if (status != STATUS_OK)
        return status;
    status = write_result(request, extrapolation);
    extrapolation_free(extrapolation);
    return status;
}

int cli_trace_extrapolate(int argc, char **argv)
{
    struct request request = {0};
    size_t opened = 0;
    int found = read_command(&request, argc, argv);
    enum status status = found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
    if (found == CLI_END) {
        struct program **programs = mem_alloc(request.count, sizeof *programs, "traces");
        status = run(&request, programs, &opened);
        for (size_t i = 0; i < opened; i++)
            programs[i]->ops->close(programs[i]);
        free(programs);
    }
    free(request.paths);
    return status;
}
