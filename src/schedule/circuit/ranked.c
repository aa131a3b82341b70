#include "schedule/circuit/ranked.h"

#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "schedule/circuit/player.h"
#include "schedule/circuit/slot_table.h"

enum {
    QUARTERS = 4,      /* steps of `longest` in an octave */
    MOST_LONGEST = 80, /* the longest piece is at least 2^-20 of the longest entry */
    MOST_SHARE = 4,
    MOST_STRETCH = 6,
    MOST_SPARE = 4,
    SPARE_PART = 128, /* the unit of spare slots, as a part of all slots */
    MOST_PIECES = 3   /* times the entries */
};

/* How slots are made. */
struct slot_choice {
    int longest; /* entries are cut into pieces of 2^(-longest / QUARTERS) of the longest entry */
    int share;   /* of the way from the busiest port's pieces to the longest ones, in MOST_SHARE */
    int stretch; /* a slot may become longer by 2^-stretch of the switching time */
    int spare;   /* more slots, in parts of all */
};

struct slot_pieces {
    struct slot_piece *list;
    size_t count, capacity;
};

struct rank_search {
    const struct circuit_problem *problem;
    uint32_t size, slots, busiest;
    struct slot_piece *entries;             /* whole, the longest first */
    struct slot_pieces pieces, rests, left; /* of this round, the longest first; ends of cut pieces, as a
                                          heap; pieces without a slot */
    uint32_t *rank, *entries_of_slot;       /* [2 size]; [senders] */
    sum_t *sum_ps;                          /* [2 size] */
    ps_t *duration_ps, *busiest_ps;
    size_t most_slots, most_busiest; /* for which there is room */
};

static int compare_pieces(const void *a, const void *b)
{
    const struct slot_piece *left = a, *right = b;
    if (left->time_ps != right->time_ps)
        return left->time_ps > right->time_ps ? -1 : 1;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

static void ranked_init(struct rank_search *ranked, const struct circuit_problem *problem)
{
    size_t size = circuit_size(problem);
    *ranked = (struct rank_search){.problem = problem, .size = (uint32_t)size};
    ranked->entries = mem_alloc((size_t)problem->count + 1, sizeof *ranked->entries, "entries by size");
    ranked->rank = mem_alloc(2 * size, sizeof *ranked->rank, "loads of ports");
    ranked->sum_ps = mem_alloc(2 * size, sizeof *ranked->sum_ps, "loads of ports");
    ranked->entries_of_slot = mem_alloc(size, sizeof *ranked->entries_of_slot, "a slot");
    for (uint32_t i = 0; i < problem->count; i++)
        ranked->entries[i] =
            (struct slot_piece){problem->entries[i].time_ps, (uint16_t)problem->entries[i].sender,
                                (uint16_t)problem->entries[i].receiver};
    qsort(ranked->entries, problem->count, sizeof *ranked->entries, compare_pieces);
}

static void ranked_free(struct rank_search *ranked)
{
    free(ranked->entries);
    free(ranked->pieces.list);
    free(ranked->rests.list);
    free(ranked->left.list);
    free(ranked->rank);
    free(ranked->sum_ps);
    free(ranked->entries_of_slot);
    free(ranked->duration_ps);
    free(ranked->busiest_ps);
}

/* ------------------------------------------------------------------- pieces */

static void add(struct slot_pieces *pieces, struct slot_piece piece)
{
    pieces->list = mem_grow(pieces->list, &pieces->capacity, pieces->count + 1, "pieces of entries");
    pieces->list[pieces->count++] = piece;
}

static void push(struct slot_pieces *heap, struct slot_piece piece)
{
    add(heap, piece);
    size_t at = heap->count - 1;
    for (; at && compare_pieces(&piece, &heap->list[(at - 1) / 2]) < 0; at = (at - 1) / 2)
        heap->list[at] = heap->list[(at - 1) / 2];
    heap->list[at] = piece;
}

static struct slot_piece pop(struct slot_pieces *heap)
{
    struct slot_piece first = heap->list[0], last = heap->list[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        child += child + 1 < heap->count && compare_pieces(&heap->list[child + 1], &heap->list[child]) < 0;
        if (compare_pieces(&last, &heap->list[child]) < 0)
            break;
        heap->list[at] = heap->list[child];
        at = child;
    }
    if (heap->count)
        heap->list[at] = last;
    return first;
}

/* 2^(-quarters / QUARTERS) of the longest entry. */
static ps_t longest_piece(const struct rank_search *ranked, int quarters)
{
    static const int share[QUARTERS] = {10000, 8409, 7071, 5946};
    sum_t whole_ps = ranked->entries[0].time_ps;
    return ps_max(1, (ps_t)((whole_ps * share[quarters % QUARTERS] / share[0]) >> quarters / QUARTERS));
}

/* Cuts entries into pieces of the choice's length, and what is left of them. False: they would be too many.
 */
static bool cut(struct rank_search *ranked, int quarters)
{
    const struct slot_piece *entries = ranked->entries;
    ps_t longest_ps = longest_piece(ranked, quarters);
    uint32_t count = ranked->problem->count, next = 0;
    sum_t whole = 0;
    ranked->pieces.count = ranked->rests.count = 0;
    for (; next < count && entries[next].time_ps > longest_ps; next++)
        whole += entries[next].time_ps / longest_ps;
    if (whole > (sum_t)MOST_PIECES * count)
        return false;
    for (uint32_t i = 0; i < next; i++) {
        struct slot_piece piece = entries[i];
        for (; piece.time_ps >= longest_ps; piece.time_ps -= longest_ps)
            add(&ranked->pieces, (struct slot_piece){longest_ps, piece.row, piece.column});
        if (piece.time_ps)
            push(&ranked->rests, piece);
    }
    while (next < count || ranked->rests.count) {
        bool is_whole = next < count &&
                        (!ranked->rests.count || compare_pieces(&entries[next], &ranked->rests.list[0]) < 0);
        add(&ranked->pieces, is_whole ? entries[next++] : pop(&ranked->rests));
    }
    return true;
}

/* ---------------------------------------------------------------- durations */

/* The slots are as many as the most pieces of a port. The k-th one is as long as the first piece that is the
 * k-th of its port. Returns the sum. */
static sum_t rank_pieces(struct rank_search *ranked)
{
    sum_t total_ps = 0;
    memset(ranked->rank, 0, 2 * (size_t)ranked->size * sizeof *ranked->rank);
    memset(ranked->sum_ps, 0, 2 * (size_t)ranked->size * sizeof *ranked->sum_ps);
    ranked->slots = ranked->busiest = 0;
    for (size_t i = 0; i < ranked->pieces.count; i++) {
        const struct slot_piece *piece = &ranked->pieces.list[i];
        uint32_t ports[] = {piece->row, ranked->size + piece->column};
        for (int side = 0; side < 2; side++) {
            ranked->sum_ps[ports[side]] += piece->time_ps;
            if (ranked->sum_ps[ports[side]] > ranked->sum_ps[ranked->busiest])
                ranked->busiest = ports[side];
            if (ranked->rank[ports[side]]++ < ranked->slots)
                continue;
            ranked->duration_ps =
                mem_grow(ranked->duration_ps, &ranked->most_slots, (size_t)ranked->slots + 1, "slots");
            ranked->duration_ps[ranked->slots++] = piece->time_ps;
            total_ps += piece->time_ps;
        }
    }
    return total_ps;
}

/* Durations come closer to the pieces of the busiest port. */
static void approach_busiest(struct rank_search *ranked, int share)
{
    uint32_t rank = 0;
    ranked->busiest_ps =
        mem_grow(ranked->busiest_ps, &ranked->most_busiest, (size_t)ranked->slots + 1, "slots");
    memset(ranked->busiest_ps, 0, ranked->slots * sizeof *ranked->busiest_ps);
    for (size_t i = 0; i < ranked->pieces.count; i++) {
        const struct slot_piece *piece = &ranked->pieces.list[i];
        if (piece->row == ranked->busiest || ranked->size + piece->column == ranked->busiest)
            ranked->busiest_ps[rank++] = piece->time_ps;
    }
    for (uint32_t slot = 0; slot < ranked->slots; slot++) {
        ps_t *duration_ps = &ranked->duration_ps[slot], least_ps = ranked->busiest_ps[slot];
        *duration_ps = least_ps + (*duration_ps - least_ps) / MOST_SHARE * share;
    }
}

/* Some slots, at equal distances, are there twice. */
static void add_spare(struct rank_search *ranked, int spare)
{
    uint64_t slots = ranked->slots, more = slots * (unsigned)spare / SPARE_PART, added = 0;
    ranked->duration_ps = mem_grow(ranked->duration_ps, &ranked->most_slots, (size_t)(slots + more), "slots");
    memcpy(ranked->busiest_ps, ranked->duration_ps, slots * sizeof *ranked->busiest_ps);
    for (uint64_t slot = 0; slot < slots; slot++) {
        ranked->duration_ps[slot + added] = ranked->busiest_ps[slot];
        if ((2 * added + 1) * slots < 2 * more * (slot + 1)) {
            added++;
            ranked->duration_ps[slot + added] = ranked->busiest_ps[slot];
        }
    }
    ranked->slots += (uint32_t)added;
}

/* -------------------------------------------------------------------- slots */

static void play(struct rank_search *ranked, const struct slot_table *table, struct player *player)
{
    for (uint32_t slot = 0; slot < table->slots && player->unfinished; slot++) {
        ps_t slot_ps = 0;
        for (uint32_t row = 0; row < ranked->problem->senders; row++) {
            uint32_t column = slot_table_column(table, slot, row);
            uint32_t entry = column == UINT32_MAX ? CIRCUIT_NONE : circuit_at(ranked->problem, row, column);
            ranked->entries_of_slot[row] = CIRCUIT_NONE;
            if (entry == CIRCUIT_NONE || !player->left_ps[entry])
                continue;
            ps_t time_ps = table->time_ps[(size_t)row * table->slots + slot];
            ranked->entries_of_slot[row] = entry;
            slot_ps = ps_max(slot_ps, time_ps < player->left_ps[entry] ? time_ps : player->left_ps[entry]);
        }
        if (slot_ps && !player_slot(player, ranked->entries_of_slot, slot_ps))
            return;
    }
}

/* Plays slots for the pieces, and leaves the pieces that have found none. */
static void play_pieces(struct rank_search *ranked, ps_t stretch_ps, uint64_t seed, struct player *player)
{
    struct slot_table table;
    size_t next = 0;
    slot_table_init(&table, ranked->size, ranked->slots, ranked->duration_ps, seed);
    ranked->left.count = 0;
    while (next < ranked->pieces.count || ranked->rests.count) {
        bool is_rest =
            ranked->rests.count && (next == ranked->pieces.count ||
                                    compare_pieces(&ranked->rests.list[0], &ranked->pieces.list[next]) < 0);
        struct slot_piece piece = is_rest ? pop(&ranked->rests) : ranked->pieces.list[next++];
        ps_t placed_ps = slot_table_place(&table, &piece, stretch_ps);
        piece.time_ps -= placed_ps;
        if (piece.time_ps)
            placed_ps ? push(&ranked->rests, piece) : add(&ranked->left, piece);
    }
    play(ranked, &table, player);
    slot_table_free(&table);
}

/* A schedule, unless it is as long as the limit before it is whole. */
static bool try(struct rank_search *ranked, const struct slot_choice *choice,
                const struct circuit_effort *effort, ps_t limit_ps, struct circuit_schedule *schedule)
{
    struct player player;
    ps_t stretch_ps = ranked->problem->delta_ps >> choice->stretch;
    circuit_schedule_clear(schedule);
    if (!cut(ranked, choice->longest))
        return false;
    rank_pieces(ranked);
    approach_busiest(ranked, choice->share);
    add_spare(ranked, choice->spare);
    player_init(&player, ranked->problem, schedule);
    while (ranked->pieces.count && schedule->makespan_ps < limit_ps && !circuit_effort_is_spent(effort)) {
        play_pieces(ranked, stretch_ps, effort->seed, &player);
        struct slot_pieces before = ranked->pieces;
        ranked->pieces = ranked->left;
        ranked->left = before;
        rank_pieces(ranked);
    }
    bool is_done = !player.unfinished;
    player_free(&player);
    return is_done && schedule->makespan_ps < limit_ps;
}

/* ------------------------------------------------------------------- choice */

/* The length of pieces for which the slots, each as long as the longest pieces of its rank, take least. */
static int best_longest(struct rank_search *ranked)
{
    int best = 0;
    sum_t least_ps = 0;
    for (int quarters = 0; quarters <= MOST_LONGEST && cut(ranked, quarters); quarters += 2) {
        sum_t total_ps = rank_pieces(ranked);
        total_ps += (sum_t)ranked->slots * ranked->problem->delta_ps;
        if (quarters && total_ps >= least_ps)
            continue;
        least_ps = total_ps;
        best = quarters;
    }
    return best;
}

static const struct slot_choice moves[] = {{.share = 1},   {.longest = -2}, {.stretch = -1}, {.spare = 1},
                                           {.share = -1},  {.longest = 2},  {.stretch = 1},  {.spare = -1},
                                           {.longest = 1}, {.longest = -1}};
enum { MOVES = sizeof moves / sizeof *moves };

static bool move(struct slot_choice *choice, const struct slot_choice *by)
{
    choice->longest += by->longest;
    choice->share += by->share;
    choice->stretch += by->stretch;
    choice->spare += by->spare;
    return choice->longest >= 0 && choice->longest <= MOST_LONGEST && choice->share > 0 &&
           choice->share <= MOST_SHARE && choice->stretch >= 0 && choice->stretch <= MOST_STRETCH &&
           choice->spare >= 0 && choice->spare <= MOST_SPARE;
}

static void keep(struct circuit_schedule *schedule, struct circuit_schedule *candidate)
{
    if (schedule->count && schedule->makespan_ps <= candidate->makespan_ps)
        return;
    struct circuit_schedule before = *schedule;
    *schedule = *candidate;
    schedule->made_by = before.made_by;
    *candidate = before;
}

void ranked_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t tries, struct circuit_schedule *schedule)
{
    struct rank_search ranked;
    struct circuit_schedule candidate = {.count = 0};
    ps_t best_ps = PS_NEVER;
    ranked_init(&ranked, problem);
    struct slot_choice best = {.longest = best_longest(&ranked), .share = MOST_SHARE / 2, .stretch = 1};
    progress_begin("slots by rank", tries);
    unsigned which = 0, failed = 0;
    for (uint64_t done = 0; done < tries && failed <= MOVES && best_ps > bound_ps;) {
        struct slot_choice next = best;
        bool is_possible = best_ps == PS_NEVER || move(&next, &moves[which]);
        if (is_possible)
            progress_tell(done++);
        if (is_possible && try(&ranked, &next, effort, best_ps, &candidate)) {
            best_ps = candidate.makespan_ps;
            best = next;
            failed = 0;
            keep(schedule, &candidate);
            continue;
        }
        which = (which + 1) % MOVES;
        failed++;
        if (circuit_effort_is_spent(effort))
            break;
    }
    progress_end();
    circuit_schedule_free(&candidate);
    ranked_free(&ranked);
}
