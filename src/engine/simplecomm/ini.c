#include "engine/simplecomm/ini.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/mem.h"

enum { FILE_AT_MOST = 1 << 20, ERRORS_AT_MOST = 20, WORD_AT_MOST = 64 };

/* -------------------------------------------------------------------- keys */

enum ini_section {
    SECTION_NONE, /* before the first section */
    SECTION_UNKNOWN,
    SECTION_SIMULATION,
    SECTION_TOPOLOGY,
    SECTION_COLLECTIVES,
    SECTIONS
};

static const char *const section_names[SECTIONS] = {
    [SECTION_NONE] = "",
    [SECTION_UNKNOWN] = "",
    [SECTION_SIMULATION] = "Simulation",
    [SECTION_TOPOLOGY] = "TOPOLOGY",
    [SECTION_COLLECTIVES] = "CollectiveAlgorithm",
};

/* A word of SimpleComm, and the same in our parameters. */
struct ini_word {
    const char *theirs, *ours;
};
static const struct ini_word topologies[] = {
    {"KAHUNA", "packet"}, {"FMU", "fmu"}, {"HYBRID", "hybrid"}, {"InfiniBand", "packet"}, {NULL, NULL}};

/* fmu_monitor_incoming_recv decides whether this means LEAST_S or LEAST_SR. */
static const char least_used[] = "LEAST_USED_FMU";
static const struct ini_word idle_kinds[] = {
    {"NONE", "NONE"},       {"SIMPLE", "SIMPLE"},     {"RANDOM", "RANDOM"}, {least_used, least_used},
    {"LEAST_S", "LEAST_S"}, {"LEAST_SR", "LEAST_SR"}, {NULL, NULL}};
static const struct ini_word mappings[] = {{"STATIC", "STATIC"},           {"INTERLEAVE", "INCREMENTAL"},
                                           {"RANDOM", "RANDOM"},           {least_used, least_used},
                                           {"LEAST_S", "LEAST_S"},         {"LEAST_SR", "LEAST_SR"},
                                           {"INCREMENTAL", "INCREMENTAL"}, {NULL, NULL}};
static const struct ini_word truths[] = {{"True", "1"}, {"False", "0"}, {NULL, NULL}};
static const struct ini_word progress_levels[] = {
    {"blank", ""}, {"overall", ""}, {"perrank", ""}, {NULL, NULL}};
static const struct ini_word linear_only[] = {{"basic_linear", "linear"}, {NULL, NULL}};
static const struct ini_word binomial_only[] = {{"binomial_tree", "binomial"}, {NULL, NULL}};
static const struct ini_word reduces[] = {
    {"binomial_tree", "binomial"}, {"alltoroot", "linear"}, {NULL, NULL}};
static const struct ini_word allreduces[] = {
    {"reduceBinomialTree_bcast", "reduceBinomialTree_bcast"}, {"reduce_bcast", "reduce_bcast"}, {NULL, NULL}};
static const struct ini_word alltoallvs[] = {
    {"nbc_like_simgrid", "nbc_like_simgrid"}, {"nbc_improved", "nbc_improved"}, {NULL, NULL}};

/* Which topologies need a number. */
enum { NEEDED_BY_NETWORK = 1, NEEDED_BY_FMU = 2, NEEDED_BY_NODES = 4, NEEDED_BY_ALL = 7 };

static const struct ini_key {
    const char *name;
    enum ini_section section;
    const char *param; /* NULL: it has no effect, or is assigned at the end of the file */
    const char *unit;  /* of a number; NULL: a word */
    const struct ini_word *words;
    unsigned needed_by;
} keys[] = {
    {"show_progress_level", SECTION_SIMULATION, NULL, NULL, progress_levels, 0},
    {"print_communication_trace", SECTION_SIMULATION, NULL, NULL, truths, 0},
    {"computation", SECTION_SIMULATION, "compute.scale", NULL, truths, 0},
    {"number_of_cores_per_node", SECTION_SIMULATION, "ranks_per_node", "", NULL, 0},
    {"booster_factor", SECTION_SIMULATION, "simplecomm.booster_factor", "", NULL, 0},
    {"use_booster_factor_every", SECTION_SIMULATION, "simplecomm.booster_every", "", NULL, 0},
    {"topology", SECTION_TOPOLOGY, NULL, NULL, topologies, 0},
    {"eager_protocol_max_size", SECTION_TOPOLOGY, "mpi.eager_threshold", " B", NULL, NEEDED_BY_ALL},
    {"number_of_fmus", SECTION_TOPOLOGY, "fmu.count", "", NULL, NEEDED_BY_FMU},
    {"fmu_monitor_incoming_recv", SECTION_TOPOLOGY, NULL, NULL, truths, 0},
    {"fmu_seek_idle_kind", SECTION_TOPOLOGY, NULL, NULL, idle_kinds, 0},
    {"fmu_mapping", SECTION_TOPOLOGY, NULL, NULL, mappings, 0},
    {"fmu_bandwidth", SECTION_TOPOLOGY, "fmu.bandwidth", " B/s", NULL, NEEDED_BY_FMU},
    {"fmu_latency", SECTION_TOPOLOGY, "fmu.t_switch", " s", NULL, NEEDED_BY_FMU},
    {"fmu_pivot_value", SECTION_TOPOLOGY, NULL, "", NULL, 0}, /* SimpleComm reads it, and computes its own */
    {"internode_bandwidth", SECTION_TOPOLOGY, "packet.bandwidth", " B/s", NULL, NEEDED_BY_NETWORK},
    {"internode_latency", SECTION_TOPOLOGY, "packet.latency", " s", NULL, NEEDED_BY_NETWORK},
    {"intranode_bandwidth", SECTION_TOPOLOGY, "intranode.bandwidth", " B/s", NULL, NEEDED_BY_NODES},
    {"intranode_latency", SECTION_TOPOLOGY, "intranode.latency", " s", NULL, NEEDED_BY_NODES},
    {"processing_speed", SECTION_TOPOLOGY, "compute.rate", " flop/s", NULL, NEEDED_BY_ALL},
    {"CA_Allreduce", SECTION_COLLECTIVES, "simplecomm.allreduce", NULL, allreduces, 0},
    {"CA_Alltoall", SECTION_COLLECTIVES, NULL, NULL, linear_only, 0},
    {"CA_Alltoallv", SECTION_COLLECTIVES, "simplecomm.alltoallv", NULL, alltoallvs, 0},
    {"CA_Barrier", SECTION_COLLECTIVES, NULL, NULL, linear_only, 0},
    {"CA_Bcast", SECTION_COLLECTIVES, NULL, NULL, binomial_only, 0},
    {"CA_Reduce", SECTION_COLLECTIVES, "mpi.reduce", NULL, reduces, 0},
};
enum { KEYS = sizeof keys / sizeof *keys };

static size_t key_index(const char *name)
{
    size_t i = 0;
    while (i < KEYS && strcasecmp(keys[i].name, name) != 0)
        i++;
    return i;
}

static const char *key_name_at(const void *list, size_t index)
{
    return ((const struct ini_key *)list)[index].name;
}

static const char *word_at(const void *list, size_t index)
{
    return ((const struct ini_word *)list)[index].theirs;
}

/* ------------------------------------------------------------------ places */

/* A part of the present line, without blanks at its ends. */
struct ini_span {
    const char *at;
    size_t length;
};

struct ini_reader {
    struct config *config;
    const char *name; /* of the file */
    struct ini_span source;
    uint64_t line;
    size_t indent; /* of the keys above; SimpleComm reads a deeper line as more of the last value */
    enum ini_section section;
    bool begun[SECTIONS];
    bool given[KEYS];
    const char *origin[KEYS]; /* of values that are assigned at the end of the file */
    bool monitors;            /* fmu_monitor_incoming_recv */
    const char *idle_kind, *mapping, *topology;
    struct arena texts;
    size_t errors;
};

__attribute__((format(printf, 3, 4))) static void wrong(struct ini_reader *ini, struct ini_span where,
                                                        const char *format, ...)
{
    char message[768];
    va_list args;
    if (ini->errors++ >= ERRORS_AT_MOST)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = ini->name,
                                     .line = ini->line,
                                     .column = (uint32_t)(where.at - ini->source.at) + 1,
                                     .span = (uint32_t)where.length,
                                     .source = ini->source.at,
                                     .source_length = ini->source.length},
                "%s", message);
}

static struct ini_span trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return (struct ini_span){at, (size_t)(end - at)};
}

static const char *text_of(struct ini_reader *ini, struct ini_span stretch)
{
    return arena_text(&ini->texts, stretch.at, stretch.length);
}

/* ------------------------------------------------------------------ values */

static const char *origin_of(struct ini_reader *ini)
{
    char *text = mem_format("%s:%llu", ini->name, (unsigned long long)ini->line);
    const char *kept = arena_text(&ini->texts, text, strlen(text));
    free(text);
    return kept;
}

static void assign(struct ini_reader *ini, const struct ini_key *key, const char *value,
                   struct ini_span where)
{
    struct param_problem problem;
    if (!config_try(ini->config, key->param, value, origin_of(ini), &problem))
        wrong(ini, where, "%s: %s", key->name, problem.text);
}

/* A number goes to the parameter as it is written, followed by its unit, so that it is read exactly. */
static void read_number(struct ini_reader *ini, const struct ini_key *key, struct ini_span where)
{
    const char *value = text_of(ini, where);
    if (!*value || value[strspn(value, "0123456789.+-eE")]) {
        wrong(ini, where, "%s is a bare number%s%s, as in SimpleComm%s", key->name, *key->unit ? " in" : "",
              key->unit, strpbrk(value, "#;") ? "; a comment needs a line of its own" : "");
        return;
    }
    if (!key->param)
        return;
    /* With a bandwidth of 0 the messages of SimpleComm take no time. */
    bool timeless = strcmp(key->param, "intranode.bandwidth") == 0 && !value[strspn(value, "0.")];
    char *quantity = mem_format("%s%s", timeless ? "9223372036854775807" : value, key->unit);
    assign(ini, key, quantity, where);
    free(quantity);
}

static const char *find_word(const struct ini_word *words, const char *value, size_t *count)
{
    const char *found = NULL;
    for (*count = 0; words[*count].theirs; ++*count)
        if (strcasecmp(words[*count].theirs, value) == 0)
            found = words[*count].ours;
    return found;
}

static void unknown_word(struct ini_reader *ini, const struct ini_key *key, struct ini_span where,
                         const char *value, size_t count)
{
    char all[256] = "";
    for (size_t i = 0, used = 0; i < count; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 key->words[i].theirs);
    wrong(ini, where, "%s is %s, not '%.*s'%s", key->name, all, WORD_AT_MOST, value,
          diag_did_you_mean(diag_nearest(value, key->words, count, word_at)));
}

static void read_word(struct ini_reader *ini, const struct ini_key *key, struct ini_span where)
{
    const char *value = text_of(ini, where);
    size_t count;
    const char *ours = find_word(key->words, value, &count);
    /* SimpleComm takes all but exactly True as False; other spellings are refused. */
    if (key->words == truths && ours && strcmp(value, "True") != 0 && strcmp(value, "False") != 0)
        ours = NULL;
    if (!ours)
        unknown_word(ini, key, where, value, count);
    else if (strcmp(key->name, "fmu_monitor_incoming_recv") == 0)
        ini->monitors = *ours == '1';
    else if (key->words == idle_kinds)
        ini->idle_kind = ours;
    else if (key->words == mappings)
        ini->mapping = ours;
    else if (key->words == topologies)
        ini->topology = ours;
    else if (key->param)
        assign(ini, key, ours, where);
}

/* ------------------------------------------------------------------- lines */

static void read_section(struct ini_reader *ini, struct ini_span line)
{
    const char *close = memchr(line.at, ']', line.length);
    ini->section = SECTION_UNKNOWN;
    if (!close) {
        wrong(ini, line, "a section is [NAME]; its bracket is not closed");
        return;
    }
    const char *name = text_of(ini, (struct ini_span){line.at + 1, (size_t)(close - line.at) - 1});
    int section = SECTION_SIMULATION;
    while (section < SECTIONS && strcmp(section_names[section], name) != 0)
        section++;
    if (section == SECTIONS) {
        wrong(ini, line, "SimpleComm has no section [%.*s]; there are [%s], [%s] and [%s]", WORD_AT_MOST,
              name, section_names[SECTION_SIMULATION], section_names[SECTION_TOPOLOGY],
              section_names[SECTION_COLLECTIVES]);
        return;
    }
    if (ini->begun[section])
        wrong(ini, line, "[%s] is there twice", name);
    ini->begun[section] = true;
    ini->section = (enum ini_section)section;
    ini->indent = SIZE_MAX;
}

static void read_key(struct ini_reader *ini, struct ini_span key, struct ini_span value)
{
    const char *name = text_of(ini, key);
    size_t index = key_index(name);
    if (index == KEYS) {
        wrong(ini, key, "SimpleComm has no key '%.*s'%s", WORD_AT_MOST, name,
              diag_did_you_mean(diag_nearest(name, keys, KEYS, key_name_at)));
        return;
    }
    const struct ini_key *known = &keys[index];
    if (ini->given[index])
        wrong(ini, key, "%s is given twice", known->name);
    else if (ini->section == SECTION_NONE)
        wrong(ini, key, "%s stands before the first section; it belongs in [%s]", known->name,
              section_names[known->section]);
    else if (ini->section != known->section && ini->section != SECTION_UNKNOWN)
        wrong(ini, key, "%s belongs in [%s], not in [%s]", known->name, section_names[known->section],
              section_names[ini->section]);
    ini->given[index] = true;
    ini->origin[index] = origin_of(ini);
    if (known->unit)
        read_number(ini, known, value);
    else
        read_word(ini, known, value);
}

/* The first of two signs. */
static const char *find_either(struct ini_span line, char a, char b)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.at[i] == a || line.at[i] == b)
            return line.at + i;
    return NULL;
}

static const char *find_comment(struct ini_span line)
{
    for (size_t i = 0; i + 1 < line.length; i++)
        if (line.at[i] == '/' && line.at[i + 1] == '/')
            return line.at + i;
    return line.at + line.length;
}

static void read_line(struct ini_reader *ini)
{
    struct ini_span line = trimmed(ini->source.at, ini->source.at + ini->source.length);
    if (line.length == 0 || *line.at == '#' || *line.at == ';')
        return;
    line = trimmed(line.at, find_comment(line));
    if (line.length == 0 || (line.length == 3 && memcmp(line.at, "...", 3) == 0))
        return; /* Listing 2 has dots where it leaves something out */
    if (memchr(line.at, '\0', line.length)) {
        wrong(ini, line, "this is not text: it has a byte 0");
        return;
    }
    if (*line.at == '[') {
        read_section(ini, line);
        return;
    }
    size_t indent = (size_t)(line.at - ini->source.at);
    const char *sign = find_either(line, '=', ':');
    if (indent > ini->indent)
        wrong(ini, line,
              "SimpleComm reads an indented line as part of the value above it; remove the indent");
    else if (!sign)
        wrong(ini, line, "a line is [SECTION], KEY = VALUE, or a comment that begins with #");
    else
        read_key(ini, trimmed(line.at, sign), trimmed(sign + 1, line.at + line.length));
    if (indent < ini->indent)
        ini->indent = indent;
}

/* ---------------------------------------------------------- the whole file */

static void assign_late(struct ini_reader *ini, const char *key, const char *param, const char *value)
{
    struct param_problem problem;
    const char *origin = ini->origin[key_index(key)];
    if (strcmp(value, least_used) == 0)
        value = ini->monitors ? "LEAST_SR" : "LEAST_S";
    config_try(ini->config, param, value, origin ? origin : ini->name, &problem);
}

static void report_missing(const struct ini_reader *ini)
{
    char missing[512] = "";
    unsigned needs = strcmp(ini->topology, "packet") == 0 ? NEEDED_BY_NETWORK : NEEDED_BY_FMU;
    if (strcmp(ini->topology, "hybrid") == 0)
        needs |= NEEDED_BY_NETWORK;
    if (ini->given[key_index("number_of_cores_per_node")])
        needs |= NEEDED_BY_NODES;
    size_t used = 0;
    for (size_t i = 0; i < KEYS; i++)
        if ((keys[i].needed_by & needs) && !ini->given[i])
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "",
                                     keys[i].name);
    if (used)
        diag_note(
            "%s leaves out %s: the values are those of the FMU paper's Table 3, not the placeholders of "
            "SimpleComm (10 s, 10 B/s)",
            ini->name, missing);
}

static enum status finish(struct ini_reader *ini)
{
    if (ini->errors > ERRORS_AT_MOST)
        diag_note("%s: and %zu more errors", ini->name, ini->errors - ERRORS_AT_MOST);
    if (ini->errors)
        return STATUS_BAD_INPUT;
    assign_late(ini, "topology", "fabric", ini->topology);
    assign_late(ini, "fmu_seek_idle_kind", "fmu.try_idle", ini->idle_kind);
    assign_late(ini, "fmu_mapping", "fmu.among_all", ini->mapping);
    report_missing(ini);
    return STATUS_OK;
}

enum status simplecomm_read_ini_text(struct config *config, const char *name, const char *text, size_t length)
{
    struct ini_reader ini = {.config = config,
                             .name = name,
                             .indent = SIZE_MAX,
                             .monitors = true,
                             .idle_kind = "NONE",
                             .mapping = "STATIC",
                             .topology = "packet"};
    const char *at = text, *end = text + length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3; /* a byte order mark */
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        ini.source = (struct ini_span){at, (size_t)((newline ? newline : end) - at)};
        ini.line++;
        read_line(&ini);
        at = newline ? newline + 1 : end;
    }
    struct param_problem problem;
    config_try(config, "compat", "simplecomm", name, &problem);
    enum status status = finish(&ini);
    arena_free(&ini.texts);
    return status;
}

enum status simplecomm_read_ini(struct config *config, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_BAD_INPUT;
    if (file) {
        text = mem_alloc(FILE_AT_MOST + 1, 1, "a configuration file");
        length = fread(text, 1, FILE_AT_MOST + 1, file);
    }
    if (!file || ferror(file))
        diag_error("cannot read %s: %s", path, strerror(errno));
    else if (length > FILE_AT_MOST)
        diag_error("%s has more than 1 MiB, so it is not a configuration of SimpleComm", path);
    else
        status = simplecomm_read_ini_text(config, path, text, length);
    if (file)
        fclose(file);
    free(text);
    return status;
}
