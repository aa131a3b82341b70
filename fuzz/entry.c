/* What libFuzzer and replay.c call: runs fuzz_target on each input, and counts. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the room topo, where a target has it: frees the tables of topologies. */
void topo_forget(void) __attribute__((weak));

enum { LARGE = 1 << 28 };

static unsigned long long inputs, accepted, too_large;

static void print_counts(void)
{
    fprintf(stderr, "fuzz: %llu inputs, %llu accepted\n", inputs, accepted);
    if (too_large)
        fprintf(stderr, "fuzz: %llu of them ask for too much, and are not run\n", too_large);
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
    fuzz_is_too_large = false;
    bool is_accepted = fuzz_target(data, size);
    if (topo_forget)
        topo_forget();
    uint64_t hash = XXH3_64bits(data, size);
    inputs++;
    too_large += fuzz_is_too_large;
    accepted += is_accepted && size > 0 && hash != previous;
    previous = hash;
    return 0;
}
