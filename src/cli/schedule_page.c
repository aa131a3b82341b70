#include <jansson.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/schedule.h"
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

/* [source, destination, slot, links], as a page of many is long. */
static json_t *json_of_connections(const struct outcome *outcome)
{
    const struct tdm_plan *plan = &outcome->plan;
    json_t *connections = json_array();
    for (uint32_t request = 0; request < plan->schedule.requests; request++) {
        uint32_t count;
        const uint32_t *links = tdm_route(&plan->problem, plan->schedule.route[request], &count);
        json_t *route = json_array();
        for (uint32_t i = 0; i < count; i++)
            json_array_append_new(route, json_integer(links[i]));
        json_array_append_new(connections,
                              json_pack("[I, I, I, o]", (json_int_t)outcome->pattern.requests[request].source,
                                        (json_int_t)outcome->pattern.requests[request].destination,
                                        (json_int_t)plan->schedule.slot[request], route));
    }
    return connections;
}

static char *results_of(const struct settings *settings, const struct outcome *outcome, const char *title)
{
    char topology[TOPO_TEXT];
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o*}", "schema", "helio-schedule-page-1",
        "version", HELIO_VERSION, "pattern", title, "topology",
        topo_print(&outcome->topo, topology, sizeof topology), "algorithm",
        tdm_algorithm_names[settings->algorithm], "free_routes", settings->free_routes, "nodes",
        (json_int_t)outcome->topo.nodes, "degree", (json_int_t)outcome->plan.schedule.degree, "lower_bound",
        (json_int_t)outcome->plan.bound, "links", json_of_links(&outcome->topo), "connections",
        json_of_connections(outcome), "picture", report_topology_picture(&outcome->topo));
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}

enum status outcome_write_page(const struct settings *settings, const struct outcome *outcome,
                               const char *title, const char *path)
{
    struct report_page *page = NULL;
    char *results = results_of(settings, outcome, title);
    if (!results) {
        diag_error("cannot write the page: the pattern's name is not UTF-8");
        return STATUS_FAILED;
    }
    enum status status = report_page_open(path, &page);
    if (status == STATUS_OK)
        status = report_page_put(
            page, &(struct report_content){
                      .title = title, .results = results, .meanings = "{}", .program = REPORT_OF_SCHEDULE});
    status = report_page_close(page, status);
    if (status == STATUS_OK)
        diag_note("the report is %s: a page for any browser", path);
    free(results);
    return status;
}
