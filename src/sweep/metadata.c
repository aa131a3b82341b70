#include "sweep/metadata.h"

#include <stdlib.h>

#include "base/diag.h"

static enum status damaged(const struct store *store, const char *name, const char *expected)
{
    diag_error("%s is damaged: its note '%s' is not %s", store_path(store), name, expected);
    return STATUS_BAD_INPUT;
}

static bool has_only_texts(json_t *json)
{
    size_t index;
    json_t *value;
    const char *name;
    json_array_foreach(json, index, value) if (!json_is_string(value)) return false;
    json_object_foreach(json, name, value) if (!json_is_string(value)) return false;
    return true;
}

/* `read` makes JSON of the text; NULL: the text is damaged. `json` is empty before. */
static enum status read_note(struct store *store, const char *name, json_t *(*read)(const char *text),
                             const char *expected, json_t **json)
{
    char *text = NULL;
    enum status status = store_get_metadata(store, name, &text);
    if (status != STATUS_OK || !text)
        return status;
    json_t *found = read(text);
    free(text);
    if (!found || !has_only_texts(found)) {
        json_decref(found);
        return damaged(store, name, expected);
    }
    json_decref(*json);
    *json = found;
    return STATUS_OK;
}

enum status metadata_read_varied(struct store *store, json_t **names)
{
    *names = json_make_list();
    return read_note(store, STORE_VARIED, json_read_list, "a list of names", names);
}

enum status metadata_read_baseline(struct store *store, json_t **parameters)
{
    *parameters = json_make_object();
    return read_note(store, STORE_BASELINE, json_read_object, "an object of parameters", parameters);
}

enum status metadata_write(struct store *store, const char *name, json_t *json)
{
    char *text = json_take_line(json, JSON_EXACT);
    enum status status = store_set_metadata(store, name, text);
    free(text);
    return status;
}
