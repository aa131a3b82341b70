#include "schedule/path/ports.h"

#include "base/diag.h"
#include "base/mem.h"

bool path_ports_init(const struct path_problem *problem, uint32_t hops, struct circuit_problem *ports)
{
    const struct circuit_switching switching = {.delta_ps = problem->delta_ps,
                                                .rate_bytes_per_s = problem->rate_bytes_per_s,
                                                .switches = problem->planes,
                                                .hops = hops,
                                                .all_stop = problem->all_stop};
    struct circuit_demand demand = {.count = problem->count};
    demand.lines = mem_alloc((size_t)problem->count + 1, sizeof *demand.lines, "a demand");
    for (uint32_t i = 0; i < problem->count; i++)
        demand.lines[i] = (struct circuit_demand_line){
            problem->entries[i].source, problem->entries[i].destination, problem->entries[i].bytes};
    struct diag_silence silence = diag_begin_silence();
    enum status status = circuit_problem_init(ports, &demand, &switching);
    diag_end_silence(&silence);
    circuit_demand_free(&demand);
    return status == STATUS_OK;
}

void path_ports_take(const struct path_problem *problem, const struct circuit_schedule *found,
                     struct path_schedule *schedule)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct circuit_piece *from = &found->pieces[i];
        const struct path_entry *entry = &problem->entries[from->entry];
        struct path_piece piece = {.entry = from->entry,
                                   .route = problem->routes.first_route[from->entry],
                                   .plane = from->crossbar,
                                   .start_ps = from->start_ps,
                                   .end_ps = from->end_ps};
        if (from->via != CIRCUIT_NONE) {
            piece.between = from->via + 1;
            piece.is_second = from->is_second;
            piece.route = from->is_second ? path_way(problem, from->via, entry->destination)
                                          : path_way(problem, entry->source, from->via);
        }
        path_add(schedule, &piece);
    }
}
