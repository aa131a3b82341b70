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
#include "trace/ti/packed.h"
#include "trace/ti/rank_files.h"
#include "trace/ti/tail.h"
#include "trace/ti/write.h"

/* "rank-12.txt" or "rank-12.txt.zst", as a tracer writes it: the rank plus 1; 0 for any other name. */
static uint32_t number_of(const char *name)
{
    char expected[RANK_FILE_NAME];
    const uint32_t number = ti_rank_number(name);
    if (!number)
        return 0;
    const size_t length = strlen(rank_file_name(number - 1, expected));
    const char *ending = name + length;
    bool fits = strncmp(name, expected, length) == 0 && (!*ending || strcmp(ending, TI_PACKED_ENDING) == 0);
    return fits ? number : 0;
}

static enum status copy_file(FILE *in, const char *from, const struct output_folder *into, const char *name)
{
    char bytes[1 << 16];
    size_t size;
    struct output output;
    enum status status = output_folder_file(into, name, &output);
    if (status != STATUS_OK)
        return status;
    while ((size = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, size, output.file); /* output_close reports what fails */
    if (ferror(in)) {
        diag_error("cannot read %s: %s", from, strerror(errno));
        status = STATUS_FAILED;
    }
    return output_close(&output, status);
}

static bool is_there(const struct output_folder *into, const char *name)
{
    char *path = mem_format("%s/%s", output_folder_path(into), name);
    const bool is = access(path, F_OK) == 0;
    free(path);
    return is;
}

static enum status copy_rank(const char *folder, const char *name, const struct output_folder *into)
{
    char *from = mem_format("%s/%s", folder, name);
    FILE *in = is_there(into, name) ? NULL : fopen(from, "rbe");
    enum status status = STATUS_BAD_INPUT;
    if (in)
        status = copy_file(in, from, into, name);
    else if (is_there(into, name))
        diag_error("%s: rank %" PRIu32 " is in another folder, too; each rank has one file", from,
                   number_of(name) - 1);
    else
        diag_error("cannot read %s: %s", from, strerror(errno));
    if (in)
        fclose(in);
    free(from);
    return status;
}

/* What a rank that did not end as it should has left beside its frames. */
static enum status copy_tail(const char *folder, const char *name, const struct output_folder *into)
{
    char *tail = captured_tail_path(name), *from = mem_format("%s/%s", folder, tail);
    const bool is_there = access(from, F_OK) == 0;
    enum status status = is_there ? copy_rank(folder, tail, into) : STATUS_OK;
    free(from);
    free(tail);
    return status;
}

static enum status copy_folder(const char *folder, const struct output_folder *into)
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
            if (status == STATUS_OK && ti_is_packed(entry->d_name))
                status = copy_tail(folder, entry->d_name, into);
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
        status = copy_folder(capture->collected[i], &folder);
    return output_folder_close(&folder, status);
}
