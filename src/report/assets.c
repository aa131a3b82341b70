#include "report/assets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

static const char *const file_names[ASSETS] = {
    [ASSET_D3] = "d3.min.js",
    [ASSET_PLOT] = "plot.umd.min.js",
    [ASSET_D3_LICENCE] = "d3.LICENSE",
    [ASSET_PLOT_LICENCE] = "plot.LICENSE",
};

enum { FOLDERS = 3 };

/* share/heliograph beside the program's folder bin/, or NULL. */
static char *installed_folder(void)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *bin = path_folder(program), *tree = path_folder(bin);
    char *folder = mem_format("%s/share/heliograph", strcmp(tree, "/") == 0 ? "" : tree);
    free(bin);
    free(tree);
    return folder;
}

/* The folders to search, in order; NULL behind the last. */
static void list_folders(char *folders[static FOLDERS])
{
    const char *chosen = getenv("HELIO_ASSETS");
    size_t count = 0;
    memset(folders, 0, FOLDERS * sizeof *folders);
    if (chosen && *chosen) {
        folders[0] = mem_text(chosen);
        return;
    }
    char *installed = installed_folder();
    if (installed)
        folders[count++] = installed;
    folders[count] = mem_text(HELIO_ASSETS_BUILT);
}

/* A file that is there and cannot be read counts: the error is reported when it is read. */
static bool has_all(const char *folder)
{
    bool all = true;
    for (int i = 0; i < ASSETS; i++) {
        char *path = mem_format("%s/%s", folder, file_names[i]);
        all = all && (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR));
        free(path);
    }
    return all;
}

char *report_assets_folder(void)
{
    char *folders[FOLDERS], *found = NULL;
    list_folders(folders);
    for (size_t i = 0; i < FOLDERS; i++) {
        if (folders[i] && !found && has_all(folders[i]))
            found = folders[i];
        else
            free(folders[i]);
    }
    return found;
}

static void report_missing(void)
{
    char *folders[FOLDERS];
    list_folders(folders);
    diag_error(
        "a report needs the libraries that draw its charts, d3.min.js and plot.umd.min.js, and they are "
        "not in %s%s%s",
        folders[0], folders[1] ? ", nor in " : "", folders[1] ? folders[1] : "");
    diag_note("tools/report-assets gets them; HELIO_ASSETS names a folder that has them; docs/report.md says "
              "how without network");
    for (size_t i = 0; i < FOLDERS; i++)
        free(folders[i]);
}

enum { ASSET_AT_MOST = 64 << 20 };

static enum status read_asset(const char *folder, const char *name, struct asset_text *asset)
{
    char *path = mem_format("%s/%s", folder, name);
    enum status status =
        file_load(path, ASSET_AT_MOST, "a library of a report", &asset->text, &asset->length);
    free(path);
    return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

enum status report_assets_init(struct report_assets *assets)
{
    *assets = (struct report_assets){0};
    char *folder = report_assets_folder();
    if (!folder) {
        report_missing();
        return STATUS_FAILED;
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < ASSETS && status == STATUS_OK; i++)
        status = read_asset(folder, file_names[i], &assets->list[i]);
    free(folder);
    if (status != STATUS_OK)
        report_assets_free(assets);
    return status;
}

void report_assets_free(struct report_assets *assets)
{
    for (int i = 0; i < ASSETS; i++)
        free(assets->list[i].text);
    *assets = (struct report_assets){0};
}
