#include "live/coll/shm_counter.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* After so many spins `progress` is called; after so many the rank tests whether its core is contended. A
 * spin takes at most about 140 cycles. */
enum { PROGRESS_SPINS = 4096, CONTENTION_SPINS = 512 };

/* Tells the processor that this is a spin loop. */
static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* The 32 bits of the counter that the futex compares. */
static uint32_t *lower_half(struct shm_counter *counter)
{
    uint32_t *halves = (uint32_t *)&counter->value;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? halves : halves + 1;
}

static void wake_sleepers(struct shm_counter *counter)
{
    if (atomic_load(&counter->sleepers) > 0)
        syscall(SYS_futex, lower_half(counter), FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* No wake-up is missed. The sleeper first adds itself to `sleepers`, then reads `value`. The raiser first
 * writes `value`, then reads `sleepers`. All four are sequentially consistent, so at least one of the two
 * sees what the other wrote. If the value changes between the read and the system call, the futex does not
 * sleep, since it compares the value with `now`. */
static void sleep_on(struct shm_counter *counter, uint64_t value, int64_t most_ns)
{
    const struct timespec limit = {.tv_nsec = most_ns};
    atomic_fetch_add(&counter->sleepers, 1);
    uint64_t now = atomic_load(&counter->value);
    if (now < value)
        syscall(SYS_futex, lower_half(counter), FUTEX_WAIT, (uint32_t)now, &limit, NULL, 0);
    atomic_fetch_sub(&counter->sleepers, 1);
}

bool shm_counter_await(struct shm_counter *counter, uint64_t value, struct backoff *backoff)
{
    struct backoff_wait wait = backoff_begin(backoff);
    for (uint32_t i = 1; i <= wait.spins; i++) {
        if (shm_counter_reached(counter, value))
            return true;
        spin_pause();
        if (i % PROGRESS_SPINS == 0 && !backoff->progress(backoff->self))
            return false;
        if (i % CONTENTION_SPINS == 0 && backoff_finds_contention(&wait))
            break;
    }
    do
        if (shm_counter_reached(counter, value))
            return true;
    while (backoff_yield(&wait));
    while (!shm_counter_reached(counter, value)) {
        sleep_on(counter, value, wait.look_ns);
        if (!shm_counter_reached(counter, value) && !backoff->progress(backoff->self))
            return false;
    }
    return true;
}

void shm_counter_raise(struct shm_counter *counter, uint64_t value)
{
    atomic_store(&counter->value, value);
    wake_sleepers(counter);
}

void shm_counter_add(struct shm_counter *counter, uint64_t value)
{
    if (atomic_fetch_add(&counter->value, 1) + 1 == value)
        wake_sleepers(counter);
}
