#include "trace/image/image.h"

#include <string.h>
#include <xxhash.h>

_Static_assert(sizeof(struct call) == 80, "a new layout of struct call needs a new IMAGE_VERSION");
_Static_assert(sizeof(struct image_rank) == 88 && sizeof(struct image_header) == 168, "no padding in files");

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
    if (fault)
        return fault;
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

static bool calls_fit(const unsigned char *bytes, const struct image_header *header,
                      const struct image_rank *rank)
{
    const struct call *calls = (const struct call *)(const void *)(bytes + rank->calls.at);
    const uint32_t *starts = (const uint32_t *)(const void *)(bytes + rank->starts);
    const struct image_limits limits = {
        .groups = (const struct image_group *)(const void *)(bytes + header->groups.at),
        .group_count = header->groups.count,
        .ranks = header->ranks.count,
        .counts = header->counts.count,
    };
    for (uint64_t i = 0; i < rank->calls.count; i++)
        if (image_call_fault(&calls[i], &limits) || !channels_fit(&calls[i], header) ||
            calls[i].slot >= rank->slots || starts[i] >= rank->texts.count)
            return false;
    return true;
}

static bool lines_fit(const struct image_header *header, const struct image_rank *rank)
{
    struct image_part lines = image_lines(rank);
    return !(header->flags & IMAGE_HAS_LINES) || part_fits(&lines, sizeof(uint64_t), header->file_bytes);
}

static bool rank_fits(const unsigned char *bytes, const struct image_header *header,
                      const struct image_rank *rank)
{
    uint64_t size = header->file_bytes;
    struct image_part starts = {.at = rank->starts, .count = rank->calls.count};
    return part_fits(&rank->tokens, sizeof(uint32_t), size) && rank->tokens.count > 0 &&
           lines_fit(header, rank) && part_fits(&rank->amounts, sizeof(double), size) &&
           part_fits(&rank->texts, 1, size) && part_fits(&rank->calls, sizeof(struct call), size) &&
           rank->calls.count > 0 && part_fits(&starts, sizeof(uint32_t), size) && rank->texts.count > 0 &&
           bytes[rank->texts.at + rank->texts.count - 1] == '\n' && rank->name < header->names.count &&
           rank->slots >= SLOT_FIRST && rank->slots - SLOT_FIRST < rank->tokens.count &&
           tokens_fit(bytes, rank) && calls_fit(bytes, header, rank);
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
    uint64_t listed = header->members.count;
    for (uint64_t i = 0; i < listed; i++)
        if (members[i] >= header->ranks.count)
            return false;
    for (uint64_t i = 1; i < header->groups.count; i++)
        if (groups[i].size > listed || groups[i].first > listed - groups[i].size || groups[i].size == 0)
            return false;
    return groups[0].size == header->ranks.count;
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
        header->flags > (IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE) || header->ranks.count > INT32_MAX ||
        !header->names.count || bytes[header->names.at + header->names.count - 1] != '\0')
        return "its header is wrong";
    if (!groups_fit(bytes, header))
        return "its communicators are wrong";
    const struct image_rank *ranks = (const struct image_rank *)(const void *)(bytes + header->ranks.at);
    uint64_t calls = 0;
    for (uint64_t i = 0; i < header->ranks.count; i++) {
        if (!rank_fits(bytes, header, &ranks[i]))
            return "it refers to something that is not there";
        calls += ranks[i].calls.count;
    }
    /* A call has two ends at most. A run allocates header->channels channels, so the number must be sane. */
    if (header->channels > 2 * calls)
        return "its header is wrong";
    return notes_fit(bytes, header) ? NULL : "its notes are wrong";
}
