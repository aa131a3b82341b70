/* Any bytes as the files that a capture left behind, separated by lines of "----": completed, after which a
 * second look finds nothing to complete; then refused or compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz_trace.h"
#include "trace/edit/interval.h"
#include "trace/ti/site_lines.h"
#include "trace/ti/truncated_trace.h"

enum { RANKS = 4 };
static const char folder[] = "captured";

static char *rank_path(uint32_t rank)
{
    return mem_format("%s/rank-%u.txt", folder, rank + 1);
}

static void remove_ranks(uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        char *path = rank_path(rank);
        unlink(path);
        free(path);
    }
    rmdir(folder);
}

static uint32_t write_ranks(struct fuzz_piece rest)
{
    uint32_t rank = 0;
    remove_ranks(RANKS); /* of an input that broke the target */
    mkdir(folder, 0777);
    do {
        struct fuzz_piece piece = fuzz_cut(&rest, "----\n");
        char *path = rank_path(rank++);
        FILE *file = fopen(path, "wb");
        fuzz_must(file && fwrite(piece.bytes, 1, piece.size, file) == piece.size && fclose(file) == 0,
                  "cannot write %s", path);
        free(path);
    } while (rest.size && rank < RANKS);
    return rank;
}

/* Parts of a run are cut to a program without parts, or refused. */
static void cut_parts(const struct compiled_trace *compiled)
{
    struct compiled_trace *result;
    struct interval_cut cut;
    if (!interval_is_in(compiled) || interval_make(compiled, "part", &result, &cut) != STATUS_OK)
        return;
    fuzz_must(cut.kept <= cut.lines, "a part has more lines than the whole");
    result->program.ops->close(&result->program);
}

static bool compile(void)
{
    struct trace_input input;
    if (trace_input_open(&input, folder) != STATUS_OK)
        return false;
    struct compiled_trace *compiled = fuzz_compile(&input);
    trace_input_close(&input);
    if (compiled) {
        cut_parts(compiled);
        compiled->program.ops->close(&compiled->program);
    }
    return compiled != NULL;
}

/* Call sites get names, and all of them do. */
static void name_sites(void)
{
    struct site_lines lines, rest;
    fuzz_must(site_lines_read(folder, &lines) == STATUS_OK, "call sites cannot be read");
    char **names = mem_alloc(lines.count, sizeof *names, "names");
    for (size_t i = 0; i < lines.count; i++)
        names[i] = mem_format("%s:%zu", lines.at[i].path, i);
    fuzz_must(site_lines_name(folder, &lines, names) == STATUS_OK, "call sites cannot be named");
    fuzz_must(site_lines_read(folder, &rest) == STATUS_OK && rest.count == 0, "a call site has no name");
    for (size_t i = 0; i < lines.count; i++)
        free(names[i]);
    free(names);
    site_lines_free(&lines);
    site_lines_free(&rest);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct truncated_trace first, second;
    uint32_t ranks = write_ranks((struct fuzz_piece){(const char *)data, size});
    fuzz_must(truncated_trace_complete(folder, &first) == STATUS_OK && first.ranks == ranks,
              "a captured trace is not completed");
    fuzz_must(truncated_trace_complete(folder, &second) == STATUS_OK && second.unfinished == 0 &&
                  second.lines == first.lines,
              "a completed trace is not complete");
    truncated_trace_free(&first);
    truncated_trace_free(&second);
    name_sites();
    bool is_compiled = compile();
    remove_ranks(ranks);
    return is_compiled;
}
