#include "live/capture/thread_clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#if defined(__GLIBC__) && defined(__has_include)
#if __has_include(<sys/rseq.h>) && (defined(__x86_64__) || defined(__aarch64__))
#include <sys/rseq.h>
#define HAS_RSEQ 1
#endif
#endif

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#ifdef HAS_RSEQ

/* A sequence that no thread is ever in: it is data. The kernel looks for the signature in front of the
 * address to which it would restart. */
static const struct {
    uint32_t unused[3], signature;
    char restart[16];
} place = {.signature = RSEQ_SIG};

static struct rseq_cs sequence __attribute__((aligned(32))) = {
    .start_ip = (uintptr_t)&place, .post_commit_offset = 1, .abort_ip = (uintptr_t)place.restart};

/* Of each thread: the two clocks when both were read. */
static __thread int64_t used_ns __attribute__((tls_model("initial-exec")));
static __thread int64_t system_ns __attribute__((tls_model("initial-exec")));

/* The clocks drift apart: at most so long they are taken to go alike. */
enum { LONGEST_NS = 100000000 };

static inline char *thread_pointer(void)
{
    char *pointer;
#ifdef __x86_64__
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return pointer;
}

/* The word that a switch clears. NULL: the C library has registered none. Other users of restartable
 * sequences write it when they begin one: then it does not hold ours, and the kernel is asked. */
static inline volatile uint64_t *mark_of_thread(void)
{
    if (__rseq_size < offsetof(struct rseq, rseq_cs) + sizeof(uint64_t))
        return NULL;
    return (volatile uint64_t *)(void *)(thread_pointer() + __rseq_offset + offsetof(struct rseq, rseq_cs));
}

/* Some kernels, from Linux 6.19 on, clear the word of a thread that an interrupt has stopped, and leave that
 * of a thread that has slept in a system call: there sleep would count as processor time. The word is cleared
 * by an interrupt, too, by chance, so it is tried several times. */
static bool is_cleared_by_sleep(volatile uint64_t *mark)
{
    enum { TRIES = 3 };
    for (int i = 0; i < TRIES; i++) {
        *mark = (uintptr_t)&sequence;
        nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
        if (*mark == (uintptr_t)&sequence)
            return false;
    }
    return true;
}

/* Whether the kernel marks all switches. */
static bool is_trusted(volatile uint64_t *mark)
{
    enum { UNKNOWN, TRUSTED, NOT_TRUSTED };
    static atomic_int known = UNKNOWN;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        answer = is_cleared_by_sleep(mark) ? TRUSTED : NOT_TRUSTED;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == TRUSTED;
}

/* Reads both clocks. If the thread leaves its processor between, the next look reads them again. */
static int64_t look_at_both(volatile uint64_t *mark)
{
    *mark = (uintptr_t)&sequence;
    system_ns = read_clock(CLOCK_MONOTONIC);
    return used_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t thread_clock_ns(void)
{
    volatile uint64_t *mark = mark_of_thread();
    if (!mark || !is_trusted(mark))
        return read_clock(CLOCK_THREAD_CPUTIME_ID);
    const int64_t since = read_clock(CLOCK_MONOTONIC) - system_ns;
    if (*mark == (uintptr_t)&sequence && system_ns && since < LONGEST_NS)
        return used_ns + since;
    return look_at_both(mark);
}

#else

int64_t thread_clock_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif
