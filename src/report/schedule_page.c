#include "report/schedule_page.h"

#include <stdlib.h>

#include "output/json.h"
#include "report/page.h"
#include "report/topology.h"

/* [source, destination, slot, links]: arrays, since a page has many of them. */
static json_t *connections_json(const struct scheduled *scheduled)
{
    const struct tdm_plan *plan = scheduled->plan;
    json_t *connections = json_make_list();
    for (uint32_t request = 0; request < plan->schedule.requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(&plan->problem, plan->schedule.route[request], &count);
        json_t *connection = json_make_list(), *route = json_make_list();
        for (uint32_t i = 0; i < count; i++)
            json_add_count(route, links[i]);
        json_add_count(connection, scheduled->pattern->requests[request].source);
        json_add_count(connection, scheduled->pattern->requests[request].destination);
        json_add_count(connection, plan->schedule.slot[request]);
        json_add(connection, route);
        json_add(connections, connection);
    }
    return connections;
}

static char *results_of(const struct scheduled *scheduled)
{
    char topology[TOPO_TEXT];
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-schedule-page-1");
    json_put_text(object, "version", HELIO_VERSION);
    json_put_text(object, "pattern", scheduled->title);
    json_put_text(object, "topology", topo_print(scheduled->topo, topology, sizeof topology));
    json_put_text(object, "algorithm", tdm_algorithm_names[scheduled->method->algorithm]);
    json_put_flag(object, "free_routes", scheduled->method->free_routes);
    json_put_count(object, "nodes", scheduled->topo->nodes);
    json_put_count(object, "degree", scheduled->plan->schedule.degree);
    json_put_count(object, "lower_bound", scheduled->plan->bound);
    json_put(object, "links", report_link_names(scheduled->topo));
    json_put(object, "connections", connections_json(scheduled));
    json_put(object, "picture", report_topology_picture(scheduled->topo));
    return json_take_line(object, JSON_EXACT);
}

enum status schedule_page_save(const struct scheduled *scheduled, const char *path)
{
    char *results = results_of(scheduled);
    enum status status = report_page_save(path, &(struct report_content){.title = scheduled->title,
                                                                         .results = results,
                                                                         .meanings = "{}",
                                                                         .program = REPORT_OF_SCHEDULE});
    free(results);
    return status;
}
