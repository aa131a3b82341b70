#ifndef HELIO_TESTS_SUPPORT_SANITIZER_H
#define HELIO_TESTS_SUPPORT_SANITIZER_H

/* Whether this is built with a sanitizer that takes memory of its own, far beyond what the program takes. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HAS_SANITIZER 1
#elif defined __has_feature
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

#endif
