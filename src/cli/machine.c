#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/group.h"
#include "machine/machine.h"
#include "output/quote.h"
#include "output/standard.h"
#include "sim/components.h"

/* helio machine: which machines there are, and what fabrics take from them. */

/* All parameters at their defaults. NULL: has been reported. */
static struct config *open_config(void)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    return config_open(tables, count);
}

/* --------------------------------------------------------------------- list */

static const struct cli_command list_command = {
    .name = "machine list",
    .words = "",
    .doc = "Lists the machines that have a name: what --machine takes beside files.",
};

static bool take_nothing(void *self, int found, const char *value)
{
    (void)self, (void)found;
    diag_error("helio machine list takes nothing, not '%s'", value);
    return false;
}

static enum status list_machines(const struct config *config)
{
    enum status status = STATUS_OK;
    for (const struct machine_preset *preset = machine_presets; status == STATUS_OK && preset->name;
         preset++) {
        struct machine machine;
        status = machine_open(&machine, preset->name, config);
        if (status != STATUS_OK)
            break;
        bool is_default = strcmp(preset->name, config_text(config, "machine")) == 0;
        printf("%-16s %s%s\n", machine.given, machine.doc, is_default ? " (the default)" : "");
        machine_close(&machine);
    }
    printf("%-16s each fabric with the numbers of its paper\n", MACHINE_AS_PUBLISHED);
    return status == STATUS_OK ? standard_flush() : status;
}

static int list(int argc, char **argv)
{
    int found = cli_read_all(&list_command, argc, argv, take_nothing, NULL);
    if (found != CLI_END)
        return cli_status(found);
    struct config *config = open_config();
    enum status status = config ? list_machines(config) : STATUS_FAILED;
    if (config)
        config_close(config);
    return status;
}

/* --------------------------------------------------------------------- show */

static const struct cli_command show_command = {
    .name = "machine show",
    .words = "NAME",
    .doc = "Prints the file of a machine, to read it or to make another from it.",
    .after = "Example:\n  helio machine show infiniband-ndr > mine.yaml; helio run ... --machine mine.yaml",
};

static bool take_show(void *name, int found, const char *value)
{
    (void)found;
    return cli_take_word(&show_command, name, value, "machine");
}

static int show(int argc, char **argv)
{
    const char *name = NULL;
    int found = cli_read_all(&show_command, argc, argv, take_show, &name);
    if (found != CLI_END)
        return cli_status(found);
    if (!name) {
        diag_error("helio machine show needs a machine: %s", show_command.words);
        return STATUS_BAD_INPUT;
    }
    const struct machine_preset *preset = machine_preset(name);
    const struct embedded_file *file = preset ? machine_preset_file(preset) : NULL;
    if (!file) {
        diag_error("there is no machine '%s'%s", name, diag_did_you_mean(machine_nearest(name)));
        return STATUS_BAD_INPUT;
    }
    fwrite(file->text, 1, file->length, stdout);
    return standard_flush();
}

/* -------------------------------------------------------------------- check */

static const struct cli_command check_command = {
    .name = "machine check",
    .words = "NAME|FILE.yaml",
    .doc =
        "Checks that every number of a machine has a source, and prints what each fabric derives from it.\n"
        "Exit status 0: nothing is wrong; 2: errors have been reported.",
};

static bool take_check(void *name, int found, const char *value)
{
    (void)found;
    return cli_take_word(&check_command, name, value, "machine");
}

static void put_value(void *self, const struct param *param, const char *value, const char *origin)
{
    const struct machine *machine = self;
    if (!value || strcmp(origin, "default") == 0)
        return;
    printf("  %-22s %-12s ", param->name, value);
    quote_terminal(stdout, machine_source_of(machine, param->name));
    putchar('\n');
}

static void put_measured(const struct machine *machine)
{
    if (machine->measured_count)
        puts("\nmeasured, and no parameter");
    for (size_t i = 0; i < machine->measured_count; i++) {
        char *name = quote_terminal_text(machine->measured[i].name);
        printf("  %-22s ", name);
        quote_terminal(stdout, machine->measured[i].text);
        putchar('\n');
        free(name);
    }
}

/* Fabrics that share a parameter derive it once. */
struct told {
    const char *params[64];
    size_t count;
};

static void put_derived(void *self, const struct derived *derived)
{
    struct told *told = self;
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->params[i], derived->param) == 0)
            return;
    if (told->count < sizeof told->params / sizeof *told->params)
        told->params[told->count++] = derived->param;
    bool is_derived = strncmp(derived->origin, "machine ", strlen("machine ")) == 0;
    printf("  %-22s %-12s %s\n", derived->param, derived->value,
           is_derived ? derived->formula : "set by the machine");
}

static enum status check_machine(const char *given, struct config *config)
{
    struct machine machine;
    enum status status = machine_open(&machine, given, config);
    if (status != STATUS_OK)
        return status;
    status = machine_check(&machine);
    if (status == STATUS_OK) {
        struct told told = {.count = 0};
        quote_terminal(stdout, machine.name);
        fputs(": ", stdout);
        quote_terminal(stdout, machine.doc);
        puts("\n\nthe machine");
        config_each(machine.config, &machine, put_value);
        put_measured(&machine);
        puts("\nwhat fabrics derive from it");
        status = machine_apply(&machine, config, put_derived, &told);
    }
    machine_close(&machine);
    enum status written = standard_flush();
    return status == STATUS_OK ? written : status;
}

static int check(int argc, char **argv)
{
    const char *name = NULL;
    int found = cli_read_all(&check_command, argc, argv, take_check, &name);
    if (found != CLI_END)
        return cli_status(found);
    if (!name) {
        diag_error("helio machine check needs a machine: %s", check_command.words);
        return STATUS_BAD_INPUT;
    }
    struct config *config = open_config();
    enum status status = config ? check_machine(name, config) : STATUS_FAILED;
    if (config)
        config_close(config);
    return status;
}

/* -------------------------------------------------------------------- group */

static const struct cli_subcommand commands[] = {
    {"list", list, "list the machines that have a name", NULL},
    {"show", show, "print the file of one", NULL},
    {"check", check, "check a machine file, and print what fabrics derive from it", NULL},
};

const struct cli_group cli_machine_group = {
    .title = "helio machine",
    .doc = "Machines: NICs, wires, switches and hosts that all fabrics of a comparison share "
           "(docs/machines.md).",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

int cli_machine(int argc, char **argv)
{
    return cli_group_run(&cli_machine_group, argc, argv);
}
