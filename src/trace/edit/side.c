#include "trace/edit/side.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/ti/write.h"
#include "workload/jobs.h"

static enum status rank_text(void *self, uint32_t rank, char **text, size_t *size)
{
    *text = ti_rank_text(self, rank, size);
    return *text ? STATUS_OK : STATUS_FAILED;
}

static enum status check(struct compiled_trace *const *sources, size_t count)
{
    enum status status = STATUS_OK;
    if (count > JOBS_MOST) {
        diag_error("%zu traces; at most %d can be merged", count, JOBS_MOST);
        return STATUS_BAD_INPUT;
    }
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = edit_check_source(sources[i]);
    return status;
}

enum status side_make(struct compiled_trace *const *sources, size_t count, const char *out,
                      struct compiled_trace **result)
{
    struct program **programs = mem_alloc(count, sizeof *programs, "traces"), *beside;
    enum status status = check(sources, count);
    for (size_t i = 0; i < count; i++)
        programs[i] = &sources[i]->program;
    for (size_t i = 0; status != STATUS_OK && i < count; i++)
        programs[i]->ops->close(programs[i]);
    if (status == STATUS_OK)
        status = jobs_beside(programs, count, &beside);
    free(programs);
    if (status != STATUS_OK)
        return status;
    const struct edit edit = {.ranks = beside->ranks, .rank_text = rank_text, .self = beside};
    beside->ops->rewind(beside);
    beside->total_calls = 0; /* the ranks that are read are the progress */
    status = edit_make(&edit, out, result);
    beside->ops->close(beside);
    return status;
}
