#include "extrapolate/describe.h"

#include <inttypes.h>
#include <math.h>

#include "call/call.h"
#include "extrapolate/check.h"
#include "extrapolate/communicators.h"

static const char axis[GRID_DIMENSIONS] = {'x', 'y', 'z'};
static const char *const extent[] = {"P", "X", "Y", "Z"}; /* by dimension + 1 */

struct describer {
    FILE *to;
    const struct program_model *model;
    const struct role_model *role;
    struct grid grid;
    uint32_t held_back; /* the computation was tested on so many ranks; 0: it was not */
};

/* -------------------------------------------------------------------- rules */

static int dimensions(const struct grid *grid)
{
    return grid_dimensions(grid->kind);
}

static void print_neighbour(const struct describer *describer, const struct peer_rule *rule)
{
    fputc('(', describer->to);
    for (int d = 0; d < dimensions(&describer->grid); d++) {
        fprintf(describer->to, "%s%c", d ? ", " : "", axis[d]);
        if (rule->a[d])
            fprintf(describer->to, " %c %d", rule->a[d] < 0 ? '-' : '+',
                    rule->a[d] < 0 ? -rule->a[d] : rule->a[d]);
    }
    fprintf(describer->to, rule->kind == PEER_WRAP ? "), round the edge" : ")");
}

/* "stage", "3 + stage", "3" */
static void print_stage(const struct describer *describer, int32_t first, int step)
{
    if (step <= 0 || first)
        fprintf(describer->to, "%d", first);
    if (step)
        fprintf(describer->to, "%sstage", step < 0 ? " - " : first ? " + " : "");
}

/* Bits are counted from the lowest one up or from the highest one down; then a sum may be subtracted. */
static void print_bit(const struct describer *describer, const struct peer_rule *rule)
{
    static const char *const from[] = {[PEER_LOWEST] = "",
                                       [PEER_ROW_TOP] = "log2(X) - 1",
                                       [PEER_ROW_END] = "log2(X)",
                                       [PEER_TOP] = "log2(P) - 1"};
    bool down = rule->base == PEER_ROW_TOP || rule->base == PEER_TOP;
    bool sum = down && rule->a[0] && rule->step, alone = rule->base == PEER_LOWEST;
    fprintf(describer->to, "rank with bit %s", from[rule->base]);
    if (alone || rule->a[0] || rule->step) {
        fprintf(describer->to, "%s%s", alone ? "" : down ? " - " : " + ", sum ? "(" : "");
        print_stage(describer, rule->a[0], down ? -rule->step : rule->step);
    }
    fprintf(describer->to, "%s flipped", sum ? ")" : "");
}

static void print_rule(const struct describer *describer, const struct peer_rule *rule)
{
    switch ((enum peer_kind)rule->kind) {
    case PEER_OFFSET:
    case PEER_WRAP:
        print_neighbour(describer, rule);
        return;
    case PEER_XOR_BIT:
        print_bit(describer, rule);
        return;
    case PEER_TRANSPOSE:
        fprintf(describer->to, "(y, x)");
        return;
    case PEER_RING:
    case PEER_XOR_COUNT:
        fprintf(describer->to, rule->kind == PEER_RING ? "rank + (" : "rank xor (");
        print_stage(describer, rule->a[0], rule->step);
        fprintf(describer->to, rule->kind == PEER_RING ? ") mod P" : ")");
        return;
    case PEER_RING_POWER:
        fprintf(describer->to, "rank %c 2^stage mod P", rule->a[0] < 0 ? '-' : '+');
        return;
    case PEER_RANK:
        fprintf(describer->to, "rank ");
        print_stage(describer, rule->a[0], rule->step);
        return;
    case PEER_FROM_END:
        fprintf(describer->to, "rank P - 1 - (");
        print_stage(describer, rule->a[0], rule->step);
        fputc(')', describer->to);
        return;
    case PEER_WILDCARD:
        fprintf(describer->to, "any rank");
    }
}

static void print_peer(const struct describer *describer, const struct pattern_node *leaf, unsigned which,
                       const char *before)
{
    fprintf(describer->to, " %s ", before);
    print_rule(describer, &leaf->rules[which][__builtin_ctz(leaf->possible[which])]);
}

/* --------------------------------------------------------------------- fits */

static void print_power(const struct describer *describer, const struct fit *fit)
{
    fprintf(describer->to, "%" PRIu64, fit->value);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (fit->power[d])
            fprintf(describer->to, " (%s/%u)^%d", dimensions(&describer->grid) == 1 ? "P" : extent[d + 1],
                    fit->reference.size[d], fit->power[d]);
}

static void print_fit(const struct describer *describer, const struct fit *fit)
{
    switch (fit->form) {
    case FIT_CONSTANT:
        fprintf(describer->to, "%" PRIu64, fit->value);
        return;
    case FIT_LOGARITHM:
    case FIT_EXTENT:
        if (fit->unit > 1)
            fprintf(describer->to, "%" PRIu64 " x (", fit->unit);
        fprintf(describer->to, fit->form == FIT_EXTENT ? "%s" : "log2(%s)", extent[fit->dimension + 1]);
        if (fit->add)
            fprintf(describer->to, " %c %" PRId64, fit->add < 0 ? '-' : '+',
                    fit->add < 0 ? -fit->add : fit->add);
        fputs(fit->unit > 1 ? ")" : "", describer->to);
        return;
    case FIT_POWER:
        print_power(describer, fit);
        return;
    case FIT_FLOOR:
    case FIT_CEILING:
        fprintf(describer->to, "%" PRIu64 " x %s(%" PRIu64 " / %s)", fit->unit,
                fit->form == FIT_FLOOR ? "floor" : "ceil", fit->whole, extent[fit->dimension + 1]);
        return;
    case FIT_BLOCK:
    case FIT_REST:
    case FIT_FULL:
        fprintf(describer->to, "%" PRIu64 " x the rank's share of %" PRIu64 " along %c%s", fit->unit,
                fit->whole, axis[fit->dimension],
                fit->form == FIT_BLOCK  ? ""
                : fit->form == FIT_REST ? ", the rest for the last"
                                        : ", full ones first");
        if (fit->add)
            fprintf(describer->to, " %c %" PRId64, fit->add < 0 ? '-' : '+',
                    fit->add < 0 ? -fit->add : fit->add);
    }
}

static void print_vector(const struct describer *describer, const struct vector_rule *rule, int side)
{
    fprintf(describer->to, side ? ", from each " : ", to each ");
    print_fit(describer, &rule->factor);
    if (rule->own)
        fprintf(describer->to, " x the rank's share of %" PRIu64, rule->own);
    if (rule->peer)
        fprintf(describer->to, " x the other's share of %" PRIu64, rule->peer);
    fprintf(describer->to, " bytes");
}

static void print_size(const struct describer *describer, const struct fit *fit)
{
    if (fit->form == FIT_CONSTANT && !fit->value)
        return;
    fprintf(describer->to, ", ");
    print_fit(describer, fit);
    fprintf(describer->to, " bytes");
}

/* -------------------------------------------------------------------- calls */

static void print_indent(const struct describer *describer, int depth)
{
    for (int i = 0; i <= depth; i++)
        fprintf(describer->to, "  ");
}

/* The largest scale of a class, or that of all. */
static double largest_scale(const struct role_model *role, uint32_t place)
{
    double most = role->classes.differ ? 0 : role->bursts[place].scale;
    for (uint32_t c = 0; c < role->classes.count && role->classes.differ; c++)
        most = fmax(most, role->classes.scale[(size_t)c * role->pattern.place_count + place]);
    return most;
}

/* "4e+09 P^-1", or "4e+09 to 5e+09 by class P^-1": of the ranks that make the call. */
static void print_growth(const struct describer *describer, uint32_t place)
{
    const struct rank_classes *classes = &describer->role->classes;
    const struct burst *burst = &describer->role->bursts[place];
    double most = largest_scale(describer->role, place), least = most;
    double powers[2] = {classes->differ ? INFINITY : burst->power,
                        classes->differ ? -INFINITY : burst->power};
    for (uint32_t c = 0; c < classes->count && classes->differ; c++) {
        size_t at = (size_t)c * describer->role->pattern.place_count + place;
        if (classes->scale[at] <= 0)
            continue;
        least = fmin(least, classes->scale[at]);
        powers[0] = fmin(powers[0], classes->power[at]);
        powers[1] = fmax(powers[1], classes->power[at]);
    }
    if (least < 0.9999 * most)
        fprintf(describer->to, "%.6g to %.6g by class", least, most);
    else
        fprintf(describer->to, "%.6g", most);
    if (powers[1] - powers[0] > 5e-5)
        fprintf(describer->to, " P^%.4g to P^%.4g", powers[0], powers[1]);
    else if (fabs(powers[0]) > 5e-5)
        fprintf(describer->to, " P^%.4g", powers[0]);
}

static void print_burst(const struct describer *describer, uint32_t place)
{
    const struct burst *burst = &describer->role->bursts[place];
    if (burst->base > 0 && !describer->role->classes.differ)
        fprintf(describer->to, "%.6g + ", burst->base);
    print_growth(describer, place);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (burst->shape >> d & 1)
            fprintf(describer->to, " x the rank's share along %c / the mean", axis[d]);
}

/* One line for the places before a call. */
static void print_operations(const struct describer *describer, const struct pattern_node *leaf, int depth)
{
    const struct site *site = &describer->role->sites[leaf->index];
    bool any = false;
    for (uint32_t entered = 0; entered <= (uint32_t)depth; entered++) {
        if (largest_scale(describer->role, leaf->place + entered) <= 0)
            continue;
        if (!any)
            print_indent(describer, depth);
        fprintf(describer->to, any ? ", " : "compute ");
        print_burst(describer, leaf->place + entered);
        fprintf(describer->to, " operations");
        if (entered)
            fprintf(describer->to, entered == 1 ? " on entering the loop" : " on entering %u loops", entered);
        any = true;
    }
    if (!any)
        return;
    fprintf(describer->to, " (fit");
    if (site->error > 1e-4)
        fprintf(describer->to,
                site->error < 0.1 ? ", up to %.2g %% off on %u ranks" : ", up to %.0f %% off on %u ranks",
                100 * site->error, describer->held_back);
    if (site->error > 1e-4 && describer->role->classes.count > 1 && describer->grid.kind < GRID_KINDS)
        fprintf(describer->to, ", %s", class_name(&describer->grid, site->error_sides));
    fprintf(describer->to, ")\n");
}

static void print_call(const struct describer *describer, const struct pattern_node *leaf, int depth)
{
    const struct rank_event *event = &leaf->event;
    const struct site *site = &describer->role->sites[leaf->index];
    char comm[COMM_TEXT];
    bool sends = event->op == CALL_SEND || event->op == CALL_SENDRECV;
    print_operations(describer, leaf, depth);
    print_indent(describer, depth);
    fprintf(describer->to, "%s%s", event->flags & CALL_IMMEDIATE ? "i" : "",
            call_op_name((enum call_op)event->op));
    if (rank_event_peers(event))
        print_peer(describer, leaf, 0,
                   event->op > CALL_WAIT                                                ? "at"
                   : sends || (event->op == CALL_WAIT && event->waits_for == CALL_SEND) ? "to"
                                                                                        : "from");
    if (event->op != CALL_RECV)
        print_size(describer, &site->bytes);
    if (rank_event_peers(event) == 2)
        print_peer(describer, leaf, 1, "and from");
    if (event->op == CALL_RECV || event->op == CALL_SENDRECV)
        print_size(describer, &site->recv_bytes);
    for (int side = 0; side < 2; side++)
        if (rank_event_has_sizes(event, (unsigned)side))
            print_vector(describer, &site->sizes[side], side);
    if (event->comm)
        fprintf(describer->to, ", in the communicator of %s", comm_text(event->comm, comm));
    fputc('\n', describer->to);
}

static void print_loop(const struct describer *describer, const struct pattern_node *loop, int depth)
{
    for (uint32_t i = 0; i < loop->body_count; i++) {
        const struct pattern_node *node = loop->body[i];
        if (!node->body) {
            print_call(describer, node, depth);
            continue;
        }
        print_indent(describer, depth);
        print_fit(describer, &describer->role->passes[node->index]);
        fprintf(describer->to, " times%s\n", node->stages ? ", stage = 0, 1, ..." : "");
        print_loop(describer, node, depth + 1);
    }
}

static void print_grid(const struct describer *describer)
{
    char text[GRID_TEXT];
    int count = dimensions(&describer->grid);
    fprintf(describer->to, "P = %u ranks", describer->grid.ranks);
    grid_text(&describer->grid, text);
    if (count == 2)
        fprintf(describer->to, " as X x Y = %s; rank = x + X y", text);
    if (count == 3)
        fprintf(describer->to, " as X x Y x Z = %s; rank = x + X (y + Y z)", text);
    fputc('\n', describer->to);
}

void describe_model(const struct program_model *model, uint32_t ranks, uint32_t held_back, FILE *to)
{
    struct describer describer = {to, model, NULL, grid_of(model->hypothesis.grid, ranks), held_back};
    print_grid(&describer);
    for (int role = model->hypothesis.apart; role >= 0; role--) {
        describer.role = &model->roles[role];
        if (model->hypothesis.apart)
            fprintf(to, role ? "rank 0:\n" : "every other rank:\n");
        print_loop(&describer, &describer.role->pattern.root, 0);
    }
}
