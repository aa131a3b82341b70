#ifndef HELIO_CALL_BALANCE_H
#define HELIO_CALL_BALANCE_H

#include <stdint.h>

/* The number of a rank in sums of messages, of 64 bits as good as random (the finalizer of SplitMix64). A sum
 * over messages of the numbers of their destinations is 0 if as many are received as sent at each rank. */
static inline uint64_t balance_number(uint32_t rank)
{
    uint64_t mixed = (rank + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

#endif
