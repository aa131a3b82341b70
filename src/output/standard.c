#include "output/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/stream.h"

static struct stream standard_stream;

void standard_open(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    FILE *out = stream_open(&standard_stream, STDOUT_FILENO);
    if (!out)
        mem_exhausted("standard output");
    stdout = out;
}

static enum status report(int error)
{
    static bool is_reported;
    if (!error)
        return STATUS_OK;
    if (!is_reported)
        diag_error("cannot write standard output: %s", strerror(error));
    is_reported = true;
    return STATUS_FAILED;
}

static int first_error(int result)
{
    int error = result == 0 ? 0 : errno;
    return standard_stream.error ? standard_stream.error : error;
}

enum status standard_flush(void)
{
    return report(first_error(fflush(stdout)));
}

enum status standard_close(enum status run)
{
    int error = first_error(fclose(stdout));
    /* Some file systems report a failure when the last of their writers closes the file. */
    if (!error && close(STDOUT_FILENO) != 0)
        error = errno;
    enum status written = report(error);
    return run == STATUS_OK ? written : run;
}
