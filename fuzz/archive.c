/* Any bytes as an archive of a trace: refused, or unpacked, compiled and run. */
#include <stdlib.h>

#include "base/file_kind.h"
#include "base/mem.h"
#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"
#include "trace/ti/archive.h"
#include "trace/ti/ti.h"

static struct compiled_trace *compile(const struct ti_files *files)
{
    struct trace_input input;
    const char **texts = mem_alloc(files->count, sizeof *texts, "the texts of ranks");
    size_t *sizes = mem_alloc(files->count, sizeof *sizes, "the texts of ranks");
    for (uint32_t rank = 0; rank < files->count; rank++) {
        texts[rank] = files->at[rank].bytes ? files->at[rank].bytes : "";
        sizes[rank] = files->at[rank].size;
    }
    ti_input_of_texts(&input, "fuzz", texts, sizes, files->count);
    struct compiled_trace *compiled = fuzz_compile(&input);
    trace_input_close(&input);
    free(texts);
    free(sizes);
    return compiled;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct ti_files files = {.count = 0};
    struct compiled_trace *compiled = NULL;
    bool is_one = file_kind_is_archive(data, size);
    if (is_one && archive_unpack("fuzz.tar", (const char *)data, size, &files) == STATUS_OK &&
        ti_files_order(&files, "fuzz.tar") == STATUS_OK)
        compiled = compile(&files);
    ti_files_free(&files);
    if (!compiled)
        return false;
    fuzz_run(fuzz_config(fuzz_settings(size)), &compiled->program);
    compiled->program.ops->close(&compiled->program);
    return true;
}
