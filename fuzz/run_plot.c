/* Any file as the result of a run that is to be drawn: refused, or data and a script are both written. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "report/run_plot.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    int file = fuzz_file(data, size);
    char *path = mem_format("/proc/self/fd/%d", file);
    bool is_written = run_plot_write(path, "drawn", size % 2) == STATUS_OK;
    bool is_there = unlink("drawn/plot.csv") == 0 && unlink("drawn/plot.gp") == 0 && rmdir("drawn") == 0;
    fuzz_must(is_written == is_there, "a figure is not whole");
    free(path);
    close(file);
    return is_written;
}
