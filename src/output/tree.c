#include "output/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What helio writes is two folders deep. */
enum { TREE_DEPTH = 8, TREE_BYTES = 2048 };

/* What the system call getdents64 returns (man 2 getdents). */
struct tree_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t kind;
    char name[];
};

/* Whether it is gone. */
static bool remove_at(int folder, const char *name, int depth);

/* The entries that one call returns. The folder is read from its start again after each call, since its
 * entries have been removed. False: nothing was removed. */
static bool remove_some(int folder, int depth)
{
    _Alignas(struct tree_entry) char bytes[TREE_BYTES];
    bool any = false;
    if (lseek(folder, 0, SEEK_SET) < 0)
        return false;
    long length = syscall(SYS_getdents64, folder, bytes, sizeof bytes);
    for (long at = 0; at < length;) {
        const struct tree_entry *entry = (const struct tree_entry *)(const void *)(bytes + at);
        at += entry->size;
        if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
            continue;
        any = remove_at(folder, entry->name, depth) || any;
    }
    return any;
}

static bool remove_at(int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0)
        return true;
    if ((errno != EISDIR && errno != EPERM) || depth == 0)
        return false;
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0) /* empty: no descriptor is needed */
        return true;
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return false;
    while (remove_some(inner, depth - 1))
        ;
    close(inner);
    return unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

void tree_remove(int folder, const char *name)
{
    int error = errno;
    remove_at(folder, name, TREE_DEPTH);
    errno = error;
}
