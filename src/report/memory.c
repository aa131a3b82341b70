#include "report/memory.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "output/json.h"
#include "output/quote.h"

enum { NAME_WIDTH = 18 };

static const char *show(double bytes, char *text, size_t size)
{
    return units_show_size(bytes, 3, text, size);
}

static enum status check(FILE *out)
{
    if (!ferror(out) && !fflush(out))
        return STATUS_OK;
    diag_error("cannot write the estimate: %s", strerror(errno));
    return STATUS_FAILED;
}

static void print_fabric(const char *fabric, const struct estimate *estimate, double room_bytes, FILE *out)
{
    char text[64];
    double total = estimate_total(estimate);
    fprintf(out, "\nfabric %s\n", fabric);
    for (size_t i = 0; i < estimate->count; i++)
        if (estimate->parts[i].bytes >= 1)
            fprintf(out, "  %-*s %s\n", NAME_WIDTH, estimate->parts[i].name,
                    show(estimate->parts[i].bytes, text, sizeof text));
    fprintf(out, "  %-*s %s%s\n", NAME_WIDTH, "in all", show(total, text, sizeof text),
            total > room_bytes ? ": refused without --force" : "");
    if (estimate->unknown)
        fprintf(out, "  without the memory of %s, which is unknown\n", estimate->unknown);
}

enum status memory_report_print(const struct memory_report *report, FILE *out)
{
    char text[64];
    quote_terminal(out, report->program);
    fputs(": memory that a run will need, estimated\n", out);
    for (size_t i = 0; i < report->count; i++)
        print_fabric(report->fabrics[i], &report->estimates[i], report->room.bytes, out);
    if (isfinite(report->room.bytes))
        fprintf(out, "\n%s are there (%s)\n", show(report->room.bytes, text, sizeof text),
                report->room.limit);
    return check(out);
}

static void put_bytes(json_t *object, const char *key, double bytes)
{
    if (bytes < 0x1p126)
        json_put_count(object, key, (__int128)bytes);
    else
        json_put_number(object, key, bytes);
}

static json_t *memory_json(const struct estimate *estimate)
{
    json_t *memory = json_make_object(), *parts = json_make_object();
    for (size_t i = 0; i < estimate->count; i++)
        put_bytes(parts, estimate->parts[i].name, estimate->parts[i].bytes);
    put_bytes(memory, "bytes", estimate_total(estimate));
    json_put(memory, "parts", parts);
    json_put_text(memory, "unknown", estimate->unknown);
    return memory;
}

static json_t *runs_json(const struct memory_report *report)
{
    json_t *runs = json_make_list();
    for (size_t i = 0; i < report->count; i++) {
        json_t *run = json_make_object();
        json_put_text(run, "fabric", report->fabrics[i]);
        json_put(run, "memory", memory_json(&report->estimates[i]));
        json_put_flag(run, "fits", estimate_total(&report->estimates[i]) <= report->room.bytes);
        json_add(runs, run);
    }
    return runs;
}

enum status memory_report_print_json(const struct memory_report *report, FILE *out)
{
    json_t *whole = json_make_object(), *available = json_make_object();
    put_bytes(available, "bytes", report->room.bytes);
    json_put_text(available, "limit", report->room.limit);
    json_put_count(whole, "schema", RESULT_SCHEMA);
    json_put_value(whole, "program", report->program);
    json_put(whole, "available", available);
    json_put(whole, "runs", runs_json(report));
    enum status status = json_write(whole, JSON_EXACT, out);
    int cause = errno;
    json_decref(whole);
    if (status != STATUS_OK)
        diag_error("cannot write the estimate: %s", strerror(cause));
    return status;
}
