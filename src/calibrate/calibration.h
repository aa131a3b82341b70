#ifndef HELIO_CALIBRATE_CALIBRATION_H
#define HELIO_CALIBRATE_CALIBRATION_H

#include <stdio.h>

#include "calibrate/pieces.h"
#include "calibrate/samples.h"

/* What samples say about a machine: docs/models/calibrate.md.
 *
 *     pieces.h      straight lines through times by size
 *     samples.h       what the probe prints
 *     calibration.h   what follows from it, and whether it is sound
 *     machine_file.h  the same as parameters of a machine file
 *     choices.h       which algorithms the collectives of the MPI are */

/* A number with its 95 % interval. */
struct calibrate_value {
    double value, low, high;
};

/* Messages between two nodes, or within one. */
struct calibrate_messages {
    bool is_known;
    size_t sizes;
    double bytes[POINTS_AT_MOST];
    struct calibrate_value half_ns[POINTS_AT_MOST]; /* medians of half round trips */
    struct pieces pieces;
    struct calibrate_value at_zero_ns[PIECES_AT_MOST], ns_per_byte[PIECES_AT_MOST];
    struct calibrate_value latency_ns; /* of no bytes: where the first piece begins */
    bool has_rate;                     /* the last piece grows */
    struct calibrate_value rate;       /* bytes per second, of the last piece */
    struct calibrate_value jump_ns;    /* between the lines at the eager threshold */
    bool has_ends;                     /* the next two were measured */
    struct calibrate_value send_ns, receive_ns;
    bool has_gap;
    struct calibrate_value gap_ns;
    unsigned handshakes; /* control messages of a rendezvous that the jump stands for */
    double handshake_ns; /* and their time */
    /* How far the parameters of the machine are from the medians: between nodes one line and the jump, within
     * a node the pieces. */
    double off_percent, worst_percent, worst_bytes;
};

struct calibration {
    struct calibrate_messages places[CALIBRATE_PLACES];
    bool is_sound; /* no guard has failed */
};

/* Computes it, and adds the guards that need samples. STATUS_FAILED, reported: there are too few. */
enum status calibrate_judge(struct calibrate_samples *samples, struct calibration *calibration);

/* The median of a series, with its interval. */
struct calibrate_value calibrate_median(const struct calibrate_series *series);

#endif
