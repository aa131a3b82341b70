#include "live/coll/next.h"

#include <dlfcn.h>
#include <pthread.h>

#define NEXT_NAME(name) #name,
static const char *const names[NEXT_COUNT] = {NEXT_FUNCTIONS(NEXT_NAME)};
static next_function *found[NEXT_COUNT];

static void find_all(void)
{
    for (int i = 0; i < NEXT_COUNT; i++)
        found[i] = (next_function *)dlsym(RTLD_NEXT, names[i]);
}

next_function *next_find(int number, next_function *own)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_all);
    return found[number] ? found[number] : own;
}
