/* Any bytes as an archive of OTF2, on into a run: the anchor, the global definitions, and for up to four
 * locations their definitions and events, each behind its length in two bytes. Locations are numbered from 0
 * or from 100 on. The number of bytes chooses fabric and engine. */
#include "trace/otf2/otf2.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_run_trace.h"

static const char *const suffixes[][2] = {
    {".otf2", ".otf2"},     {".def", ".def"},       {"/0.def", "/100.def"}, {"/0.evt", "/100.evt"},
    {"/1.def", "/101.def"}, {"/1.evt", "/101.evt"}, {"/2.def", "/102.def"}, {"/2.evt", "/102.evt"},
    {"/3.def", "/103.def"}, {"/3.evt", "/103.evt"},
};
enum { PARTS = sizeof suffixes / sizeof *suffixes };

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct otf2_memory files[2 * PARTS];
    struct trace_input input;
    size_t at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        size_t length = at + 2 <= size ? data[at] | (size_t)data[at + 1] << 8 : 0;
        at = at + 2 <= size ? at + 2 : size;
        length = length <= size - at ? length : size - at;
        for (size_t k = 0; k < 2; k++)
            files[2 * i + k] = (struct otf2_memory){suffixes[i][k], data + at, length};
        at += length;
    }
    return otf2_input_of_files(&input, "fuzz.otf2", files, 2 * PARTS) == STATUS_OK &&
           fuzz_run_trace(&input, size);
}
