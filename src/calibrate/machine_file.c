#include "calibrate/machine_file.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/units.h"
#include "output/quote.h"

void calibrate_add_entry(struct calibrate_entries *entries, char *name, char *value, char *text)
{
    entries->list = mem_grow(entries->list, &entries->capacity, entries->count + 1, "a machine's values");
    entries->list[entries->count++] = (struct calibrate_entry){name, value, text};
}

void calibrate_free_entries(struct calibrate_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->list[i].name);
        free(entries->list[i].value);
        free(entries->list[i].text);
    }
    free(entries->list);
    *entries = (struct calibrate_entries){.count = 0};
}

/* ----------------------------------------------------------------- numbers */

/* What 64 bits hold: samples may be any numbers. */
#define LARGEST 9e18

/* Four digits: what a measurement can say. */
static double rounded(double value)
{
    if (!(value > 0))
        return 0;
    double unit = pow(10, floor(log10(value)) - 3);
    return unit > 0 && isfinite(unit) ? round(value / unit) * unit : value;
}

/* The line of large messages may be below 0 at no bytes. */
static char *time_text(double ns)
{
    char buffer[64];
    units_print_time((ps_t)llround(fmin(rounded(fabs(ns)) * 1e3, LARGEST)), buffer, sizeof buffer);
    return mem_format("%s%s", ns < 0 ? "-" : "", buffer);
}

/* Both ends of an interval have the unit that they reach, and not the one with which they are shortest. */
static char *rate_text(double bytes_per_s)
{
    char buffer[64];
    return mem_text(units_show_rate(fmin(fmax(rounded(bytes_per_s), 1), LARGEST), 4, buffer, sizeof buffer));
}

static char *interval_text(struct calibrate_value value, char *(*text)(double))
{
    char *low = text(value.low), *high = text(value.high);
    char *both = mem_format("95 %% interval %s to %s", low, high);
    free(low);
    free(high);
    return both;
}

static const char *show_size(double bytes, char *buffer, size_t size)
{
    return units_print_size((uint64_t)bytes, buffer, size);
}

/* "12.3 us, 95 % interval 12.1 us to 12.5 us" */
static char *value_text(struct calibrate_value value, char *(*text)(double))
{
    char *middle = text(value.value), *interval = interval_text(value, text);
    char *whole = mem_format("%s, %s", middle, interval);
    free(middle);
    free(interval);
    return whole;
}

/* -------------------------------------------------------------- parameters */

/* The protocol that the machine file has. */
struct calibrate_protocol {
    double eager, own_eager; /* bytes; the other one is that of messages within a node */
    unsigned handshakes;
};

static void add_time(struct calibrate_entries *entries, const char *param, struct calibrate_value value,
                     const char *what)
{
    char *interval = interval_text(value, time_text);
    calibrate_add_entry(entries, mem_text(param), time_text(value.value),
                        mem_format("measured, %s; %s", interval, what));
    free(interval);
}

static void add_rate(struct calibrate_entries *entries, const char *param, struct calibrate_value value,
                     const char *what)
{
    char *interval = interval_text(value, rate_text);
    calibrate_add_entry(entries, mem_text(param), rate_text(value.value),
                        mem_format("measured, %s; %s", interval, what));
    free(interval);
}

static struct calibrate_value nic_latency(const struct calibrate_messages *messages)
{
    struct calibrate_value whole = messages->latency_ns;
    if (!messages->has_ends)
        return (struct calibrate_value){whole.value / 2, whole.low / 2, whole.high / 2};
    struct calibrate_value send = messages->send_ns, receive = messages->receive_ns;
    return (struct calibrate_value){fmax(whole.value - send.value - receive.value, 0) / 2,
                                    fmax(whole.low - send.high - receive.high, 0) / 2,
                                    fmax(whole.high - send.low - receive.low, 0) / 2};
}

static void list_between(const struct calibrate_messages *messages, struct calibrate_entries *entries)
{
    if (messages->has_rate)
        add_rate(entries, "nic.rate", messages->rate, "one pair of nodes, the slope of the largest messages");
    add_time(entries, "nic.latency", nic_latency(messages),
             messages->has_ends ? "half of what host.send and host.receive leave of the latency; wires and "
                                  "switches are in it"
                                : "half of the latency; wires, switches and software are in it");
    if (messages->has_ends) {
        add_time(entries, "host.send", messages->send_ns, "MPI_Send of the smallest message");
        add_time(entries, "host.receive", messages->receive_ns,
                 "MPI_Recv of the smallest message, which has arrived");
    }
    if (messages->has_gap && messages->gap_ns.value > 0)
        add_time(entries, "loggops.g", messages->gap_ns, "from one small message of a window to the next");
}

/* A point of intranode.times. A simulation adds the handshakes of larger messages. */
static void print_time_at(FILE *out, const struct calibrate_messages *messages, size_t piece, double bytes,
                          const struct calibrate_protocol *protocol)
{
    char size[64];
    double ns = piece_value(&messages->pieces.list[piece], bytes);
    if (bytes > protocol->eager)
        ns -= protocol->handshakes * messages->latency_ns.value;
    char *time = time_text(fmax(ns, messages->latency_ns.value));
    fprintf(out, "%s%s:%s", bytes > 0 ? "," : "", show_size(bytes, size, sizeof size), time);
    free(time);
}

/* The last size of the piece before `index`: an eager threshold, if one is in the gap between the two pieces,
 * which the measured sizes leave open. False: none is. */
static bool find_end(const struct calibrate_messages *messages, size_t index,
                     const struct calibrate_protocol *protocol, double *end)
{
    const double thresholds[] = {protocol->own_eager, protocol->eager},
                 *next = &messages->bytes[messages->pieces.list[index].first];
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        if (thresholds[i] >= next[-1] && thresholds[i] < next[0]) {
            *end = thresholds[i];
            return true;
        }
    return false;
}

/* The ends of a piece, and the points on both sides of the eager threshold. */
static void print_piece(FILE *out, const struct calibrate_messages *messages, size_t index,
                        const struct calibrate_protocol *protocol)
{
    const struct pieces *pieces = &messages->pieces;
    const struct piece *piece = &pieces->list[index];
    double first = messages->bytes[piece->first], last = messages->bytes[piece->first + piece->count - 1];
    double eager = protocol->eager, end;
    if (index > 0 && find_end(messages, index, protocol, &end))
        first = end + 1;
    if (index + 1 < pieces->count && find_end(messages, index + 1, protocol, &end))
        last = end;
    print_time_at(out, messages, index, first, protocol);
    if (eager > first && eager < last)
        print_time_at(out, messages, index, eager, protocol);
    if (eager >= first && eager + 1 < last)
        print_time_at(out, messages, index, eager + 1, protocol);
    print_time_at(out, messages, index, last, protocol);
}

static void list_times(const struct calibrate_messages *messages, const struct calibrate_protocol *protocol,
                       struct calibrate_entries *entries)
{
    const struct pieces *pieces = &messages->pieces;
    char *text;
    size_t length;
    if (pieces->count < 2 || messages->bytes[0] > 0)
        return;
    FILE *out = memory_stream_open(&text, &length);
    for (size_t i = 0; i < pieces->count; i++)
        print_piece(out, messages, i, protocol);
    fclose(out);
    for (char *from = text, *to = text; (*to = *from); from++)
        to += *from != ' ';
    calibrate_add_entry(entries, mem_text("intranode.times"), text,
                        mem_format("measured, the %zu lines through the times of one pair; the handshakes of "
                                   "a rendezvous come on top",
                                   pieces->count));
}

static void list_within(const struct calibrate_messages *messages, bool is_alone,
                        const struct calibrate_protocol *protocol, struct calibrate_entries *entries)
{
    if (is_alone && messages->has_rate)
        add_rate(entries, "nic.rate", messages->rate,
                 "no second node was there: the rate within the node stands in");
    add_time(entries, "intranode.latency", messages->latency_ns,
             "half a round trip of no bytes, the line of the smallest messages; software is in it");
    if (messages->has_rate)
        add_rate(entries, "intranode.bandwidth", messages->rate,
                 "one pair, the slope of the largest messages");
    list_times(messages, protocol, entries);
}

static void list_protocol(const struct calibrate_samples *samples, const struct calibrate_messages *messages,
                          enum calibrate_place place, struct calibrate_entries *entries)
{
    const char *where = place == CALIBRATE_BETWEEN ? "between nodes" : "within the node";
    char size[64];
    if (!samples->has_eager[place])
        return;
    calibrate_add_entry(
        entries, mem_text("mpi.eager_threshold"),
        mem_text(show_size((double)samples->eager[place], size, sizeof size)),
        mem_format("found by bisection: the largest MPI_Isend %s that ends before its receive is posted",
                   where));
    char *jump = value_text(messages->jump_ns, time_text);
    calibrate_add_entry(
        entries, mem_text("rendezvous.handshakes"), mem_format("%u", messages->handshakes),
        mem_format("the time grows by %s at mpi.eager_threshold, in units of the time of a control message",
                   jump));
    free(jump);
}

static void list_world(const struct calibrate_samples *samples, bool is_alone,
                       struct calibrate_entries *entries)
{
    calibrate_add_entry(entries, mem_text("ranks_per_node"),
                        mem_format("%u", is_alone ? samples->processors : samples->most),
                        mem_text(is_alone ? "processors of the node on which all ranks were"
                                          : "ranks of the largest node of the launch that measured"));
    calibrate_add_entry(entries, mem_text("mpi.tuning"), mem_text(samples->mpi),
                        mem_format("the MPI that measured, %s", samples->library));
}

/* ------------------------------------------------ what has no parameter */

static void list_pieces(const struct calibrate_samples *samples, enum calibrate_place place,
                        const struct calibrate_messages *messages, struct calibrate_entries *entries)
{
    const char *name = calibrate_place_name(place);
    char from[64], to[64];
    for (size_t i = 0; i < messages->pieces.count; i++) {
        const struct piece *piece = &messages->pieces.list[i];
        char *at_zero = value_text(messages->at_zero_ns[i], time_text);
        struct calibrate_value slope = messages->ns_per_byte[i];
        calibrate_add_entry(
            entries, mem_format("%s.piece-%zu", name, i + 1), NULL,
            mem_format("%s to %s: %s, and %.4g ns per byte, 95 %% interval %.4g to %.4g",
                       show_size(messages->bytes[piece->first], from, sizeof from),
                       show_size(messages->bytes[piece->first + piece->count - 1], to, sizeof to), at_zero,
                       slope.value, slope.low, slope.high));
        free(at_zero);
    }
    if (samples->has_eager[place])
        calibrate_add_entry(entries, mem_format("%s.eager", name), NULL,
                            mem_text(show_size((double)samples->eager[place], from, sizeof from)));
    if (messages->has_rate)
        calibrate_add_entry(
            entries, mem_format("%s.line", name), NULL,
            mem_format("the parameters are %.1f %% off the medians of the sizes in the median, at worst %.1f "
                       "%%, at %s",
                       messages->off_percent, messages->worst_percent,
                       show_size(messages->worst_bytes, from, sizeof from)));
}

static char *series_text(const struct calibrate_series *series)
{
    struct calibrate_value ns = calibrate_median(series), rate = {0, 0, 0};
    bool is_rate = (series->kind == CALIBRATE_STREAM || series->kind == CALIBRATE_COPY) && ns.low > 0;
    if (is_rate)
        rate = (struct calibrate_value){(double)series->bytes * 1e9 / ns.value,
                                        (double)series->bytes * 1e9 / ns.high,
                                        (double)series->bytes * 1e9 / ns.low};
    if (series->kind == CALIBRATE_COMPUTE && ns.low > 0)
        return mem_format("%.4g Gflop/s per rank, 95 %% interval %.4g to %.4g", 1e3 / ns.value, 1e3 / ns.high,
                          1e3 / ns.low);
    return is_rate ? value_text(rate, rate_text) : value_text(ns, time_text);
}

/* "between.send-1KiB", "within.stream-2x1MiB", "node.compute-4x" */
static char *series_name(const struct calibrate_series *series)
{
    char size[64];
    const char *kind = calibrate_kind_name(series->kind), *place = calibrate_place_name(series->place);
    show_size((double)series->bytes, size, sizeof size);
    for (char *blank = size; *blank; blank++)
        if (*blank == ' ')
            *blank = '-';
    if (series->kind == CALIBRATE_COPY || series->kind == CALIBRATE_COMPUTE)
        return mem_format("node.%s.%ux%s", kind, series->at_once, size);
    return series->kind == CALIBRATE_STREAM ? mem_format("%s.%s.%ux%s", place, kind, series->at_once, size)
                                            : mem_format("%s.%s.%s", place, kind, size);
}

static int compare_series(const void *first, const void *second)
{
    const struct calibrate_series *const *a = first, *const *b = second;
    const int64_t keys[][2] = {{(*a)->kind, (*b)->kind},
                               {(*a)->place, (*b)->place},
                               {(*a)->at_once, (*b)->at_once},
                               {(int64_t)(*a)->bytes, (int64_t)(*b)->bytes}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* All but the half round trips, of which the pieces speak. */
static void list_series(const struct calibrate_samples *samples, struct calibrate_entries *entries)
{
    const struct calibrate_series **sorted = mem_alloc(samples->count, sizeof *sorted, "samples");
    for (size_t i = 0; i < samples->count; i++)
        sorted[i] = &samples->series[i];
    qsort(sorted, samples->count, sizeof *sorted, compare_series);
    for (size_t i = 0; i < samples->count; i++)
        if (sorted[i]->kind != CALIBRATE_HALF)
            calibrate_add_entry(entries, series_name(sorted[i]), NULL, series_text(sorted[i]));
    free(sorted);
}

void calibrate_list(const struct calibrate_samples *samples, const struct calibration *calibration,
                    struct calibrate_entries *entries)
{
    const struct calibrate_messages *between = &calibration->places[CALIBRATE_BETWEEN],
                                    *within = &calibration->places[CALIBRATE_WITHIN];
    bool is_alone = !between->is_known;
    enum calibrate_place place = is_alone ? CALIBRATE_WITHIN : CALIBRATE_BETWEEN;
    /* The machine has one threshold. Without one no message is a rendezvous that costs more. */
    const struct calibrate_protocol protocol = {
        .eager = samples->has_eager[place] ? (double)samples->eager[place] : INFINITY,
        .own_eager =
            samples->has_eager[CALIBRATE_WITHIN] ? (double)samples->eager[CALIBRATE_WITHIN] : INFINITY,
        .handshakes = samples->has_eager[place] ? calibration->places[place].handshakes : 0};
    *entries = (struct calibrate_entries){.count = 0};
    if (between->is_known)
        list_between(between, entries);
    if (within->is_known)
        list_within(within, is_alone, &protocol, entries);
    list_protocol(samples, &calibration->places[place], place, entries);
    list_world(samples, is_alone, entries);
    for (place = 0; place < CALIBRATE_PLACES; place++)
        if (calibration->places[place].is_known)
            list_pieces(samples, place, &calibration->places[place], entries);
    list_series(samples, entries);
}

/* ------------------------------------------------------------------ writing */

static void write_doc(const struct calibrate_samples *samples, const struct calibration *calibration,
                      FILE *out)
{
    char *doc =
        mem_format("%s" CALIBRATE_MEASURED ": %u node%s, %u rank%s",
                   calibration->is_sound ? "" : CALIBRATE_NOT_SOUND ", guards have failed; ", samples->nodes,
                   samples->nodes == 1 ? "" : "s", samples->ranks, samples->ranks == 1 ? "" : "s");
    fputs("doc: ", out);
    quote_yaml(out, doc);
    fputc('\n', out);
    free(doc);
}

static void write_entry(const char *name, const char *text, FILE *out)
{
    fprintf(out, "  %s: ", name);
    quote_yaml(out, text);
    fputc('\n', out);
}

void calibrate_write(const struct calibrate_samples *samples, const struct calibration *calibration,
                     const struct calibrate_entries *entries, FILE *out)
{
    fputs("# Measured by helio calibrate. docs/calibrate.md says how to use it, docs/models/calibrate.md how "
          "it "
          "is done.\nname: ",
          out);
    quote_yaml(out, *samples->library ? samples->library : samples->mpi);
    fputc('\n', out);
    write_doc(samples, calibration, out);
    for (size_t i = 0; i < entries->count; i++)
        if (entries->list[i].value)
            fprintf(out, "%s: %s\n", entries->list[i].name, entries->list[i].value);
    fputs("sources:\n", out);
    for (size_t i = 0; i < entries->count; i++)
        if (entries->list[i].value)
            write_entry(entries->list[i].name, entries->list[i].text, out);
    fputs("measured:\n", out);
    for (size_t i = 0; i < samples->guard_count; i++)
        if (!samples->guards[i].passed) {
            char *name = mem_format("NOT-SOUND.%zu", i + 1),
                 *text =
                     mem_format("guard %s failed: %s", samples->guards[i].name, samples->guards[i].reason);
            write_entry(name, text, out);
            free(name);
            free(text);
        }
    for (size_t i = 0; i < entries->count; i++)
        if (!entries->list[i].value)
            write_entry(entries->list[i].name, entries->list[i].text, out);
}
