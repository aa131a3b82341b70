#include "live/capture/traffic.h"

#include "call/balance.h"
#include "live/capture/diagnostics.h"

static uint64_t balance;
static int64_t collectives, others;

void traffic_sent(int destination)
{
    balance += balance_number((uint32_t)destination);
}

void traffic_not_sent(int destination)
{
    balance -= balance_number((uint32_t)destination);
}

void traffic_received(void)
{
    balance -= balance_number((uint32_t)capture_rank());
}

void traffic_not_received(void)
{
    balance += balance_number((uint32_t)capture_rank());
}

int64_t traffic_balance(void)
{
    return (int64_t)balance;
}

void traffic_collective(void)
{
    collectives++;
    others = 0;
}

int64_t traffic_collectives(void)
{
    return collectives;
}

void traffic_other_collective(void)
{
    others++;
}

int64_t traffic_other_collectives(void)
{
    return others;
}
