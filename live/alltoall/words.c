#include "live/alltoall/words.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_SPINS = 4096, ASK_SPINS = 512 }; /* of at most some 140 cycles each */

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* The half of the word that a futex looks at. */
static uint32_t *lower_half(struct word *word)
{
    uint32_t *halves = (uint32_t *)&word->value;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? halves : halves + 1;
}

static void wake(struct word *word)
{
    if (atomic_load(&word->sleepers) > 0)
        syscall(SYS_futex, lower_half(word), FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* The order matters: whoever goes to sleep says so before it looks again, whoever raises looks for sleepers
 * after; so one of them sees the other. */
static void sleep_on(struct word *word, uint64_t value, int64_t most_ns)
{
    const struct timespec limit = {.tv_nsec = most_ns};
    atomic_fetch_add(&word->sleepers, 1);
    uint64_t now = atomic_load(&word->value);
    if (now < value)
        syscall(SYS_futex, lower_half(word), FUTEX_WAIT, (uint32_t)now, &limit, NULL, 0);
    atomic_fetch_sub(&word->sleepers, 1);
}

void word_await(struct word *word, uint64_t value, struct patience *patience)
{
    struct wait wait = patience_begin(patience);
    for (uint32_t i = 1; i <= wait.spins; i++) {
        if (word_reached(word, value))
            return;
        relax();
        if (i % LOOK_SPINS == 0)
            patience->progress(patience->self);
        if (i % ASK_SPINS == 0 && patience_finds_company(&wait))
            break;
    }
    do
        if (word_reached(word, value))
            return;
    while (patience_yield(&wait));
    while (!word_reached(word, value)) {
        sleep_on(word, value, wait.look_ns);
        if (!word_reached(word, value))
            patience->progress(patience->self);
    }
}

void word_raise(struct word *word, uint64_t value)
{
    atomic_store(&word->value, value);
    wake(word);
}

void word_add(struct word *word, uint64_t value)
{
    if (atomic_fetch_add(&word->value, 1) + 1 == value)
        wake(word);
}
