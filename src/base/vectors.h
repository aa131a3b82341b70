#ifndef HELIO_BASE_VECTORS_H
#define HELIO_BASE_VECTORS_H

#include <stdlib.h> /* __GLIBC__ */

/* WIDE_VECTORS before a function: it is also compiled for processors with wider vectors, and the program
 * takes the form that its processor has. All forms compute the same bits. The C library makes the choice,
 * before sanitizers are ready. */
#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VECTORS_WITH_SANITIZER
#endif
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define VECTORS_WITH_SANITIZER
#endif

#if defined __x86_64__ && defined __GLIBC__ && defined __OPTIMIZE__ && !defined VECTORS_WITH_SANITIZER
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_VECTORS
#endif

#endif
