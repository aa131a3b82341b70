#include "output/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"

enum status output_open(struct output *output, const char *path)
{
    struct stat there;
    bool is_device = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
    *output = (struct output){.path = mem_text(path)};
    output->unfinished = is_device ? mem_text(path) : mem_format("%s.%ld.unfinished", path, (long)getpid());
    output->file = fopen(output->unfinished, "w");
    if (output->file)
        return STATUS_OK;
    diag_error("cannot write %s: %s", path, strerror(errno));
    free(output->path);
    free(output->unfinished);
    return STATUS_FAILED;
}

/* Closes the file. False, with errno: not every byte was written. */
static bool finish(struct output *output)
{
    bool good = fflush(output->file) == 0 && !ferror(output->file);
    int cause = errno;
    bool closed = fclose(output->file) == 0;
    if (!good)
        errno = cause;
    return good && closed;
}

enum status output_close(struct output *output, enum status run)
{
    if (!output->file)
        return run;
    bool good = finish(output);
    bool is_device = strcmp(output->path, output->unfinished) == 0;
    if (run == STATUS_OK && good && !is_device)
        good = rename(output->unfinished, output->path) == 0;
    if (run == STATUS_OK && !good) {
        diag_error("cannot write %s: %s", output->path, strerror(errno));
        run = STATUS_FAILED;
    }
    if (run != STATUS_OK && !is_device)
        unlink(output->unfinished);
    free(output->path);
    free(output->unfinished);
    *output = (struct output){0};
    return run;
}
