#include <string.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "breakdown/system.h"
#include "machine/machine.h"

/* ------------------------------------------------------------------ presets */

const struct machine_preset *machine_preset(const char *name)
{
    for (const struct machine_preset *preset = machine_presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}

const struct embedded_file *machine_preset_file(const struct machine_preset *preset)
{
    char *path = mem_format("machines/%s.yaml", preset->name);
    const struct embedded_file *file = embedded_find(machine_files, path);
    free(path);
    return file;
}

static const char *preset_name_at(const void *list, size_t index)
{
    return ((const struct machine_preset *)list)[index].name;
}

/* "hdr" means the only name with these letters. */
const char *machine_nearest(const char *name)
{
    size_t count = 0, containing = 0;
    const char *only = NULL;
    for (; machine_presets[count].name; count++)
        if (*name && strcasestr(machine_presets[count].name, name)) {
            only = machine_presets[count].name;
            containing++;
        }
    const char *nearest = diag_nearest(name, machine_presets, count, preset_name_at);
    return nearest ? nearest : containing == 1 ? only : NULL;
}

/* ----------------------------------------------------------------- sections */

static const char *one_line(struct machine *machine, struct config_reader *reader,
                            const struct config_node *node)
{
    if (node->kind == CONFIG_SCALAR && *node->text)
        return arena_text(&machine->texts, node->text, strlen(node->text));
    config_node_error(reader, node, "a line of text is expected here");
    return NULL;
}

static void read_name(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct machine *machine = self;
    machine->name = one_line(machine, reader, node);
}

static void read_doc(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct machine *machine = self;
    machine->doc = one_line(machine, reader, node);
}

static void read_source(struct machine *machine, struct config_reader *reader, const struct config_node *node)
{
    const struct param_table *table;
    if (!config_reader_param(reader, node->key, &table)) {
        config_key_error(reader, node, "there is no parameter '%s'%s", node->key,
                         diag_did_you_mean(config_reader_nearest(reader, node->key)));
        return;
    }
    const char *text = one_line(machine, reader, node);
    if (!text)
        return;
    machine->sources =
        mem_grow(machine->sources, &machine->source_capacity, machine->source_count + 1, "sources");
    machine->sources[machine->source_count++] = (struct machine_source){
        .param = arena_text(&machine->texts, node->key, strlen(node->key)), .text = text};
}

static void read_sources(void *self, struct config_reader *reader, const struct config_node *node)
{
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node, "sources is a map: nic.rate: where its value comes from");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        read_source(self, reader, &node->items[i]);
}

static void read_measured(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct machine *machine = self;
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node, "measured is a map: a name: what was measured, as text");
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct config_node *item = &node->items[i];
        const char *text = one_line(machine, reader, item);
        if (!text)
            continue;
        machine->measured = mem_grow(machine->measured, &machine->measured_capacity,
                                     machine->measured_count + 1, "what was measured");
        machine->measured[machine->measured_count++] = (struct machine_measured){
            .name = arena_text(&machine->texts, item->key, strlen(item->key)), .text = text};
    }
}

/* Read again as a system when the file has been read. */
static void read_system(void *self, struct config_reader *reader, const struct config_node *node)
{
    struct machine *machine = self;
    machine->system_origin = config_node_origin(reader, node, &machine->texts);
}

static void refuse(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)self;
    config_key_error(reader, node, "%s belongs to an experiment; a machine file says what the machine is",
                     node->key);
}

static const struct config_section sections[] = {
    {"name", read_name},
    {"doc", read_doc},
    {"sources", read_sources},
    {"measured", read_measured},
    {SYSTEM_SECTION, read_system},
    {"machine", refuse},
    {"trace", refuse},
    {"workload", refuse},
    {"fabric", refuse},
    {"seed", refuse},
    {"compat", refuse},
    {"plugins", refuse},
    {"sweep", refuse},
    {"seeds", refuse},
    {"baseline", refuse},
};

/* The host model of the machine is this file itself, whose section is read where hosts are. */
static enum status take_system(struct machine *machine, const char *text, size_t length)
{
    static const char param[] = "host.system";
    struct system_file file;
    if (!machine->system_origin)
        return STATUS_OK;
    if (!config_field(machine->config, param) ||
        strcmp(config_origin(machine->config, param), "default") != 0) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = machine->system_origin},
                    "the section system is a host model, and %s is another one; leave one of them out",
                    param);
        return STATUS_BAD_INPUT;
    }
    enum status status = system_init_text(&file, machine->file, text, length);
    if (status != STATUS_OK)
        return status;
    system_free(&file);
    char *path = bytes_to_text(machine->file);
    status = config_assign(machine->config, param, path, machine->system_origin);
    free(path);
    return status;
}

/* -------------------------------------------------------------------- files */

enum status machine_open_text(struct machine *machine, const char *file, const char *text, size_t length,
                              const struct config *like)
{
    *machine = (struct machine){.given = file, .config = config_open_like(like)};
    if (!machine->config)
        return STATUS_FAILED;
    machine->file = arena_text(&machine->texts, file, strlen(file));
    enum status status = config_read_text_with(machine->config, file, text, length, sections,
                                               sizeof sections / sizeof *sections, machine);
    if (status == STATUS_OK)
        status = take_system(machine, text, length);
    if (status != STATUS_OK)
        machine_close(machine);
    return status;
}

/* A command that is shown holds only these characters of a text from outside. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/,"

/* A run has one machine, since its manifest has the values of one. A sweep compares several, in one table. */
static void say_sweep(const char *given)
{
    diag_note("a run has one machine; this compares several, with your workload and fabrics in the place of "
              "these:");
    diag_note("printf 'workload: \"alltoall:ranks=16\"\\nfabric: [packet]\\nsweep: {machine: [%s]}\\n' "
              ">machines.yaml && helio sweep machines.yaml -o machines.db && helio export machines.db",
              given);
}

static enum status no_such(const char *given)
{
    diag_error("there is no machine '%s'%s", given, diag_did_you_mean(machine_nearest(given)));
    if (strchr(given, ',') && !given[strspn(given, PLAIN)])
        say_sweep(given);
    diag_note("a machine is a preset (helio machine list), a path to FILE.yaml, or %s", MACHINE_AS_PUBLISHED);
    return STATUS_BAD_INPUT;
}

bool machine_find_path(const char *bytes, size_t from, struct param_path *path)
{
    return strpbrk(bytes, "/.") && param_find_whole(bytes, from, path);
}

enum status machine_open(struct machine *machine, const char *given, const struct config *like)
{
    const struct machine_preset *preset = machine_preset(given);
    const struct embedded_file *file = preset ? machine_preset_file(preset) : NULL;
    enum status status;
    if (file) {
        status = machine_open_text(machine, file->path, file->text, file->length, like);
    } else if (!strpbrk(given, "/.")) {
        return no_such(given);
    } else {
        size_t length;
        char *text = config_load_file(given, &length);
        status = text ? machine_open_text(machine, given, text, length, like) : STATUS_BAD_INPUT;
        free(text);
    }
    if (status == STATUS_OK)
        machine->given = arena_text(&machine->texts, given, strlen(given));
    return status;
}

void machine_close(struct machine *machine)
{
    if (machine->config)
        config_close(machine->config);
    free(machine->sources);
    free(machine->measured);
    arena_free(&machine->texts);
    *machine = (struct machine){.given = NULL};
}
