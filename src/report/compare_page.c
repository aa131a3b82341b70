#include "report/compare_page.h"

#include <stdlib.h>

#include "base/text_index.h"
#include "report/page.h"
#include "sim/network.h"

static json_t *side_json(const struct compare_page_side *side)
{
    json_t *object = json_make_object();
    json_put_text(object, "name", side->name);
    json_put(object, "result", json_copy_members(side->result));
    return object;
}

/* The styles of the fabrics of both results, each once. */
static char *meanings_text(const struct compare_page_side *a, const struct compare_page_side *b)
{
    const json_t *const runs[] = {json_object_get(a->result, "runs"), json_object_get(b->result, "runs")};
    struct text_index known = {.count = 0};
    json_t *styles = json_make_list(), *whole = json_make_object(), *run;
    for (size_t side = 0; side < 2; side++) {
        size_t index;
        json_array_foreach(runs[side], index, run)
        {
            const char *fabric = json_string_value(json_object_get(run, "fabric"));
            if (text_index_add(&known, fabric) == json_array_size(styles))
                json_add(styles, network_style_json(json_make_value(fabric)));
        }
    }
    text_index_free(&known);
    json_put(whole, "fabrics", styles);
    return json_take_line(whole, JSON_EXACT);
}

enum status compare_page_save(const char *path, const struct compare_page_side *a,
                              const struct compare_page_side *b, json_t *comparison)
{
    json_t *whole = json_make_object();
    json_put(whole, "a", side_json(a));
    json_put(whole, "b", side_json(b));
    json_put(whole, "comparison", comparison);
    char *results = json_take_line(whole, JSON_EXACT), *meanings = meanings_text(a, b);
    enum status status = report_page_save(path, &(struct report_content){.title = "A and B compared",
                                                                         .results = results,
                                                                         .meanings = meanings,
                                                                         .program = REPORT_OF_COMPARISON});
    free(results);
    free(meanings);
    return status;
}
