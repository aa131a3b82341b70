#include "coll/nodes.h"

#include <string.h>

void coll_nodes_init(struct coll_nodes *nodes, uint32_t size, const uint32_t *place_of, uint32_t *storage)
{
    uint32_t *node = storage, *local = node + size, *first = local + size, *members = first + size + 1;
    uint32_t *number_of_place = members; /* members are filled in last */
    uint32_t count = 0, fewest = size, most = 0;
    bool in_order = true;
    memset(number_of_place, 0, size * sizeof *number_of_place);
    memset(first, 0, (size + 1) * sizeof *first);
    for (uint32_t rank = 0; rank < size; rank++) {
        uint32_t *number = &number_of_place[place_of[rank]];
        if (*number == 0)
            *number = ++count;
        node[rank] = *number - 1;
        local[rank] = first[node[rank] + 1]++;
        in_order &= node[rank] == count - 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        fewest = first[i + 1] < fewest ? first[i + 1] : fewest;
        most = first[i + 1] > most ? first[i + 1] : most;
        first[i + 1] += first[i];
    }
    for (uint32_t rank = 0; rank < size; rank++)
        members[first[node[rank]] + local[rank]] = rank;
    *nodes = (struct coll_nodes){.count = count,
                                 .fewest = fewest,
                                 .most = most,
                                 .in_order = in_order,
                                 .node_of = node,
                                 .local_of = local,
                                 .first = first,
                                 .members = members};
}

void coll_nodes_lead(struct coll_nodes *nodes, uint32_t *storage, uint32_t node, uint32_t from, uint32_t into)
{
    uint32_t *local_of = storage + (nodes->local_of - storage);
    uint32_t *members = storage + (nodes->members - storage) + nodes->first[node];
    uint32_t leader = members[from];
    memmove(members + into + 1, members + into, (from - into) * sizeof *members);
    members[into] = leader;
    for (uint32_t local = into; local <= from; local++)
        local_of[members[local]] = local;
    nodes->in_order &= from == into;
}
