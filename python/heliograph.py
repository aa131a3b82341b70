"""libheliograph for Python, by ctypes: nothing is to be compiled.

    import heliograph

    experiment = heliograph.Experiment(workload="alltoall:ranks=64,bytes=8KiB", fabric="packet,fmu")
    experiment["fmu.count"] = 16
    for run in experiment.run():
        print(run.fabric, run.makespan_s, run.metrics)

Names and values of parameters are those of an experiment file. What is wrong is an Error, with the text that helio
prints. docs/library.md
"""

import ctypes
import ctypes.util
import json
import os

__all__ = ["Error", "Experiment", "Run", "register_fabric", "version"]

_STATUS_OK = 0
_PS_PER_S = 10**12


class _Message(ctypes.Structure):
    _fields_ = [
        ("source", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        ("bytes", ctypes.c_uint64),
        ("now_ps", ctypes.c_int64),
    ]


class _Transfer(ctypes.Structure):
    _fields_ = [
        ("visible_ps", ctypes.c_int64),
        ("sender_done_ps", ctypes.c_int64),
        ("delivered_ps", ctypes.c_int64),
    ]


_Begin = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
_TransferFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Message), ctypes.POINTER(_Transfer))
_End = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Fabric(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("doc", ctypes.c_char_p),
        ("self", ctypes.c_void_p),
        ("begin", _Begin),
        ("transfer", _TransferFunction),
        ("end", _End),
    ]


def _load():
    """$HELIOGRAPH_LIBRARY, else the library beside which this file is installed, else the system's."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "libheliograph.so.0")
    name = os.environ.get("HELIOGRAPH_LIBRARY") or (beside if os.path.exists(beside) else "libheliograph.so.0")
    library = ctypes.CDLL(name)
    pointer, text, index = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in [
        ("version", text, []),
        ("said", text, []),
        ("new", pointer, []),
        ("free", None, [pointer]),
        ("load", ctypes.c_int, [pointer, text]),
        ("load_text", ctypes.c_int, [pointer, text, text]),
        ("set", ctypes.c_int, [pointer, text, text]),
        ("get", text, [pointer, text]),
        ("run", ctypes.c_int, [pointer]),
        ("runs", index, [pointer]),
        ("fabric", text, [pointer, index]),
        ("makespan_ps", ctypes.c_int64, [pointer, index]),
        ("json", text, [pointer]),
        ("register_fabric", ctypes.c_int, [ctypes.POINTER(_Fabric)]),
    ]:
        function = getattr(library, "heliograph_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()
_fabrics = []  # what the library points to has to stay
_raised = []  # by fabrics written in Python, during a run


class Error(Exception):
    """What helio would have printed, with its place."""


def _check(status):
    if status != _STATUS_OK:
        raise Error(_library.heliograph_said().decode().rstrip("\n"))


def version():
    """The library's version, "0.1.0"."""
    return _library.heliograph_version().decode()


class Run:
    """A run of the program on one fabric. `data` is its object of `helio run --json`; it has all there is."""

    def __init__(self, data, makespan_ps):
        self.data = data
        self.makespan_ps = makespan_ps

    @property
    def fabric(self):
        return self.data["fabric"]

    @property
    def makespan_s(self):
        return self.makespan_ps / _PS_PER_S

    @property
    def idle_fraction(self):
        return self.data["idle_fraction"]

    @property
    def ranks(self):
        """A dict of finish_s, compute_s, idle_s per rank; beyond 4096 ranks one of their quantiles."""
        return self.data["ranks"]

    @property
    def messages(self):
        """count, bytes, mean_bytes."""
        return self.data["messages"]

    @property
    def metrics(self):
        """What the fabric counted, by name."""
        return self.data["fabric_stats"]

    def __repr__(self):
        return f"<Run on {self.fabric}: {self.makespan_s:.12f} s>"


class Experiment:
    """Parameters, as a mapping of names to texts, and what comes of them."""

    def __init__(self, path=None, **parameters):
        """An experiment file, if any, then parameters; a dot in a name is two underscores: fmu__count=16."""
        self._experiment = _library.heliograph_new()
        if not self._experiment:
            raise Error("there is no experiment to be had")
        if path is not None:
            _check(_library.heliograph_load(self._experiment, os.fsencode(path)))
        for name, value in parameters.items():
            self[name.replace("__", ".")] = value

    def __del__(self):
        if getattr(self, "_experiment", None):
            _library.heliograph_free(self._experiment)

    def load_text(self, text, name="experiment"):
        """The text of an experiment file, on top of what is set."""
        _check(_library.heliograph_load_text(self._experiment, name.encode(), text.encode()))

    def __setitem__(self, parameter, value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        _check(_library.heliograph_set(self._experiment, parameter.encode(), text.encode()))

    def __getitem__(self, parameter):
        value = _library.heliograph_get(self._experiment, parameter.encode())
        return None if value is None else value.decode()

    def run(self):
        """Runs the program on each fabric; a list of Run."""
        _raised.clear()
        try:
            _check(_library.heliograph_run(self._experiment))
        except Error as error:
            raise error from (_raised[0] if _raised else None)
        runs = json.loads(_library.heliograph_json(self._experiment))["runs"]
        return [Run(data, _library.heliograph_makespan_ps(self._experiment, i)) for i, data in enumerate(runs)]

    @property
    def json(self):
        """The bytes that `helio run --json` prints, of the last run; None before."""
        return _library.heliograph_json(self._experiment)


def register_fabric(name, doc, begin):
    """Gives every experiment of this process a fabric.

    begin(nodes) is called when a run begins, and returns a function transfer(source, destination, bytes, now_ps) that
    returns (visible_ps, sender_done_ps, delivered_ps) of a message: when its receiver can match it, when its last byte
    has left, when that is there. An exception in it fails the run.
    """
    states = {}

    def begin_run(_, nodes):
        key = max(states, default=0) + 1
        try:
            states[key] = begin(nodes)
        except Exception as error:  # noqa: BLE001 - it must not unwind through C
            _raised.append(error)
            return None
        return key

    def transfer_message(key, message, transfer):
        message, done = message[0], transfer[0]
        try:
            done.visible_ps, done.sender_done_ps, done.delivered_ps = states[key](
                message.source, message.destination, message.bytes, message.now_ps
            )
        except Exception as error:  # noqa: BLE001
            _raised.append(error)
            done.delivered_ps = -1  # impossible, which ends the run

    def end_run(key):
        states.pop(key, None)

    fabric = _Fabric(
        name.encode(),
        doc.encode(),
        None,
        _Begin(begin_run),
        _TransferFunction(transfer_message),
        _End(end_run),
    )
    _check(_library.heliograph_register_fabric(ctypes.byref(fabric)))
    _fabrics.append(fabric)
