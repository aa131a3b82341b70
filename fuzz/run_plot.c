/* Any file as the result of a run that is to be drawn: refused, or data and a script are both written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "report/run_plot.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    FILE *file = fopen("result.json", "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        return false;
    bool written = run_plot_write("result.json", "drawn", size % 2) == STATUS_OK;
    bool there = unlink("drawn/plot.csv") == 0 && unlink("drawn/plot.gp") == 0 && rmdir("drawn") == 0;
    if (written != there)
        abort();
    return written;
}
