#include "reproduce/published.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/units.h"
#include "reproduce/csv.h"
#include "reproduce/papers.h"

/* -------------------------------------------------------------------- files */

static bool number(const char *text, double *value)
{
    struct units_problem problem;
    bool negative = *text == '-';
    if (!units_number(text + negative, value, &problem))
        return false;
    *value = negative ? -*value : *value;
    return true;
}

static const char *take_item(void *self, const char *const *fields)
{
    struct published *published = self;
    struct published_item item = {.item = fields[0], .unit = fields[2], .source = fields[4]};
    item.has_value = *fields[1] != '\0';
    if (!*item.item || !*item.source)
        return "an item needs a name and a source";
    if (published_find(published, item.item))
        return "there is another line of this item";
    item.is_cut = *fields[3] == '+';
    item.has_tolerance = *fields[3] != '\0';
    if ((item.has_value && !number(fields[1], &item.value)) ||
        (item.has_tolerance && !number(fields[3] + item.is_cut, &item.tolerance_percent)))
        return "'published' and 'tolerance_percent' are numbers";
    published->items = mem_grow(published->items, &published->capacity, published->count + 1, "items");
    published->items[published->count++] = item;
    return NULL;
}

static const char *add_line(struct published_lines *lines, const char *pattern, const char *text,
                            enum published_role role, const char *experiment)
{
    if (!*pattern || !*text)
        return "a line needs an item and a text";
    lines->list = mem_grow(lines->list, &lines->capacity, lines->count + 1, "lines");
    lines->list[lines->count++] =
        (struct published_line){.pattern = pattern, .text = text, .role = role, .experiment = experiment};
    return NULL;
}

static const char *take_note(void *self, const char *const *fields)
{
    struct published *published = self;
    return add_line(&published->notes, fields[0], fields[1], ROLE_NONE, fields[2]);
}

static const char *const role_names[] = {[ROLE_INPUT] = "input",
                                         [ROLE_FITTED] = "fitted",
                                         [ROLE_HELD_OUT] = "held out",
                                         [ROLE_SEARCHED] = "searched",
                                         [ROLE_CHOOSES] = "chooses",
                                         [ROLE_TESTS] = "tests",
                                         [ROLE_NOT_COMPUTABLE] = "not computable"};

static const char *take_role(void *self, const char *const *fields)
{
    struct published *published = self;
    enum published_role role = ROLE_NONE;
    for (size_t i = ROLE_INPUT; i < sizeof role_names / sizeof *role_names; i++)
        role = strcmp(fields[1], role_names[i]) == 0 ? (enum published_role)i : role;
    if (role == ROLE_NONE)
        return "a role is input, fitted, held out, searched, chooses, tests or not computable";
    return add_line(&published->roles, fields[0], fields[2], role, "");
}

static const struct published_file {
    const char *name;
    bool is_optional;
    struct csv_table table;
} files[] = {
    {"published.csv", false, {"item,published,unit,tolerance_percent,source\n", 5, take_item}},
    {"notes.csv", false, {"item,note,experiment\n", 3, take_note}},
    {"roles.csv", true, {"item,role,why\n", 3, take_role}},
};

enum status published_load(struct published *published, const char *paper)
{
    *published = (struct published){0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == STATUS_OK; i++) {
        char *path = mem_format("papers/%s/%s", paper, files[i].name);
        const struct embedded_file *file = embedded_find(paper_files, path);
        if (file)
            status = csv_read(file, &files[i].table, &published->texts, published);
        else if (!files[i].is_optional) {
            diag_error("there is no %s in this program", path);
            status = STATUS_FAILED;
        }
        free(path);
    }
    if (status != STATUS_OK)
        published_free(published);
    return status;
}

void published_free(struct published *published)
{
    free(published->items);
    free(published->notes.list);
    free(published->roles.list);
    arena_free(&published->texts);
    *published = (struct published){0};
}

/* ------------------------------------------------------------------ look up */

const struct published_item *published_find(const struct published *published, const char *item)
{
    for (size_t i = 0; i < published->count; i++)
        if (strcmp(published->items[i].item, item) == 0)
            return &published->items[i];
    return NULL;
}

static const struct published_line *first_fit(const struct published_lines *lines, const char *name)
{
    for (size_t i = 0; i < lines->count; i++)
        if (fnmatch(lines->list[i].pattern, name, 0) == 0)
            return &lines->list[i];
    return NULL;
}

const struct published_line *published_line(const struct published_lines *lines, const char *item,
                                            const char *variant)
{
    const struct published_line *line = NULL;
    if (variant) {
        char *name = mem_format("%s/%s", item, variant);
        line = first_fit(lines, name);
        free(name);
    }
    return line ? line : first_fit(lines, item);
}

bool published_is_met(const struct published_item *item, double ours)
{
    /* Tolerances are decimal numbers: half a unit of the ninth digit more keeps a value on the edge inside.
     */
    const double more_percent = 5e-10;
    double most = fabs(item->value) * item->tolerance_percent / 100 * (1 + more_percent);
    double least = item->is_cut ? fabs(item->value) / 100 * more_percent : most;
    return ours - item->value <= most && item->value - ours <= least;
}

bool role_is_searched(enum published_role role)
{
    return role == ROLE_SEARCHED || role == ROLE_CHOOSES || role == ROLE_TESTS;
}

/* In no configuration in particular. */
static enum published_role role_of(const struct published *published, const struct published_item *item)
{
    const struct published_line *role = published_line(&published->roles, item->item, NULL);
    return role ? role->role : ROLE_NONE;
}

bool published_is_searched(const struct published *published, const struct published_item *item)
{
    return role_is_searched(role_of(published, item)) && item->has_value && item->has_tolerance;
}

bool published_is_held_out(const struct published *published, const struct published_item *item)
{
    enum published_role role = role_of(published, item);
    if (published->held_out && fnmatch(published->held_out, item->item, 0) == 0)
        return true;
    if (role == ROLE_TESTS)
        return !published->held_out;
    return role != ROLE_CHOOSES && (hash_texts(&item->item, 1) & 1);
}
