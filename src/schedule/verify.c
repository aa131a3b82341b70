#include "schedule/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "schedule/hop_lines.h"

enum { MOST_SLOTS = 1 << 24 };

/* A use of something that serves one request in a slot: the link `what`, which for a link of a node is that
 * the node sends or receives. */
struct use {
    uint32_t what, slot, line;
};

struct verifier {
    const struct topo *topo;
    struct schedule_lines text;
    struct hops hops; /* of the topology */
    struct use *uses;
    size_t use_count, use_capacity;
    struct tdm_pattern seen;
    uint32_t slot, slots; /* of the line that is read; highest slot + 1 */
    struct schedule_problems found;
};

/* -------------------------------------------------------------------- lines */

static void use(struct verifier *verifier, uint32_t what, uint32_t slot)
{
    verifier->uses =
        mem_grow(verifier->uses, &verifier->use_capacity, verifier->use_count + 1, "uses of links");
    verifier->uses[verifier->use_count++] = (struct use){what, slot, verifier->text.number};
}

static bool use_hop(void *context, const struct hop *hop, size_t column)
{
    struct verifier *verifier = context;
    (void)column;
    if (topo_is_held(verifier->topo, hop->link))
        use(verifier, hop->link, verifier->slot);
    return true;
}

static void read_line(void *context)
{
    struct verifier *verifier = context;
    struct schedule_lines *text = &verifier->text;
    char node[64], slot[64];
    uint32_t source, destination, nodes = verifier->topo->nodes;
    snprintf(node, sizeof node, "here a node is expected, 0 to %" PRIu32, nodes - 1);
    snprintf(slot, sizeof slot, "here a slot is expected, 0 to %d", MOST_SLOTS - 1);
    if (!schedule_lines_number(text, false, nodes, node, &source) ||
        !schedule_lines_number(text, false, nodes, node, &destination) ||
        !schedule_lines_number(text, false, MOST_SLOTS, slot, &verifier->slot))
        return;
    tdm_pattern_add(&verifier->seen, source, destination);
    verifier->slots = verifier->slot >= verifier->slots ? verifier->slot + 1 : verifier->slots;
    use(verifier, source, verifier->slot);
    use(verifier, nodes + destination, verifier->slot);
    hop_lines_read(text, verifier->topo, &verifier->hops, source, destination, use_hop, verifier);
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
            schedule_problems_add(&verifier->found, 0, 0,
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
    schedule_problems_add(&verifier->found, 0, second->line,
                          "in slot %" PRIu32 " %s here and in line %" PRIu32, first->slot, name, first->line);
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

/* Compares what was read with the pattern and with itself. */
static enum status check_all(struct verifier *verifier, const struct tdm_pattern *pattern,
                             struct tdm_verdict *verdict)
{
    char first[SCHEDULE_PROBLEM];
    size_t words = (size_t)verifier->slots / 64 + 1;
    uint64_t *marks = mem_alloc((verifier->slots + (size_t)1) * words, sizeof *marks, "pairs of slots");
    *verdict = (struct tdm_verdict){.requests = verifier->seen.count};
    check_requests(verifier, pattern);
    check_uses(verifier, marks, words);
    bool is_right = !verifier->found.count && !verifier->text.unfit;
    if (is_right)
        count_pairs(verifier, marks, words, verdict);
    schedule_problems_report(&verifier->found, verifier->text.name, first);
    free(marks);
    return is_right ? STATUS_OK : STATUS_FAILED;
}

enum status tdm_verify(const struct topo *topo, const struct tdm_pattern *pattern, const char *name,
                       const char *text, size_t size, struct tdm_verdict *verdict)
{
    struct verifier verifier = {.topo = topo, .text = {.name = name, .header = "src,dst,slot,links"}};
    enum status status = STATUS_BAD_INPUT;
    hops_init(&verifier.hops, topo);
    schedule_lines_read(&verifier.text, text, size, read_line, &verifier);
    if (verifier.slots > MOST_MARKED)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = name}, "slots from %d on are not verified",
                    MOST_MARKED);
    else if (!verifier.text.wrong)
        status = check_all(&verifier, pattern, verdict);
    tdm_pattern_free(&verifier.seen);
    free(verifier.uses);
    hops_free(&verifier.hops);
    return status;
}
