#include "compare/result_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "sim/result.h"

enum { FILE_BYTES_AT_MOST = 256 << 20 };

/* What a file is that is no result, as far as its first bytes tell; NULL: something else. */
static const char *kind_of(const char *text, size_t length)
{
    static const struct {
        const char *begins, *is;
    } kinds[] = {{"SQLite format 3", "the results of a sweep; helio report, helio plot and helio export read "
                                     "them, and helio rerun one of its runs, as FILE.db#1"},
                 {"<!DOCTYPE", "a page without results; give one of helio run --html"},
                 {"fabric,src,dst", "a list of messages; give the JSON that helio run --json prints"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t begin = strlen(kinds[i].begins);
        if (length >= begin && memcmp(text, kinds[i].begins, begin) == 0)
            return kinds[i].is;
    }
    return NULL;
}

static enum status refuse(const char *file, const char *what)
{
    diag_error("%s is not a result of helio run --json: %s", file, what);
    return STATUS_BAD_INPUT;
}

/* In a page of helio run --html the result is the text of one element, in which no '<' occurs
 * (report/page.c). */
static void skip_to_results(const char **text, size_t *length)
{
    static const char page[] = "<!DOCTYPE html>", element[] = "id=\"results\">";
    const char *end = *text + *length;
    if (*length < sizeof page || memcmp(*text, page, sizeof page - 1) != 0)
        return;
    const char *begin = memmem(*text, *length, element, sizeof element - 1);
    if (!begin)
        return;
    *text = begin + sizeof element - 1;
    const char *close = memchr(*text, '<', (size_t)(end - *text));
    *length = (size_t)((close ? close : end) - *text);
}

static enum status read_json(const char *file, const char *text, size_t length, json_t **json)
{
    struct json_fault fault;
    skip_to_results(&text, &length);
    const char *kind = kind_of(text, length);
    if (kind) {
        diag_error("%s is %s", file, kind);
        return STATUS_BAD_INPUT;
    }
    *json = json_read(text, length, &fault);
    if (*json)
        return STATUS_OK;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = file, .line = fault.line, .column = fault.column},
                "%s; a result of helio run --json would be right", fault.text);
    return STATUS_BAD_INPUT;
}

static enum status check_runs(const char *file, const json_t *runs)
{
    if (json_array_size(runs) == 0)
        return refuse(file, "it has no runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        if (!result_text(run, "fabric") || !result_is_time(result_number(run, "makespan_s")))
            return refuse(file, "a run has no fabric, or no time");
        for (size_t k = 0; k < i; k++)
            if (strcmp(result_text(json_array_get(runs, k), "fabric"), result_text(run, "fabric")) == 0)
                return refuse(file, "it has two runs on one fabric");
    }
    return STATUS_OK;
}

/* JSON of another program, or another command. */
static enum status refuse_fields(const char *file, const json_t *json)
{
    enum { SHOWN = 4 };
    char *names = mem_text("");
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)json, name, value)
    {
        if (count++ >= SHOWN)
            continue;
        char *longer = mem_format("%s%s%s", names, *names ? ", " : "", name);
        free(names);
        names = longer;
    }
    char *what = count ? mem_format("its fields are %s%s, and not schema, manifest and runs", names,
                                    count > SHOWN ? ", ..." : "")
                       : mem_text("it has no fields schema, manifest and runs");
    free(names);
    const enum status status = refuse(file, what);
    free(what);
    return status;
}

static enum status check(const char *file, const json_t *json)
{
    const json_t *manifest = json_object_get(json, "manifest"), *runs = json_object_get(json, "runs");
    const json_t *schema = json_object_get(json, "schema");
    if (!json_is_object(manifest) || !json_is_array(runs) || !json_is_integer(schema))
        return refuse_fields(file, json);
    if (json_integer_value(schema) != RESULT_SCHEMA) {
        diag_error("%s has schema %" JSON_INTEGER_FORMAT "; this version compares results of schema %d", file,
                   json_integer_value(schema), RESULT_SCHEMA);
        return STATUS_BAD_INPUT;
    }
    if (!result_text(manifest, "program") || !result_text(manifest, "version") ||
        !json_is_object(json_object_get(manifest, "parameters")))
        return refuse(file, "its manifest has no program, version or parameters");
    return check_runs(file, runs);
}

enum status result_text_read(const char *file, const char *text, size_t length, json_t **json)
{
    *json = NULL;
    enum status status = read_json(file, text, length, json);
    if (status == STATUS_OK)
        status = check(file, *json);
    if (status == STATUS_OK)
        return STATUS_OK;
    json_decref(*json);
    *json = NULL;
    return status;
}

enum status result_file_load(const char *file, char **text, size_t *length)
{
    return file_load(file, FILE_BYTES_AT_MOST, "a result of helio run --json", text, length);
}

enum status result_file_read(const char *file, json_t **json)
{
    char *text = NULL;
    size_t length = 0;
    *json = NULL;
    enum status status = result_file_load(file, &text, &length);
    if (status == STATUS_OK)
        status = result_text_read(file, text, length, json);
    free(text);
    return status;
}
