#include "host/caches.h"

#include "base/mem.h"

/* A clock counts bytes: of each node those that its cores touch, and those that its NIC writes; of each rank
 * those that its core touches. A page has the clocks of its last touch, in units of a page, beginning at 1; 0
 * is never. The rank's clock of a page that the NIC has written to memory is the NIC's, and the node's is 0.
 */
enum { PAGE_BYTES = 4096 };

struct page {
    uint32_t node_clock, rank_clock;
};

struct pages {
    struct page *list;
    size_t count; /* also the capacity: pages behind it were never touched */
};

struct host_caches {
    const struct host *host;
    uint32_t nodes, ranks;
    uint64_t *node_clocks, *nic_clocks, *rank_clocks; /* bytes */
    struct pages *shared;                             /* of each node */
    struct pages (*own)[HOST_BUFFER_SHARED];          /* of each rank, by buffer */
    size_t pages;                                     /* all of them */
};

struct host_caches *host_caches_open(const struct host *host, uint32_t nodes, uint32_t ranks)
{
    struct host_caches *caches = mem_alloc(1, sizeof *caches, "caches");
    *caches = (struct host_caches){.host = host, .nodes = nodes, .ranks = ranks};
    caches->node_clocks = mem_alloc(nodes, sizeof *caches->node_clocks, "caches");
    caches->nic_clocks = mem_alloc(nodes, sizeof *caches->nic_clocks, "caches");
    caches->rank_clocks = mem_alloc(ranks, sizeof *caches->rank_clocks, "caches");
    caches->shared = mem_alloc(nodes, sizeof *caches->shared, "caches");
    caches->own = mem_alloc(ranks, sizeof *caches->own, "caches");
    for (uint32_t i = 0; i < nodes; i++)
        caches->node_clocks[i] = caches->nic_clocks[i] = PAGE_BYTES;
    for (uint32_t i = 0; i < ranks; i++)
        caches->rank_clocks[i] = PAGE_BYTES;
    return caches;
}

void host_caches_close(struct host_caches *caches)
{
    if (!caches)
        return;
    for (uint32_t i = 0; i < caches->nodes; i++)
        free(caches->shared[i].list);
    for (uint32_t i = 0; i < caches->ranks; i++)
        for (size_t b = 0; b < HOST_BUFFER_SHARED; b++)
            free(caches->own[i][b].list);
    free(caches->node_clocks);
    free(caches->nic_clocks);
    free(caches->rank_clocks);
    free(caches->shared);
    free(caches->own);
    free(caches);
}

size_t host_caches_bytes(const struct host_caches *caches)
{
    return sizeof *caches + caches->nodes * (2 * sizeof *caches->node_clocks + sizeof *caches->shared) +
           caches->ranks * (sizeof *caches->rank_clocks + sizeof *caches->own) +
           caches->pages * sizeof(struct page);
}

/* The page with this number; it may be new. */
static struct page *page_at(struct host_caches *caches, struct pages *pages, uint64_t number)
{
    if (number >= pages->count) {
        size_t before = pages->count;
        pages->list = mem_grow(pages->list, &pages->count, number + 1, "caches");
        for (size_t i = before; i < pages->count; i++)
            pages->list[i] = (struct page){0};
        caches->pages += pages->count - before;
    }
    return &pages->list[number];
}

static struct pages *pages_of(struct host_caches *caches, uint32_t node, uint32_t rank,
                              enum host_buffer buffer)
{
    return buffer == HOST_BUFFER_SHARED ? &caches->shared[node] : &caches->own[rank][buffer];
}

/* The page has been touched at all, and with what was touched behind it fits into the cache. */
static bool is_within(uint64_t clock, uint32_t touched, uint64_t cache_bytes)
{
    return touched && (uint32_t)(clock / PAGE_BYTES) - touched < cache_bytes / PAGE_BYTES;
}

/* In the part of the cache into which the NIC writes. */
static bool is_in_nic_part(const struct host_caches *caches, uint32_t node, const struct page *page)
{
    return !page->node_clock &&
           is_within(caches->nic_clocks[node], page->rank_clock, caches->host->system.copy_nic_bytes);
}

static enum host_level level_of(const struct host_caches *caches, uint32_t node, uint32_t rank,
                                const struct page *page, bool is_own)
{
    const struct system *system = &caches->host->system;
    uint64_t llc_bytes = system->copy_llc_bytes * system->copy_llc_count;
    if (is_own && page->node_clock &&
        is_within(caches->rank_clocks[rank], page->rank_clock, system->copy_l2_bytes))
        return HOST_L2;
    return is_within(caches->node_clocks[node], page->node_clock, llc_bytes) ||
                   is_in_nic_part(caches, node, page)
               ? HOST_LLC
               : HOST_DRAM;
}

static void stamp(const struct host_caches *caches, uint32_t node, uint32_t rank, struct page *page)
{
    page->node_clock = (uint32_t)(caches->node_clocks[node] / PAGE_BYTES);
    page->rank_clock = (uint32_t)(caches->rank_clocks[rank] / PAGE_BYTES);
}

/* The bytes of a piece that are in the page in which it begins. */
static uint64_t in_first_page(uint64_t offset, uint64_t bytes)
{
    uint64_t room = PAGE_BYTES - offset % PAGE_BYTES;
    return bytes < room ? bytes : room;
}

void host_caches_pass(struct host_caches *caches, uint32_t node, uint32_t rank, uint64_t bytes)
{
    caches->node_clocks[node] += bytes;
    caches->rank_clocks[rank] += bytes;
}

void host_caches_touch(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                       uint64_t bytes, struct host_found *found)
{
    struct pages *pages = pages_of(caches, node, rank, place.buffer);
    for (uint64_t offset = place.offset, rest = bytes; rest > 0;) {
        uint64_t here = in_first_page(offset, rest);
        struct page *page = page_at(caches, pages, offset / PAGE_BYTES);
        found->bytes[level_of(caches, node, rank, page, place.buffer != HOST_BUFFER_SHARED)] += here;
        host_caches_pass(caches, node, rank, here);
        stamp(caches, node, rank, page);
        offset += here;
        rest -= here;
    }
}

void host_caches_place(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                       uint64_t bytes)
{
    struct pages *pages = pages_of(caches, node, rank, place.buffer);
    uint64_t end = place.offset + bytes;
    for (uint64_t offset = place.offset; offset < end; offset += in_first_page(offset, end - offset))
        stamp(caches, node, rank, page_at(caches, pages, offset / PAGE_BYTES));
}

void host_caches_arrive(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                        uint64_t bytes)
{
    uint64_t llc_bytes = caches->host->system.copy_llc_bytes * caches->host->system.copy_llc_count;
    struct pages *pages = pages_of(caches, node, rank, place.buffer);
    for (uint64_t offset = place.offset, rest = bytes; rest > 0;) {
        uint64_t here = in_first_page(offset, rest);
        struct page *page = page_at(caches, pages, offset / PAGE_BYTES);
        bool stays = is_within(caches->node_clocks[node], page->node_clock, llc_bytes);
        uint64_t *clock = stays ? &caches->node_clocks[node] : &caches->nic_clocks[node];
        *clock += here;
        page->node_clock = stays ? (uint32_t)(*clock / PAGE_BYTES) : 0;
        page->rank_clock = stays ? 0 : (uint32_t)(*clock / PAGE_BYTES); /* in no core's own cache */
        offset += here;
        rest -= here;
    }
}
