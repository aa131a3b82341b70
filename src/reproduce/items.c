#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "output/standard.h"
#include "reproduce/internal.h"

static const char *name_at(const void *list, size_t index)
{
    return ((const struct configuration *)list)[index].name;
}

static const char *unknown_at(const void *list, size_t index)
{
    return ((const struct unknown *)list)[index].name;
}

static const char *item_at(const void *list, size_t index)
{
    return ((const struct published_item *)list)[index].item;
}

static bool has_configuration(const struct reproduction *reproduction, const char *name)
{
    for (size_t i = 0; name && i < reproduction->configurations.count; i++)
        if (strcmp(reproduction->configurations.list[i].name, name) == 0)
            return true;
    return false;
}

/* Leaves one configuration. False, reported: there is none of that name. */
static bool choose(struct reproduction *reproduction, const char *name)
{
    struct configurations *configurations = &reproduction->configurations;
    for (size_t i = 0; i < configurations->count; i++)
        if (strcmp(configurations->list[i].name, name) == 0) {
            configurations->list[0] = configurations->list[i];
            configurations->count = 1;
            return true;
        }
    diag_error("%s has no configuration '%s'%s", reproduction->paper->name, name,
               diag_did_you_mean(diag_nearest(name, configurations->list, configurations->count, name_at)));
    return false;
}

/* Changes a choice of all configurations that are left: "coloring=initial". False, reported: it is none. */
static bool change(struct reproduction *reproduction, const char *unknown, const char *value)
{
    struct configurations *configurations = &reproduction->configurations;
    size_t index = configurations_unknown(configurations, unknown);
    if (index == configurations->unknown_count) {
        diag_error("--with: papers/%s/unknowns.csv has no unknown '%s'%s", reproduction->paper->name, unknown,
                   diag_did_you_mean(diag_nearest(unknown, configurations->unknowns,
                                                  configurations->unknown_count, unknown_at)));
        return false;
    }
    const char *text = unknown_value(&configurations->unknowns[index], value);
    if (!text) {
        diag_error("--with: papers/%s/unknowns.csv does not list the value '%s' of %s",
                   reproduction->paper->name, value, unknown);
        return false;
    }
    for (size_t i = 0; i < configurations->count; i++) {
        struct configuration *configuration = &configurations->list[i];
        configuration->choices[index] = text;
        configuration_settle(configurations, configuration);
    }
    if (reproduction->searches) {
        configurations->unknowns[index].values[0] = text;
        configurations->unknowns[index].count = 1;
    }
    return true;
}

bool configurations_change(struct reproduction *reproduction, const char *changes)
{
    char *texts = mem_text(changes ? changes : ""), *rest = *texts ? texts : NULL;
    bool good = true;
    for (char *one; good && (one = strsep(&rest, " "));) {
        char *value = strchr(one, '=');
        if (value)
            *value++ = '\0';
        else
            diag_error("--with: '%s' is no UNKNOWN=VALUE", one);
        good = value && change(reproduction, one, value);
    }
    free(texts);
    return good;
}

static bool change_for_good(struct reproduction *reproduction, const char *changes)
{
    struct configurations *configurations = &reproduction->configurations;
    for (size_t i = 0; changes && i < configurations->count; i++)
        configurations->list[i].is_found = false; /* no search has chosen that */
    return configurations_change(reproduction, changes);
}

static bool is_published(const struct reproduction *reproduction)
{
    const struct published *published = &reproduction->published;
    for (size_t i = 0; i < published->count; i++)
        if (fnmatch(reproduction->wanted, published->items[i].item, 0) == 0)
            return true;
    diag_error(
        "%s has no number '%s'%s", reproduction->paper->name, reproduction->wanted,
        diag_did_you_mean(diag_nearest(reproduction->wanted, published->items, published->count, item_at)));
    return false;
}

static void print_number(const char *name, bool is_known, double value, const char *unit)
{
    if (is_known)
        printf("%-14s %.7g%s%s\n", name, value, *unit ? " " : "", unit);
}

/* `changes`: of the configuration; NULL: none. */
static void print_row(const struct reproduction_row *row, const struct configuration *configuration,
                      const char *changes)
{
    const struct published_item *published = row->published;
    printf("%-14s %s\n%-14s %s\n", "number", published->item, "source", published->source);
    print_number("published", published->has_value, published->value, published->unit);
    print_number("tolerance", published->has_tolerance, published->tolerance_percent, "%");
    print_number("ours", !isnan(row->ours), row->ours, published->unit);
    if (!isnan(row->deviation_percent))
        printf("%-14s %+.3g %%\n", "deviation", row->deviation_percent);
    printf("%-14s %s\n", "verdict", verdict_name(row->verdict));
    printf("%-14s %s: %s\n", "configuration", configuration->name, configuration->says);
    if (changes)
        printf("%-14s %s\n", "with", changes);
    if (*row->note)
        printf("%-14s %s\n", "note", row->note);
    if (*row->experiment)
        printf("%-14s %s\n", "experiment", row->experiment);
}

static void print_rows(const struct reproduction *reproduction, const char *changes)
{
    const struct configuration *best = configuration_best(reproduction);
    const char *between = "";
    for (size_t i = 0; i < reproduction->row_count; i++) {
        const struct reproduction_row *row = &reproduction->rows[i];
        if (!row_is_of(row, best) || fnmatch(reproduction->wanted, row->published->item, 0) != 0)
            continue;
        fputs(between, stdout);
        print_row(row, best, changes);
        between = "\n";
    }
}

/* Only rows that are wanted count for the best configuration, where the paper names none. */
static void drop_others(struct reproduction *reproduction)
{
    size_t kept = 0;
    for (size_t i = 0; i < reproduction->row_count; i++) {
        struct reproduction_row *row = &reproduction->rows[i];
        if (fnmatch(reproduction->wanted, row->published->item, 0) == 0) {
            reproduction->rows[kept++] = *row;
            continue;
        }
        free(row->name);
        free(row->note);
    }
    reproduction->row_count = kept;
}

enum status reproduce_items(const struct paper *paper, const struct reproduce_options *options)
{
    struct reproduction reproduction;
    enum status status = reproduction_open(&reproduction, paper, options);
    reproduction.wanted = options->items;
    const char *configuration = options->configuration;
    if (!configuration && status == STATUS_OK && has_configuration(&reproduction, paper->headline))
        configuration = paper->headline;
    if (status == STATUS_OK &&
        (!is_published(&reproduction) || (configuration && !choose(&reproduction, configuration)) ||
         !change_for_good(&reproduction, options->changes)))
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = reproduction_complete(&reproduction);
    if (status == STATUS_OK) {
        drop_others(&reproduction);
        print_rows(&reproduction, options->changes);
        status = standard_flush();
    }
    reproduction_close(&reproduction);
    return status;
}
