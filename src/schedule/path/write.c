#include "schedule/path/write.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/progress.h"
#include "schedule/write.h"

void path_write(const struct path_problem *problem, const struct path_schedule *schedule, FILE *file)
{
    uint32_t *parallel = tdm_parallel_numbers(&problem->topo);
    fprintf(file, "%sstart_s,end_s,src,dst,%slinks\n", problem->planes > 1 ? "plane," : "",
            problem->hops > 1 ? "from,to," : "");
    progress_begin("writing the schedule", schedule->count);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct path_piece *piece = &schedule->pieces[i];
        const struct path_entry *entry = &problem->entries[piece->entry];
        uint32_t count;
        const uint32_t *links = path_route(problem, piece->route, &count);
        progress_tell(i);
        if (problem->planes > 1)
            fprintf(file, "%" PRIu32 ",", piece->plane);
        fprintf(file, "%" PRId64 ".%012" PRId64 ",%" PRId64 ".%012" PRId64 ",%" PRIu32 ",%" PRIu32 ",",
                piece->start_ps / PS_PER_S, piece->start_ps % PS_PER_S, piece->end_ps / PS_PER_S,
                piece->end_ps % PS_PER_S, path_piece_source(problem, piece),
                path_piece_destination(problem, piece));
        if (problem->hops > 1)
            fprintf(file, "%" PRIu32 ",%" PRIu32 ",", entry->source, entry->destination);
        tdm_write_links(&problem->topo, parallel, links, count, file);
        fputc('\n', file);
    }
    progress_end();
    free(parallel);
}
