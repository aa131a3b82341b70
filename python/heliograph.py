"""libheliograph for Python, by ctypes: nothing has to be compiled.

    import heliograph

    experiment = heliograph.Experiment(workload="alltoall:ranks=64,bytes=8KiB", fabric="packet,fmu")
    experiment["fmu.count"] = 16
    for run in experiment.run():
        print(run.fabric, run.makespan_s, run.metrics)

Names and values of parameters are those of an experiment file. Wrong input raises an Error with the text that helio
prints. docs/library.md has the reference.
"""

import ctypes
import ctypes.util
import json
import os

__all__ = ["Error", "Experiment", "Run", "load_plugin", "register_fabric", "version"]

_SONAME = "libheliograph.so.0.1"
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


class _Value(ctypes.Union):
    _fields_ = [
        ("time_ps", ctypes.c_int64),
        ("count", ctypes.c_uint64),
        ("number", ctypes.c_double),
        ("text", ctypes.c_char_p),
    ]


class _Parameter(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("default_value", ctypes.c_char_p),
        ("min", ctypes.c_char_p),
        ("max", ctypes.c_char_p),
        ("doc", ctypes.c_char_p),
    ]


class _Setup(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("nodes", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("values", ctypes.POINTER(_Value)),
    ]


_Begin = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_Setup))
_TransferFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Message), ctypes.POINTER(_Transfer))
_End = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Fabric(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("doc", ctypes.c_char_p),
        ("self", ctypes.c_void_p),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("parameter_count", ctypes.c_size_t),
        ("begin", _Begin),
        ("transfer", _TransferFunction),
        ("end", _End),
    ]


def _load():
    """Loads $HELIOGRAPH_LIBRARY, or the library installed with this file, or else the system's."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", _SONAME)
    name = os.environ.get("HELIOGRAPH_LIBRARY") or (beside if os.path.exists(beside) else _SONAME)
    library = ctypes.CDLL(name)
    pointer, text, index = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, arguments in [
        ("version", text, []),
        ("last_error", text, []),
        ("new", pointer, []),
        ("free", None, [pointer]),
        ("load", ctypes.c_int, [pointer, text]),
        ("load_text", ctypes.c_int, [pointer, text, text]),
        ("set", ctypes.c_int, [pointer, text, text]),
        ("has", ctypes.c_int, [pointer, text]),
        ("get", text, [pointer, text]),
        ("run", ctypes.c_int, [pointer]),
        ("run_count", index, [pointer]),
        ("run_fabric", text, [pointer, index]),
        ("makespan_ps", ctypes.c_int64, [pointer, index]),
        ("json", text, [pointer]),
        ("load_plugin", ctypes.c_int, [text]),
        ("register_fabric", ctypes.c_int, [ctypes.POINTER(_Fabric)]),
    ]:
        function = getattr(library, "heliograph_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()
_fabrics = []  # the library has pointers to them
_raised = []  # exceptions of fabrics written in Python, during a run


class Error(Exception):
    """An error of the library. Its text has the messages with their places, as helio prints them."""


def _last_error():
    return _library.heliograph_last_error().decode().rstrip("\n")


def _check(status):
    if status != _STATUS_OK:
        raise Error(_last_error())


def version():
    """The library's version, "0.1.0"."""
    return _library.heliograph_version().decode()


def load_plugin(path):
    """Loads a plug-in, for the rest of the process."""
    _check(_library.heliograph_load_plugin(os.fsencode(path)))


class Run:
    """A run of the program on one fabric. `data` is the run's object of `helio run --json`, with all results."""

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
        """A dict of finish_s, compute_s and idle_s for each rank. For more than 4096 ranks, their quantiles."""
        return self.data["ranks"]

    @property
    def messages(self):
        """count, bytes, mean_bytes."""
        return self.data["messages"]

    @property
    def metrics(self):
        """The fabric's metrics, by name."""
        return self.data["fabric_stats"]

    def __repr__(self):
        return f"<Run on {self.fabric}: {self.makespan_s:.12f} s>"


class Experiment:
    """Parameters, as a mapping of names to texts, and the runs that they describe."""

    def __init__(self, path=None, **parameters):
        """Reads the experiment file, if one is given, then the parameters: fmu__count=16 sets fmu.count."""
        self._experiment = _library.heliograph_new()
        if not self._experiment:
            raise Error(_last_error())
        if path is not None:
            _check(_library.heliograph_load(self._experiment, os.fsencode(path)))
        for name, value in parameters.items():
            self[name.replace("__", ".")] = value

    def __del__(self):
        if getattr(self, "_experiment", None):
            _library.heliograph_free(self._experiment)

    def load_text(self, text, name="experiment"):
        """Reads the text of an experiment file. It is applied after the present settings."""
        _check(_library.heliograph_load_text(self._experiment, name.encode(), text.encode()))

    def __setitem__(self, parameter, value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        _check(_library.heliograph_set(self._experiment, parameter.encode(), text.encode()))

    def __getitem__(self, parameter):
        """The value as a text, or None if the parameter has none. KeyError: there is no such parameter."""
        value = _library.heliograph_get(self._experiment, parameter.encode())
        if value is not None:
            return value.decode()
        if not _library.heliograph_has(self._experiment, parameter.encode()):
            raise KeyError(parameter)
        return None

    def run(self):
        """Runs the program on each fabric. Returns a list of Run."""
        _raised.clear()
        try:
            _check(_library.heliograph_run(self._experiment))
        except Error as error:
            raise error from (_raised[0] if _raised else None)
        runs = json.loads(_library.heliograph_json(self._experiment))["runs"]
        return [Run(data, _library.heliograph_makespan_ps(self._experiment, i)) for i, data in enumerate(runs)]

    @property
    def json(self):
        """The output of `helio run --json` for the last run, as bytes. None before the first run."""
        return _library.heliograph_json(self._experiment)


def register_fabric(name, doc, begin):
    """Adds a fabric to every experiment of this process.

    begin(nodes) is called at the start of a run. It returns a function transfer(source, destination, bytes, now_ps),
    which returns the times (visible_ps, sender_done_ps, delivered_ps) of a message: its receiver can match it; its last
    byte has left the sender; its last byte has arrived. An exception in either function fails the run.
    """
    states = {}

    def begin_run(_, setup):
        key = max(states, default=0) + 1
        try:
            states[key] = begin(setup[0].nodes)
        except Exception as error:  # noqa: BLE001 - an exception must not pass through C
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
            done.delivered_ps = -1  # an impossible time, which ends the run

    def end_run(key):
        states.pop(key, None)

    fabric = _Fabric(
        ctypes.sizeof(_Fabric),
        name.encode(),
        doc.encode(),
        None,
        None,
        0,
        _Begin(begin_run),
        _TransferFunction(transfer_message),
        _End(end_run),
    )
    _check(_library.heliograph_register_fabric(ctypes.byref(fabric)))
    _fabrics.append(fabric)
