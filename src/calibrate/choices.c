#include "calibrate/choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/word_line.h"
#include "coll/choice.h"

enum { CALLS_AT_MOST = 1024, RANGES_AT_MOST = 4096 };

static const char head[] = "heliochoices 1", block_suffix[] = "_block";

void choices_free(struct choices *choices)
{
    for (size_t i = 0; i < choices->count; i++)
        free(choices->calls[i].ranges);
    free(choices->calls);
    choices->calls = NULL;
    choices->count = 0;
}

/* -------------------------------------------------------------------- words */

struct choices_reader {
    struct choices *choices;
    struct word_line at;
};

static enum status take_number(const struct choices_reader *reader, char **text, uint64_t least,
                               uint64_t most, uint64_t *number)
{
    char *word = word_take(text), *end;
    *number = strtoull(word, &end, 10);
    bool is_number = *word >= '0' && *word <= '9' && !*end && *number >= least && *number <= most;
    return is_number
               ? STATUS_OK
               : word_fail(&reader->at, word,
                           "a whole number that follows from the ones before it is expected here, in digits");
}

/* "allreduce", "reduce_scatter_block" */
static bool find_call(const char *word, enum coll_kind *kind, bool *block)
{
    for (*kind = 0; *kind < COLL_KINDS; ++*kind) {
        const char *name = coll_kind_name(*kind);
        size_t length = strlen(name);
        *block = *kind == COLL_REDUCE_SCATTER && strcmp(word + strnlen(word, length), block_suffix) == 0;
        if (strncmp(word, name, length) == 0 && (*block || !word[length]))
            return true;
    }
    return false;
}

/* The call of the words RANKS CALL. NULL: reported. */
static struct choice_call *take_call(struct choices_reader *reader, char **text)
{
    struct choices *choices = reader->choices;
    uint64_t ranks;
    enum coll_kind kind;
    bool block;
    if (take_number(reader, text, 2, UINT32_MAX, &ranks) != STATUS_OK)
        return NULL;
    char *word = word_take(text);
    if (!find_call(word, &kind, &block)) {
        word_fail(&reader->at, word, "a collective is expected here, such as allreduce");
        return NULL;
    }
    struct choice_call *last = choices->count ? &choices->calls[choices->count - 1] : NULL;
    if (last && !last->is_done) {
        if (last->ranks == ranks && last->kind == kind && last->block == block)
            return last;
        word_fail(&reader->at, word, "the line 'table' of the collective before this one is missing");
        return NULL;
    }
    for (size_t i = 0; i < choices->count; i++)
        if (choices->calls[i].ranks == ranks && choices->calls[i].kind == kind &&
            choices->calls[i].block == block) {
            word_fail(&reader->at, word, "this collective with so many ranks has its lines already");
            return NULL;
        }
    if (choices->count == CALLS_AT_MOST) {
        word_fail(&reader->at, word, "there are more collectives than are counted");
        return NULL;
    }
    choices->calls = mem_grow(choices->calls, &choices->capacity, choices->count + 1, "choices");
    choices->calls[choices->count] =
        (struct choice_call){.ranks = (uint32_t)ranks, .kind = kind, .block = block};
    return &choices->calls[choices->count++];
}

/* "ring,bruck", or "-". */
static enum status take_names(const struct choices_reader *reader, char **text, enum coll_kind kind,
                              struct choice_range *range)
{
    char *word = word_take(text);
    if (strcmp(word, "-") == 0)
        return STATUS_OK;
    for (char *name = word; name;) {
        char *comma = strchr(name, ','), *next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        const struct coll_algorithm *algorithm = coll_find(kind, name);
        if (!algorithm || range->count == CHOICE_NAMES)
            return word_fail(&reader->at, name, "an algorithm of this collective is expected here");
        range->fits[range->count++] = algorithm;
        name = next;
    }
    return STATUS_OK;
}

/* -------------------------------------------------------------------- lines */

static enum status read_choice(struct choices_reader *reader, char *text)
{
    struct choice_call *call = take_call(reader, &text);
    struct choice_range range = {.count = 0};
    if (!call)
        return STATUS_BAD_INPUT;
    uint64_t least = call->count ? call->ranges[call->count - 1].last + 1 : 0;
    enum status status = take_number(reader, &text, least, UINT64_C(1) << 40, &range.first);
    if (status == STATUS_OK)
        status = take_number(reader, &text, range.first, UINT64_C(1) << 40, &range.last);
    if (status == STATUS_OK)
        status = take_names(reader, &text, call->kind, &range);
    if (status == STATUS_OK && call->count == RANGES_AT_MOST)
        status = word_fail(&reader->at, text, "there are more ranges than the probe finds");
    if (status != STATUS_OK)
        return status;
    call->ranges = mem_grow(call->ranges, &call->capacity, call->count + 1, "choices");
    call->ranges[call->count++] = range;
    return STATUS_OK;
}

static enum status read_table(struct choices_reader *reader, char *text)
{
    struct choice_call *call = take_call(reader, &text);
    uint64_t sizes, agree;
    if (!call)
        return STATUS_BAD_INPUT;
    if (call->count == 0)
        return word_fail(&reader->at, text, "a line 'choice' of this collective is missing before this one");
    enum status status = take_number(reader, &text, 1, UINT32_MAX, &sizes);
    if (status == STATUS_OK)
        status = take_number(reader, &text, 0, sizes, &agree);
    if (status != STATUS_OK)
        return status;
    call->sizes = (uint32_t)sizes;
    call->agree = (uint32_t)agree;
    call->is_done = true;
    return STATUS_OK;
}

static enum status read_world(struct choices_reader *reader, char *text)
{
    uint64_t nodes, ranks;
    enum status status = take_number(reader, &text, 1, UINT32_MAX, &nodes);
    if (status == STATUS_OK)
        status = take_number(reader, &text, nodes > 2 ? nodes : 2, UINT32_MAX, &ranks);
    if (status == STATUS_OK) {
        reader->choices->nodes = (uint32_t)nodes;
        reader->choices->ranks = (uint32_t)ranks;
    }
    return status;
}

static enum status read_mpi(struct choices_reader *reader, char *text)
{
    char *word = word_take(&text);
    if (strcmp(word, "openmpi") != 0 && strcmp(word, "mpich") != 0)
        return word_fail(&reader->at, word, "an MPI is openmpi or mpich");
    snprintf(reader->choices->mpi, sizeof reader->choices->mpi, "%s", word);
    return STATUS_OK;
}

static enum status read_library(struct choices_reader *reader, char *text)
{
    snprintf(reader->choices->library, sizeof reader->choices->library, "%s", text);
    return STATUS_OK;
}

static enum status read_uncounted(struct choices_reader *reader, char *text)
{
    snprintf(reader->choices->uncounted, sizeof reader->choices->uncounted, "%s",
             *text ? text : "messages cannot be counted");
    return STATUS_OK;
}

static enum status read_end(struct choices_reader *reader, char *text)
{
    const struct choices *choices = reader->choices;
    if (choices->count > 0 && !choices->calls[choices->count - 1].is_done)
        return word_fail(&reader->at, text, "the line 'table' of the last collective is missing");
    if (!*choices->mpi || !choices->ranks || (choices->count == 0) == !*choices->uncounted)
        return word_fail(&reader->at, text,
                         "the lines mpi, world, and either uncounted or choice and table are expected before "
                         "the end");
    reader->choices->is_done = true;
    return STATUS_OK;
}

static const struct {
    const char *word;
    enum status (*read)(struct choices_reader *reader, char *text);
} words[] = {{"choice", read_choice}, {"table", read_table},     {"world", read_world},
             {"mpi", read_mpi},       {"library", read_library}, {"uncounted", read_uncounted},
             {"end", read_end}};

enum { WORDS = sizeof words / sizeof *words };

/* Before the first line of the probe, and between its lines, an MPI may print lines of its own. */
static enum status read_line(struct choices_reader *reader, void (*pass)(const char *line))
{
    struct choices *choices = reader->choices;
    char *text = reader->at.text;
    size_t length = strcspn(text, " "), word = 0;
    while (word < WORDS &&
           (strlen(words[word].word) != length || strncmp(words[word].word, text, length) != 0))
        word++;
    if (!choices->is_there && strcmp(text, head) == 0) {
        choices->is_there = true;
        return STATUS_OK;
    }
    if (choices->is_there && word < WORDS) {
        word_take(&text);
        return words[word].read(reader, text);
    }
    if (!pass)
        return word_fail(&reader->at, text,
                         choices->is_there ? "a line of the choices begins with choice, table, world, mpi, "
                                             "library, uncounted or end"
                                           : "the choices begin with 'heliochoices 1'");
    pass(text);
    return STATUS_OK;
}

enum status choices_read(struct choices *choices, FILE *file, const char *name, size_t lines,
                         void (*pass)(const char *line))
{
    *choices = (struct choices){.count = 0};
    struct choices_reader reader = {.choices = choices, .at = {.name = name, .number = lines}};
    struct file_line line = {.length = 0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !choices->is_done && file_next_line(file, &line)) {
        reader.at.text = line.text;
        if (line.text[line.length - 1] != '\n')
            break; /* cut off */
        reader.at.text[strcspn(reader.at.text, "\r\n")] = '\0';
        reader.at.number++;
        status = read_line(&reader, pass);
    }
    if (line.is_too_long) {
        diag_error("%s: a line has more than 1 MiB, so it is not the output of the probe", name);
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && !choices->is_done && choices->is_there) {
        diag_error("%s: the choices of collective algorithms did not come to their end", name);
        status = STATUS_FAILED;
    }
    free(line.text);
    return status;
}

/* --------------------------------------------------------------- parameters */

bool choice_agrees(const struct choice_call *call)
{
    return call->agree == call->sizes;
}

/* Of several algorithms that send the same, the first one of our list stands for all. False: no parameter
 * says the call. */
static bool choice_of(const struct choice_call *call, struct coll_choice *choice)
{
    *choice = (struct coll_choice){.count = 0};
    if (call->count > COLL_CHOICES || (call->count > 1 && !coll_sizes_agree(call->kind)))
        return false;
    for (size_t i = 0; i < call->count; i++) {
        if (call->ranges[i].count == 0)
            return false;
        choice->algorithm[choice->count] = call->ranges[i].fits[0];
        choice->limit[choice->count++] = i + 1 < call->count ? call->ranges[i].last : UINT64_MAX;
    }
    return true;
}

bool choice_print(const struct choices *choices, const struct choice_call *call, char *buffer, size_t size)
{
    struct coll_choice choice;
    if (call->ranks != choices->ranks || call->block || choice_agrees(call) || !choice_of(call, &choice))
        return false;
    coll_choice_print(&choice, buffer, size);
    return true;
}

static bool fits(const struct choice_range *range, const struct coll_algorithm *algorithm)
{
    for (size_t i = 0; i < range->count; i++)
        if (range->fits[i] == algorithm)
            return true;
    return false;
}

/* Whether the algorithm of each size is one that sends what the call sends. */
static bool is_as(const struct coll_choice *choice, const struct choice_call *call)
{
    for (uint32_t i = 0; i < choice->count; i++)
        for (size_t k = 0; k < call->count; k++) {
            const struct choice_range *range = &call->ranges[k];
            bool is_apart = range->first > choice->limit[i] || (i > 0 && range->last <= choice->limit[i - 1]);
            if (!is_apart && !fits(range, choice->algorithm[i]))
                return false;
        }
    return true;
}

bool choice_is_lost(const struct choices *choices, const struct choice_call *call)
{
    struct coll_choice choice;
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice_call *all = &choices->calls[i];
        bool has_param = all->ranks == choices->ranks && all->kind == call->kind && !all->block &&
                         !choice_agrees(all) && choice_of(all, &choice);
        if (has_param)
            return !is_as(&choice, call);
    }
    return !choice_agrees(call);
}
