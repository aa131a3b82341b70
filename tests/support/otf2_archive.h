#ifndef HELIO_TESTS_OTF2_ARCHIVE_H
#define HELIO_TESTS_OTF2_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Writes archives of OTF2 in memory record by record, for tests, and reads them. */
struct archive_bytes {
    uint8_t *at;
    size_t size, capacity;
};

enum { ARCHIVE_RANKS = 4 }; /* at most */

extern struct archive {
    struct archive_bytes anchor, definitions, local[ARCHIVE_RANKS], events[ARCHIVE_RANKS];
    uint32_t ranks;
    bool is_big;
} archive;

/* Regions by the number of their name; 1 is MPI_COMM_WORLD. */
enum {
    R_USER = 2,
    R_INIT,
    R_FINALIZE,
    R_SEND,
    R_RECV,
    R_SENDRECV,
    R_ISEND,
    R_IRECV,
    R_WAIT,
    R_WAITALL,
    R_TEST,
    R_COLLECTIVE,
    R_SSEND,
    R_CANCEL,
    R_PUT,
    R_NEIGHBOURS,
    R_NEIGHBOURS_V,
    R_INEIGHBOURS,
    R_GRAPH,
    REGIONS
};

/* Begins a new archive. Groups: 0 the locations, 1 all ranks, 2 ranks 2 and 0, 3 a rank alone, 4 rank 1.
 * Communicators: 10 the world, 20 of group 2, 30 of each rank alone, 40 between groups 2 and 4. */
void archive_begin(uint32_t ranks, bool is_big);
void archive_end(void);

/* A byte; a number of fixed size; one whose size stands before it; the header of a file. */
void archive_put(struct archive_bytes *bytes, unsigned value);
void archive_put_fixed(struct archive_bytes *bytes, uint64_t value, unsigned size);
void archive_put_number(struct archive_bytes *bytes, uint64_t value);
void archive_put_header(struct archive_bytes *bytes);
void archive_define_string(uint32_t id, const char *text);

/* A record of numbers; its length stands before them. -1 is undefined; BYTE(N) is the byte N. */
void archive_put_record(struct archive_bytes *bytes, unsigned kind, size_t count, const int64_t *fields);
#define RECORD(bytes, kind, ...)                                                                             \
    archive_put_record(bytes, kind, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                      \
                       (int64_t[]){__VA_ARGS__})
#define BYTE(value)            (-2 - (value))
#define EVENT(rank, kind, ...) RECORD(&archive.events[rank], kind, __VA_ARGS__)

/* What follows happens at `time`. */
void archive_at(uint32_t rank, uint64_t time);
/* Kinds of records that have one number and no length. */
void archive_lone(uint32_t rank, unsigned kind, uint64_t value);
void archive_enter(uint32_t rank, uint64_t time, uint32_t region);
void archive_leave(uint32_t rank, uint64_t time, uint32_t region);
/* A call from `time` to `time` + 1, with its record, in the world with tag 7. */
void archive_send(uint32_t rank, uint64_t time, uint32_t region, uint32_t peer, uint32_t bytes);
void archive_receive(uint32_t rank, uint64_t time, uint32_t peer, uint32_t bytes);

/* Compiles the archive. */
enum status archive_read(void);
/* The calls of the archive, with computations. */
void archive_expect(const char *wanted);
/* The archive is refused with this message. */
void archive_refuse(const char *what);

#endif
