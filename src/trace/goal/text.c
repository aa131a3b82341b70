#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/goal/goal.h"
#include "trace/goal/lexer.h"

/*     num_ranks 2
 *     rank 0 {
 *     l1: calc 700 cpu 1
 *     l2: send 8b to 1 tag 5 nic 1
 *     l2 requires l1
 *     }
 *     rank 1 {
 *     recv 8b from 0 tag 5
 *     }
 *
 * Every statement ends with its line. LogGOPSim's reader is stricter: it knows no blanks before a label, no
 * comment behind a statement, and one order of tag, cpu and nic. */

struct goal_reader {
    struct goal_program *goal;
    struct goal_lexer lexer;
    uint32_t ranks, rank;
    size_t statement_at;   /* of the present line */
    struct hashmap labels; /* of the present rank */
};

static bool is_done(const struct goal_reader *reader)
{
    return reader->lexer.errors >= GOAL_MOST_ERRORS;
}

/* ------------------------------------------------------------------- tokens */

static bool expect_word(struct goal_lexer *lexer, const char *word)
{
    char found[64];
    if (goal_is(lexer, word)) {
        goal_next(lexer);
        return true;
    }
    goal_error(lexer, "%s stands where '%s' has to", goal_show(lexer, found, sizeof found), word);
    return false;
}

/* A number from 0 to `most`; with `any` also -1, or 2^32 - 1, which is the same. `what` names it. */
static bool expect_number(struct goal_lexer *lexer, const char *what, uint64_t most, bool any,
                          uint64_t *number)
{
    char found[64];
    bool is_any = lexer->token == GOAL_NUMBER && !lexer->too_large && lexer->number == UINT32_MAX;
    bool is_minus = lexer->token == GOAL_NUMBER && lexer->is_any;
    if (lexer->token != GOAL_NUMBER) {
        goal_error(lexer, "%s stands where %s has to", goal_show(lexer, found, sizeof found), what);
        return false;
    }
    if (any && is_any) {
        *number = GRAPH_ANY;
    } else if (is_minus) {
        goal_error(lexer, "%s cannot be -1", what);
        return false;
    } else if (lexer->too_large || lexer->number > most) {
        goal_error(lexer, "%s is at most %llu", what, (unsigned long long)most);
        return false;
    } else {
        *number = lexer->number;
    }
    goal_next(lexer);
    return true;
}

static bool expect_line(struct goal_lexer *lexer)
{
    char found[64];
    if (lexer->token == GOAL_CLOSE || lexer->token == GOAL_END)
        return true;
    if (lexer->token == GOAL_LINE) {
        goal_next(lexer);
        return true;
    }
    goal_error(lexer, "%s stands behind a statement; each statement has a line of its own",
               goal_show(lexer, found, sizeof found));
    return false;
}

/* ------------------------------------------------------------------- labels */

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash;
}

/* The label of an operation of the present rank begins its line. */
static bool has_label(const struct goal_reader *reader, uint32_t operation, const char *text, size_t length)
{
    const struct goal_program *goal = reader->goal;
    const struct graph_builder *builder = &goal->builder;
    size_t index =
        (size_t)builder->graph.operations - builder->ranks[builder->rank_count - 1].count + operation;
    size_t at = (size_t)goal->rank_at[reader->rank] + goal->at[index];
    return at + length < goal->size && !memcmp(goal->bytes + at, text, length) &&
           !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
                   goal->bytes[at + length]);
}

/* Where the operation of a label is kept, plus 1; 0: it has none. */
static uint32_t *label_slot(struct goal_reader *reader, const char *text, size_t length)
{
    for (uint64_t key = hash_of(text, length);; key++) {
        uint32_t *slot = hashmap_slot(&reader->labels, key);
        if (!*slot || has_label(reader, *slot - 1, text, length))
            return slot;
    }
}

static uint32_t find_label(struct goal_reader *reader, const char *text, size_t length)
{
    for (uint64_t key = hash_of(text, length);; key++) {
        uint32_t found = hashmap_get(&reader->labels, key);
        if (!found || has_label(reader, found - 1, text, length))
            return found;
    }
}

/* --------------------------------------------------------------- operations */

static bool read_options(struct goal_lexer *lexer, struct graph_operation *operation)
{
    static const char *const names[] = {"tag", "cpu", "nic"};
    unsigned seen = 0;
    bool is_calc = operation->kind == GRAPH_COMPUTE;
    while (lexer->token == GOAL_WORD) {
        uint64_t value;
        unsigned i = 0;
        while (i < 3 && !goal_is(lexer, names[i]))
            i++;
        if (i == 3 || (is_calc && i != 1)) {
            char found[64];
            goal_error(lexer, "%s is no option of %s", goal_show(lexer, found, sizeof found),
                       is_calc ? "calc, which has only cpu" : "a message: tag, cpu or nic");
            return false;
        }
        if (seen & 1U << i) {
            goal_error(lexer, "%s stands twice", names[i]);
            return false;
        }
        seen |= 1U << i;
        goal_next(lexer);
        if (!expect_number(lexer, i ? "the number of a cpu or nic" : "a tag",
                           i ? GOAL_MOST_CORES - 1 : UINT32_MAX - 1, !i, &value))
            return false;
        if (i == 0)
            operation->tag = (uint32_t)value;
        else if (i == 1)
            operation->core = (uint8_t)value;
        else
            operation->nic = (uint8_t)value;
    }
    return true;
}

static bool read_message(struct goal_reader *reader, struct graph_operation *operation)
{
    struct goal_lexer *lexer = &reader->lexer;
    bool is_send = operation->kind == GRAPH_SEND;
    uint64_t peer;
    goal_next(lexer);
    if (!expect_number(lexer, "a size in bytes", INT64_MAX, false, &operation->amount) ||
        !expect_word(lexer, "b") || !expect_word(lexer, is_send ? "to" : "from"))
        return false;
    const struct goal_lexer at_peer = *lexer;
    if (!expect_number(lexer, "the number of a rank", UINT32_MAX - 1, !is_send, &peer))
        return false;
    if (peer >= reader->ranks && peer != GRAPH_ANY) {
        uint32_t errors = lexer->errors;
        *lexer = at_peer;
        lexer->errors = errors;
        goal_error(lexer, "there is no rank %llu: num_ranks is %u", (unsigned long long)peer, reader->ranks);
        return false;
    }
    operation->peer = (uint32_t)peer;
    return read_options(lexer, operation);
}

static bool read_calc(struct goal_reader *reader, struct graph_operation *operation)
{
    goal_next(&reader->lexer);
    if (!expect_number(&reader->lexer, "a time in ns", GOAL_MOST_NS, false, &operation->amount))
        return false;
    operation->amount *= 1000;
    return read_options(&reader->lexer, operation);
}

static bool is_operation(const struct goal_lexer *lexer)
{
    return goal_is(lexer, "send") || goal_is(lexer, "recv") || goal_is(lexer, "calc");
}

static void add_operation(struct goal_reader *reader, const struct graph_operation *operation)
{
    struct goal_program *goal = reader->goal;
    size_t index = (size_t)goal->builder.graph.operations;
    graph_builder_add(&goal->builder, operation);
    goal->at = mem_grow(goal->at, &goal->at_capacity, index + 1, "places of operations");
    goal->at[index] = (uint32_t)(reader->statement_at - goal->rank_at[reader->rank]);
}

static bool read_operation(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    struct graph_operation operation = {.kind = GRAPH_COMPUTE};
    char found[64];
    if (goal_is(lexer, "send"))
        operation.kind = GRAPH_SEND;
    else if (goal_is(lexer, "recv"))
        operation.kind = GRAPH_RECV;
    if (!is_operation(lexer)) {
        goal_error(lexer, "%s stands where send, recv or calc has to", goal_show(lexer, found, sizeof found));
        return false;
    }
    bool is_good =
        operation.kind == GRAPH_COMPUTE ? read_calc(reader, &operation) : read_message(reader, &operation);
    if (is_good)
        add_operation(reader, &operation);
    return is_good;
}

static bool read_labelled(struct goal_reader *reader, const struct goal_lexer *label)
{
    struct graph_builder *builder = &reader->goal->builder;
    const char *text = label->bytes + label->at;
    goal_next(&reader->lexer); /* the colon */
    bool is_good = read_operation(reader);
    if (!is_good) /* its label exists, so that lines that use it are no errors too */
        add_operation(reader, &(struct graph_operation){.kind = GRAPH_COMPUTE});
    uint32_t number = builder->ranks[builder->rank_count - 1].count - 1;
    uint32_t *slot = label_slot(reader, text, label->length);
    if (*slot) {
        struct goal_lexer place = *label;
        goal_warning(&place, "rank %u has a label '%.*s' already, which the first one keeps", reader->rank,
                     (int)label->length, text);
        return is_good;
    }
    *slot = number + 1;
    return is_good;
}

static bool find_operation(struct goal_reader *reader, const struct goal_lexer *label, uint32_t *operation)
{
    uint32_t found = find_label(reader, label->bytes + label->at, label->length);
    if (found) {
        *operation = found - 1;
        return true;
    }
    struct goal_lexer place = *label;
    goal_error(&place, "no operation of rank %u above this line has the label '%.*s'", reader->rank,
               (int)label->length, label->bytes + label->at);
    reader->lexer.errors++;
    return false;
}

/* "A requires B", "A irequires B". */
static bool read_dependence(struct goal_reader *reader, const struct goal_lexer *label)
{
    struct goal_lexer *lexer = &reader->lexer;
    bool on_begin = goal_is(lexer, "irequires");
    uint32_t after, before;
    char found[64];
    goal_next(lexer);
    if (lexer->token != GOAL_WORD) {
        goal_error(lexer, "%s stands where a label has to", goal_show(lexer, found, sizeof found));
        return false;
    }
    if (!find_operation(reader, label, &after) || !find_operation(reader, lexer, &before))
        return false;
    graph_builder_depend(&reader->goal->builder, before, after, on_begin);
    goal_next(lexer);
    return true;
}

static bool read_statement(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    char found[64];
    reader->statement_at = lexer->at;
    if (lexer->token != GOAL_WORD) {
        goal_error(lexer, "%s begins no statement: an operation, a label, or '}'",
                   goal_show(lexer, found, sizeof found));
        return false;
    }
    const struct goal_lexer first = *lexer;
    goal_next(lexer);
    if (lexer->token == GOAL_COLON && !is_operation(&first))
        return read_labelled(reader, &first);
    if (goal_is(lexer, "requires") || goal_is(lexer, "irequires"))
        return read_dependence(reader, &first);
    if (is_operation(&first) && lexer->token != GOAL_COLON) {
        uint32_t errors = lexer->errors;
        *lexer = first;
        lexer->errors = errors;
        return read_operation(reader);
    }
    if (is_operation(&first))
        goal_error(lexer, "a keyword cannot be a label");
    else
        goal_error(lexer, "%s stands where ':', requires or irequires has to",
                   goal_show(lexer, found, sizeof found));
    return false;
}

/* -------------------------------------------------------------------- ranks */

static void read_rank(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    struct goal_program *goal = reader->goal;
    hashmap_clear(&reader->labels);
    graph_builder_rank(&goal->builder);
    goal->rank_at[reader->rank] = lexer->at;
    while (!is_done(reader) && lexer->token != GOAL_CLOSE && lexer->token != GOAL_END) {
        if (lexer->token == GOAL_LINE) {
            goal_next(lexer);
            continue;
        }
        if (lexer->at - goal->rank_at[reader->rank] >= UINT32_MAX) {
            goal_error(lexer, "rank %u has more than 4 GiB of text", reader->rank);
            break;
        }
        if (!read_statement(reader) || !expect_line(lexer))
            goal_skip_line(lexer);
    }
    bool has_order = graph_builder_end(&goal->builder);
    if (lexer->token != GOAL_CLOSE) {
        if (!is_done(reader))
            goal_error(lexer, "rank %u has no closing brace", reader->rank);
        return;
    }
    if (!has_order) {
        goal_report_circle(goal, reader->rank);
        lexer->errors++;
    }
    goal_next(lexer);
}

static void skip_lines(struct goal_lexer *lexer)
{
    while (lexer->token == GOAL_LINE)
        goal_next(lexer);
}

/* "rank N {", of the rank that comes next. */
static bool read_head(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    uint64_t number;
    char found[64];
    if (!expect_word(lexer, "rank"))
        return false;
    const struct goal_lexer at_number = *lexer;
    if (!expect_number(lexer, "the number of a rank", UINT32_MAX - 1, false, &number))
        return false;
    if (number != reader->rank) {
        struct goal_lexer place = at_number;
        goal_error(&place,
                   number < reader->ranks ? "rank %u comes next; ranks stand in order, and each once"
                                          : "rank %u comes next, and num_ranks is %u",
                   reader->rank, reader->ranks);
        lexer->errors++;
        return false;
    }
    if (lexer->token != GOAL_OPEN) {
        goal_error(lexer, "%s stands where '{' has to", goal_show(lexer, found, sizeof found));
        return false;
    }
    goal_next(lexer);
    return true;
}

static bool read_ranks(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    char found[64];
    for (reader->rank = 0; reader->rank < reader->ranks && !is_done(reader); reader->rank++) {
        skip_lines(lexer);
        if (lexer->token == GOAL_END) {
            goal_error(lexer, "rank %u is missing: num_ranks is %u", reader->rank, reader->ranks);
            return false;
        }
        if (!read_head(reader))
            return false;
        uint32_t errors = lexer->errors;
        read_rank(reader);
        if (lexer->token == GOAL_END && lexer->errors > errors)
            return false;
    }
    skip_lines(lexer);
    if (lexer->errors == 0 && lexer->token != GOAL_END)
        goal_error(lexer, "%s stands behind the last rank: num_ranks is %u",
                   goal_show(lexer, found, sizeof found), reader->ranks);
    return lexer->errors == 0;
}

static bool read_file(struct goal_reader *reader)
{
    struct goal_lexer *lexer = &reader->lexer;
    struct goal_program *goal = reader->goal;
    uint64_t ranks;
    goal_next(lexer);
    skip_lines(lexer);
    if (!expect_word(lexer, "num_ranks"))
        return false;
    const struct goal_lexer at_number = *lexer;
    if (!expect_number(lexer, "the number of ranks", INT32_MAX, false, &ranks))
        return false;
    /* Each rank takes at least "rank0{}", so that a small file asks for little memory. */
    if (!ranks || ranks > goal->size / 7) {
        struct goal_lexer place = at_number;
        goal_error(&place,
                   ranks ? "the file is too short for %llu ranks" : "%llu ranks; a program has at least one",
                   (unsigned long long)ranks);
        return false;
    }
    reader->ranks = goal->program.ranks = (uint32_t)ranks;
    goal->rank_at = mem_alloc(ranks, sizeof *goal->rank_at, "places of ranks");
    return read_ranks(reader);
}

enum status goal_read_text(struct goal_program *goal)
{
    struct goal_reader reader = {.goal = goal};
    goal_lexer_init(&reader.lexer, goal->path, goal->bytes, goal->size);
    bool is_good = read_file(&reader);
    if (is_done(&reader))
        diag_error("%s: %d errors are enough; stopped reading", goal->path, GOAL_MOST_ERRORS);
    hashmap_free(&reader.labels);
    return is_good && !reader.lexer.errors ? STATUS_OK : STATUS_BAD_INPUT;
}
