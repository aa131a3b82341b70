#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/capture.h"
#include "output/output.h"
#include "trace/ti/rank_files.h"
#include "trace/ti/write.h"

/* "rank-12.txt", as a tracer writes it: the rank plus 1; 0 for any other name. */
static uint32_t number_of(const char *name)
{
    char expected[RANK_FILE_NAME];
    const uint32_t number = ti_rank_number(name);
    return number && strcmp(rank_file_name(number - 1, expected), name) == 0 ? number : 0;
}

/* False, with errno. The file `to` must not exist. */
static bool copy_file(const char *from, const char *to)
{
    char bytes[1 << 16];
    size_t size;
    FILE *in = fopen(from, "rbe"), *out = in ? fopen(to, "wbxe") : NULL;
    bool good = out != NULL;
    int cause = errno;
    while (good && (size = fread(bytes, 1, sizeof bytes, in)) > 0)
        if (fwrite(bytes, 1, size, out) != size)
            good = false;
    if (out && (!good || ferror(in)))
        cause = errno ? errno : EIO;
    good = good && !ferror(in);
    if (out && fclose(out) != 0 && good) {
        cause = errno;
        good = false;
    }
    if (out && !good)
        unlink(to);
    if (in)
        fclose(in);
    errno = cause;
    return good;
}

static enum status copy_rank(const char *folder, const char *name, const char *into)
{
    char *from = mem_format("%s/%s", folder, name), *to = mem_format("%s/%s", into, name);
    const bool good = copy_file(from, to);
    const int cause = errno;
    if (!good && cause == EEXIST)
        diag_error("%s: rank %" PRIu32 " is in another folder, too; each rank has one file", from,
                   number_of(name) - 1);
    else if (!good)
        diag_error("cannot copy %s: %s", from, strerror(cause));
    free(from);
    free(to);
    return good ? STATUS_OK : cause == EEXIST ? STATUS_BAD_INPUT : STATUS_FAILED;
}

static enum status copy_folder(const char *folder, const char *into)
{
    DIR *files = opendir(folder);
    enum status status = STATUS_OK;
    size_t count = 0;
    if (!files) {
        diag_error("cannot read %s: %s", folder, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(files));)
        if (number_of(entry->d_name)) {
            status = copy_rank(folder, entry->d_name, into);
            count++;
        }
    closedir(files);
    if (status == STATUS_OK && count == 0) {
        diag_error("%s: there is no rank-<k>.txt, as a captured rank leaves it", folder);
        status = STATUS_BAD_INPUT;
    }
    return status;
}

enum status capture_collect(const struct capture_command *capture)
{
    struct output_folder folder;
    enum status status = output_folder_open(&folder, capture->folder);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; status == STATUS_OK && i < capture->collected_count; i++)
        status = copy_folder(capture->collected[i], output_folder_path(&folder));
    return output_folder_close(&folder, status);
}
