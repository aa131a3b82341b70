/* Any bytes as a file of the cache: not used, or what was kept in it. And any counts of keys, with a correct
 * checksum, as what the workload npb:is finds in the cache: never a rank that does not exist. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "output/cache.h"
#include "workload/npb_is_keys.h"

enum { KEY_BITS = 25, BUCKET_BITS = 6, BUCKETS = 1 << BUCKET_BITS, RANKS = 4, CHECK_BYTES = 16 };

/* The cache is in the working folder. The path of the file, to be freed. */
static char *cache_path(const char *name)
{
    static char *folder;
    char here[4096];
    if (!folder) {
        fuzz_must(getcwd(here, sizeof here) != NULL, "no working folder");
        setenv("XDG_CACHE_HOME", here, 1);
        folder = cache_folder();
        mkdir(folder, 0700);
    }
    return mem_format("%s/%s", folder, name);
}

static void write_file(const char *path, const void *bytes, size_t size, const void *check, size_t check_size)
{
    FILE *file = fopen(path, "wb");
    fuzz_must(file && fwrite(bytes, 1, size, file) == size &&
                  fwrite(check, 1, check_size, file) == check_size && fclose(file) == 0,
              "cannot write %s", path);
}

static bool load(const uint8_t *data, size_t size)
{
    char *path = cache_path("fuzz");
    size_t kept = size > CHECK_BYTES ? size - CHECK_BYTES : 1;
    uint8_t *bytes = mem_alloc(kept, 1, "a file of the cache");
    write_file(path, data, size, "", 0);
    bool is_loaded = cache_load("fuzz", bytes, kept);
    fuzz_must(!is_loaded || memcmp(bytes, data, kept) == 0, "the cache has other bytes");
    unlink(path);
    free(bytes);
    free(path);
    return is_loaded;
}

/* Each rank has as many keys as it should, in any buckets: the sums are checked when the file is read. */
static void count(const uint8_t *data, size_t size)
{
    static uint64_t buckets[RANKS * BUCKETS];
    const struct is_problem problem = {
        .keys = UINT64_C(1) << KEY_BITS, .key_bits = 21, .bucket_bits = BUCKET_BITS, .ranks = RANKS};
    memset(buckets, 0, sizeof buckets);
    for (size_t rank = 0; rank < RANKS; rank++) {
        uint64_t left = problem.keys / RANKS;
        for (size_t i = rank, at = rank; i + 1 < size && left; i += 2) {
            uint64_t keys = (uint64_t)data[i] << data[i + 1] % 16;
            at = (at + data[i + 1]) % BUCKETS;
            buckets[rank * BUCKETS + at] += keys < left ? keys : left;
            left -= keys < left ? keys : left;
        }
        buckets[rank * BUCKETS + (size ? data[0] % BUCKETS : 0)] += left;
    }
    const uint64_t check[2] = {sizeof buckets, XXH3_64bits(buckets, sizeof buckets)};
    char *path = cache_path("npb-is.33554432-keys.64-buckets.4-ranks.v1");
    struct is_exchange exchange;
    write_file(path, buckets, sizeof buckets, check, sizeof check);
    is_exchange_count(&exchange, &problem);
    is_exchange_free(&exchange);
    unlink(path);
    free(path);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    bool is_of_keys = size > 0 && data[0] % 2 == 0;
    if (is_of_keys)
        count(data, size);
    return !is_of_keys && load(data, size);
}
