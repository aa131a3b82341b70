"""An experiment from Python: which alltoall algorithm is the fastest, by size of the blocks.

    python3 examples/algorithms.py

It prints times in microseconds, and a value for the parameter mpi.alltoall that chooses the fastest for each size.
"""

import heliograph

ALGORITHMS = "linear", "pairwise", "bruck"
SIZES = [2**k for k in range(3, 19, 3)]

# The machine of "Breaking Band": what a message costs its sender and its receiver is known by component.
experiment = heliograph.Experiment(fabric="packet", machine="thunderx2")
choice = []
print("bytes ", *(f"{name:>12}" for name in ALGORITHMS))
for size in SIZES:
    experiment["workload"] = f"alltoall:ranks=64,bytes={size}B"
    times = {}
    for name in ALGORITHMS:
        experiment["mpi.alltoall"] = name
        times[name] = experiment.run()[0].makespan_ps
    print(f"{size:6}", *(f"{time / 1e6:12.2f}" for time in times.values()))
    fastest = min(times, key=times.get)
    if choice and choice[-1][0] == fastest:
        choice.pop()
    choice.append((fastest, size))
limits = [f"{name}<={size}B" for name, size in choice[:-1]]
print("mpi.alltoall:", ",".join([*limits, choice[-1][0]]))
