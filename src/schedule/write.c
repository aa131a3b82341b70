#include "schedule/write.h"

#include <inttypes.h>

#include "base/mem.h"
#include "base/progress.h"

/* A network link, for sorting those of the same two switches together. The way back over a link that is both
 * directions has the number behind all links. */
struct parallel {
    uint32_t from, to, link;
};

static int compare_parallels(const void *a, const void *b)
{
    const struct parallel *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return left->link < right->link ? -1 : left->link > right->link;
}

uint32_t *tdm_parallel_numbers(const struct topo *topo)
{
    uint32_t *numbers = mem_alloc(2 * (size_t)topo->links + 1, sizeof *numbers, "numbers of links");
    uint32_t most = 2 * (topo->links - 2 * topo->nodes) + 1, count = 0;
    struct parallel *parallels = mem_alloc(most, sizeof *parallels, "numbers of links");
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_ends ends = topo_link_ends(topo, link);
        parallels[count++] = (struct parallel){ends.from.id, ends.to.id, link};
        if (topo_link_reverse(topo, link) == link && ends.from.id != ends.to.id)
            parallels[count++] = (struct parallel){ends.to.id, ends.from.id, topo->links + link};
    }
    qsort(parallels, count, sizeof *parallels, compare_parallels);
    for (uint32_t i = 1; i < count; i++)
        if (parallels[i - 1].from == parallels[i].from && parallels[i - 1].to == parallels[i].to)
            numbers[parallels[i].link] = numbers[parallels[i - 1].link] + 1;
    free(parallels);
    return numbers;
}

static void write_parallel(uint32_t number, FILE *file)
{
    if (number)
        fprintf(file, "/%" PRIu32, number);
}

void tdm_write_links(const struct topo *topo, const uint32_t *parallel, const uint32_t *links, uint32_t count,
                     FILE *file)
{
    uint32_t at = topo_behind(topo, 0, links[0]);
    for (uint32_t i = 1; i + 1 < count; i++) {
        bool is_back = topo_link_ends(topo, links[i]).from.id != at;
        uint32_t to = topo_behind(topo, at, links[i]);
        fprintf(file, "%s%" PRIu32 ">%" PRIu32, i > 1 ? " " : "", at, to);
        write_parallel(parallel[links[i] + (is_back ? topo->links : 0)], file);
        at = to;
    }
}

void tdm_write_schedule(const struct topo *topo, const struct tdm_pattern *pattern,
                        const struct tdm_problem *problem, const struct tdm_schedule *schedule, FILE *file)
{
    uint32_t *parallel = tdm_parallel_numbers(topo);
    uint32_t *all = mem_alloc(topo_route_limit(topo), sizeof *all, "a route");
    fputs("src,dst,slot,links\n", file);
    progress_begin("writing the schedule", schedule->requests);
    for (uint32_t request = 0; request < schedule->requests; request++) {
        const struct tdm_request *pair = &pattern->requests[request];
        progress_tell(request);
        uint32_t count;
        const uint32_t *links = tdm_route(problem, schedule->route[request], &count);
        if (!topo->ops->choose) { /* with the links that any number of connections can hold */
            count = topo_route(topo, pair->source, pair->destination, all);
            links = all;
        }
        fprintf(file, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", pair->source, pair->destination,
                schedule->slot[request]);
        tdm_write_links(topo, parallel, links, count, file);
        fputc('\n', file);
    }
    progress_end();
    free(all);
    free(parallel);
}

/* ----------------------------------------------------------------- switches */

/* One connection of one switch in one slot. */
struct connection {
    uint32_t place, slot, input, output; /* place: the switch; input and output: links */
};

static int compare_connections(const void *a, const void *b)
{
    const struct connection *left = a, *right = b;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    return left->input < right->input ? -1 : left->input > right->input;
}

static struct connection *connections_of(const struct topo *topo, const struct tdm_problem *problem,
                                         const struct tdm_schedule *schedule, size_t *count)
{
    struct connection *connections = NULL;
    size_t capacity = 0;
    *count = 0;
    for (uint32_t request = 0; request < schedule->requests; request++) {
        uint32_t hops;
        const uint32_t *links = tdm_route(problem, schedule->route[request], &hops);
        connections = mem_grow(connections, &capacity, *count + hops, "switch settings");
        for (uint32_t i = 0; i + 1 < hops; i++)
            connections[(*count)++] = (struct connection){topo_link_to(topo, links[i]),
                                                          schedule->slot[request], links[i], links[i + 1]};
    }
    if (*count)
        qsort(connections, *count, sizeof *connections, compare_connections);
    return connections;
}

static void write_end(struct topo_end end, uint32_t parallel, FILE *file)
{
    fprintf(file, "%s%" PRIu32, end.is_node ? "n" : "", end.id);
    write_parallel(parallel, file);
}

void tdm_write_switches_csv(const struct topo *topo, const struct tdm_problem *problem,
                            const struct tdm_schedule *schedule, FILE *file)
{
    size_t count;
    uint32_t *parallel = tdm_parallel_numbers(topo);
    struct connection *connections = connections_of(topo, problem, schedule, &count);
    fputs("switch,slot,input,output\n", file);
    progress_begin("writing the switches", count);
    for (size_t i = 0; i < count; i++) {
        progress_tell(i);
        const struct connection *at = &connections[i];
        fprintf(file, "%" PRIu32 ",%" PRIu32 ",", at->place, at->slot);
        write_end(topo_link_ends(topo, at->input).from, parallel[at->input], file);
        fputc(',', file);
        write_end(topo_link_ends(topo, at->output).to, parallel[at->output], file);
        fputc('\n', file);
    }
    progress_end();
    free(connections);
    free(parallel);
}

/* Writes the connections of one switch in one slot, from *at on; *at moves behind them. */
static void write_slot(const struct topo *topo, const uint32_t *parallel,
                       const struct connection *connections, size_t count, size_t *at, FILE *file)
{
    size_t first = *at;
    fputc('[', file);
    for (; *at < count && connections[*at].place == connections[first].place &&
           connections[*at].slot == connections[first].slot;
         ++*at) {
        fputs(*at > first ? ", [\"" : "[\"", file);
        write_end(topo_link_ends(topo, connections[*at].input).from, parallel[connections[*at].input], file);
        fputs("\", \"", file);
        write_end(topo_link_ends(topo, connections[*at].output).to, parallel[connections[*at].output], file);
        fputs("\"]", file);
    }
    fputc(']', file);
}

void tdm_write_switches_json(const struct topo *topo, const struct tdm_problem *problem,
                             const struct tdm_schedule *schedule, FILE *file)
{
    size_t count, at = 0;
    uint32_t *parallel = tdm_parallel_numbers(topo);
    struct connection *connections = connections_of(topo, problem, schedule, &count);
    fprintf(file, "{\"degree\": %" PRIu32 ", \"switches\": [", schedule->degree);
    progress_begin("writing the switches", topo->switches);
    for (uint32_t place = 0; place < topo->switches; place++) {
        progress_tell(place);
        fprintf(file, "%s\n  {\"switch\": %" PRIu32 ", \"slots\": [", place ? "," : "", place);
        for (uint32_t slot = 0; slot < schedule->degree; slot++) {
            fputs(slot ? ", " : "", file);
            if (at < count && connections[at].place == place && connections[at].slot == slot)
                write_slot(topo, parallel, connections, count, &at, file);
            else
                fputs("[]", file);
        }
        fputs("]}", file);
    }
    progress_end();
    fputs("\n]}\n", file);
    free(connections);
    free(parallel);
}
