/* A program for the test of tools/faults (tests/tools/test-faults): it does one thing wrongly, which its
 * first word names, when an allocation or a system call fails. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what)
{
    unlink("unfinished");
    fprintf(stderr, "planted: error: %s\n", what);
    return 1;
}

/* Writes the text into a file under another name first. */
static int write_file(const char *mistake, const char *text)
{
    const char *name = strcmp(mistake, "not-whole") == 0 ? "file" : "unfinished";
    size_t bytes = strlen(text);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        return fail("cannot open");
    ssize_t written = write(file, text, bytes);
    if (written < (ssize_t)bytes && strcmp(mistake, "short") != 0)
        return fail("cannot write");
    if (close(file) != 0)
        return fail("cannot close");
    return strcmp(name, "file") == 0 || rename(name, "file") == 0 ? 0 : fail("cannot rename");
}

static void stop(int number)
{
    unlink("unfinished");
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    const char *mistake = argc > 1 ? argv[1] : "none";
    if (strcmp(mistake, "signal") != 0) {
        signal(SIGTERM, stop);
        signal(SIGINT, stop);
    }
    char *text = malloc(64);
    if (!text && strcmp(mistake, "silent") == 0)
        return 1;
    while (!text && strcmp(mistake, "hang") == 0) {
    }
    if (!text && strcmp(mistake, "output") == 0)
        return write(STDOUT_FILENO, "wrong\n", 6) != 6;
    if (!text && strcmp(mistake, "crash") != 0)
        return fail("no memory");
    strcpy(text, "a text that is long enough\n");
    if (write(STDOUT_FILENO, text, strlen(text)) != (ssize_t)strlen(text) && strcmp(mistake, "stdout") != 0)
        return fail("cannot print");
    int status = write_file(mistake, text);
    free(text);
    return status;
}
