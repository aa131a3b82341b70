#include "live/capture/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int world_rank;

void capture_set_rank(int rank)
{
    world_rank = rank;
}

int capture_rank(void)
{
    return world_rank;
}

void capture_warn(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(text, sizeof text, "helio capture: rank %d: ", world_rank);
    length += vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof text - 2)
        length = (int)sizeof text - 2;
    for (int i = 0; i < length; i++) /* a path does not control the terminal */
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
    text[length] = '\n';
    ssize_t written = write(STDERR_FILENO, text, (size_t)length + 1);
    (void)written;
}
