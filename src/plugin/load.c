#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "plugin/plugin.h"
#include "sim/components.h"

/* A plug-in stays loaded until the process ends: what it registered points into it. */

enum { LONGEST_NAME = 64 };

bool plugin_struct_is_valid(const char *what, size_t size, size_t least, const char *name, const char *doc)
{
    if (size < least) {
        diag_error("struct_size of %s is %zu, and at least %zu is needed: set it to sizeof the struct", what,
                   size, least);
        return false;
    }
    if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(name) || !doc) {
        diag_error("%s needs a name of a-z, 0-9, - and _, and a line of documentation", what);
        return false;
    }
    if (strlen(name) > LONGEST_NAME) {
        diag_error("the name of %s has %zu bytes, and may have %d", what, strlen(name), LONGEST_NAME);
        return false;
    }
    return true;
}

void *plugin_copy(const void *from, size_t from_size, size_t size)
{
    void *copy = mem_alloc(1, size, "a part from outside");
    memcpy(copy, from, from_size < size ? from_size : size);
    return copy;
}

/* ----------------------------------------------------- what they are given */

/* The functions of the header, which report what is wrong as all of the program does. */
#define REGISTER(part)                                                                                       \
    static enum heliograph_status register_##part(const struct heliograph_##part *part)                      \
    {                                                                                                        \
        return (enum heliograph_status)plugin_register_##part(part);                                         \
    }
REGISTER(fabric)
REGISTER(topology)
REGISTER(workload)
REGISTER(trace_format)
REGISTER(collective)
#undef REGISTER

static const struct heliograph_plugin_api api = {.struct_size = sizeof api,
                                                 .register_fabric = register_fabric,
                                                 .register_topology = register_topology,
                                                 .register_workload = register_workload,
                                                 .register_trace_format = register_trace_format,
                                                 .register_collective = register_collective};

/* ----------------------------------------------------------------- loading */

static struct {
    char *paths; /* joined by commas */
    char *text;  /* their text form */
    XXH3_state_t *contents;
    void *handles[64];
    size_t count;
} loaded;

static bool is_loaded(const void *handle)
{
    for (size_t i = 0; i < loaded.count; i++)
        if (loaded.handles[i] == handle)
            return true;
    return false;
}

static enum status start(const char *path, void *handle)
{
    enum heliograph_status (*init)(const struct heliograph_plugin_api *);
    void *symbol = dlsym(handle, "heliograph_plugin_init");
    if (!symbol) {
        diag_error("%s is no plug-in of Heliograph: it has no function heliograph_plugin_init", path);
        return STATUS_BAD_INPUT;
    }
    memcpy(&init, &symbol, sizeof init); /* C has no conversion between the two kinds of pointers */
    enum heliograph_status status = init(&api);
    if (status == HELIOGRAPH_OK)
        return STATUS_OK;
    diag_error("the plug-in %s could not register its parts", path);
    return status == HELIOGRAPH_FAILED ? STATUS_FAILED : STATUS_BAD_INPUT;
}

/* The parameters of a run with plug-ins. A run's results depend on what the files hold, so a hash of that is
 * one of them: it stands in the manifest, and a sweep runs again what a new plug-in may change. */
struct plugin_config {
    const char *paths, *hash;
};

static char hash_text[33];

static void *open_object(const char *path, int flags)
{
    char *name = strchr(path, '/') ? mem_text(path) : mem_format("./%s", path);
    void *handle = dlopen(name, flags);
    free(name);
    return handle;
}

bool plugin_is_loaded(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) /* dlopen would wait for a FIFO */
        return false;
    void *handle = open_object(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    bool is_there = handle && is_loaded(handle);
    if (handle)
        dlclose(handle);
    return is_there;
}

/* The value names plug-ins that are loaded: setting it loads none. */
static bool parse_paths(const struct param *self, const char *text, void *field,
                        struct param_problem *problem)
{
    char *paths = mem_text(text), *rest = paths;
    bool good = true, is_all = strcmp(text, loaded.paths) == 0;
    *(const char **)field = loaded.paths;
    for (char *path; !is_all && good && (path = strsep(&rest, ","));) {
        if (plugin_is_loaded(path))
            continue;
        good = false;
        problem->at = (uint32_t)(path - paths);
        snprintf(problem->text, sizeof problem->text,
                 "%s tells what is loaded, and %s is not; --plugin %s loads it", self->name, path, path);
    }
    free(paths);
    return good;
}

/* The hash cannot be chosen: it is there so that a run is not taken for one with another version of a
 * plug-in. */
static bool parse_hash(const struct param *self, const char *text, void *field, struct param_problem *problem)
{
    *(const char **)field = hash_text;
    if (strcmp(text, hash_text) == 0)
        return true;
    problem->at = 0;
    snprintf(problem->text, sizeof problem->text,
             "%s is that of the plug-ins which are loaded, %s; these are other plug-ins, or other versions",
             self->name, hash_text);
    return false;
}

/* Paths joined by commas. */
static bool find_path(const char *bytes, size_t from, struct param_path *path)
{
    path->at = from + (from && bytes[from] == ',');
    path->length = strcspn(bytes + path->at, ",");
    return path->length > 0;
}

static struct param plugin_param_list[] = {
    {.name = "plugins",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct plugin_config, paths),
     .parse = parse_paths,
     .find_path = find_path,
     .doc = "shared objects whose parts are loaded before anything else is read (docs/library.md)"},
    {.name = "plugins_hash",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct plugin_config, hash),
     .default_text = hash_text,
     .parse = parse_hash,
     .doc = "of the contents of the plug-ins; set by the program"},
};

static const struct param_table plugin_params = {.component = "plugins",
                                                 .doc = "parts that are loaded",
                                                 .params = plugin_param_list,
                                                 .count =
                                                     sizeof plugin_param_list / sizeof *plugin_param_list,
                                                 .size = sizeof(struct plugin_config)};

const char *plugin_hash(void)
{
    return hash_text;
}

static enum status add_contents(const char *path)
{
    char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    for (size_t length; good && (length = fread(bytes, 1, sizeof bytes, file)) > 0;)
        XXH3_128bits_update(loaded.contents, bytes, length);
    good = good && !ferror(file);
    if (!good)
        diag_error("cannot read %s: %s", path, strerror(errno));
    if (file)
        fclose(file);
    return good ? STATUS_OK : STATUS_FAILED;
}

static enum status remember(const char *path, void *handle)
{
    if (!loaded.contents) {
        loaded.contents = XXH3_createState();
        if (!loaded.contents)
            mem_exhausted("the hash of a plug-in");
        XXH3_128bits_reset(loaded.contents);
    }
    if (add_contents(path) != STATUS_OK)
        return STATUS_FAILED;
    XXH128_hash_t hash = XXH3_128bits_digest(loaded.contents);
    snprintf(hash_text, sizeof hash_text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    char *paths = loaded.paths ? mem_format("%s,%s", loaded.paths, path) : mem_text(path);
    free(loaded.paths);
    free(loaded.text);
    loaded.paths = paths;
    loaded.text = bytes_to_text(paths);
    loaded.handles[loaded.count++] = handle;
    plugin_param_list[0].default_text = loaded.text;
    components_add_params(&plugin_params);
    return STATUS_OK;
}

enum status plugin_load(const char *path)
{
    if (strchr(path, ',')) {
        diag_error("the path of a plug-in has no comma, which separates paths; '%s' has one", path);
        return STATUS_BAD_INPUT;
    }
    void *handle = open_object(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        diag_error("cannot load the plug-in: %s", dlerror()); /* which names the file */
        return STATUS_BAD_INPUT;
    }
    if (is_loaded(handle))
        return STATUS_OK;
    if (loaded.count == sizeof loaded.handles / sizeof *loaded.handles) {
        diag_error("%zu plug-ins are loaded; no more can be", loaded.count);
        return STATUS_BAD_INPUT;
    }
    enum status status = start(path, handle);
    return status == STATUS_OK ? remember(path, handle) : status;
}

static bool says(const struct config *config, const char *name, const char *expected)
{
    const char *text = config_text(config, name);
    return text && strcmp(text, expected) == 0;
}

enum status plugin_note(struct config *config)
{
    if (!loaded.paths || (says(config, "plugins", loaded.text) && says(config, "plugins_hash", hash_text)))
        return STATUS_OK;
    enum status status = config_assign(config, "plugins", loaded.text, "plug-ins");
    return status == STATUS_OK ? config_assign(config, "plugins_hash", hash_text, "plug-ins") : status;
}

/* -------------------------------------------------------- experiment files */

static enum status load_node(const struct config_reader *reader, const struct config_node *node,
                             const char *origin)
{
    const struct diag_place place = {.file = origin};
    if (node->kind != CONFIG_SCALAR || !*node->text) {
        diag_report(DIAG_ERROR, &place, "plugins is the path of a shared object, or a list of such paths");
        return STATUS_BAD_INPUT;
    }
    size_t at;
    char *text = config_node_text(reader, node, &plugin_param_list[0]);
    char *path = mem_alloc(strlen(text) + 1, 1, "a path");
    const char *fault = bytes_from_text(text, path, &at);
    if (fault)
        diag_report(DIAG_ERROR, &place, "%s", fault);
    enum status status = fault ? STATUS_BAD_INPUT : plugin_load(path);
    char *hint = param_path_hint(&plugin_param_list[0], text, origin);
    if (status != STATUS_OK)
        diag_report(DIAG_NOTE, &place, "the plug-in is named here");
    if (status != STATUS_OK && hint)
        diag_report(DIAG_NOTE, &place, "%s", hint);
    free(hint);
    free(path);
    free(text);
    return status;
}

static void read_section(void *self, struct config_reader *reader, const struct config_node *node)
{
    enum status *status = self;
    bool is_list = node->kind == CONFIG_LIST;
    struct arena texts = {0};
    for (size_t i = 0; *status == STATUS_OK && i < (is_list ? node->count : 1); i++) {
        const struct config_node *item = is_list ? &node->items[i] : node;
        *status = load_node(reader, item, config_node_origin(reader, item, &texts));
    }
    arena_free(&texts);
}

static const struct config_section plugins_section = {.name = "plugins", .read = read_section};

enum status plugin_load_from_text(const char *name, const char *text, size_t length)
{
    enum status status = STATUS_OK;
    config_scan_text(name, text, length, &plugins_section, &status);
    return status;
}
