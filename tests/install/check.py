"""What heliograph.py promises beyond what examples/library/bus.py shows; prints the JSON of a run."""

import os
import signal
import sys
import warnings

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

# A list of names; what nothing reads is a warning, at the line that runs.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    runs = heliograph.Experiment(workload="pingpong", fabric=["hockney", "packet"], fmu__count=3).run()
assert [run.fabric for run in runs] == ["hockney", "packet"]
assert "fmu.count has no effect" in str(caught[0].message) and caught[0].filename == __file__ and len(caught) == 1

# A long run tells how far it is, and ends when progress says so, when progress fails, and at Ctrl-C.
long = heliograph.Experiment(workload="pingpong:bytes=8B,iterations=3000000", fabric="hockney")
told = []
assert isinstance(raised(lambda: long.run(lambda *at: told.append(at) or len(told) == 2)), heliograph.Cancelled)
assert [at[0] for at in told] == ["hockney", "hockney"] and told[0][3] < told[1][3]
assert told[0][1] < told[1][1] < told[1][2] and long.json is None
assert isinstance(raised(lambda: long.run(lambda *_: 1 / 0)).__cause__, ZeroDivisionError)
seen = 0


def interrupt(*_):
    global seen
    seen += 1
    os.kill(os.getpid(), signal.SIGINT)


try:
    long.run(interrupt)
    raise AssertionError("Ctrl-C was lost")
except KeyboardInterrupt:
    assert seen == 1
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

packet, fmu = experiment.run()
assert packet.fabric == "packet" and len(packet.ranks) == 16 and packet.messages["count"] == 240
assert packet.makespan_s == packet.data["makespan_s"] and fmu.metrics["switch_count"] > 0
sys.stdout.buffer.write(experiment.json)
