/* Any bytes as a trace and an edit of it. The first line of the input is the edit:
 *
 *     iterations 2..3                         collectives 1..2
 *     repeat 3                                merge (with the second trace behind a line of "====")
 *     ranks 0x5 drop no-compute only=p2p      comm 1 only=collectives
 *
 * The result is a trace whose text reads back as the same calls. A part of a program that ends does end, and
 * what is cut out, repeated or merged has the messages that it should have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"
#include "trace/check/check.h"
#include "trace/edit/cut.h"
#include "trace/edit/filter.h"
#include "trace/edit/repeat.h"
#include "trace/edit/side.h"
#include "trace/summary.h"
#include "trace/ti/decompile.h"
#include "trace/ti/ti.h"

enum { MOST_RANKS = 16, MOST_TIMES = 5 };

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* ------------------------------------------------------------------- edits */

static struct compiled_trace *cut_it(struct compiled_trace *source, enum place_kind kind, const char *part)
{
    struct places places;
    struct compiled_trace *result = NULL;
    struct rank_pieces pieces;
    struct trace_part cut;
    char text[CUT_TEXT];
    if (places_open(&places, source, kind, true) == STATUS_OK &&
        cut_read(&places, "--part", part, &cut) == STATUS_OK && cut_check(&places, &cut) == STATUS_OK) {
        struct trace_part again;
        fuzz_must(cut_read(&places, "--part", cut_print(&places, &cut, text), &again) == STATUS_OK &&
                      again.from == cut.from && again.to == cut.to,
                  "%s is the part again", text);
        pieces_open(&pieces, source);
        cut_apply(&places, &cut, &pieces);
        const struct edit edit = pieces_edit(&pieces);
        if (edit_make(&edit, "part", &result) != STATUS_OK)
            result = NULL;
        pieces_free(&pieces);
    }
    places_free(&places);
    return result;
}

static struct compiled_trace *repeat_it(struct compiled_trace *source, unsigned long times)
{
    struct compiled_trace *result;
    struct trace_summary once, often;
    if (!times || times > MOST_TIMES || repeat_make(source, times, "repeated", &result) != STATUS_OK)
        return NULL;
    summary_of(source, &once);
    summary_of(result, &often);
    fuzz_must(often.sends == once.sends * times && often.send_bytes == once.send_bytes * (sum_t)times &&
                  often.collectives == once.collectives * times,
              "%lu times the messages", times);
    return result;
}

static uint32_t choose(const struct program *program, const char *words, struct filter_choice *choice,
                       uint32_t *ranks)
{
    unsigned long number = strtoul(words + strcspn(words, " "), NULL, 0);
    choice->comm = FILTER_ALL_COMMS;
    if (begins(words, "comm") && number < program->group_count) {
        const struct group *group = &program->groups[number];
        choice->comm = (int64_t)number;
        for (uint32_t i = 0; i < group->size; i++)
            ranks[choice->count++] = group_world(group, i);
    }
    for (uint32_t rank = 0; begins(words, "ranks") && rank < program->ranks; rank++)
        if (number >> rank & 1)
            ranks[choice->count++] = rank;
    return choice->count;
}

static struct compiled_trace *filter_it(struct compiled_trace *source, const char *words)
{
    uint32_t ranks[MOST_RANKS];
    struct filter_choice choice = {.ranks = ranks,
                                   .drop_outside = strstr(words, "drop") != NULL,
                                   .no_compute = strstr(words, "no-compute") != NULL,
                                   .no_messages = strstr(words, "only=collectives") != NULL,
                                   .no_collectives = strstr(words, "only=p2p") != NULL};
    struct filter_counts counts;
    struct compiled_trace *result;
    bool made = choose(&source->program, words, &choice, ranks) &&
                filter_make(source, &choice, "filtered", &counts, &result) == STATUS_OK;
    return made ? result : NULL;
}

/* Closes the first trace. */
static struct compiled_trace *merge_it(struct compiled_trace *first, struct fuzz_piece text)
{
    struct compiled_trace *second = fuzz_trace(text, MOST_RANKS), *result;
    struct trace_summary of_first, of_second, of_both;
    if (!second) {
        first->program.ops->close(&first->program);
        return NULL;
    }
    summary_of(first, &of_first);
    summary_of(second, &of_second);
    struct compiled_trace *const sources[] = {first, second};
    if (side_make(sources, 2, "merged", &result) != STATUS_OK)
        return NULL;
    summary_of(result, &of_both);
    fuzz_must(of_both.sends == of_first.sends + of_second.sends &&
                  of_both.send_bytes == of_first.send_bytes + of_second.send_bytes,
              "the messages of both");
    return result;
}

/* --------------------------------------------------------------- the result */

/* Compiles the text of the result: equal text comes out of it. */
static void read_back(struct compiled_trace *result)
{
    struct trace_input input;
    char *texts[2 * MOST_RANKS];
    size_t sizes[2 * MOST_RANKS];
    uint32_t ranks = result->program.ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        texts[rank] = decompile_rank(result, rank, &sizes[rank]);
    ti_input_of_texts(&input, "fuzz", (const char *const *)texts, sizes, ranks);
    struct compiled_trace *again = fuzz_compile(&input);
    fuzz_must(again != NULL, "the result can be read");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        size_t size;
        char *text = decompile_rank(again, rank, &size);
        fuzz_must(size == sizes[rank] && !memcmp(text, texts[rank], size), "the text stays");
        free(text);
        free(texts[rank]);
    }
    fuzz_must(again->header->lines == result->header->lines, "the lines stay");
    again->program.ops->close(&again->program);
    trace_input_close(&input);
}

static bool has_mailboxes(const struct compiled_trace *source)
{
    struct trace_summary summary;
    summary_of(source, &summary);
    return summary.wildcards > 0;
}

static struct compiled_trace *edit_it(struct compiled_trace *source, const char *words,
                                      struct fuzz_piece second, bool *is_closed)
{
    if (begins(words, "merge"))
        return *is_closed = true, merge_it(source, second);
    struct compiled_trace *result = NULL;
    if (begins(words, "iterations "))
        result = cut_it(source, PLACES_ITERATIONS, words + strlen("iterations "));
    else if (begins(words, "collectives "))
        result = cut_it(source, PLACES_COLLECTIVES, words + strlen("collectives "));
    else if (begins(words, "repeat "))
        result = repeat_it(source, strtoul(words + strlen("repeat "), NULL, 10));
    else
        result = filter_it(source, words);
    return result;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece line = fuzz_cut(&rest, "\n"), first = fuzz_cut(&rest, "====\n");
    char words[64];
    snprintf(words, sizeof words, "%.*s", (int)(line.size < sizeof words ? line.size : sizeof words),
             line.bytes);
    struct compiled_trace *source = fuzz_trace(first, MOST_RANKS);
    if (!source)
        return false;
    const struct config *config = fuzz_config((struct fuzz_piece){"", 0});
    bool is_part = begins(words, "iterations ") || begins(words, "collectives ");
    bool ended = is_part && !has_mailboxes(source) && fuzz_run(config, &source->program), is_closed = false;
    struct compiled_trace *result = edit_it(source, words, rest, &is_closed);
    if (!is_closed)
        source->program.ops->close(&source->program);
    if (!result)
        return false;
    read_back(result);
    bool result_ended = fuzz_run(config, &result->program);
    fuzz_must(result_ended || !ended, "a part of a program that ends does end");
    result->program.ops->close(&result->program);
    return true;
}
