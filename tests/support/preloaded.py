"""Starts ``python -m env_service…`` as a fork of a process that has imported everything.

Tests start hundreds of commands and workers, and most of their time is imports. `install` has
``subprocess.Popen`` send such a command to a fork server, which clones itself; a clone takes
milliseconds. The clone is a child of whoever called ``Popen``, as any other would be: it can be
waited for, signalled, killed, and has the same folder, environment, import path, descriptors,
process group and command line arguments. Its ``/proc`` entry alone shows the server's. It joins its
threads, runs what it registered for its end and flushes its outputs, but does not take its modules
apart.

An agent in Python that runs as a plain process begins in ``env_service.sandbox.die_with_parent``,
which becomes the agent's command. Its clone goes on as that command, with the agents' library and
gRPC imported.

A new interpreter starts as ever where one could tell the difference: for every other program, for
other settings of the interpreter, for a folder on the import path that stands in for a module the
server has imported, in `make test-all`, and in tests that are marked with ``new_processes``.
"""

from __future__ import annotations

import atexit
import builtins
import ctypes
import faulthandler
import fcntl
import gc
import io
import json
import os
import platform
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NoReturn

_COMMANDS = "env_service"
_PYTHON = sys.executable
_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
_CLONE_PARENT = 0x8000
_SETTINGS = ("PYTHON", "LANG", "LC_", "TZ", "LD_", "OPENBLAS_", "NUMBA_")
"""Variables that are read as an interpreter or a library starts begin with these."""
_NO_THREADS = {
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # pyarrow's allocator
}
"""Variables of the server with which libraries start no threads as they are imported."""
_LIBRARIES = (
    *("numba", "houseguest_agent", "model_guest.agent", "model_guest.endpoint.model"),
    "model_guest.endpoint.options",
)
"""What else to import: some modules of ours import it within a function, or agents do."""
_AGENTS_BEGIN = "env_service.sandbox.die_with_parent"
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT)
"""Signals that libraries of the server handle; a new program does not."""
_NEVER = (
    *("env_service.templates.", "env_service.testing", "env_service.conformance.pytest_plugin"),
    "env_service.index.migrations.env",
)
"""Modules of ours that no command imports: they are copied, or belong to pytest or Alembic."""
_HIGH = 200
"""Descriptors on their way to a clone have this number at least."""
_PATIENCE = 120.0
"""Seconds that a clone has to begin."""
_POPEN = subprocess.Popen
_PARAMETERS = tuple(signature(subprocess.Popen._execute_child).parameters)[1:]  # type: ignore[attr-defined]


# --- The server


@dataclass(frozen=True, slots=True)
class _Job:
    """What one process is to run. ``targets`` are the numbers that its descriptors are to have."""

    module: str
    arguments: list[str]
    safe_path: bool
    unbuffered: bool
    faults: bool
    cwd: str
    environment: dict[str, str]
    new_session: bool
    targets: list[int]


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a server has: the packages that it imported, its import path, its settings."""

    names: list[str]
    path: list[str]
    settings: dict[str, str]


def _preload() -> None:
    """Imports what commands and workers do, and nothing that starts a thread."""
    package = import_module(_COMMANDS)
    every = [each.name for each in walk_packages(package.__path__, f"{_COMMANDS}.")]
    for module in (*every, *_LIBRARIES):
        if not module.startswith(_NEVER) and not module.endswith(".__main__"):
            # An extra may be missing: what needs it says so where it is used.
            with suppress(ImportError):
                import_module(module)


def _warm_up() -> None:
    """Does what most commands do first and what libraries then remember, such as which classes are
    subclasses of which. A clone that did it would get a copy of all memory that it changes."""
    with redirect_stdout(io.StringIO()):
        import_module("env_service.cli.main").run(["suites", "--json"])
    with TemporaryDirectory() as folder:
        signing_key = import_module("env_service.storage.signing_key")
        signing_key.SigningKey.load_or_create(Path(folder, "key.pem"))


def _serve() -> None:
    """Clones this process for each job, until whoever sends them has closed its end."""
    control = socket.socket(fileno=int(sys.argv[1]))
    base = list(sys.path)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = _settings(os.environ)
    for name in _NO_THREADS.keys() & settings.keys():
        del settings[name]
    _preload()
    _warm_up()
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        sys.exit("no fork server: a library has started threads as it was imported")
    names = {name.partition(".")[0] for name in sys.modules} - {"__main__"}
    facts = _Facts(sorted(names), base, settings)
    control.sendall(json.dumps(asdict(facts)).encode())
    # Emptied here, so that no clone gets a copy of their pages only to empty them.
    sys.path_importer_cache.clear()
    sys.modules["env_service.plugins"].installed_by_group.cache_clear()
    gc.collect()
    gc.freeze()
    while True:
        job = _next_job(control)
        _become(job, base)
        if job.module == _AGENTS_BEGIN:
            os.execvp = _agent_or(os.execvp, job, facts)  # type: ignore[assignment]
        if job.module != _COMMANDS:
            break
        # A command starts workers: it has a separate server, which is a copy of this one.
        theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if server := os.fork():
            theirs.close()
            install(_Server(ours, facts, server))
            break
        ours.close()
        control = theirs
        _withdraw()
    _end(_run(job))


def _run(job: _Job) -> int:
    """Runs a job to its end, and gives back the status of its process. Lets an error through, which
    ends it as it ends an interpreter."""
    try:
        runpy.run_module(job.module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return _status(ended)
    return 0


def _agent_or(execvp: Callable[..., NoReturn], job: _Job, facts: _Facts) -> Callable[..., NoReturn]:
    """What ``os.execvp`` is where an agent begins: runs a program in Python in this process."""

    def become(file: str, words: Sequence[str]) -> NoReturn:
        script = len(words) > 1 and words[1].endswith(".py")
        folder = str(Path(words[1]).resolve().parent) if script else job.cwd
        usual = file == _PYTHON and (script or words[1:2] == ["-c"])
        folders = [folder, *job.environment.get("PYTHONPATH", "").split(os.pathsep)]
        if not usual or any(_shadows(each, facts) for each in folders):
            execvp(file, words)
        if script:
            try:
                name, source = str(Path(words[1]).absolute()), Path(words[1]).read_bytes()
            except OSError:
                execvp(file, words)
        else:
            name, source = "<string>", words[2].encode()
        for each in _CRASHES:
            signal.signal(each, signal.SIG_DFL)
        sys.path[0] = folder if script else ""
        sys.argv = [words[1], *words[2 if script else 3 :]]
        _end(_run_text(source, name))

    return become


def _run_text(source: bytes, name: str) -> int:
    """Runs a program to its end as ``__main__``, and gives back the status of its process."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__.update(__builtins__=builtins, __annotations__={})
    if name != "<string>":
        main.__dict__["__file__"] = name
    try:
        exec(compile(source, name, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as ended:
        return _status(ended)
    except BaseException as error:  # noqa: BLE001 - as an interpreter does
        # Without this function's own line.
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _status(ended: SystemExit) -> int:
    if ended.code is None or isinstance(ended.code, int):
        return (ended.code or 0) & 0xFF
    sys.stderr.write(f"{ended.code}\n")
    return 1


def _end(status: int) -> NoReturn:
    """Ends this process as an interpreter does, without taking its modules apart: that takes
    longer than most commands, since this process would get a copy of all of them."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"cannot write the rest of the output: {error}\n")
        status = 120
    sys.stderr.flush()
    if status == -signal.SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def _next_job(control: socket.socket) -> _Job:
    """Waits for jobs. Returns in a clone alone, which has the descriptors of its job."""
    while True:
        message, received, _, _ = socket.recv_fds(control, 2**20, 64)
        if not message:
            os._exit(0)
        job = _Job(**json.loads(message))
        # Out of the way of the numbers that they are to have.
        high = max(_HIGH, *(target + 1 for target in job.targets))
        held = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, high) for each in received]
        for each in received:
            os.close(each)
        pid = _clone()
        if pid == -1:
            control.sendall(b"0")
        elif pid == 0:
            answer = fcntl.fcntl(control, fcntl.F_DUPFD_CLOEXEC, high)
            control.close()
            for source, target in zip(held, job.targets, strict=True):
                os.dup2(source, target)
                os.close(source)
            if job.new_session:
                os.setsid()
            os.write(answer, str(os.getpid()).encode())
            os.close(answer)
            return job
        for each in held:
            os.close(each)


def _clone() -> int:
    """Forks, with this process's parent as the parent of the new one, which gets 0.

    This process has one thread, so nothing is held that the new one would wait for.
    """
    python, libc = ctypes.pythonapi, ctypes.PyDLL(None)
    python.PyOS_BeforeFork()
    pid: int = libc.syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return pid


def _become(job: _Job, base: Sequence[str]) -> None:
    """Makes of this process what an interpreter would be that has just started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(job.cwd)
    os.environ.clear()
    os.environ.update(job.environment)
    given = [each for each in job.environment.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:] = [*([] if job.safe_path else [job.cwd]), *given, *base]
    sys.path_importer_cache.clear()
    sys.argv = [job.module, *job.arguments]
    sys.modules.pop(f"{_COMMANDS}.__main__" if job.module == _COMMANDS else job.module, None)
    sys.modules["env_service.plugins"].installed_by_group.cache_clear()
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(  # type: ignore[misc]
        io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8"
    )
    sys.stdout = sys.__stdout__ = _stream(1, "strict", job)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "backslashreplace", job)  # type: ignore[misc]
    if job.faults:
        faulthandler.enable()


def _stream(fd: int, errors: str, job: _Job) -> io.TextIOWrapper:
    lines = fd == 2 or os.isatty(fd)
    buffer = io.BufferedWriter(io.FileIO(fd, "w", closefd=False))
    return io.TextIOWrapper(
        buffer, encoding="utf-8", errors=errors, line_buffering=lines, write_through=job.unbuffered
    )


def _withdraw() -> None:
    """Lets go of the descriptors and the folder of the command that this was cloned for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nothing, fd)
    os.close(nothing)


# --- Who starts processes


class _Server:
    """This process's end of a server. May be used by any thread."""

    def __init__(self, control: socket.socket, facts: _Facts, pid: int) -> None:
        self.pid = pid
        self._control = control
        self._facts = facts
        self._lock = threading.Lock()

    @classmethod
    def begin(cls, environment: Mapping[str, str]) -> _Server | None:
        """Starts a server in a new interpreter. None where it ends, which has said why."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        variables = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
        process = _POPEN(
            [sys.executable, "-P", "-m", "tests.support.preloaded", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=variables | _NO_THREADS,
        )
        theirs.close()
        ours.settimeout(_PATIENCE)
        facts = ours.recv(2**20)
        return cls(ours, _Facts(**json.loads(facts)), process.pid) if facts else None

    def start(self, job: _Job, descriptors: Sequence[int]) -> int | None:
        """Starts a job, and returns its process's number; None where a new interpreter has to."""
        folders = job.environment.get("PYTHONPATH", "").split(os.pathsep)
        folders += [] if job.safe_path else [job.cwd]
        strange = any(_shadows(each, self._facts) for each in folders)
        if strange or _settings(job.environment) != self._facts.settings:
            return None
        with self._lock:
            message = json.dumps(asdict(job)).encode()
            socket.send_fds(self._control, [message], list(descriptors))
            return int(self._control.recv(32)) or None


def _shadows(folder: str, facts: _Facts) -> bool:
    """Whether an import from a folder would differ from what the server has imported."""
    if not folder or folder in facts.path:
        return False
    try:
        each = {path.name.partition(".")[0] for path in Path(folder).iterdir()}
    except OSError:
        return True
    return not each.isdisjoint(facts.names)


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in environment if name.startswith(_SETTINGS) and name != "PYTHONPATH"]
    return {name: environment[name] for name in names}


class _Start:
    """Where processes are started: the server, once it is needed, and whether it may be used."""

    def __init__(self) -> None:
        self.enabled = True
        self.begun = False
        self.server: _Server | None = None
        self.lock = threading.Lock()
        self.environment = dict(os.environ)

    def clone(self, job: _Job, descriptors: Sequence[int]) -> int | None:
        """Starts a job in a clone; None where a new interpreter has to."""
        with self.lock:
            if not self.begun:
                self.begun, self.server = True, _Server.begin(self.environment)
        return None if self.server is None else self.server.start(job, descriptors)


_START = _Start()


class _Popen(subprocess.Popen[Any]):
    """A process, which is a clone where its command is one of ours."""

    def _execute_child(self, *given: Any) -> None:
        named = dict(zip(_PARAMETERS, given, strict=True))
        job = _job(named) if _START.enabled else None
        streams = [named["p2cread"], named["c2pwrite"], named["errwrite"]]
        standard = [own if each == -1 else each for own, each in enumerate(streams)]
        pid = job and _START.clone(job, [*standard, *named["pass_fds"]])
        if pid is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        self.pid = pid
        self._child_created = True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(named[each] for each in ends))  # type: ignore[attr-defined]


def _job(named: Mapping[str, Any]) -> _Job | None:
    """What a call of ``Popen`` is to run; None if it is not one of our commands."""
    usual = {"executable": None, "preexec_fn": None, "close_fds": True, "shell": False}
    usual |= {"gid": None, "gids": None, "uid": None, "umask": -1, "process_group": -1}
    if any(named.get(name, value) != value for name, value in usual.items()):
        return None
    if isinstance(named["args"], str | bytes | os.PathLike):
        return None
    words = [os.fspath(each) for each in named["args"]]
    if words[0] != _PYTHON or "-m" not in words:
        return None
    at = words.index("-m")
    flags, module = words[1:at], words[at + 1]
    if module.partition(".")[0] != _COMMANDS or not {*flags} <= {"-P", "-u", "-X", "faulthandler"}:
        return None
    environment = os.environ if named["env"] is None else named["env"]
    return _Job(
        module=module,
        arguments=words[at + 2 :],
        safe_path="-P" in flags,
        unbuffered="-u" in flags,
        faults="faulthandler" in flags,
        cwd=str(Path.cwd() / (named["cwd"] or "")),
        environment=dict(environment),
        new_session=named["start_new_session"],
        targets=[0, 1, 2, *named["pass_fds"]],
    )


def server_process() -> int | None:
    """The fork server's number; None while there is none."""
    return None if _START.server is None else _START.server.pid


@contextmanager
def allowed(yes: bool) -> Iterator[None]:
    """Within it, commands are cloned or are not."""
    before, _START.enabled = _START.enabled, yes
    try:
        yield
    finally:
        _START.enabled = before


def install(server: _Server | None = None) -> None:
    """Has ``subprocess.Popen`` clone what it can, from now on."""
    _START.begun, _START.server = server is not None, server
    subprocess.Popen = _Popen  # type: ignore[misc]


if __name__ == "__main__":
    _serve()
