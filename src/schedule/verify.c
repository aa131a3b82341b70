#include "schedule/verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "schedule/hops.h"

enum { MOST_REPORTED = 10, MOST_SLOTS = 1 << 24 };

/* A use of something that serves one request in a slot: the link `what`, which for a link of a node is that
 * the node sends or receives. */
struct use {
    uint32_t what, slot, line;
};

struct verifier {
    const struct topo *topo;
    const char *name, *line;
    size_t length, at; /* of the line; the byte that is read next */
    uint32_t number;   /* of the line, from 1 */
    struct hops hops;  /* of the topology */
    struct use *uses;
    size_t use_count, use_capacity;
    struct tdm_pattern seen;
    uint32_t slots; /* highest slot + 1 */
    unsigned problems;
    enum status status;
};

static void complain(struct verifier *verifier, enum status status, uint32_t number, size_t column,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
static void complain(struct verifier *verifier, enum status status, uint32_t number, size_t column,
                     const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (verifier->status != STATUS_BAD_INPUT)
        verifier->status = status;
    if (++verifier->problems > MOST_REPORTED)
        return;
    struct diag_place place = {.file = verifier->name, .line = number, .column = (uint32_t)column};
    if (number && number == verifier->number) {
        place.source = verifier->line;
        place.source_length = verifier->length;
        place.span = 1;
    }
    diag_report(DIAG_ERROR, &place, "%s", text);
}

/* -------------------------------------------------------------------- lines */

static bool malformed(struct verifier *verifier, const char *expected)
{
    complain(verifier, STATUS_BAD_INPUT, verifier->number, verifier->at + 1,
             "here %s is expected: a line is src,dst,slot,links", expected);
    return false;
}

static bool take(struct verifier *verifier, char wanted)
{
    if (verifier->at == verifier->length || verifier->line[verifier->at] != wanted)
        return false;
    verifier->at++;
    return true;
}

static bool take_number(struct verifier *verifier, uint32_t limit, const char *expected, uint32_t *number)
{
    uint64_t value = 0;
    size_t begin = verifier->at;
    for (; verifier->at < verifier->length; verifier->at++) {
        unsigned digit = (unsigned)(unsigned char)verifier->line[verifier->at] - '0';
        if (digit > 9)
            break;
        if (value < limit)
            value = 10 * value + digit;
    }
    if (verifier->at == begin || value >= limit) {
        verifier->at = begin;
        return malformed(verifier, expected);
    }
    *number = (uint32_t)value;
    return true;
}

static void use(struct verifier *verifier, uint32_t what, uint32_t slot)
{
    verifier->uses =
        mem_grow(verifier->uses, &verifier->use_capacity, verifier->use_count + 1, "uses of links");
    verifier->uses[verifier->use_count++] = (struct use){what, slot, verifier->number};
}

/* "from>to" or "from>to/1", which must exist. */
static bool take_hop(struct verifier *verifier, struct hop *hop, uint32_t slot)
{
    size_t begin = verifier->at;
    *hop = (struct hop){0};
    if (!take_number(verifier, UINT32_MAX, "a switch", &hop->from))
        return false;
    if (!take(verifier, '>'))
        return malformed(verifier, "'>'");
    if (!take_number(verifier, UINT32_MAX, "a switch", &hop->to))
        return false;
    if (take(verifier, '/') &&
        !take_number(verifier, UINT32_MAX, "the number of a parallel link", &hop->parallel))
        return false;
    const struct hop *found = hops_find(&verifier->hops, hop);
    if (!found) {
        complain(verifier, STATUS_FAILED, verifier->number, begin + 1,
                 "no link leads from %" PRIu32 " to %" PRIu32, hop->from, hop->to);
        return false;
    }
    if (topo_is_held(verifier->topo, found->link))
        use(verifier, found->link, slot);
    return true;
}

/* The hops of one request, which must lead from its source to its destination. */
static bool take_hops(struct verifier *verifier, uint32_t source, uint32_t destination, uint32_t slot)
{
    uint32_t at = topo_switch_of(verifier->topo, source), end = topo_switch_of(verifier->topo, destination);
    while (verifier->at < verifier->length) {
        size_t begin = verifier->at;
        struct hop hop;
        if (!take_hop(verifier, &hop, slot))
            return false;
        if (hop.from != at) {
            complain(verifier, STATUS_FAILED, verifier->number, begin + 1,
                     "the hop before ends at %" PRIu32 ", this one begins at %" PRIu32, at, hop.from);
            return false;
        }
        at = hop.to;
        if (!take(verifier, ' ') && verifier->at < verifier->length)
            return malformed(verifier, "a blank or the end of the line");
    }
    if (at != end) {
        complain(verifier, STATUS_FAILED, verifier->number, verifier->length + 1,
                 "the links end at %" PRIu32 ", node %" PRIu32 " is at %" PRIu32, at, destination, end);
        return false;
    }
    return true;
}

static void read_line(struct verifier *verifier)
{
    uint32_t source, destination, slot, nodes = verifier->topo->nodes;
    if (!take_number(verifier, nodes, "a node", &source))
        return;
    if (!take(verifier, ',')) {
        malformed(verifier, "a comma");
        return;
    }
    if (!take_number(verifier, nodes, "a node", &destination))
        return;
    if (!take(verifier, ',')) {
        malformed(verifier, "a comma");
        return;
    }
    if (!take_number(verifier, MOST_SLOTS, "a slot", &slot))
        return;
    if (!take(verifier, ',')) {
        malformed(verifier, "a comma");
        return;
    }
    tdm_pattern_add(&verifier->seen, source, destination);
    verifier->slots = slot >= verifier->slots ? slot + 1 : verifier->slots;
    use(verifier, source, slot);
    use(verifier, nodes + destination, slot);
    take_hops(verifier, source, destination, slot);
}

static void read_lines(struct verifier *verifier, const char *text, size_t size)
{
    static const char header[] = "src,dst,slot,links";
    progress_begin("reading the schedule", size);
    for (size_t at = 0; at < size;) {
        progress_tell(at);
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        verifier->line = text + at;
        verifier->length = end - at;
        verifier->at = 0;
        verifier->number++;
        bool is_header = verifier->number == 1 && verifier->length == sizeof header - 1 &&
                         memcmp(verifier->line, header, verifier->length) == 0;
        if (!is_header && verifier->length)
            read_line(verifier);
        at = end + 1;
    }
    progress_end();
    verifier->number = 0; /* what follows is not about a single line */
}

/* ------------------------------------------------------------------- checks */

static int compare_pairs(const void *a, const void *b)
{
    const struct tdm_request *left = a, *right = b;
    if (left->source != right->source)
        return left->source < right->source ? -1 : 1;
    return left->destination < right->destination ? -1 : left->destination > right->destination;
}

/* Every request is there exactly once: both lists are the same when they are sorted. */
static void check_requests(struct verifier *verifier, const struct tdm_pattern *pattern)
{
    struct tdm_pattern *seen = &verifier->seen;
    struct tdm_request *wanted = mem_alloc(pattern->count + 1, sizeof *wanted, "requests");
    if (pattern->count) {
        memcpy(wanted, pattern->requests, pattern->count * sizeof *wanted);
        qsort(wanted, pattern->count, sizeof *wanted, compare_pairs);
    }
    if (seen->count)
        qsort(seen->requests, seen->count, sizeof *seen->requests, compare_pairs);
    for (size_t i = 0, j = 0; i < pattern->count || j < seen->count;) {
        int order = i == pattern->count ? 1
                    : j == seen->count  ? -1
                                        : compare_pairs(&wanted[i], &seen->requests[j]);
        const struct tdm_request *request = order > 0 ? &seen->requests[j] : &wanted[i];
        if (order)
            complain(verifier, STATUS_FAILED, 0, 0,
                     order > 0 ? "%" PRIu32 ",%" PRIu32
                                 " is scheduled, but not in the pattern, or not as often"
                               : "%" PRIu32 ",%" PRIu32 " is in the pattern and has no slot",
                     request->source, request->destination);
        i += order <= 0;
        j += order >= 0;
    }
    free(wanted);
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *left = a, *right = b;
    if (left->what != right->what)
        return left->what < right->what ? -1 : 1;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static void report_conflict(struct verifier *verifier, const struct use *first, const struct use *second)
{
    uint32_t nodes = verifier->topo->nodes, what = first->what;
    char name[64];
    if (what < nodes)
        snprintf(name, sizeof name, "node %" PRIu32 " sends", what);
    else if (what < 2 * nodes)
        snprintf(name, sizeof name, "node %" PRIu32 " receives", what - nodes);
    else {
        struct topo_ends ends = topo_link_ends(verifier->topo, what);
        snprintf(name, sizeof name, "%" PRIu32 ">%" PRIu32 " is used", ends.from.id, ends.to.id);
    }
    complain(verifier, STATUS_FAILED, second->line, 0, "in slot %" PRIu32 " %s here and in line %" PRIu32,
             first->slot, name, first->line);
}

/* Slots conflict if they use the same thing: marks[slot] gets the set of slots that it conflicts with. */
static void check_uses(struct verifier *verifier, uint64_t *marks, size_t words)
{
    uint64_t *users = mem_alloc(words, sizeof *users, "slots");
    progress_begin("sorting the uses of links", 0);
    if (verifier->use_count)
        qsort(verifier->uses, verifier->use_count, sizeof *verifier->uses, compare_uses);
    progress_end();
    progress_begin("looking for conflicts", verifier->use_count);
    for (size_t begin = 0, end; begin < verifier->use_count; begin = end) {
        progress_tell(begin);
        memset(users, 0, words * sizeof *users);
        for (end = begin; end < verifier->use_count && verifier->uses[end].what == verifier->uses[begin].what;
             end++) {
            const struct use *at = &verifier->uses[end];
            if (end > begin && at[-1].slot == at->slot)
                report_conflict(verifier, at - 1, at);
            users[at->slot / 64] |= UINT64_C(1) << at->slot % 64;
        }
        for (size_t i = begin; i < end; i++)
            for (size_t word = 0; word < words; word++)
                marks[verifier->uses[i].slot * words + word] |= users[word];
    }
    progress_end();
    free(users);
}

/* The second condition of a minimal configuration set. Here a used slot conflicts with itself. */
static void count_pairs(const struct verifier *verifier, const uint64_t *marks, size_t words,
                        struct tdm_verdict *verdict)
{
    bool noted = false;
    progress_begin("looking for slots to unite", (uint64_t)verifier->slots * verifier->slots);
    for (uint32_t slot = 0; slot < verifier->slots; slot++) {
        progress_tell((uint64_t)slot * slot);
        if (!(marks[slot * words + slot / 64] >> slot % 64 & 1))
            continue;
        verdict->degree++;
        for (uint32_t before = 0; before < slot; before++) {
            if (!(marks[before * words + before / 64] >> before % 64 & 1))
                continue;
            bool conflict = marks[slot * words + before / 64] >> before % 64 & 1;
            verdict->pairs++;
            verdict->minimal_pairs += conflict;
            if (!conflict && !noted)
                diag_note("slots %" PRIu32 " and %" PRIu32 " have no conflict and could be one slot", before,
                          slot);
            noted = noted || !conflict;
        }
    }
    progress_end();
}

enum { MOST_MARKED = 1 << 15 }; /* slots: a gigabit of pairs */

enum status tdm_verify(const struct topo *topo, const struct tdm_pattern *pattern, const char *name,
                       const char *text, size_t size, struct tdm_verdict *verdict)
{
    struct verifier verifier = {.topo = topo, .name = name, .status = STATUS_OK};
    hops_init(&verifier.hops, topo);
    read_lines(&verifier, text, size);
    if (verifier.slots > MOST_MARKED)
        complain(&verifier, STATUS_BAD_INPUT, 0, 0, "slots from %d on are not verified", MOST_MARKED);
    if (verifier.status != STATUS_BAD_INPUT) {
        size_t words = (size_t)verifier.slots / 64 + 1;
        uint64_t *marks = mem_alloc((verifier.slots + (size_t)1) * words, sizeof *marks, "pairs of slots");
        *verdict = (struct tdm_verdict){.requests = verifier.seen.count};
        check_requests(&verifier, pattern);
        check_uses(&verifier, marks, words);
        if (verifier.status == STATUS_OK)
            count_pairs(&verifier, marks, words, verdict);
        free(marks);
    }
    if (verifier.problems > MOST_REPORTED)
        diag_note("%u more problems in %s", verifier.problems - MOST_REPORTED, name);
    tdm_pattern_free(&verifier.seen);
    free(verifier.uses);
    hops_free(&verifier.hops);
    return verifier.status;
}
