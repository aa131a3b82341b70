#include "schedule/circuit/write.h"

#include <inttypes.h>

#include "base/progress.h"

void circuit_write(const struct circuit_problem *problem, const struct circuit_schedule *schedule, FILE *file)
{
    bool has_hops = problem->hops > 1;
    fprintf(file, "switch,start_s,end_s,src,dst%s\n", has_hops ? ",from,to" : "");
    progress_begin("writing the schedule", schedule->count);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct circuit_piece *piece = &schedule->pieces[i];
        const struct circuit_entry *entry = &problem->entries[piece->entry];
        progress_tell(i);
        fprintf(file,
                "%" PRIu32 ",%" PRId64 ".%012" PRId64 ",%" PRId64 ".%012" PRId64 ",%" PRIu32 ",%" PRIu32,
                piece->crossbar, piece->start_ps / PS_PER_S, piece->start_ps % PS_PER_S,
                piece->end_ps / PS_PER_S, piece->end_ps % PS_PER_S, circuit_piece_source(problem, piece),
                circuit_piece_destination(problem, piece));
        if (has_hops)
            fprintf(file, ",%" PRIu32 ",%" PRIu32, problem->sender_port[entry->sender],
                    problem->receiver_port[entry->receiver]);
        fputc('\n', file);
    }
    progress_end();
}
