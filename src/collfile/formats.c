#include "collfile/format.h"

#define SCHEDULE_FORMAT(name) extern const struct collfile_format name##_format;
#include "collfile/formats.def"
#undef SCHEDULE_FORMAT

const struct collfile_format *const collfile_formats[] = {
#define SCHEDULE_FORMAT(name) &name##_format,
#include "collfile/formats.def"
#undef SCHEDULE_FORMAT
    NULL};

const char *collfile_format_at(size_t index, const char **doc)
{
    const struct collfile_format *format = collfile_formats[index];
    if (format)
        *doc = format->doc;
    return format ? format->name : NULL;
}
