#include "cli/calibrate.h"

#include <stdlib.h>

#include "cli/print.h"
#include "output/quote.h"

enum { DIGITS = 10 };

/* -------------------------------------------------------------------- table */

void calibrate_print_guards(const struct calibrate_guard *guards, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cli_print_guard(guards[i].name, guards[i].passed, guards[i].reason);
}

static void print_entries(const struct calibrate_entries *entries, bool parameters)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct calibrate_entry *entry = &entries->list[i];
        if ((entry->value != NULL) != parameters)
            continue;
        printf(parameters ? "  %-22s " : "  %-26s ", entry->name);
        if (parameters)
            printf("%-14s ", entry->value);
        cli_print_text("", entry->text);
    }
}

void calibrate_print(const struct calibrate_samples *samples, const struct calibration *calibration,
                     const struct calibrate_entries *entries)
{
    quote_terminal(stdout, *samples->library ? samples->library : samples->mpi);
    printf(": %u node%s, %u ranks%s\n", samples->nodes, samples->nodes == 1 ? "" : "s", samples->ranks,
           calibration->is_sound ? "" : "; NOT SOUND");
    calibrate_print_guards(samples->guards, samples->guard_count);
    puts("\nthe machine");
    print_entries(entries, true);
    puts("\nmeasured, and no parameter");
    print_entries(entries, false);
}

/* --------------------------------------------------------------------- JSON */

void calibrate_put_value(json_t *object, const char *key, struct calibrate_value value)
{
    json_t *numbers = json_make_object();
    json_put_number(numbers, "value", value.value);
    json_put_number(numbers, "low", value.low);
    json_put_number(numbers, "high", value.high);
    json_put(object, key, numbers);
}

json_t *calibrate_guards_json(const struct calibrate_guard *guards, size_t count)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < count; i++)
        json_add(list, cli_guard_json(guards[i].name, guards[i].passed, guards[i].reason));
    return list;
}

static json_t *pieces_json(const struct calibrate_messages *messages)
{
    json_t *pieces = json_make_list();
    for (size_t i = 0; i < messages->pieces.count; i++) {
        const struct piece *piece = &messages->pieces.list[i];
        json_t *object = json_make_object();
        json_put_number(object, "from_bytes", messages->bytes[piece->first]);
        json_put_number(object, "to_bytes", messages->bytes[piece->first + piece->count - 1]);
        calibrate_put_value(object, "at_zero_ns", messages->at_zero_ns[i]);
        calibrate_put_value(object, "ns_per_byte", messages->ns_per_byte[i]);
        json_add(pieces, object);
    }
    return pieces;
}

static json_t *sizes_json(const struct calibrate_messages *messages)
{
    json_t *sizes = json_make_list();
    for (size_t i = 0; i < messages->sizes; i++) {
        json_t *object = json_make_object();
        json_put_number(object, "bytes", messages->bytes[i]);
        calibrate_put_value(object, "half_ns", messages->half_ns[i]);
        json_add(sizes, object);
    }
    return sizes;
}

static json_t *messages_json(const struct calibrate_samples *samples, enum calibrate_place place,
                             const struct calibrate_messages *messages)
{
    json_t *object = json_make_object();
    calibrate_put_value(object, "latency_ns", messages->latency_ns);
    if (messages->has_rate)
        calibrate_put_value(object, "bytes_per_s", messages->rate);
    if (messages->has_ends) {
        calibrate_put_value(object, "send_ns", messages->send_ns);
        calibrate_put_value(object, "receive_ns", messages->receive_ns);
    }
    if (messages->has_gap)
        calibrate_put_value(object, "gap_ns", messages->gap_ns);
    if (samples->has_eager[place]) {
        json_put_count(object, "eager_bytes", samples->eager[place]);
        calibrate_put_value(object, "jump_ns", messages->jump_ns);
        json_put_number(object, "handshake_ns", messages->handshake_ns);
    }
    json_put(object, "pieces", pieces_json(messages));
    json_put(object, "sizes", sizes_json(messages));
    return object;
}

static json_t *series_json(const struct calibrate_samples *samples)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < samples->count; i++) {
        const struct calibrate_series *series = &samples->series[i];
        json_t *object = json_make_object();
        json_put_text(object, "kind", calibrate_kind_name(series->kind));
        json_put_text(object, "place", calibrate_place_name(series->place));
        json_put_count(object, "at_once", series->at_once);
        json_put_count(object, "bytes", series->bytes);
        json_put_count(object, "samples", series->count);
        calibrate_put_value(object, "ns", calibrate_median(series));
        json_add(list, object);
    }
    return list;
}

static json_t *parameters_json(const struct calibrate_entries *entries)
{
    json_t *parameters = json_make_object();
    for (size_t i = 0; i < entries->count; i++)
        if (entries->list[i].value)
            json_put_text(parameters, entries->list[i].name, entries->list[i].value);
    return parameters;
}

static json_t *ranges_json(const struct choice_call *call)
{
    json_t *ranges = json_make_list();
    for (size_t i = 0; i < call->count; i++) {
        const struct choice_range *range = &call->ranges[i];
        json_t *object = json_make_object(), *names = json_make_list();
        json_put_count(object, "from_bytes", range->first);
        json_put_count(object, "to_bytes", range->last);
        for (size_t k = 0; k < range->count; k++)
            json_add_text(names, range->fits[k]->name);
        json_put(object, "algorithms", names);
        json_add(ranges, object);
    }
    return ranges;
}

/* Which algorithms send what the MPI sends. */
static json_t *choices_json(const struct choices *choices)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice_call *call = &choices->calls[i];
        json_t *object = json_make_object();
        json_put_text(object, "collective", coll_kind_name(call->kind));
        json_put_flag(object, "block", call->block);
        json_put_count(object, "ranks", call->ranks);
        json_put_count(object, "sizes", call->sizes);
        json_put_count(object, "as_tuning", call->agree);
        json_put(object, "ranges", ranges_json(call));
        json_add(list, object);
    }
    return list;
}

json_t *calibrate_json(const struct calibrate_samples *samples, const struct calibration *calibration,
                       const struct choices *choices, const struct calibrate_entries *entries,
                       const char *schema)
{
    json_t *object = json_make_object();
    if (schema)
        json_put_text(object, "schema", schema);
    json_put_text(object, "mpi", samples->mpi);
    json_put_text(object, "library", samples->library);
    json_put_count(object, "nodes", samples->nodes);
    json_put_count(object, "ranks", samples->ranks);
    json_put_flag(object, "sound", calibration->is_sound);
    json_put(object, "guards", calibrate_guards_json(samples->guards, samples->guard_count));
    json_put(object, "parameters", parameters_json(entries));
    for (enum calibrate_place place = 0; place < CALIBRATE_PLACES; place++)
        if (calibration->places[place].is_known)
            json_put(object, calibrate_place_name(place),
                     messages_json(samples, place, &calibration->places[place]));
    json_put(object, "series", series_json(samples));
    json_put(object, "choices", choices_json(choices));
    return object;
}

enum status calibrate_print_json(const struct calibrate_samples *samples,
                                 const struct calibration *calibration, const struct choices *choices,
                                 const struct calibrate_entries *entries)
{
    return cli_print_json(calibrate_json(samples, calibration, choices, entries, "helio-calibrate-1"),
                          DIGITS);
}
