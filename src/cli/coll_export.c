#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "cli/coll.h"
#include "cli/coll_algorithms.h"
#include "cli/options.h"
#include "cli/values.h"
#include "collfile/collfile.h"
#include "collfile/msccl_write.h"
#include "output/output.h"
#include "output/standard.h"

enum coll_export_option {
    EXPORT_OP,
    EXPORT_ALGORITHM,
    EXPORT_RANKS,
    EXPORT_CHUNKS,
    EXPORT_PHASES,
    EXPORT_OUTPUT,
    EXPORT_PLUGIN,
    EXPORT_OPTIONS
};

static const struct cli_option options[] = {
    [EXPORT_OP] = {"--op", 0, "NAME", "allreduce (the default), allgather, alltoall or reduce_scatter"},
    [EXPORT_ALGORITHM] = {"--algorithm", 'a', "NAME", "one of its algorithms; by default the first"},
    [EXPORT_RANKS] = {"--ranks", 'n', "N", "ranks, each a GPU: 2 to 1024"},
    [EXPORT_CHUNKS] = {"--chunks", 0, "C", "chunks of a block, 1 to 1024; 1 by default"},
    [EXPORT_PHASES] = {"--keep-phases", 0, NULL,
                       "a step waits for all earlier phases of its rank, as in MPI"},
    [EXPORT_OUTPUT] = {"--output", 'o', "FILE", "the file to write; by default standard output"},
    [EXPORT_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "coll export",
    .words = "--ranks N",
    .doc = "Writes one of our algorithms as MSCCL XML, which msccl's and RCCL's runtimes read. It is proven\n"
           "before it is written.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio coll export --op allreduce --algorithm ring --ranks 8 -o ring.xml\n\n"
             "helio coll prove reads it again. docs/schedules.md says how phases become threadblocks.",
};

struct coll_export_arguments {
    const char *values[EXPORT_OPTIONS];
};

static bool take(void *self, int found, const char *value)
{
    if (found == CLI_WORD) {
        diag_error("helio coll export takes only options, not '%s'", value);
        return false;
    }
    ((struct coll_export_arguments *)self)->values[found - CLI_OPTION] = value ? value : "";
    return true;
}

static bool read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint32_t *number)
{
    uint64_t value;
    if (!cli_value_count(option, text, &value))
        return false;
    *number = (uint32_t)value;
    if (value >= least && value <= most)
        return true;
    diag_error("%s: %llu to %llu is expected, not '%s'", option, (unsigned long long)least,
               (unsigned long long)most, text);
    return false;
}

static bool read_arguments(const struct coll_export_arguments *arguments, struct msccl_wish *chosen)
{
    enum coll_kind kind = COLL_ALLREDUCE;
    const char *op = arguments->values[EXPORT_OP], *name = arguments->values[EXPORT_ALGORITHM];
    const char *ranks = arguments->values[EXPORT_RANKS], *chunks = arguments->values[EXPORT_CHUNKS];
    if (op && !coll_kind_read(op, &kind))
        return false;
    if (!msccl_has_kind(kind)) {
        diag_error("--op: MSCCL XML has allreduce, allgather, alltoall and reduce_scatter, but no %s",
                   coll_kind_name(kind));
        return false;
    }
    chosen->algorithm = name ? coll_kind_algorithm(kind, name) : coll_default(kind);
    if (!chosen->algorithm)
        return false;
    if (!ranks) {
        diag_error("helio coll export needs the number of ranks: %s", command.words);
        return false;
    }
    chosen->keep_phases = arguments->values[EXPORT_PHASES];
    return read_number("--ranks", ranks, 2, MSCCL_WRITE_RANKS_MAX, &chosen->ranks) &&
           (!chunks || read_number("--chunks", chunks, 1, MSCCL_WRITE_CHUNKS_MAX, &chosen->chunks));
}

/* What is written has passed our own reader and proof. */
static enum status check(const char *text, size_t size)
{
    struct collfile_proof proof;
    enum status status = collfile_prove_text("the schedule", text, size, 0, &proof, NULL);
    if (status == STATUS_OK && !proof.right) {
        diag_error("the schedule would be wrong: %s", proof.first_problem);
        status = STATUS_FAILED;
    }
    collfile_proof_free(&proof);
    return status;
}

static enum status write(const char *text, size_t size, const char *path)
{
    struct output output = {.file = NULL};
    if (!path) {
        (void)fwrite(text, 1, size, stdout); /* standard_flush reports a failure */
        return standard_flush();
    }
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    (void)fwrite(text, 1, size, output.file); /* output_close reports a failure */
    return output_close(&output, status);
}

int cli_coll_export(int argc, char **argv)
{
    struct coll_export_arguments arguments = {.values = {NULL}};
    struct msccl_wish chosen = {.chunks = 1};
    const char *problem;
    size_t size;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!read_arguments(&arguments, &chosen))
        return STATUS_BAD_INPUT;
    char *text = msccl_write(&chosen, &size, &problem);
    if (!text) {
        diag_error("algorithm %s cannot be written as MSCCL XML: %s", chosen.algorithm->name, problem);
        return STATUS_BAD_INPUT;
    }
    enum status status = check(text, size);
    if (status == STATUS_OK)
        status = write(text, size, arguments.values[EXPORT_OUTPUT]);
    free(text);
    return status;
}
