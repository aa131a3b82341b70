/* Any bytes as the beginning of a file: of a known kind or not, and the same whatever follows the first
 * bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "fuzz/fuzz.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1); /* so that a read behind it is seen */
    fuzz_must(exact != NULL, "no memory");
    if (size)
        memcpy(exact, data, size);
    const struct file_kind *kind = file_kind_of(exact, size);
    if (size > FILE_KIND_BYTES)
        fuzz_must(file_kind_of(exact, FILE_KIND_BYTES) == kind, "bytes behind the first ones count");
    if (kind)
        fuzz_must(*kind->what && *kind->advice, "a kind without words");
    free(exact);
    return kind != NULL;
}
