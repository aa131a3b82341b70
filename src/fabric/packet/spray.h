#ifndef HELIO_FABRIC_PACKET_SPRAY_H
#define HELIO_FABRIC_PACKET_SPRAY_H

#include "base/metric.h"
#include "fabric/packet/maxmin.h"
#include "topo/topo.h"

/* Packet spraying at the level of flows (Dixit, Prakash, Hu and Kompella, On the impact of packet spraying in
 * data center networks, INFOCOM 2013): at each switch the packets of a message take all links that lead on,
 * in equal parts. So the link l carries the part f_l of the message, where what comes into a switch goes out
 * of it in equal parts. docs/models/packet.md
 *
 * Where the topology says which links carry the same (topo_ops.alike), one link stands for all of them. Then
 * a flow has a link for each hop, and not one for each link that its packets take. */
struct spray {
    bool is_alike;            /* one link stands for those that are alike */
    uint32_t *inflow, *queue; /* [switches] the part that comes in; switches to be done; else NULL */
    struct sums of_each;      /* is_alike: what each link has carried */
};

/* `changes`: whether links will fail or become slow. */
struct spray *spray_open(const struct topo *topo, bool changes);
void spray_close(struct spray *spray); /* NULL: does nothing */
size_t spray_bytes(const struct spray *spray, const struct topo *topo);

/* The most links of a flow between two nodes; more than MAXMIN_LINKS_PER_FLOW: at least so many. */
uint32_t spray_limit(const struct topo *topo, bool changes);

/* The links into links[0 .. count), and the part of the message that each carries behind them, in units of
 * 1 / MAXMIN_WHOLE. The links of the nodes are the first and the last one. Returns count. */
uint32_t spray_route(struct spray *spray, const struct topo *topo, uint32_t source, uint32_t destination,
                     uint32_t *links);

/* What each link has carried, from what those that stand for others have. */
const struct sums *spray_link_bytes(struct spray *spray, const struct topo *topo, const struct sums *bytes);

#endif
