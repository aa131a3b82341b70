#include "support/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

char parts_said[8192];
ps_t parts_unit = 1;
uint32_t parts_of_message = UINT32_MAX;

void parts_forget(void)
{
    parts_said[0] = '\0';
}

void parts_add(void *self, uint32_t index, enum tap_part part, ps_t since, ps_t at,
               const struct tap_awaited *awaited)
{
    static const char *const names[TAP_PARTS] = {
        [TAP_PART_WAIT] = "wait",     [TAP_PART_HANDSHAKE] = "handshake", [TAP_PART_SOFTWARE] = "software",
        [TAP_PART_BUS] = "bus",       [TAP_PART_ACQUIRE] = "acquire",     [TAP_PART_QUEUE] = "queue",
        [TAP_PART_SWITCH] = "switch", [TAP_PART_STORED] = "stored",       [TAP_PART_TRANSFER] = "transfer",
        [TAP_PART_WIRE] = "wire",     [TAP_PART_RELEASE] = "release",
    };
    size_t used = strlen(parts_said);
    char waited[64] = "";
    (void)self;
    if (parts_of_message != UINT32_MAX && index != parts_of_message)
        return;
    assert_true(since % parts_unit == 0 && at % parts_unit == 0);
    if (awaited)
        snprintf(waited, sizeof waited, " %s %u", awaited->what, awaited->which);
    int length = snprintf(parts_said + used, sizeof parts_said - used, "%u %s %lld-%lld%s\n", index,
                          names[part], (long long)(since / parts_unit), (long long)(at / parts_unit), waited);
    assert_true(length > 0 && used + (size_t)length < sizeof parts_said);
}
