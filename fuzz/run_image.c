/* Any bytes as a compiled trace with a correct checksum: refused, or run. The key of the image chooses fabric
 * and engine, so that each seed is run on several. */
#include <string.h>

#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct compiled_trace *compiled = fuzz_image(data, size);
    if (!compiled)
        return false;
    bool has_ended = fuzz_run(fuzz_config(fuzz_settings(compiled->header->key[0])), &compiled->program);
    compiled->program.ops->close(&compiled->program);
    return has_ended;
}
