#include "trace/input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/file_kind.h"
#include "base/mem.h"
#include "trace/formats.h"
#include "trace/image/content.h"
#include "trace/ti/source.h"

static char *short_name(const char *path)
{
    static const char *const endings[] = {".zst",  ".gz",  ".xz",  ".bz2",   ".tar", ".meta",
                                          ".otf2", ".tgz", ".txz", ".helio", ".txt"};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length - begin > ending && !memcmp(path + length - ending, endings[i], ending))
            length -= ending;
    }
    return mem_format("%.*s", (int)(length - begin), path + begin);
}

/* `head` has room for TRACE_PROBE_BYTES, all 0. */
static enum status look(const char *path, unsigned char *head, struct trace_probe *probe)
{
    struct stat about;
    *probe = (struct trace_probe){.path = path, .head = head};
    if (stat(path, &about))
        return content_cannot_read(path);
    probe->is_folder = S_ISDIR(about.st_mode);
    if (probe->is_folder)
        return STATUS_OK;
    if (!S_ISREG(about.st_mode)) { /* it is read more than once */
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                    "neither a file nor a folder; give a trace that can be read again");
        return STATUS_BAD_INPUT;
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        return content_cannot_read(path);
    probe->head_size = fread(head, 1, TRACE_PROBE_BYTES, file);
    fclose(file);
    return STATUS_OK;
}

static enum status report_unknown(const char *path)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "no trace format claims it");
    for (size_t i = 0; trace_formats[i]; i++)
        diag_note("%s: %s", trace_formats[i]->name, trace_formats[i]->doc);
    return STATUS_BAD_INPUT;
}

bool trace_input_is_likely(const char *path)
{
    unsigned char head[TRACE_PROBE_BYTES] = {0};
    struct trace_probe probe = {.path = path, .head = head};
    struct stat about;
    if (stat(path, &about))
        return false;
    if (S_ISDIR(about.st_mode))
        return true;
    FILE *file = S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    probe.head_size = fread(head, 1, TRACE_PROBE_BYTES, file);
    fclose(file);
    const struct trace_format *format = trace_format_of(&probe);
    const struct file_kind *kind = file_kind_of((const char *)head, probe.head_size);
    if ((format && format->probe(format, &probe) > TRACE_CLAIM_LAST) ||
        file_kind_is_archive(head, probe.head_size))
        return true;
    return kind ? !kind->is_experiment : ti_source_is_index(path, (const char *)head, probe.head_size);
}

enum status trace_input_open(struct trace_input *input, const char *path)
{
    unsigned char head[TRACE_PROBE_BYTES] = {0};
    struct trace_probe probe;
    enum status status = look(path, head, &probe);
    if (status != STATUS_OK)
        return status;
    *input = (struct trace_input){.format = trace_format_of(&probe), .path = path};
    if (!input->format)
        return report_unknown(path);
    input->name = short_name(path);
    if (input->format->open)
        status = input->format->open(input, &probe);
    if (status != STATUS_OK)
        free(input->name);
    return status;
}

void trace_input_close(struct trace_input *input)
{
    if (input->format->close)
        input->format->close(input);
    free(input->name);
    *input = (struct trace_input){0};
}
