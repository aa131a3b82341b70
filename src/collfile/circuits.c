#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collfile/builder.h"
#include "collfile/format.h"

/* A list of circuits of optical switches: lines switch,start_s,end_s,src,dst. On each switch, an input port
 * has one circuit at a time, and so has an output port. */

struct circuit {
    uint32_t machine, from, to; /* switch and its ports */
    double start_s, end_s;
    uint32_t line;
};

struct circuits {
    const struct collfile_text *text;
    struct collfile_proof *proof;
    struct circuit *items;
    size_t count, capacity;
    uint32_t ports, switches;
};

enum { PORTS_MAX = 1 << 20, COLUMNS = 5 };
static const char header[] = "switch,start_s,end_s,src,dst";

/* ------------------------------------------------------------------ reading */

static bool read_port(const char *text, uint32_t *port)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *port = (uint32_t)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value < PORTS_MAX;
}

static bool read_time(const char *text, double *time)
{
    char *end;
    *time = strtod(text, &end);
    return ((*text >= '0' && *text <= '9') || *text == '.') && *end == '\0' && *time >= 0 && *time < 1e18;
}

static enum status read_line(struct circuits *circuits, char *line, uint32_t number)
{
    static const char *const names[COLUMNS] = {"switch", "start_s", "end_s", "src", "dst"};
    struct circuit circuit = {.line = number};
    double *times[COLUMNS] = {NULL, &circuit.start_s, &circuit.end_s, NULL, NULL};
    uint32_t *ports[COLUMNS] = {&circuit.machine, NULL, NULL, &circuit.from, &circuit.to};
    char *at = line;
    for (int i = 0; i < COLUMNS; i++) {
        size_t length = strcspn(at, ",");
        bool is_last = at[length] == '\0';
        uint64_t column = (uint64_t)(at - line) + 1;
        at[length] = '\0';
        if (is_last != (i == COLUMNS - 1) || !(times[i] ? read_time(at, times[i]) : read_port(at, ports[i])))
            return collfile_refuse(circuits->text, number, column,
                                   is_last != (i == COLUMNS - 1) ? "a line of five fields is expected: %s"
                                   : times[i]                    ? "%s: seconds from 0 on are expected"
                                              : "%s: a number from 0 to 1048575 is expected",
                                   is_last != (i == COLUMNS - 1) ? header : names[i]);
        at += length + 1;
    }
    circuits->items = mem_grow(circuits->items, &circuits->capacity, circuits->count + 1, "circuits");
    circuits->items[circuits->count++] = circuit;
    circuits->ports = circuit.from >= circuits->ports ? circuit.from + 1 : circuits->ports;
    circuits->ports = circuit.to >= circuits->ports ? circuit.to + 1 : circuits->ports;
    circuits->switches = circuit.machine >= circuits->switches ? circuit.machine + 1 : circuits->switches;
    return STATUS_OK;
}

static enum status read_lines(struct circuits *circuits)
{
    enum status status = STATUS_OK;
    char *text = mem_alloc(circuits->text->size + 1, 1, "circuits"), *at = text;
    memcpy(text, circuits->text->bytes, circuits->text->size);
    for (uint32_t number = 1; *at && status == STATUS_OK; number++) {
        size_t length = strcspn(at, "\n");
        bool is_end = at[length] == '\0';
        at[length] = '\0';
        if (length && at[length - 1] == '\r')
            at[length - 1] = '\0';
        if (number > 1 && *at)
            status = read_line(circuits, at, number);
        at += length + !is_end;
    }
    free(text);
    return status;
}

/* -------------------------------------------------------------------- proof */

static int compare(const void *a, const void *b, void *self)
{
    bool by_output = *(bool *)self;
    const struct circuit *left = a, *right = b;
    uint32_t x = by_output ? left->to : left->from, y = by_output ? right->to : right->from;
    if (left->machine != right->machine)
        return left->machine < right->machine ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    if (left->start_s < right->start_s || left->start_s > right->start_s)
        return left->start_s < right->start_s ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static void check_ports(struct circuits *circuits, bool by_output)
{
    const struct circuit *latest = NULL; /* of the present port: the one that ends last */
    if (circuits->count == 0)
        return;
    qsort_r(circuits->items, circuits->count, sizeof *circuits->items, compare, &by_output);
    for (size_t i = 0; i < circuits->count; i++) {
        const struct circuit *circuit = &circuits->items[i];
        uint32_t port = by_output ? circuit->to : circuit->from;
        bool is_same =
            latest && latest->machine == circuit->machine && (by_output ? latest->to : latest->from) == port;
        if (is_same && circuit->start_s < latest->end_s)
            collfile_wrong(
                circuits->text, circuits->proof, COLLFILE_CIRCUIT, circuit->line,
                "switch %u, %s port %u: this circuit begins at %g s, before that of line %u ends (%g s)",
                circuit->machine, by_output ? "output" : "input", port, circuit->start_s, latest->line,
                latest->end_s);
        if (!is_same || circuit->end_s > latest->end_s)
            latest = circuit;
    }
}

static bool probe(const struct collfile_text *text)
{
    return text->size >= sizeof header - 1 && memcmp(text->bytes, header, sizeof header - 1) == 0;
}

static enum status prove(const struct collfile_text *text, struct collfile_proof *proof,
                         struct collfile_schedule *schedule)
{
    struct circuits circuits = {.text = text, .proof = proof};
    enum status status = read_lines(&circuits);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < circuits.count; i++)
            if (!(circuits.items[i].start_s < circuits.items[i].end_s))
                collfile_wrong(text, proof, COLLFILE_CIRCUIT, circuits.items[i].line,
                               "the circuit ends at %g s, not after its start at %g s",
                               circuits.items[i].end_s, circuits.items[i].start_s);
        check_ports(&circuits, false);
        check_ports(&circuits, true);
        proof->op = COLLFILE_CIRCUITS;
        proof->ranks = circuits.ports;
        proof->steps = circuits.count;
        proof->threadblocks = circuits.switches;
        schedule->chunks = 1;
        builder_begin(schedule, circuits.ports);
    }
    free(circuits.items);
    return status;
}

const struct collfile_format circuits_format = {
    .name = "circuits CSV",
    .doc = "lines switch,start_s,end_s,src,dst: circuits of optical switches",
    .probe = probe,
    .prove = prove,
};
