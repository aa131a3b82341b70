/* A trace format, as a plug-in: a table of calls as comma-separated values.
 *
 *     cc -shared -fPIC $(pkg-config --cflags heliograph) examples/csv.c -o examples/csv.so
 *     helio trace info --plugin examples/csv.so examples/bcast.csv
 *     helio run --plugin examples/csv.so --trace examples/bcast.csv --fabric hockney,packet
 *
 * The first line is "rank,call,peer,bytes". A line of rank * is a call of all ranks. A call is compute
 * (bytes: operations), send, recv, barrier, or bcast (peer: its root). */
#include <heliograph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "rank,call,peer,bytes\n";

static int csv_probe(void *self, const char *path, int is_folder, const unsigned char *head, size_t head_size)
{
    (void)self, (void)path, (void)is_folder;
    return head_size >= sizeof header - 1 && memcmp(head, header, sizeof header - 1) == 0 ? 3 : 0;
}

struct csv {
    FILE *file;
    uint64_t line;
};

/* The number of ranks is one more than the highest rank. */
static void *csv_open(void *self, const char *path, uint32_t *ranks, char *problem, size_t size)
{
    struct csv *csv = calloc(1, sizeof *csv);
    char text[256];
    (void)self;
    if (!csv || !(csv->file = fopen(path, "r"))) {
        snprintf(problem, size, "cannot be opened");
        free(csv);
        return NULL;
    }
    *ranks = 0;
    while (fgets(text, sizeof text, csv->file)) {
        unsigned rank;
        if (sscanf(text, "%u,", &rank) == 1 && rank < 1u << 24 && rank >= *ranks)
            *ranks = rank + 1;
    }
    return csv;
}

static int find_operation(const char *name, struct heliograph_call *call)
{
    static const struct {
        const char *name;
        enum heliograph_operation operation;
    } known[] = {{"compute", HELIOGRAPH_COMPUTE},
                 {"send", HELIOGRAPH_SEND},
                 {"recv", HELIOGRAPH_RECV},
                 {"barrier", HELIOGRAPH_BARRIER},
                 {"bcast", HELIOGRAPH_BCAST}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            call->operation = known[i].operation;
            return 1;
        }
    return 0;
}

static int csv_next(void *state, uint32_t rank, int first, struct heliograph_call *call, uint64_t *line,
                    char *problem, size_t size)
{
    struct csv *csv = state;
    char text[256], who[32], name[32];
    if (first) {
        rewind(csv->file);
        csv->line = 0;
    }
    while (fgets(text, sizeof text, csv->file)) {
        *line = ++csv->line;
        if (csv->line == 1 || (text[0] != '*' && strtoul(text, NULL, 10) != rank))
            continue;
        if (sscanf(text, "%31[^,],%31[^,],%d,%llu", who, name, &call->peer,
                   (unsigned long long *)&call->bytes) != 4 ||
            !find_operation(name, call)) {
            snprintf(problem, size, "this is not rank,call,peer,bytes with a call of this format");
            return -1;
        }
        if (call->operation == HELIOGRAPH_COMPUTE)
            call->amount = (double)call->bytes;
        return 1;
    }
    return 0;
}

static void csv_close(void *state)
{
    struct csv *csv = state;
    fclose(csv->file);
    free(csv);
}

enum heliograph_status heliograph_plugin_init(const struct heliograph_plugin_api *api)
{
    static const struct heliograph_trace_format csv = {.struct_size = sizeof csv,
                                                       .name = "csv",
                                                       .doc = "a file of lines rank,call,peer,bytes",
                                                       .probe = csv_probe,
                                                       .open = csv_open,
                                                       .next = csv_next,
                                                       .close = csv_close};
    return api->register_trace_format(&csv);
}
