#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/rng.h"
#include "schedule/pattern.h"

/* Patterns by name: those of sections 3.4 and 4.2, for the numbers of nodes for which they are defined. */
struct pattern_name {
    const char *name;
    const struct param_table *params; /* NULL: none */
    /* Fills *pattern, or says why it cannot in *problem and returns false. */
    bool (*make)(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256]);
};

static bool impossible(char problem[256], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool impossible(char problem[256], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, 256, format, arguments);
    va_end(arguments);
    return false;
}

static bool must_be_power(uint32_t nodes, char problem[256])
{
    return !(nodes & (nodes - 1)) ||
           impossible(problem, "it needs a power of two of nodes, not %" PRIu32, nodes);
}

/* ------------------------------------------------------------------- random */

struct random_config {
    uint64_t connections, seed;
};

PARAM_TABLE(random_params, "random", struct random_config,
            "distinct pairs of distinct nodes, in random order",
            {.name = "connections",
             .type = PARAM_COUNT,
             .offset = offsetof(struct random_config, connections),
             .default_text = "100",
             .min = "1",
             .max = "67108864",
             .doc = "how many pairs"},
            {.name = "seed",
             .type = PARAM_COUNT,
             .offset = offsetof(struct random_config, seed),
             .default_text = "1",
             .doc = "which of the random patterns"});

enum { MOST_RANDOM_NODES = 1 << 14 };

static bool make_random(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    const struct random_config *random = config;
    uint64_t pairs = (uint64_t)nodes * (nodes - 1);
    if (nodes > MOST_RANDOM_NODES)
        return impossible(problem, "it is made for at most %d nodes", MOST_RANDOM_NODES);
    if (random->connections > pairs)
        return impossible(problem, "there are only %" PRIu64 " pairs of %" PRIu32 " nodes", pairs, nodes);
    struct rng rng = rng_init(random->seed, "tdm.pattern");
    unsigned char *drawn = mem_alloc((size_t)nodes * nodes / 8 + 1, 1, "a random pattern");
    while (pattern->count < random->connections) {
        uint32_t source = (uint32_t)rng_below(&rng, nodes), destination = (uint32_t)rng_below(&rng, nodes);
        size_t pair = (size_t)source * nodes + destination;
        if (source == destination || drawn[pair / 8] & 1 << pair % 8)
            continue;
        drawn[pair / 8] |= (unsigned char)(1 << pair % 8);
        tdm_pattern_add(pattern, source, destination);
    }
    free(drawn);
    return true;
}

/* ----------------------------------------------------- frequently used ones */

static bool make_ring(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    (void)config;
    (void)problem;
    for (uint32_t node = 0; node < nodes; node++) {
        tdm_pattern_add(pattern, node, (node + 1) % nodes);
        tdm_pattern_add(pattern, node, (node + nodes - 1) % nodes);
    }
    return true;
}

/* The pattern of the Gauss-Seidel solver: a ring that is not closed. */
static bool make_line(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    (void)config;
    (void)problem;
    for (uint32_t node = 0; node + 1 < nodes; node++) {
        tdm_pattern_add(pattern, node, node + 1);
        tdm_pattern_add(pattern, node + 1, node);
    }
    return true;
}

struct grid_config {
    uint64_t rows;
};

PARAM_TABLE(grid_params, "nearest-neighbour", struct grid_config,
            "each node and its four neighbours on a torus",
            {.name = "rows",
             .type = PARAM_COUNT,
             .offset = offsetof(struct grid_config, rows),
             .default_text = "0",
             .doc = "rows of nodes; 0 is the divisor nearest to a square, from below"});

static bool make_grid(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    uint64_t rows = ((const struct grid_config *)config)->rows;
    if (!rows)
        for (uint32_t i = 1; i <= nodes / i; i++)
            rows = nodes % i == 0 ? i : rows;
    if (nodes % rows)
        return impossible(problem, "%" PRIu32 " nodes do not make %" PRIu64 " rows", nodes, rows);
    uint32_t height = (uint32_t)rows, width = nodes / height;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t row = node / width, column = node % width;
        tdm_pattern_add(pattern, node, (row + 1) % height * width + column);
        tdm_pattern_add(pattern, node, (row + height - 1) % height * width + column);
        tdm_pattern_add(pattern, node, row * width + (column + 1) % width);
        tdm_pattern_add(pattern, node, row * width + (column + width - 1) % width);
    }
    return true;
}

static bool make_hypercube(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    (void)config;
    if (!must_be_power(nodes, problem))
        return false;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t bit = 1; bit < nodes; bit <<= 1)
            tdm_pattern_add(pattern, node, node ^ bit);
    return true;
}

static bool make_shuffle(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    (void)config;
    if (!must_be_power(nodes, problem))
        return false;
    for (uint32_t node = 0; nodes > 1 && node < nodes; node++) {
        tdm_pattern_add(pattern, node, (2 * node + (node >= nodes / 2)) % nodes); /* its bits turned left */
        tdm_pattern_add(pattern, node, node ^ 1);
    }
    return true;
}

static bool make_all(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    (void)config;
    if ((uint64_t)nodes * (nodes - 1) > TDM_MOST_REQUESTS)
        return impossible(problem, "of %" PRIu32 " nodes it has more requests than can be scheduled", nodes);
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t destination = 0; destination < nodes; destination++)
            if (source != destination)
                tdm_pattern_add(pattern, source, destination);
    return true;
}

/* ----------------------------------------------------------- redistribution */

/* Three numbers, "64x64x1". */
static bool parse_triple(const struct param *param, const char *text, void *field,
                         struct param_problem *problem)
{
    uint32_t triple[3];
    char beyond;
    int length = 0;
    if (strspn(text, "0123456789x") != strlen(text) ||
        sscanf(text, "%4" SCNu32 "x%4" SCNu32 "x%4" SCNu32 "%n%c", &triple[0], &triple[1], &triple[2],
               &length, &beyond) != 3 ||
        !triple[0] || !triple[1] || !triple[2]) {
        snprintf(problem->text, sizeof problem->text,
                 "'%.40s' is not of the form of %s: three numbers, 1 to 9999", text, param->default_text);
        problem->at = 0;
        return false;
    }
    memcpy(field, triple, sizeof triple);
    return true;
}

struct redistribution_config {
    uint32_t elements[3], from[3], from_block[3], to[3], to_block[3];
};

#define TRIPLE(param_name, member, value, text)                                                              \
    {                                                                                                        \
        .name = (param_name), .type = PARAM_CUSTOM,                                                          \
        .offset = offsetof(struct redistribution_config, member), .default_text = (value), .doc = (text),    \
        .parse = parse_triple                                                                                \
    }

PARAM_TABLE(redistribution_params, "redistribution", struct redistribution_config,
            "a three-dimensional array moves from one block-cyclic distribution to another",
            TRIPLE("array", elements, "64x64x64", "elements along each dimension"),
            TRIPLE("from", from, "4x4x4", "processors along each dimension before"),
            TRIPLE("from-block", from_block, "16x16x16", "block sizes before"),
            TRIPLE("to", to, "1x1x64", "processors along each dimension afterwards"),
            TRIPLE("to-block", to_block, "64x64x1", "block sizes afterwards"));

static bool fits(const struct tdm_distribution *distribution, uint32_t nodes, char problem[256])
{
    uint64_t processors = 1;
    for (int d = 0; d < 3; d++)
        processors *= distribution->processors[d];
    return processors <= nodes ||
           impossible(problem, "a distribution has %" PRIu64 " processors, but there are %" PRIu32 " nodes",
                      processors, nodes);
}

static bool make_redistribution(const void *config, uint32_t nodes, struct tdm_pattern *pattern,
                                char problem[256])
{
    const struct redistribution_config *redistribution = config;
    struct tdm_distribution from, to;
    memcpy(from.processors, redistribution->from, sizeof from.processors);
    memcpy(from.block, redistribution->from_block, sizeof from.block);
    memcpy(to.processors, redistribution->to, sizeof to.processors);
    memcpy(to.block, redistribution->to_block, sizeof to.block);
    if (!fits(&from, nodes, problem) || !fits(&to, nodes, problem))
        return false;
    tdm_pattern_redistribute(redistribution->elements, &from, &to, pattern);
    return true;
}

/* -------------------------------------------------- programs of section 4.2 */

struct p3m_config {
    uint64_t part;
    int neighbours, edges;
};

enum { NEIGHBOURS_6, NEIGHBOURS_26 };
static const char *const neighbour_names[] = {"6", "26", NULL};
enum { EDGES_AROUND, EDGES_OPEN };
static const char *const edge_names[] = {"around", "open", NULL};

PARAM_TABLE(p3m_params, "p3m", struct p3m_config,
            "the patterns of the particle-mesh program (Table 4), on 64 nodes",
            {.name = "part",
             .type = PARAM_COUNT,
             .offset = offsetof(struct p3m_config, part),
             .default_text = "1",
             .min = "1",
             .max = "5",
             .doc = "which of its five patterns"},
            {.name = "neighbours",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct p3m_config, neighbours),
             .default_text = "6",
             .choices = neighbour_names,
             .doc = "of part 5: 6 as Table 5 implies, or 26 as Table 4 says"},
            {.name = "edges",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct p3m_config, edges),
             .default_text = "around",
             .choices = edge_names,
             .doc = "of part 5: whether nodes at opposite edges of the array are neighbours"});

/* How far apart two coordinates are, on a ring of four or in a row of four. */
static uint32_t apart(int edges, uint32_t a, uint32_t b)
{
    uint32_t distance = a > b ? a - b : b - a;
    return distance == 3 && edges == EDGES_AROUND ? 1 : distance;
}

/* Part 5: a logical 4 x 4 x 4 array. Each node sends to the six beside it, or to all 26 that differ by at
 * most one along each dimension. */
static void make_cube(const struct p3m_config *p3m, struct tdm_pattern *pattern)
{
    enum { NODES = 4 * 4 * 4 };
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t other = 0; other < NODES; other++) {
            uint32_t x = apart(p3m->edges, node / 16, other / 16),
                     y = apart(p3m->edges, node / 4 % 4, other / 4 % 4),
                     z = apart(p3m->edges, node % 4, other % 4);
            bool is_beside = x + y + z == 1;
            bool is_around = x <= 1 && y <= 1 && z <= 1 && node != other;
            if (p3m->neighbours == NEIGHBOURS_6 ? is_beside : is_around)
                tdm_pattern_add(pattern, node, other);
        }
}

static bool make_p3m(const void *config, uint32_t nodes, struct tdm_pattern *pattern, char problem[256])
{
    static const uint32_t elements[3] = {64, 64, 64};
    static const struct tdm_distribution cubes = {{4, 4, 4}, {16, 16, 16}},
                                         planes = {{1, 1, 64}, {64, 64, 1}},
                                         columns = {{8, 8, 1}, {8, 8, 64}};
    uint64_t part = ((const struct p3m_config *)config)->part;
    if (nodes != 64)
        return impossible(problem, "it is made for 64 nodes, not %" PRIu32, nodes);
    if (part == 1)
        tdm_pattern_redistribute(elements, &cubes, &planes, pattern);
    else if (part == 2)
        tdm_pattern_redistribute(elements, &planes, &columns, pattern);
    else if (part == 3)
        tdm_pattern_redistribute(elements, &columns, &planes, pattern);
    else if (part == 4)
        tdm_pattern_redistribute(elements, &planes, &cubes, pattern);
    else
        make_cube(config, pattern);
    return true;
}

/* -------------------------------------------------------------------- names */

static const struct pattern_name named[] = {
    {"random", &random_params, make_random},
    {"ring", NULL, make_ring},
    {"nearest-neighbour", &grid_params, make_grid},
    {"hypercube", NULL, make_hypercube},
    {"shuffle-exchange", NULL, make_shuffle},
    {"all-to-all", NULL, make_all},
    {"redistribution", &redistribution_params, make_redistribution},
    {"gs", NULL, make_line},
    {"tscf", NULL, make_hypercube},
    {"p3m", &p3m_params, make_p3m},
};

enum { NAMED = sizeof named / sizeof *named };

static const char *name_at(const void *list, size_t index)
{
    return ((const struct pattern_name *)list)[index].name;
}

static void report(const char *spec, size_t span, const char *text)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "pattern",
                                     .line = 1,
                                     .column = 1,
                                     .span = (uint32_t)span,
                                     .source = spec,
                                     .source_length = strlen(spec)},
                "%s", text);
}

static const struct pattern_name *find(const char *spec, size_t length)
{
    for (size_t i = 0; i < NAMED; i++)
        if (strlen(named[i].name) == length && strncmp(named[i].name, spec, length) == 0)
            return &named[i];
    char *name = mem_format("%.*s", (int)length, spec);
    char *text = mem_format("'%s' is neither a file nor a pattern%s", name,
                            diag_did_you_mean(diag_nearest(name, named, NAMED, name_at)));
    report(spec, length, text);
    free(text);
    free(name);
    return NULL;
}

static enum status make(const struct pattern_name *named_pattern, const void *config, const char *spec,
                        uint32_t nodes, struct tdm_pattern *pattern)
{
    char problem[256];
    *pattern = (struct tdm_pattern){0};
    if (!named_pattern->make(config, nodes, pattern, problem)) {
        tdm_pattern_free(pattern);
        report(spec, strcspn(spec, ":"), problem);
        return STATUS_BAD_INPUT;
    }
    if (named_pattern->make != make_random) /* random ones have no repeated pairs, and keep their order */
        tdm_pattern_unite(pattern);
    return STATUS_OK;
}

enum status tdm_pattern_named(const char *spec, uint32_t nodes, struct tdm_pattern *pattern)
{
    size_t length = strcspn(spec, ":");
    const struct pattern_name *found = find(spec, length);
    if (!found)
        return STATUS_BAD_INPUT;
    if (!found->params && spec[length]) {
        report(spec, strlen(spec), "this pattern has no parameters");
        return STATUS_BAD_INPUT;
    }
    struct arena texts = {0};
    void *config = found->params ? mem_alloc(1, found->params->size, "a pattern") : NULL;
    enum status status = STATUS_OK;
    if (config)
        status = param_parse_list(found->params, "pattern", spec, spec[length] ? length + 1 : length, config,
                                  &texts);
    if (status == STATUS_OK)
        status = make(found, config, spec, nodes, pattern);
    arena_free(&texts);
    free(config);
    return status;
}
