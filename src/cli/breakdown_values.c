#include "cli/breakdown_values.h"

#include "base/diag.h"
#include "cli/values.h"

bool breakdown_read_payload(const char *text, uint64_t *bytes)
{
    const uint64_t at_most = UINT64_C(1) << 40;
    if (!cli_value_bytes("--payload", text, bytes))
        return false;
    if (*bytes > at_most)
        diag_error("--payload: a message is at most 1 TiB, not %s", text);
    return *bytes <= at_most;
}

json_t *breakdown_json_ns(ps_t time_ps)
{
    return json_make_number((double)time_ps / 1000);
}
