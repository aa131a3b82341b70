#include <pthread.h>
#include <stdatomic.h>

#include "live/coll/internal.h"

static _Atomic bool is_child;

static void note_child(void)
{
    is_child = true;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_child);
}

bool live_is_forked(void)
{
    return is_child;
}
