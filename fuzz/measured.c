/* Any bytes as the output of the program that measures alltoalls: lines are read or skipped, and the table of
 * choices can be written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "coll/measured.h"
#include "fuzz/fuzz.h"

static void use(const struct measured *measured)
{
    char *text = NULL;
    size_t length;
    for (size_t i = 0; i < measured->count; i++) {
        measured_median_ns(&measured->series[i]);
        measured_median_processor_ns(&measured->series[i]);
    }
    FILE *out = open_memstream(&text, &length);
    measured_write_choices(measured, "alltoall", out);
    measured_write_choice_of_all(measured, "alltoallv", out);
    fclose(out);
    free(text);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct measured measured = {.count = 0};
    while (rest.size) {
        struct fuzz_piece piece = fuzz_cut(&rest, "\n");
        char *line = mem_format("%.*s\n", (int)piece.size, piece.bytes);
        measured_read(&measured, line);
        free(line);
    }
    use(&measured);
    bool is_whole = measured.is_done && measured.count > 0;
    measured_free(&measured);
    return is_whole;
}
