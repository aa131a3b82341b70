"""bus.c in Python: a fabric of one's own beside two of Heliograph's.

    python3 examples/library/bus.py
"""

import heliograph

PS_PER_BYTE, LATENCY_PS = 80, 2_000_000  # 100 Gb/s, and 2 us from end to end


def bus(nodes):
    free_ps = 0

    def transfer(source, destination, size, now_ps):
        nonlocal free_ps
        begin_ps = max(now_ps, free_ps)
        free_ps = begin_ps + size * PS_PER_BYTE
        return begin_ps + LATENCY_PS, free_ps, free_ps + LATENCY_PS

    return transfer


heliograph.register_fabric("bus", "one bus for all nodes", bus)
experiment = heliograph.Experiment(workload="alltoall:ranks=16,bytes=8KiB", fabric="hockney,packet,bus")
experiment["machine"] = "as-published"  # no machine: all three at 100 Gb/s, hosts within the latency
experiment["packet.latency"] = "2 us"
for run in experiment.run():
    print(f"{run.fabric:<8} {run.makespan_ps:>12} ps, {run.messages['count']} messages")
