#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/mem.h"
#include "base/text_index.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "coll/choice.h"
#include "engine/params.h"
#include "machine/machine.h"
#include "output/standard.h"
#include "sim/components.h"

static const struct cli_option options[] = {CLI_PLUGIN};

static const struct cli_command command = {
    .name = "params",
    .words = "[FILTER]",
    .doc = "Prints every parameter whose name contains FILTER (all without one) as an experiment file:\n"
           "commented, with defaults, ready to be edited and given to helio run. What the machine gives\n"
           "is a comment, so that a file that names another machine gets the values of that one.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

static bool take(void *filter, int found, const char *value)
{
    (void)found; /* there are no options */
    return cli_take_word(&command, filter, value, "filter");
}

/* ------------------------------------------------- what the machine gives */

/* The values of an experiment on the default machine, and the formulas of those that fabrics derive. */
struct on_machine {
    struct config *config;
    const char *name;
    struct text_index derived;
    const char **formulas; /* in the order of `derived` */
    size_t capacity;
};

static void keep_formula(void *self, const struct derived *derived)
{
    struct on_machine *on = self;
    size_t index = text_index_add(&on->derived, derived->param);
    on->formulas = mem_grow(on->formulas, &on->capacity, index + 1, "formulas");
    on->formulas[index] = derived->formula;
}

/* Whether one of the machines has a value of its own for it. */
static bool is_of_machines(const struct param *param)
{
    for (size_t i = 0; i < machine_params.count; i++)
        if (strcmp(machine_params.params[i].name, param->name) == 0)
            return true;
    for (const struct machine_preset *preset = machine_presets; preset->name; preset++)
        for (const struct machine_value *value = preset->values; value->param; value++)
            if (strcmp(value->param, param->name) == 0)
                return true;
    return false;
}

static bool find_given(void *self, const struct param *param, const char **value, char **comment)
{
    struct on_machine *on = self;
    const size_t index = text_index_find(&on->derived, param->name);
    const char *published = param->default_text ? param->default_text : "none";
    *value = config_text(on->config, param->name);
    if (index != SIZE_MAX)
        *comment =
            mem_format("%s: %s; %s: %s", on->name, on->formulas[index], MACHINE_AS_PUBLISHED, published);
    else if (strcmp(config_origin(on->config, param->name), "default") != 0)
        *comment = mem_format("given by the machine %s; %s: %s", on->name, MACHINE_AS_PUBLISHED, published);
    else if (*value && strcmp(*value, COLL_CHOICE_TUNED) == 0)
        *comment = mem_format("the machine's mpi.tuning chooses; %s: %s", MACHINE_AS_PUBLISHED, published);
    else if (is_of_machines(param))
        *comment = mem_text("other machines give other values");
    else
        return false;
    return true;
}

static enum status apply_machine(struct on_machine *on)
{
    struct machine machine;
    enum status status = machine_open(&machine, on->name, on->config);
    if (status != STATUS_OK)
        return status;
    status = machine_apply(&machine, on->config, keep_formula, on);
    machine_close(&machine);
    return status == STATUS_OK ? collective_config_settle(on->config) : status;
}

static enum status print(const struct param_table *const *tables, size_t count, const char *filter)
{
    struct on_machine on = {.config = config_open(tables, count)};
    if (!on.config)
        return STATUS_FAILED;
    char *name = mem_text(config_text(on.config, "machine"));
    on.name = name;
    enum status status = apply_machine(&on);
    const struct config_given given = {.find = find_given, .self = &on};
    if (status == STATUS_OK && config_print_manual(tables, count, filter, &given, stdout) == 0) {
        diag_error("no parameter's name contains '%s'", filter);
        status = STATUS_BAD_INPUT;
    }
    config_close(on.config);
    text_index_free(&on.derived);
    free(on.formulas);
    free(name);
    return status;
}

int cli_params(int argc, char **argv)
{
    const char *filter = NULL;
    int found = cli_read_all(&command, argc, argv, take, &filter);
    if (found != CLI_END)
        return cli_status(found);
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    enum status status = print(tables, count, filter);
    return status == STATUS_OK ? standard_flush() : status;
}
