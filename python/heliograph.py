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
import signal
import threading
import warnings

__all__ = ["Cancelled", "Error", "Experiment", "Run", "load_plugin", "register_fabric", "version"]

_SONAME = "libheliograph.so.0.1"
_STATUS_OK, _STATUS_CANCELLED = 0, 3
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


class _Progress(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("fabric", ctypes.c_char_p),
        ("calls", ctypes.c_uint64),
        ("total_calls", ctypes.c_uint64),
        ("now_ps", ctypes.c_int64),
    ]


_ProgressFunction = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Progress))


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
        ("on_progress", None, [pointer, _ProgressFunction, pointer]),
        ("force", None, [pointer, ctypes.c_int]),
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
_raised = []  # exceptions of functions written in Python, during a run


class Error(Exception):
    """An error of the library. Its text has the messages with their places, as helio prints them."""


class Cancelled(Error):
    """The progress function ended the run."""


def _last_error():
    return _library.heliograph_last_error().decode().rstrip("\n")


def _check(status):
    """Raises what an error says. Warnings go to Python's warnings, at the line that called this module."""
    if status != _STATUS_OK:
        raise (Cancelled if status == _STATUS_CANCELLED else Error)(_last_error())
    if ": warning: " in _last_error():
        warnings.warn(_last_error(), stacklevel=3)


def _text(value):
    """A value as an experiment file has it: a list of names has commas."""
    if isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if "\0" in text:
        raise ValueError(f"a NUL in {text!r}")
    return text.encode()


class _Interrupts:
    """Keeps Ctrl-C until a run has ended: Python cannot act on it while the library runs."""

    def __init__(self):
        self.arrived = None

    def __enter__(self):
        self._handler = None
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, self._keep)
        return self

    def _keep(self, number, frame):
        self.arrived = number, frame

    def __exit__(self, *_):
        if self._handler:
            signal.signal(signal.SIGINT, self._handler)
        if self.arrived:
            self._handler(*self.arrived)


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
        """Sets a parameter to a text with its unit, a number, a bool, or a list of names."""
        _check(_library.heliograph_set(self._experiment, parameter.encode(), _text(value)))

    def __getitem__(self, parameter):
        """The value as a text, or None if the parameter has none. KeyError: there is no such parameter."""
        value = _library.heliograph_get(self._experiment, parameter.encode())
        if value is not None:
            return value.decode()
        if not _library.heliograph_has(self._experiment, parameter.encode()):
            raise KeyError(parameter)
        return None

    def run(self, progress=None, force=False):
        """Runs the program on each fabric. Returns a list of Run.

        progress(fabric, calls, total_calls, now_ps) is called about once in 2^20 calls or messages. If it returns
        something true, the run ends and Cancelled is raised; so it does with an exception. Ctrl-C ends the run where
        progress would be called. force: run also what there seems to be too little memory for.
        """
        _raised.clear()
        with _Interrupts() as interrupts:

            def tell(_, at):
                try:
                    at = at[0]
                    stop = progress and progress(at.fabric.decode(), at.calls, at.total_calls, at.now_ps)
                except BaseException as error:  # noqa: BLE001 - an exception must not pass through C
                    _raised.append(error)
                    stop = True
                return 1 if stop or interrupts.arrived else 0

            function = _ProgressFunction(tell)
            _library.heliograph_on_progress(self._experiment, function, None)
            _library.heliograph_force(self._experiment, force)
            try:
                status = _library.heliograph_run(self._experiment)
            finally:
                _library.heliograph_on_progress(self._experiment, _ProgressFunction(), None)
        try:
            _check(status)
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
