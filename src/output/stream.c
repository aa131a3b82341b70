#include "output/stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

enum { STREAM_BUFFER = 64 * 1024 };

/* Another process can have made the pipe non-blocking: then the write is tried again when there is room. */
static int wait_for_room(int descriptor)
{
    struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
    return poll(&polled, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

static int write_all(int descriptor, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(descriptor, bytes, size);
        if (written > 0) {
            bytes += written, size -= (size_t)written;
        } else if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            int error = wait_for_room(descriptor);
            if (error)
                return error;
        } else if (written == 0 || errno != EINTR) {
            return written == 0 ? EIO : errno;
        }
    }
    return 0;
}

/* By the rules of fopencookie: 0 is a failure. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
    struct stream *stream = cookie;
    if (!stream->error)
        stream->error = write_all(stream->descriptor, bytes, size);
    errno = stream->error;
    return stream->error ? 0 : (ssize_t)size;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    const struct stream *stream = cookie;
    off_t at = lseek(stream->descriptor, *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

FILE *stream_open(struct stream *stream, int descriptor)
{
    *stream = (struct stream){.descriptor = descriptor};
    FILE *file =
        fopencookie(stream, "w", (cookie_io_functions_t){.write = stream_write, .seek = stream_seek});
    if (file)
        setvbuf(file, NULL, isatty(descriptor) ? _IOLBF : _IOFBF, STREAM_BUFFER);
    return file;
}
