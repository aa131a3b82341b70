#ifndef HELIO_BASE_MEMORY_ROOM_H
#define HELIO_BASE_MEMORY_ROOM_H

/* What this process may still take. */
struct memory_room {
    double bytes;       /* INFINITY: unknown */
    const char *limit;  /* what sets it, as "the available memory of the machine" */
    unsigned shared_by; /* this many runs at the same time, each of which may take `bytes`; 0 = one */
};

/* For runs that are never refused. */
extern const struct memory_room memory_room_unlimited;

/* The least of: the available memory of the machine, the limits of the process's control groups (v1 and v2),
 * and of its resource limits for address space and data. */
struct memory_room memory_room_find(void);
/* The same from files below `root`, as root/proc/meminfo, without resource limits; for tests. */
struct memory_room memory_room_read(const char *root);

/* The equal share of each of so many runs at the same time. */
struct memory_room memory_room_share(struct memory_room room, unsigned runs);

#endif
