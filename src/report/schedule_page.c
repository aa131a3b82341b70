#include "report/schedule_page.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/diag.h"
#include "report/page.h"
#include "report/topology.h"

static json_t *json_of_links(const struct topo *topo)
{
    char name[TOPO_TEXT];
    json_t *links = json_array();
    for (uint32_t link = 0; link < topo->links; link++)
        json_array_append_new(links, json_string(topo_link_name(topo, link, name, sizeof name)));
    return links;
}

/* [source, destination, slot, links]: arrays, since a page has many of them. */
static json_t *json_of_connections(const struct scheduled *scheduled)
{
    const struct tdm_plan *plan = scheduled->plan;
    json_t *connections = json_array();
    for (uint32_t request = 0; request < plan->schedule.requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(&plan->problem, plan->schedule.route[request], &count);
        json_t *route = json_array();
        for (uint32_t i = 0; i < count; i++)
            json_array_append_new(route, json_integer(links[i]));
        json_array_append_new(
            connections, json_pack("[I, I, I, o]", (json_int_t)scheduled->pattern->requests[request].source,
                                   (json_int_t)scheduled->pattern->requests[request].destination,
                                   (json_int_t)plan->schedule.slot[request], route));
    }
    return connections;
}

static char *results_of(const struct scheduled *scheduled)
{
    char topology[TOPO_TEXT];
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o*}", "schema", "helio-schedule-page-1",
        "version", HELIO_VERSION, "pattern", scheduled->title, "topology",
        topo_print(scheduled->topo, topology, sizeof topology), "algorithm",
        tdm_algorithm_names[scheduled->method->algorithm], "free_routes", scheduled->method->free_routes,
        "nodes", (json_int_t)scheduled->topo->nodes, "degree", (json_int_t)scheduled->plan->schedule.degree,
        "lower_bound", (json_int_t)scheduled->plan->bound, "links", json_of_links(scheduled->topo),
        "connections", json_of_connections(scheduled), "picture", report_topology_picture(scheduled->topo));
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}

enum status schedule_page_save(const struct scheduled *scheduled, const char *path)
{
    char *results = results_of(scheduled);
    if (!results) {
        diag_error("cannot write the page: the pattern's name is not UTF-8");
        return STATUS_FAILED;
    }
    enum status status = report_page_save(path, &(struct report_content){.title = scheduled->title,
                                                                         .results = results,
                                                                         .meanings = "{}",
                                                                         .program = REPORT_OF_SCHEDULE});
    free(results);
    return status;
}
