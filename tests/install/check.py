"""What heliograph.py promises beyond what examples/library/bus.py shows; prints the JSON of a run."""

import sys

import heliograph


def raised(action):
    try:
        action()
    except heliograph.Error as error:
        return error
    raise AssertionError("no Error was raised")


experiment = heliograph.Experiment(workload="alltoall:ranks=16,bytes=8KiB", fabric="packet,fmu")
assert "did you mean 'fmu.count'?" in str(raised(lambda: heliograph.Experiment(fmu__cuont=8)))
assert "cannot read" in str(raised(lambda: heliograph.Experiment("no-such.yaml")))
assert experiment["fmu.count"] == "64" and experiment["trace"] is None
try:
    assert experiment["nosuch"] is None and False
except KeyError as error:
    assert error.args == ("nosuch",)
assert experiment.json is None


def broken(nodes):
    def transfer(source, destination, size, now_ps):
        raise ValueError("out of light")

    return transfer


def refusing(nodes):
    raise ValueError(f"not for {nodes} nodes")


heliograph.register_fabric("broken", "raises", broken)
heliograph.register_fabric("refusing", "cannot begin", refusing)
for name, cause in [("broken", "out of light"), ("refusing", "not for 16 nodes")]:
    other = heliograph.Experiment(workload="alltoall:ranks=16", fabric=name)
    assert str(raised(other.run).__cause__) == cause
assert "already" in str(raised(lambda: heliograph.register_fabric("broken", "again", broken)))

packet, fmu = experiment.run()
assert packet.fabric == "packet" and len(packet.ranks) == 16 and packet.messages["count"] == 240
assert packet.makespan_s == packet.data["makespan_s"] and fmu.metrics["switch_count"] > 0
sys.stdout.buffer.write(experiment.json)
