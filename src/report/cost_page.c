#include "report/cost_page.h"

#include "base/text_index.h"
#include "sim/network.h"

/* The styles of the fabrics, each once. */
static json_t *styles_json(const json_t *networks)
{
    struct text_index known = {.count = 0};
    json_t *styles = json_make_list(), *network;
    size_t index;
    json_array_foreach(networks, index, network)
    {
        const char *fabric = json_string_value(json_object_get(network, "fabric"));
        if (text_index_add(&known, fabric) == json_array_size(styles))
            json_add(styles, network_style_json(json_make_value(fabric)));
    }
    text_index_free(&known);
    return styles;
}

static void add_price(void *self, const struct param *param, const char *value, const char *origin)
{
    json_t *price = json_make_object();
    (void)origin;
    json_put_text(price, "name", param->name);
    json_put_value(price, "value", value);
    json_put_text(price, "doc", param->doc);
    json_add(self, price);
}

enum status cost_page_put(struct report_page *page, const char *program, json_t *results,
                          const struct config *prices)
{
    json_t *list = json_make_list();
    config_each(prices, list, add_price);
    json_put(results, "prices", list);
    json_put(results, "fabrics", styles_json(json_object_get(results, "networks")));
    return report_page_put_json(page, program, REPORT_OF_COST, "helio-cost-page-1", results);
}
