#include "output/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "output/tree.h"

#define ENDING ".helio-unfinished"
enum { RANDOM_LETTERS = 8, LONGEST_NAME = 255, UNFINISHED_MAX = 64, TRIES = 100 };

struct unfinished {
    char *path;
    int descriptor; /* it holds the lock */
    bool is_folder;
    pid_t owner; /* a process made by fork has the list of its parent, and removes nothing of it */
};

/* Read by a signal handler, so it has a fixed place. */
static struct unfinished *_Atomic list[UNFINISHED_MAX];

/* ----------------------------------------------------------------- the list */

static bool list_add(struct unfinished *unfinished)
{
    static atomic_flag is_cleaned_at_exit = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_cleaned_at_exit) && atexit(unfinished_discard_all) != 0)
        return false;
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        struct unfinished *nothing = NULL;
        if (atomic_compare_exchange_strong(&list[i], &nothing, unfinished))
            return true;
    }
    errno = EMFILE;
    return false;
}

static void list_remove(struct unfinished *unfinished)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        struct unfinished *it = unfinished;
        if (atomic_compare_exchange_strong(&list[i], &it, NULL))
            return;
    }
}

void unfinished_discard_all(void)
{
    for (size_t i = 0; i < UNFINISHED_MAX; i++) {
        struct unfinished *unfinished = atomic_exchange(&list[i], NULL);
        if (unfinished && unfinished->owner == getpid())
            tree_remove(AT_FDCWD, unfinished->path);
    }
}

/* ---------------------------------------------------------------- leftovers */

static bool is_private_name(const char *name)
{
    size_t length = strlen(name), ending = sizeof ENDING - 1;
    return length > RANDOM_LETTERS + 1 + ending && strcmp(name + length - ending, ENDING) == 0 &&
           name[length - ending - RANDOM_LETTERS - 1] == '.';
}

/* Whether the lock on the file is ours now, and `name` still names it. */
static bool is_nobodys(int folder, const char *name, int descriptor)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && opened.st_uid == geteuid() &&
           (S_ISREG(opened.st_mode) || S_ISDIR(opened.st_mode)) &&
           flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
           fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

void unfinished_remove_leftovers(const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (!is_private_name(entry->d_name))
            continue;
        int descriptor =
            openat(dirfd(entries), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor >= 0 && is_nobodys(dirfd(entries), entry->d_name, descriptor))
            tree_remove(dirfd(entries), entry->d_name);
        if (descriptor >= 0)
            close(descriptor);
    }
    closedir(entries);
}

/* ------------------------------------------------------------------- making */

/* NULL, with errno. A long name is cut, so that the private one is not too long for the file system. */
static char *private_path(const char *target)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[RANDOM_LETTERS];
    char text[RANDOM_LETTERS + 1] = "";
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return NULL;
    for (size_t i = 0; i < RANDOM_LETTERS; i++)
        text[i] = letters[random[i] % 32];
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    size_t room = LONGEST_NAME - (RANDOM_LETTERS + 1) - (sizeof ENDING - 1), length = strlen(name);
    return mem_format("%.*s%.*s.%s" ENDING, (int)(name - target), target,
                      (int)(length < room ? length : room), name, text);
}

static int create(const char *path, bool is_folder)
{
    if (!is_folder)
        return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (mkdir(path, 0777) != 0)
        return -1;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        rmdir(path);
    return descriptor;
}

/* No signal comes between the creation and the entry in the list. */
static bool create_listed(struct unfinished *unfinished)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    unfinished->descriptor = create(unfinished->path, unfinished->is_folder);
    bool listed = unfinished->descriptor >= 0 && list_add(unfinished);
    if (unfinished->descriptor >= 0 && !listed)
        tree_remove(AT_FDCWD, unfinished->path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return listed;
}

/* Between its creation and its lock the name can be taken for a leftover, and removed: false. A file system
 * that knows no locks has no leftovers that are provably nobody's. */
static bool lock(int descriptor)
{
    struct stat about;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

static void unfinished_free(struct unfinished *unfinished)
{
    int error = errno;
    if (unfinished->descriptor >= 0)
        close(unfinished->descriptor);
    free(unfinished->path);
    free(unfinished);
    errno = error;
}

static struct unfinished *unfinished_make(const char *target, bool is_folder)
{
    char *folder = path_folder(target);
    unfinished_remove_leftovers(folder);
    free(folder);
    for (int try = 0; try < TRIES; try++) {
        struct unfinished *made = mem_alloc(1, sizeof *made, "an unfinished file");
        *made = (struct unfinished){
            .path = private_path(target), .descriptor = -1, .is_folder = is_folder, .owner = getpid()};
        bool created = made->path && create_listed(made);
        if (created && lock(made->descriptor))
            return made;
        bool again = created || errno == EEXIST;
        if (created)
            tree_remove(AT_FDCWD, made->path);
        list_remove(made);
        unfinished_free(made);
        if (!again)
            return NULL;
    }
    errno = EEXIST;
    return NULL;
}

struct unfinished *unfinished_file(const char *target)
{
    return unfinished_make(target, false);
}

struct unfinished *unfinished_folder(const char *target)
{
    return unfinished_make(target, true);
}

int unfinished_descriptor(const struct unfinished *unfinished)
{
    return unfinished->descriptor;
}

const char *unfinished_path(const struct unfinished *unfinished)
{
    return unfinished->path;
}

/* ------------------------------------------------------------------- ending */

/* Some file systems cannot sync, and that is no failure. */
bool unfinished_sync(const struct unfinished *unfinished)
{
    int result = unfinished->is_folder ? syncfs(unfinished->descriptor) : fsync(unfinished->descriptor);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS;
}

static bool give_name(const struct unfinished *unfinished, const char *target, bool is_new)
{
    if (!is_new)
        return rename(unfinished->path, target) == 0;
    if (renameat2(AT_FDCWD, unfinished->path, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    /* A file system without this form. A folder never replaces one that is not empty. */
    if (unfinished->is_folder)
        return rename(unfinished->path, target) == 0;
    return link(unfinished->path, target) == 0 && unlink(unfinished->path) == 0;
}

/* The new name itself reaches the disk. That fails only where it cannot be asked for. */
static void sync_folder_of(const char *target)
{
    char *folder = path_folder(target);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

bool unfinished_publish(struct unfinished *unfinished, const char *target, enum unfinished_care care)
{
    bool synced = care == UNFINISHED_NO_SYNC || unfinished_sync(unfinished);
    if (!synced || !give_name(unfinished, target, unfinished->is_folder || care == UNFINISHED_NEW)) {
        unfinished_discard(unfinished);
        return false;
    }
    list_remove(unfinished);
    unfinished_free(unfinished);
    if (care != UNFINISHED_NO_SYNC)
        sync_folder_of(target);
    return true;
}

void unfinished_discard(struct unfinished *unfinished)
{
    tree_remove(AT_FDCWD, unfinished->path);
    list_remove(unfinished);
    unfinished_free(unfinished);
}
