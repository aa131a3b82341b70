#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "source/source.h"

/* An executable or library. */
struct source_module {
    char *path;
    Dwfl *session;
    Dwfl_Module *module; /* NULL: it cannot be read */
    GElf_Addr bias;      /* from addresses of the file to those of libdwfl */
    bool has_told;       /* what it lacks */
};

struct source {
    struct source_module *modules;
    size_t count, capacity;
};

bool source_is_built_in(void)
{
    return true;
}

struct source *source_open(void)
{
    return mem_alloc(1, sizeof(struct source), "debug information");
}

void source_close(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        if (source->modules[i].session)
            dwfl_end(source->modules[i].session);
        free(source->modules[i].path);
    }
    free(source->modules);
    free(source);
}

/* Debug information that is not in the file itself is searched where the system keeps it. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static void open_module(struct source_module *module)
{
    module->session = dwfl_begin(&callbacks);
    if (!module->session)
        return;
    dwfl_report_begin(module->session);
    module->module = dwfl_report_offline(module->session, module->path, module->path, -1);
    dwfl_report_end(module->session, NULL, NULL);
    if (module->module && !dwfl_module_getelf(module->module, &module->bias))
        module->module = NULL;
}

static struct source_module *module_of(struct source *source, const char *path)
{
    for (size_t i = 0; i < source->count; i++)
        if (strcmp(source->modules[i].path, path) == 0)
            return &source->modules[i];
    source->modules = mem_grow(source->modules, &source->capacity, source->count + 1, "debug information");
    struct source_module *module = &source->modules[source->count++];
    *module = (struct source_module){.path = mem_text(path)};
    open_module(module);
    return module;
}

/* Compilers need not write an index of addresses (.debug_aranges): clang does not. Then each unit is asked.
 */
static void find_line(Dwfl_Module *module, GElf_Addr at, struct source_place *place)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = dwfl_module_addrdie(module, at, &bias);
    if (!unit)
        while ((unit = dwfl_module_nextcu(module, unit, &bias)) && dwarf_haspc(unit, at - bias) != 1)
            ;
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, at - bias) : NULL;
    const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    int line = 0;
    if (file && dwarf_lineno(found, &line) == 0 && line > 0) {
        place->file = mem_text(file);
        place->line = (uint32_t)line;
    }
}

/* Whether the build ID of the file, if it has one, is this one. */
static bool has_build(const struct source_module *module, const char *build)
{
    const unsigned char *bytes;
    GElf_Addr address;
    int count = dwfl_module_build_id(module->module, &bytes, &address);
    char text[41] = "";
    for (int i = 0; i < count && i < 20; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return count <= 0 || strcmp(text, build) == 0;
}

const char *source_obstacle(struct source *source, const char *path, const char *build)
{
    struct source_module *module = module_of(source, path);
    const char *reason = NULL;
    if (!module->module)
        reason = "it cannot be read here";
    else if (build && *build && !has_build(module, build))
        reason = "the file of this name here is another one than that which ran (it has another build ID)";
    if (!reason || !module->has_told) {
        module->has_told = reason != NULL;
        return reason;
    }
    return "";
}

struct source_place source_find(struct source *source, const char *path, uint64_t address)
{
    struct source_place place = {.file = NULL};
    const struct source_module *module = module_of(source, path);
    GElf_Off offset;
    GElf_Sym symbol;
    if (!module->module)
        return place;
    const GElf_Addr at = address + module->bias;
    find_line(module->module, at, &place);
    const char *function = dwfl_module_addrinfo(module->module, at, &offset, &symbol, NULL, NULL, NULL);
    if (function) {
        place.function = mem_text(function);
        place.offset = offset;
    }
    return place;
}
