"""What both scripts of this folder use: helio's runs of the traffic that other programs were given."""

import csv
import json
import math
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
HELIO = Path(os.environ.get("HELIO", TOP / "build/bin/helio")).resolve()

# INRFlow counts in units of link capacity. A message of 100 units is divisible by all numbers of flows that occur here.
UNIT_BYTES = 27720
MESSAGE_BYTES = 100 * UNIT_BYTES


def helio(*arguments):
    """What helio prints; an error of helio ends the script."""
    run = subprocess.run([HELIO, *map(str, arguments)], cwd=TOP, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"helio {' '.join(map(str, arguments))}\n{run.stderr}")
    return run.stdout


def helio_run(workload, fabric, parameters):
    """The only run of a workload on a fabric, as published."""
    settings = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
    text = helio("run", "--workload", workload, "--fabric", fabric, "--as-published", *settings, "--json")
    return json.loads(text)["runs"][0]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def node_number(name, topology, nodes):
    """INRFlow's number of a node or switch that helio topo names. In a torus, servers are the switches."""
    digits = [int(digit) for digit in re.findall(r"\d+", name)]
    kind, sizes = topology.split(":")
    sizes = [int(size) for size in sizes.split("x")]
    if kind != "fattree":
        return sum(digit * math.prod(sizes[:i]) for i, digit in enumerate(digits))
    if len(digits) == 1:
        return digits[0]
    arity, levels = sizes
    return nodes + digits[0] * arity ** (levels - 1) + sum(digit * arity**i for i, digit in enumerate(digits[1:]))


def packet_loads(topology, nodes, traffic):
    """Messages on each link, the most messages of one node's link, and the makespan in units of INRFlow's time.

    INRFlow's fat tree chooses the way up by the source, helio's by the destination. The mirrored traffic (every message
    the other way) has the same loads in helio on the mirrored links.
    """
    tree = topology.startswith("fattree")
    run = helio_run(f"pattern:name={traffic},ranks={nodes},bytes={MESSAGE_BYTES}B", "packet",
                    {"topology": topology, "packet.bandwidth": f"{UNIT_BYTES}MB/s", "packet.latency": "0ps",
                     "packet.hop_latency": "0ps"})
    stats = run["fabric_stats"]
    loads = {}
    for link in json.loads(helio("topo", topology, "--json"))["link_list"]:
        ends = [node_number(link[end], topology, nodes) for end in ("from", "to")]
        index = link["id"] - 2 * nodes
        if index >= 0:
            loads[tuple(reversed(ends) if tree else ends)] = stats["link_bytes"][index] // MESSAGE_BYTES
        elif tree:
            bytes_ = stats["up_bytes" if link["id"] < nodes else "down_bytes"][link["id"] % nodes]
            loads[tuple(reversed(ends))] = bytes_ // MESSAGE_BYTES
    node = max(stats["up_bytes"] + stats["down_bytes"]) // MESSAGE_BYTES
    return loads, node, run["makespan_s"] * 1e6


def mirrored(source, target):
    """Writes the traffic of one file the other way into another file."""
    with open(target, "w") as file:
        file.write("src,dst\n" + "".join(f"{row['dst']},{row['src']}\n" for row in rows(source)))


# LogGOPSim's patterns, and the workload that is the same program.
LOGGOPSIM = {
    "binomialtreebcast": "collective:op=bcast,algorithm=binomial,bytes=1000B,ranks=",
    "binomialtreereduce": "collective:op=reduce,algorithm=binomial,bytes=1000B,ranks=",
    "dissemination": "dissemination:bytes=1000B,ranks=",
    "gather": "collective:op=gather,algorithm=linear,bytes=1000B,ranks=",
    "scatter": "collective:op=scatter,algorithm=linear,bytes=1000B,ranks=",
    "linear_alltoall": "collective:op=alltoall,algorithm=linear,bytes=1000B,ranks=",
}


def packet_finish_ns(pattern, ranks, overhead_ns):
    """When the last rank finishes, with 1 us of latency and 1 GB/s; a NIC sends one message after another."""
    run = helio_run(LOGGOPSIM[pattern] + str(ranks), "packet",
                    {"packet.latency": "1us", "packet.bandwidth": "1GB/s", "packet.injection": "ordered",
                     "mpi.eager_threshold": "1GiB", "host.send": f"{overhead_ns}ns", "host.receive": f"{overhead_ns}ns"})
    return run["makespan_s"] * 1e9
