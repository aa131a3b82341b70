#include "base/diag.h"
#include "report/timeline/internal.h"

/* In the place of otf2.c where its library is not installed. */
static enum status no_open(struct timeline *timeline, const char *path)
{
    (void)timeline;
    diag_error("cannot write %s: this helio was built without OTF2 (Debian: libopen-trace-format2-dev)",
               path);
    return STATUS_FAILED;
}

bool timeline_writes_otf2(void)
{
    return false;
}

const struct timeline_format otf2_format = {.open = no_open};
