#include "collfile/format.h"

extern const struct collfile_format msccl_format, forestcoll_format, teccl_format, circuits_format;

const struct collfile_format *const collfile_formats[] = {&msccl_format, &forestcoll_format, &teccl_format,
                                                          &circuits_format, NULL};

const char *collfile_format_at(size_t index, const char **doc)
{
    const struct collfile_format *format = collfile_formats[index];
    if (format)
        *doc = format->doc;
    return format ? format->name : NULL;
}
