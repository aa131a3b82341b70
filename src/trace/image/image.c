#include "trace/image/image.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/progress.h"

_Static_assert(sizeof(struct call) == 80, "a new layout of struct call needs a new IMAGE_VERSION");
_Static_assert(sizeof(struct image_rank) == 96 && sizeof(struct image_header) == 184, "no padding in files");

/* ----------------------------------------------------------------- checking */

static bool part_fits(const struct image_part *part, size_t record, uint64_t size)
{
    return part->at % IMAGE_ALIGNMENT == 0 && part->at >= sizeof(struct image_header) && part->at <= size &&
           part->count <= (size - part->at) / record;
}

static bool tokens_fit(const unsigned char *bytes, const struct image_rank *rank)
{
    const uint32_t *tokens = (const uint32_t *)(const void *)(bytes + rank->tokens.at);
    uint64_t lines = rank->tokens.count - 1;
    bool fit = tokens[lines] == TOKEN_END;
    for (uint64_t i = 0; i < lines; i++) {
        uint32_t token = tokens[i];
        uint64_t limit = token & TOKEN_COMPUTE ? rank->amounts.count : rank->calls.count;
        fit &= (token & ~TOKEN_COMPUTE) < limit;
    }
    return fit;
}

/* What is wrong with a rank's token, by its index. */
static const char *token_fault(const unsigned char *bytes, const struct image_header *header, uint64_t rank,
                               uint64_t index, const char *what)
{
    static _Thread_local char text[192];
    const struct image_rank *about =
        (const struct image_rank *)(const void *)(bytes + header->ranks.at) + rank;
    uint64_t line = index + 1;
    if (header->flags & IMAGE_HAS_LINES)
        line = ((const uint64_t *)(const void *)(bytes + image_lines(about).at))[index];
    snprintf(text, sizeof text, "rank %" PRIu64 ", line %" PRIu64 ": %s", rank, line, what);
    return text;
}

/* The same of a record that tokens refer to; the first of them has its line. */
static const char *record_fault(const unsigned char *bytes, const struct image_header *header, uint64_t rank,
                                uint32_t token, const char *what)
{
    const struct image_rank *about =
        (const struct image_rank *)(const void *)(bytes + header->ranks.at) + rank;
    const uint32_t *tokens = (const uint32_t *)(const void *)(bytes + about->tokens.at);
    uint64_t index = 0;
    while (index < about->tokens.count - 1 && tokens[index] != token)
        index++;
    return index == about->tokens.count - 1 ? what : token_fault(bytes, header, rank, index, what);
}

static bool is_rank(int32_t peer, uint64_t ranks)
{
    return peer >= 0 && (uint64_t)peer < ranks;
}

static const char *ends_fault(const struct call *call, uint64_t ranks)
{
    static const char no_rank[] = "it names a rank that does not exist";
    bool from_any = call->op == CALL_RECV && call->peer == CALL_ANY_SOURCE;
    if (!is_rank(call->peer, ranks) && !from_any)
        return no_rank;
    bool has_source = call->op == CALL_SENDRECV && call->source != CALL_ANY_SOURCE;
    return has_source && !is_rank(call->source, ranks) ? no_rank : NULL;
}

const char *image_amount_fault(double amount)
{
    return amount >= 0 && isfinite(amount) ? NULL : "its amount is negative, infinite or not a number";
}

static bool vector_fits(uint64_t at, uint64_t size, uint64_t counts)
{
    return at == 0 || (size <= counts && at <= counts - size);
}

const char *image_call_fault(const struct call *call, const struct image_limits *limits)
{
    if (call->op >= CALL_OPS)
        return "its kind does not exist";
    bool is_collective = call_is_collective(call);
    const char *fault = ends_fault(call, limits->ranks);
    if (!fault)
        fault = image_amount_fault(call->amount);
    if (fault)
        return fault;
    if (call->bytes > INT64_MAX || call->recv_bytes > INT64_MAX)
        return "it has 2^63 bytes or more";
    if (call->group >= limits->group_count || call->context >= limits->group_count)
        return "it names a communicator that does not exist";
    if (is_collective ? call->context != call->group : call->group != 0)
        return "its communicator and its context do not fit together";
    uint64_t size = limits->groups[call->group].size;
    if (is_collective && call->group && !is_rank(call->peer, size))
        return "its root is not in its communicator";
    if (!vector_fits(call->send_counts, size, limits->counts) ||
        !vector_fits(call->recv_counts, size, limits->counts) ||
        (call->op == CALL_ALLTOALLV && (!call->send_counts || !call->recv_counts)))
        return "it has no vector of sizes";
    return NULL;
}

static bool channel_fits(uint32_t channel, const struct image_header *header)
{
    return channel < header->channels || channel == CHANNEL_MAILBOX;
}

static bool channels_fit(const struct call *call, const struct image_header *header)
{
    bool has_ends = call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV;
    return !has_ends || (channel_fits(call->channel, header) &&
                         (call->op != CALL_SENDRECV || channel_fits(call->source_channel, header)));
}

/* Whether the call waits for a request, tests or starts one: slots below SLOT_FIRST are those of blocking
 * calls. */
static bool slot_fits(const struct call *call, uint32_t slots)
{
    bool names_request = (call->flags & CALL_IMMEDIATE) || call->op == CALL_WAIT || call->op == CALL_TEST;
    return call->slot < slots && (!names_request || call->slot >= SLOT_FIRST);
}

/* ----------------------------------------------------------------- channels */

/* The ranks at the two ends of each channel; -1: no call has named it so far. */
struct channel_ends {
    int32_t source, destination;
};

static bool joins(struct channel_ends *channels, uint32_t channel, int64_t source, int64_t destination)
{
    if (channel == CHANNEL_MAILBOX)
        return true;
    struct channel_ends *ends = &channels[channel];
    if (ends->source == -1)
        *ends = (struct channel_ends){(int32_t)source, (int32_t)destination};
    return source >= 0 && ends->source == source && ends->destination == destination;
}

/* The engine matches by channel alone, so all calls of a channel must have the same two ranks. */
static bool channels_agree(struct channel_ends *channels, const struct call *call, int64_t rank)
{
    switch (call->op) {
    case CALL_SEND:
        return joins(channels, call->channel, rank, call->peer);
    case CALL_RECV:
        return joins(channels, call->channel, call->peer, rank);
    case CALL_SENDRECV:
        return joins(channels, call->channel, rank, call->peer) &&
               joins(channels, call->source_channel, call->source, rank);
    default:
        return true;
    }
}

/* ------------------------------------------------------------ communicators */

/* The communicators of each rank, in ascending order, without the world. */
struct memberships {
    uint64_t *first; /* per rank, and one more: in `groups` */
    uint32_t *groups;
};

/* Ranks and members are in range, and there are as many members as all sizes together. */
static void memberships_init(struct memberships *memberships, const unsigned char *bytes,
                             const struct image_header *header)
{
    const struct image_group *groups = (const struct image_group *)(const void *)(bytes + header->groups.at);
    const uint32_t *members = (const uint32_t *)(const void *)(bytes + header->members.at);
    uint64_t ranks = header->ranks.count;
    memberships->first = mem_alloc(ranks + 2, sizeof *memberships->first, "communicators");
    memberships->groups = mem_alloc(header->members.count, sizeof *memberships->groups, "communicators");
    for (uint64_t group = 1; group < header->groups.count; group++)
        for (uint32_t i = 0; i < groups[group].size; i++)
            memberships->first[members[groups[group].first + i] + 2]++;
    for (uint64_t rank = 0; rank < ranks; rank++)
        memberships->first[rank + 2] += memberships->first[rank + 1];
    for (uint64_t group = 1; group < header->groups.count; group++)
        for (uint32_t i = 0; i < groups[group].size; i++)
            memberships->groups[memberships->first[members[groups[group].first + i] + 1]++] = (uint32_t)group;
}

static void memberships_free(struct memberships *memberships)
{
    free(memberships->first);
    free(memberships->groups);
}

/* Whether a rank is in a communicator, and is there once. */
static bool is_member(const struct memberships *memberships, uint64_t rank, uint32_t group)
{
    uint64_t low = memberships->first[rank], end = memberships->first[rank + 1], high = end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (memberships->groups[middle] < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && memberships->groups[low] == group &&
           (low + 1 == end || memberships->groups[low + 1] != group);
}

/* ----------------------------------------------------------------- contents */

struct image_contents {
    const unsigned char *bytes;
    const struct image_header *header;
    struct channel_ends *channels;
    struct memberships memberships;
};

static const char *call_fault(const struct image_contents *contents, uint64_t index, const struct call *call)
{
    const struct image_header *header = contents->header;
    const struct image_rank *rank =
        (const struct image_rank *)(const void *)(contents->bytes + header->ranks.at) + index;
    const struct image_limits limits = {
        .groups = (const struct image_group *)(const void *)(contents->bytes + header->groups.at),
        .group_count = header->groups.count,
        .ranks = header->ranks.count,
        .counts = header->counts.count,
    };
    const char *fault = image_call_fault(call, &limits);
    if (fault)
        return fault;
    if (!channels_fit(call, header) || !slot_fits(call, rank->slots))
        return "it refers to something that is not there";
    if (!channels_agree(contents->channels, call, (int64_t)index))
        return "its channel is one of other ranks";
    if (call_is_collective(call) && call->group && !is_member(&contents->memberships, index, call->group))
        return "its communicator does not have this rank once";
    return NULL;
}

/* The ranks are known to fit. */
static const char *rank_fault(const struct image_contents *contents, uint64_t index)
{
    const unsigned char *bytes = contents->bytes;
    const struct image_header *header = contents->header;
    const struct image_rank *rank =
        (const struct image_rank *)(const void *)(bytes + header->ranks.at) + index;
    const struct call *calls = (const struct call *)(const void *)(bytes + rank->calls.at);
    const double *amounts = (const double *)(const void *)(bytes + rank->amounts.at);
    for (uint64_t i = 0; i < rank->calls.count; i++) {
        const char *fault = call_fault(contents, index, &calls[i]);
        if (fault)
            return record_fault(bytes, header, index, (uint32_t)i, fault);
    }
    for (uint64_t i = 0; i < rank->amounts.count; i++) {
        const char *fault = image_amount_fault(amounts[i]);
        if (fault)
            return record_fault(bytes, header, index, TOKEN_COMPUTE | (uint32_t)i, fault);
    }
    return NULL;
}

static const char *contents_fault(const unsigned char *bytes, const struct image_header *header)
{
    struct image_contents contents = {.bytes = bytes, .header = header};
    contents.channels = mem_alloc(header->channels, sizeof *contents.channels, "channels");
    memset(contents.channels, 0xff, header->channels * sizeof *contents.channels);
    memberships_init(&contents.memberships, bytes, header);
    const char *fault = NULL;
    for (uint64_t i = 0; !fault && i < header->ranks.count; i++)
        fault = rank_fault(&contents, i);
    memberships_free(&contents.memberships);
    free(contents.channels);
    return fault;
}

/* -------------------------------------------------------------------- parts */

static bool starts_fit(const unsigned char *bytes, const struct image_rank *rank)
{
    const uint32_t *starts = (const uint32_t *)(const void *)(bytes + rank->starts);
    for (uint64_t i = 0; i < rank->calls.count; i++)
        if (starts[i] >= rank->texts.count)
            return false;
    return true;
}

static bool lines_fit(const struct image_header *header, const struct image_rank *rank)
{
    struct image_part lines = image_lines(rank);
    return !(header->flags & IMAGE_HAS_LINES) || part_fits(&lines, sizeof(uint64_t), header->file_bytes);
}

static uint32_t count_sites(const unsigned char *bytes, const struct image_header *header)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < header->sites.count; i++)
        count += bytes[header->sites.at + i] == '\0';
    return count;
}

/* `site_count`: how many call sites the image has. */
static bool sites_fit(const unsigned char *bytes, uint64_t size, const struct image_rank *rank,
                      uint32_t site_count)
{
    const struct image_part part = {.at = rank->sites, .count = rank->calls.count};
    bool fit = true;
    if (!rank->sites)
        return true;
    if (!part_fits(&part, sizeof(uint32_t), size))
        return false;
    const uint32_t *sites = (const uint32_t *)(const void *)(bytes + rank->sites);
    for (uint64_t i = 0; i < part.count; i++)
        fit &= sites[i] <= site_count;
    return fit;
}

static bool rank_fits(const unsigned char *bytes, const struct image_header *header,
                      const struct image_rank *rank, uint32_t site_count)
{
    uint64_t size = header->file_bytes;
    struct image_part starts = {.at = rank->starts, .count = rank->calls.count};
    return part_fits(&rank->tokens, sizeof(uint32_t), size) && rank->tokens.count > 0 &&
           lines_fit(header, rank) && part_fits(&rank->amounts, sizeof(double), size) &&
           part_fits(&rank->texts, 1, size) && part_fits(&rank->calls, sizeof(struct call), size) &&
           rank->calls.count > 0 && part_fits(&starts, sizeof(uint32_t), size) && rank->texts.count > 0 &&
           bytes[rank->texts.at + rank->texts.count - 1] == '\n' && rank->name < header->names.count &&
           rank->slots >= SLOT_FIRST && rank->slots - SLOT_FIRST < rank->tokens.count &&
           tokens_fit(bytes, rank) && starts_fit(bytes, rank) && sites_fit(bytes, size, rank, site_count);
}

static bool notes_fit(const unsigned char *bytes, const struct image_header *header)
{
    const struct image_note *notes = (const struct image_note *)(const void *)(bytes + header->notes.at);
    const struct image_rank *ranks = (const struct image_rank *)(const void *)(bytes + header->ranks.at);
    for (uint64_t i = 0; i < header->notes.count; i++)
        if (notes[i].kind >= NOTE_KINDS || notes[i].rank >= header->ranks.count ||
            notes[i].line >= ranks[notes[i].rank].tokens.count)
            return false;
    return true;
}

static bool groups_fit(const unsigned char *bytes, const struct image_header *header)
{
    const struct image_group *groups = (const struct image_group *)(const void *)(bytes + header->groups.at);
    const uint32_t *members = (const uint32_t *)(const void *)(bytes + header->members.at);
    uint64_t listed = header->members.count, left = listed;
    for (uint64_t i = 0; i < listed; i++)
        if (members[i] >= header->ranks.count)
            return false;
    for (uint64_t i = 1; i < header->groups.count; i++) {
        if (groups[i].size > left || groups[i].first > listed - groups[i].size || groups[i].size == 0)
            return false;
        left -= groups[i].size;
    }
    return groups[0].size == header->ranks.count;
}

static bool counts_fit(const unsigned char *bytes, const struct image_header *header)
{
    const uint64_t *counts = (const uint64_t *)(const void *)(bytes + header->counts.at);
    bool fit = true;
    for (uint64_t i = 0; i < header->counts.count; i++)
        fit &= counts[i] <= INT64_MAX;
    return fit;
}

const char *image_fault(const unsigned char *bytes, uint64_t size)
{
    const struct image_header *header = (const struct image_header *)(const void *)bytes;
    if (size < sizeof *header || memcmp(header->magic, IMAGE_MAGIC, sizeof header->magic))
        return "it is not a compiled trace";
    if (header->version != IMAGE_VERSION || header->byte_order != IMAGE_BYTE_ORDER ||
        header->call_bytes != sizeof(struct call) || header->rank_bytes != sizeof(struct image_rank))
        return "it was written by another version of helio or on another kind of machine";
    if (header->file_bytes != size)
        return "it is cut short";
    if (header->checksum != XXH3_64bits(bytes + sizeof *header, (size_t)size - sizeof *header))
        return "its checksum is wrong";
    /* The checksum is right. An error found from here on was made on purpose. */
    if (!part_fits(&header->counts, sizeof(uint64_t), size) || !part_fits(&header->names, 1, size) ||
        !part_fits(&header->notes, sizeof(struct image_note), size) ||
        !part_fits(&header->ranks, sizeof(struct image_rank), size) || !header->ranks.count ||
        !part_fits(&header->groups, sizeof(struct image_group), size) || !header->groups.count ||
        !part_fits(&header->members, sizeof(uint32_t), size) || header->groups.count > INT32_MAX ||
        header->flags & ~(uint32_t)IMAGE_FLAGS || header->ranks.count > INT32_MAX ||
        !part_fits(&header->sites, 1, size) || header->sites.count > INT32_MAX ||
        (header->sites.count && bytes[header->sites.at + header->sites.count - 1] != '\0') ||
        !header->names.count || bytes[header->names.at + header->names.count - 1] != '\0')
        return "its header is wrong";
    if (!groups_fit(bytes, header))
        return "its communicators are wrong";
    const struct image_rank *ranks = (const struct image_rank *)(const void *)(bytes + header->ranks.at);
    uint64_t calls = 0, lines = 0, fitting = 0;
    const uint32_t sites = count_sites(bytes, header);
    progress_begin("checking the compiled trace", header->ranks.count);
    for (; fitting < header->ranks.count && rank_fits(bytes, header, &ranks[fitting], sites); fitting++) {
        calls += ranks[fitting].calls.count;
        lines += ranks[fitting].tokens.count - 1;
        progress_tell(fitting);
    }
    progress_end();
    if (fitting < header->ranks.count)
        return "it refers to something that is not there";
    /* A call has two ends at most. A run allocates header->channels channels, so the number must be sane. */
    if (header->channels > 2 * calls || header->lines != lines)
        return "its header is wrong";
    if (!counts_fit(bytes, header))
        return "its vectors of sizes have 2^63 bytes or more";
    return notes_fit(bytes, header) ? contents_fault(bytes, header) : "its notes are wrong";
}
