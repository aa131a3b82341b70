#include "trace/output_name.h"

#include <stddef.h>
#include <string.h>

#include "base/diag.h"

static const struct {
    const char *ending;
    unsigned form; /* 0: archives that are only read */
} endings[] = {{".tar.zst", OUTPUT_NAME_ARCHIVE},
               {".helio", OUTPUT_NAME_COMPILED},
               {".goal", OUTPUT_NAME_GOAL},
               {".tar", 0},
               {".tar.gz", 0},
               {".tgz", 0},
               {".tar.xz", 0},
               {".zip", 0}};

bool output_name_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcmp(path + length - ending_length, ending) == 0;
}

bool output_name_fits(const char *path, unsigned forms, const char *what)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (output_name_ends_in(path, endings[i].ending) && !(endings[i].form & forms)) {
            diag_error("%s would be %s, which has no such ending; choose another name", path, what);
            return false;
        }
    return true;
}
