#ifndef HELIO_REPORT_ASSETS_H
#define HELIO_REPORT_ASSETS_H

#include <stddef.h>

#include "base/status.h"

/* The libraries that draw a report's charts, as files that came in the set-up (tools/report-assets). They are
 * looked for in $HELIO_ASSETS if that is set; else in share/heliograph beside the folder of this program, as
 * installed; else where the build has them. */
enum asset { ASSET_D3, ASSET_PLOT, ASSET_D3_LICENCE, ASSET_PLOT_LICENCE, ASSETS };

struct report_assets {
    struct asset_text {
        char *text;
        size_t length;
    } list[ASSETS];
};

/* STATUS_FAILED, reported with what to do about it, when they are not there or cannot be read. */
enum status report_assets_load(struct report_assets *assets);
void report_assets_free(struct report_assets *assets);

/* The folder that they are in, to be freed; NULL when there is none. */
char *report_assets_folder(void);

#endif
