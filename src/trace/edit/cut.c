#include "trace/edit/cut.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "trace/edit/separated.h"

/* ------------------------------------------------------------------ reading */

/* The number at *text, 0 if there is none; false: it is not in range. */
static bool read_number(const char **text, uint64_t *number)
{
    const char *begin = *text;
    *number = 0;
    while (isdigit((unsigned char)**text) && *number < UINT32_MAX)
        *number = *number * 10 + (uint64_t)(*(*text)++ - '0');
    return *text == begin || *number > 0;
}

static uint64_t units_of(const struct places *places)
{
    return places->kind == PLACES_ITERATIONS ? places->count - 1 : places->count;
}

static enum status refuse(const struct places *places, const char *option, const char *text)
{
    const char *what = places->kind == PLACES_ITERATIONS ? "iterations" : "collectives of the world";
    diag_error("%s: '%s' is no part of %" PRIu64 " %s; 2..5, 2.., ..5 and 5 are parts", option, text,
               units_of(places), what);
    return STATUS_BAD_INPUT;
}

enum status cut_read(const struct places *places, const char *option, const char *text,
                     struct trace_part *cut)
{
    const char *at = text;
    uint64_t first, last;
    bool good = read_number(&at, &first);
    last = first;
    if (!strncmp(at, "..", 2)) {
        at += 2;
        good = read_number(&at, &last) && good;
    } else {
        good = good && first;
    }
    good = good && !*at && (!last || first <= last) && first <= units_of(places) && last <= units_of(places);
    if (!good)
        return refuse(places, option, text);
    bool loops = places->kind == PLACES_ITERATIONS;
    cut->from = first && !loops ? first - 1 : first;
    cut->to = !last ? places->count + 1 : loops ? last + 1 : last;
    return STATUS_OK;
}

const char *cut_print(const struct places *places, const struct trace_part *cut, char text[static CUT_TEXT])
{
    bool loops = places->kind == PLACES_ITERATIONS;
    char first[24] = "", last[24] = "";
    if (cut->from)
        snprintf(first, sizeof first, "%" PRIu64, loops ? cut->from : cut->from + 1);
    if (cut->to <= places->count)
        snprintf(last, sizeof last, "%" PRIu64, loops ? cut->to - 1 : cut->to);
    snprintf(text, CUT_TEXT, "%s..%s", first, last);
    return text;
}

/* ----------------------------------------------------------------- checking */

/* The smallest part around the cut that can be cut out. */
static void suggest(const struct places *places, const struct trace_part *cut)
{
    struct trace_part wide = *cut;
    char text[CUT_TEXT];
    while (wide.from && (places->balance[wide.from] || places->open[wide.from]))
        wide.from--;
    while (wide.to <= places->count && (places->balance[wide.to] || places->open[wide.to]))
        wide.to++;
    if (wide.from || wide.to <= places->count)
        diag_note("nothing is separated by %s %s",
                  places->kind == PLACES_ITERATIONS ? "--iterations" : "--collectives",
                  cut_print(places, &wide, text));
    else
        diag_note("no smaller part than the whole program contains this one and separates nothing");
}

/* A trace may have a fault before the part, which then is in the balance at both of its ends. */
enum status cut_check(const struct places *places, const struct trace_part *cut)
{
    uint64_t wrong = cut->from;
    if (!places->open[cut->from] && !places->open[cut->to]) {
        bool balanced = place_is_balanced(places, cut->from) && place_is_balanced(places, cut->to);
        if (balanced && places->balance[cut->from] == places->balance[cut->to])
            return STATUS_OK;
        wrong = places->balance[cut->from] ? cut->from : cut->to;
    } else if (!places->open[cut->from]) {
        wrong = cut->to;
    }
    separated_report(places, wrong);
    suggest(places, cut);
    return STATUS_BAD_INPUT;
}

void cut_apply(const struct places *places, const struct trace_part *cut, struct rank_pieces *pieces)
{
    for (uint32_t rank = 0; rank < places->source->program.ranks; rank++)
        pieces->of[rank] =
            (struct rank_piece){place_token(places, rank, cut->from), place_token(places, rank, cut->to)};
}
