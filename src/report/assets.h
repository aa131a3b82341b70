#ifndef HELIO_REPORT_ASSETS_H
#define HELIO_REPORT_ASSETS_H

#include <stddef.h>

#include "base/status.h"

/* The libraries that draw a report's charts, as files that tools/report-assets installs. They are read from
 * $HELIO_ASSETS if that is set, else from share/heliograph beside the folder of this program, else from the
 * build. */
enum asset { ASSET_D3, ASSET_PLOT, ASSET_D3_LICENCE, ASSET_PLOT_LICENCE, ASSETS };

struct report_assets {
    struct asset_text {
        char *text;
        size_t length;
    } list[ASSETS];
};

/* STATUS_FAILED, reported with the remedy: they are missing or cannot be read. */
enum status report_assets_init(struct report_assets *assets);
void report_assets_free(struct report_assets *assets);

/* Their folder, which the caller frees; NULL: none has them. */
char *report_assets_folder(void);

#endif
