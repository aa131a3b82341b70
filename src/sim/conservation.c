#include "sim/conservation.h"

#include <inttypes.h>

#include "base/diag.h"
#include "fabric/message.h"

static void count(void *self, const struct tap_record *record)
{
    struct conservation *conservation = self;
    if (record->kind == TAP_INJECTED) {
        conservation->injected++;
        conservation->injected_bytes += record->message->bytes;
        return;
    }
    conservation->delivered++;
    conservation->delivered_bytes += record->message->bytes;
    conservation->early += record->at < record->message->send_posted;
}

void conservation_attach(struct conservation *conservation, struct tap *tap)
{
    *conservation = (struct conservation){0};
    tap_handle(tap, TAP_BIT(TAP_INJECTED) | TAP_BIT(TAP_DELIVERED), count, conservation);
}

enum status conservation_check(const struct conservation *conservation, const char *fabric)
{
    if (conservation->injected == conservation->delivered &&
        conservation->injected_bytes == conservation->delivered_bytes && conservation->early == 0)
        return STATUS_OK;
    diag_error("fabric %s does not conserve messages: %" PRIu64 " (%" PRIu64 " bytes) injected, %" PRIu64
               " (%" PRIu64 " bytes) delivered, %" PRIu64
               " of them before they were posted; this is a defect of "
               "the fabric, and its results are wrong",
               fabric, conservation->injected, conservation->injected_bytes, conservation->delivered,
               conservation->delivered_bytes, conservation->early);
    return STATUS_FAILED;
}
