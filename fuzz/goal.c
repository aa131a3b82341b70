/* Any bytes as GOAL, text or binary: a graph or an error. A graph is summed up and checked, its operations
 * have places and labels, and written in both forms and read again it is the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_goal.h"
#include "trace/check/graph_check.h"
#include "trace/goal/write.h"

struct written {
    char *bytes;
    size_t size;
};

static struct written write_out(const struct program *program, bool binary)
{
    struct written written;
    FILE *out = open_memstream(&written.bytes, &written.size);
    fuzz_must(out != NULL, "a stream in memory");
    if (binary)
        goal_write_binary(program, out);
    else
        goal_write_text(program, out);
    fuzz_must(fclose(out) == 0, "a graph is written");
    return written;
}

/* Read again, the bytes are the graph that has this text. */
static void read_again(const struct written *written, const struct written *text)
{
    struct program *program = fuzz_goal((struct fuzz_piece){written->bytes, written->size});
    fuzz_must(program != NULL, "what was written is read");
    struct written again = write_out(program, false);
    fuzz_must(again.size == text->size && !memcmp(again.bytes, text->bytes, text->size),
              "the graph is the same");
    free(again.bytes);
    program->ops->close(program);
}

static void look_at(const struct program *program)
{
    enum { SHOWN = 64 };
    const struct graph *graph = program->graph;
    uint32_t shown = 0;
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (uint32_t i = 0; i < graph->ranks[rank].count && shown < SHOWN; i++, shown++) {
            char text[128];
            graph_describe(&graph->ranks[rank].operations[i], text, sizeof text);
            fuzz_must(graph->place(program, rank, i).line > 0, "an operation has a place");
            fuzz_must(graph->label(program, rank, i)[0], "an operation has a label");
        }
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct program *program = fuzz_goal((struct fuzz_piece){(const char *)data, size});
    struct graph_summary summary;
    struct graph_check check;
    if (!program)
        return false;
    look_at(program);
    graph_summary_of(program, &summary);
    fuzz_must(summary.depth <= program->graph->operations && summary.width <= program->graph->operations,
              "no chain is longer than the program");
    graph_check(program, &check);
    struct written text = write_out(program, false), binary = write_out(program, true);
    read_again(&text, &text);
    read_again(&binary, &text);
    free(text.bytes);
    free(binary.bytes);
    program->ops->close(program);
    return true;
}
