#include "live/capture/packed.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "call/tail.h"
#include "live/capture/diagnostics.h"

static struct {
    int frames;        /* the file */
    char tail[4200];   /* its path */
    char *map;         /* of the tail; NULL: not open */
    size_t half_bytes; /* a whole number of pages */
    unsigned half;     /* 0 or 1: takes lines */
    uint64_t count;    /* frames */
    off_t end;         /* of the frames in the file */
    ZSTD_CCtx *context;
    void *room; /* for a frame */
    size_t room_bytes;
} packed;

static struct {
    __typeof__(&ZSTD_createCCtx) create;
    __typeof__(&ZSTD_CCtx_setParameter) set;
    __typeof__(&ZSTD_compress2) compress;
    __typeof__(&ZSTD_compressBound) bound;
    __typeof__(&ZSTD_isError) is_error;
} zstd;

static bool load_zstd(void)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    zstd.create = (__typeof__(zstd.create))dlsym(library, "ZSTD_createCCtx");
    zstd.set = (__typeof__(zstd.set))dlsym(library, "ZSTD_CCtx_setParameter");
    zstd.compress = (__typeof__(zstd.compress))dlsym(library, "ZSTD_compress2");
    zstd.bound = (__typeof__(zstd.bound))dlsym(library, "ZSTD_compressBound");
    zstd.is_error = (__typeof__(zstd.is_error))dlsym(library, "ZSTD_isError");
    return zstd.create && zstd.set && zstd.compress && zstd.bound && zstd.is_error;
}

size_t packed_wanted(void)
{
    enum { LEAST = 1 << 16, MOST = 1 << 30 };
    const char *text = getenv("HELIO_CAPTURE_COMPRESS");
    char *end;
    if (!text || !*text)
        return 0;
    errno = 0;
    unsigned long bytes = strtoul(text, &end, 10);
    if (errno || *end || bytes < LEAST || bytes > MOST) {
        capture_warn("HELIO_CAPTURE_COMPRESS=%.40s is not a number of bytes from %d to %d; the trace is not "
                     "compressed",
                     text, LEAST, MOST);
        return 0;
    }
    if (!load_zstd()) {
        capture_warn("there is no libzstd.so.1 (Debian: libzstd1); the trace is not compressed");
        return 0;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* ----------------------------------------------------------------- the tail */

static char *half_at(unsigned half)
{
    return packed.map + TAIL_HEADER_BYTES + half * packed.half_bytes;
}

/* A half that has no lines from here on counts as such before it is filled, and has only zero bytes. */
static char *begin_half(unsigned half)
{
    struct tail_header *header = (struct tail_header *)(void *)packed.map;
    packed.half = half;
    __atomic_store_n(&header->begins[half], 0, __ATOMIC_RELEASE);
    memset(half_at(half), 0, packed.half_bytes);
    __atomic_store_n(&header->begins[half], packed.count + 1, __ATOMIC_RELEASE);
    return half_at(half);
}

static bool make_context(void)
{
    packed.room_bytes = zstd.bound(packed.half_bytes);
    packed.room = malloc(packed.room_bytes);
    packed.context = zstd.create();
    if (packed.room && packed.context && !zstd.is_error(zstd.set(packed.context, ZSTD_c_checksumFlag, 1)) &&
        !zstd.is_error(zstd.set(packed.context, ZSTD_c_compressionLevel, 1)))
        return true;
    errno = ENOMEM;
    return false;
}

/* Disk space is reserved first: a write to a mapped page for which there is no space would end the program by
 * a signal. */
static bool make_tail(void)
{
    const size_t bytes = TAIL_HEADER_BYTES + 2 * packed.half_bytes;
    int file = open(packed.tail, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    errno = posix_fallocate(file, 0, (off_t)bytes);
    void *map = errno ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int cause = errno;
    close(file);
    errno = cause;
    if (map == MAP_FAILED)
        return false;
    packed.map = map;
    struct tail_header *header = map;
    header->half_bytes = packed.half_bytes;
    memcpy(header->magic, TAIL_MAGIC, sizeof TAIL_MAGIC);
    return true;
}

char *packed_open(int file, const char *path, size_t half_bytes)
{
    packed.frames = file;
    packed.half_bytes = half_bytes;
    packed.count = 0;
    packed.end = 0;
    snprintf(packed.tail, sizeof packed.tail, "%s" TAIL_ENDING, path);
    if (make_context() && make_tail())
        return begin_half(0);
    int cause = errno;
    packed_give_up();
    unlink(packed.tail);
    errno = cause;
    return NULL;
}

/* ------------------------------------------------------------------- frames */

/* All signals are blocked meanwhile: one that the program handles would interrupt the write, and SIGXFSZ,
 * which the kernel sends where files have a limit (ulimit -f), would end the program. */
static bool write_all(const char *bytes, size_t size)
{
    sigset_t all, limit, before;
    sigfillset(&all);
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    size_t done = 0;
    ssize_t wrote = 1;
    while (done < size && wrote > 0) {
        wrote = pwrite(packed.frames, bytes + done, size - done, packed.end + (off_t)done);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    int cause = done < size && wrote == 0 ? ENOSPC : errno;
    if (done < size && cause == EFBIG)
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    if (done < size && ftruncate(packed.frames, packed.end) != 0)
        cause = errno; /* readers see that the last frame is not whole */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    return done == size;
}

static bool write_frame(size_t length)
{
    if (!length)
        return true;
    size_t size = zstd.compress(packed.context, packed.room, packed.room_bytes, half_at(packed.half), length);
    if (zstd.is_error(size)) {
        errno = ENOMEM;
        return false;
    }
    if (!write_all(packed.room, size))
        return false;
    packed.end += (off_t)size;
    packed.count++;
    return true;
}

char *packed_turn(size_t length)
{
    return write_frame(length) ? begin_half(1 - packed.half) : NULL;
}

bool packed_end(size_t length)
{
    bool written = write_frame(length);
    int cause = errno;
    packed_give_up();
    if (written)
        unlink(packed.tail);
    errno = cause;
    return written;
}

/* The context stays: the process ends soon. */
void packed_give_up(void)
{
    if (packed.map)
        munmap(packed.map, TAIL_HEADER_BYTES + 2 * packed.half_bytes);
    packed.map = NULL;
    free(packed.room);
    packed.room = NULL;
}
