/* What libFuzzer and replay.c call: runs fuzz_target on each input, and counts. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGE = 1 << 28 };

static unsigned long long inputs, accepted;

static void print_counts(void)
{
    fprintf(stderr, "fuzz: %llu inputs, %llu accepted\n", inputs, accepted);
}

/* libFuzzer calls it before the first input; so does replay.c. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    mallopt(M_MMAP_THRESHOLD, LARGE); /* the C library keeps large blocks for the next input */
    mallopt(M_TRIM_THRESHOLD, LARGE);
    return atexit(print_counts);
}

/* libFuzzer begins with an empty input, which is no seed, and repeats an input that seems to leak memory. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_be_silent();
    static uint64_t previous;
    bool is_accepted = fuzz_target(data, size);
    uint64_t hash = XXH3_64bits(data, size);
    inputs++;
    accepted += is_accepted && size > 0 && hash != previous;
    previous = hash;
    return 0;
}
