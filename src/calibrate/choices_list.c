/* The choices of an MPI as lines of its machine file (choices.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/units.h"
#include "calibrate/choices.h"

static const char *call_name(const struct choice_call *call, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", coll_kind_name(call->kind), call->block ? "_block" : "");
    return buffer;
}

/* ------------------------------------------------------------------ ranges */

/* "1 B to 1023 B: recursive-doubling", "1 KiB to 1 MiB: ring or bruck, which send the same" */
static void print_range(FILE *out, const struct choice_call *call, const struct choice_range *range)
{
    char first[64], last[64];
    units_print_size(range->first, first, sizeof first);
    units_print_size(range->last, last, sizeof last);
    if (call->kind != COLL_BARRIER)
        fprintf(out, range->first < range->last ? "%s to %s: " : "%s: ", first, last);
    if (range->count == 0)
        fputs("none of our algorithms", out);
    for (size_t i = 0; i < range->count; i++)
        fprintf(out, "%s%s", i == 0 ? "" : i + 1 < range->count ? ", " : " or ", range->fits[i]->name);
    if (range->count > 1)
        fputs(", which send the same", out);
}

/* To be freed. */
static char *ranges_text(const struct choice_call *call)
{
    char *text;
    size_t length;
    FILE *out = memory_stream_open(&text, &length);
    for (size_t i = 0; i < call->count; i++) {
        fputs(i > 0 ? "; " : "", out);
        print_range(out, call, &call->ranges[i]);
    }
    fclose(out);
    return text;
}

/* -------------------------------------------------------------- mpi.tuning */

/* "8, 4 and 2 ranks" */
static void print_ranks(FILE *out, const struct choices *choices)
{
    uint32_t last = 0;
    for (size_t i = 0; i < choices->count; i++) {
        uint32_t ranks = choices->calls[i].ranks;
        if (ranks == last)
            continue;
        bool is_last = choices->calls[choices->count - 1].ranks == ranks;
        fprintf(out, "%s%u", last == 0 ? "" : is_last ? " and " : ", ", ranks);
        last = ranks;
    }
    fputs(" ranks", out);
}

static char *tuning_text(const struct choices *choices)
{
    char *text;
    size_t length;
    uint64_t sizes = 0, agree = 0;
    FILE *out = memory_stream_open(&text, &length);
    fprintf(out, "the MPI that measured, %s; ", *choices->library ? choices->library : choices->mpi);
    for (size_t i = 0; i < choices->count; i++) {
        sizes += choices->calls[i].sizes;
        agree += choices->calls[i].agree;
    }
    if (*choices->uncounted) {
        fprintf(out, "its messages were not counted: %s", choices->uncounted);
    } else {
        fputs("its messages were counted with ", out);
        print_ranks(out, choices);
        fprintf(out, ": %s calls, by collective and size, send what this choice sends",
                agree == sizes ? "all" : "not all");
        fprintf(out, agree == sizes ? " (%llu)" : " (%llu of %llu)", (unsigned long long)agree,
                (unsigned long long)sizes);
    }
    fclose(out);
    return text;
}

static void set_text(struct calibrate_entries *entries, const char *param, char *text)
{
    for (size_t i = 0; i < entries->count; i++)
        if (entries->list[i].value && strcmp(entries->list[i].name, param) == 0) {
            free(entries->list[i].text);
            entries->list[i].text = text;
            return;
        }
    free(text);
}

/* ------------------------------------------------------------------- calls */

static void list_param(const struct choices *choices, const struct choice_call *call,
                       struct calibrate_entries *entries)
{
    char value[512];
    if (!choice_print(choices, call, value, sizeof value))
        return;
    char *ranges = ranges_text(call);
    calibrate_add_entry(entries, mem_format("mpi.%s", coll_kind_name(call->kind)), mem_text(value),
                        mem_format("messages counted with %u ranks; at %u of %u sizes mpi.tuning sends "
                                   "something else; %s",
                                   call->ranks, call->sizes - call->agree, call->sizes, ranges));
    free(ranges);
}

static void list_call(const struct choices *choices, const struct choice_call *call,
                      struct calibrate_entries *entries)
{
    char name[64], *ranges = ranges_text(call), *note = mem_text("");
    call_name(call, name, sizeof name);
    if (!choice_agrees(call)) {
        free(note);
        note = mem_format("%u of %u sizes are not as mpi.tuning says%s; ", call->sizes - call->agree,
                          call->sizes,
                          choice_is_lost(choices, call) ? ", and no parameter says what they all are" : "");
    }
    calibrate_add_entry(entries, mem_format("choices.%s.%u-ranks", name, call->ranks), NULL,
                        mem_format("%s%s", note, ranges));
    free(note);
    free(ranges);
}

void choices_list(const struct choices *choices, struct calibrate_entries *entries)
{
    if (!choices->is_there)
        return;
    set_text(entries, "mpi.tuning", tuning_text(choices));
    for (size_t i = 0; i < choices->count; i++)
        list_param(choices, &choices->calls[i], entries);
    for (size_t i = 0; i < choices->count; i++)
        if (choices->calls[i].ranks == choices->ranks || !choice_agrees(&choices->calls[i]))
            list_call(choices, &choices->calls[i], entries);
}
