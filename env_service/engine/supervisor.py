"""One worker of an engine: starts its process, talks to it, watches it and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.base import EngineError
from env_service.engine.config import LocalEngineConfig
from env_service.engine.frames import ReadableSharedMemory, make_shared_memory
from env_service.engine.link import Request, WorkerLink
from env_service.engine.messages import Op
from env_service.engine.placement import Place
from env_service.processes.bounded_log import BoundedLog, LogPipe
from env_service.processes.child import ChildProcess
from env_service.processes.pipe import connect_read_pipe
from env_service.processes.process_tree import kill_descendants
from env_service.suites.registry import suite_path

_BYE = 2.0
"""Seconds that a worker has to close its episodes and exit."""
_TERM = 0.5
"""Seconds that it then has to die of SIGTERM."""
_STACKS = 2.0
"""Seconds that a hung worker has to begin to print its stacks before it is killed."""
_PAUSE = 0.1
"""Seconds between two checks whether it has; no print of stacks takes longer."""
_EXIT = 5.0
"""Seconds that a worker has to exit after it closed its socket."""
_LAST_WORDS = 0.5
"""Seconds that the output of a worker that has exited has to end."""
_KILL = 10.0
"""Seconds after which a killed process counts as stuck in the kernel."""


class WorkerSupervisor:
    """One worker process, from its start to its end. Lives on one event loop.

    ``on_end`` is called once, when a worker that had started dies; not for ``stop``. ``load``
    (the episodes it hosts), ``served`` (all it ever hosted) and ``cluster`` (of the task that it
    was given last) are the pool's to keep; ``cold`` (whether its simulator has yet to be started)
    is the engine's.
    """

    def __init__(
        self,
        number: int,
        config: LocalEngineConfig,
        on_end: Callable[[WorkerSupervisor], None],
    ) -> None:
        self.number = number
        self.load = 0
        self.served = 0
        self.cluster = ""
        self.cold = True
        self.place = config.place(number)
        """Where it runs; None: anywhere."""
        self._config = config
        self._on_end = on_end
        self.link = WorkerLink(self)
        """Takes its requests, once it has started."""
        self._process: WorkerProcess | None = None
        self._page: ReadableSharedMemory | None = None
        self._log: BoundedLog | None = None
        self._output: LogPipe | None = None
        self._output_transport: asyncio.BaseTransport | None = None
        self._ending: asyncio.Task[None] | None = None
        self._ready = False
        self._retired = False

    @property
    def live(self) -> bool:
        """Whether it accepts requests."""
        return self._ready and self._ending is None

    @property
    def worn(self) -> bool:
        """Whether it should host no new episode."""
        limit = self._config.worker_episodes
        return self._retired or self.link.worn or (limit is not None and self.served >= limit)

    @property
    def pid(self) -> int:
        """The worker's process id. Only once started."""
        return self._started().pid

    @property
    def page(self) -> ReadableSharedMemory:
        """Where the worker puts its pictures. Only once started."""
        if self._page is None:
            raise RuntimeError("the worker has not been started")
        return self._page

    async def start(self) -> None:
        """Starts the process, and waits until it has loaded the suite.

        Raises EngineError saying why it could not. To be called once.
        """
        name = f"worker-{self.number}.log"
        try:
            # In a thread: a process takes milliseconds to start, and many may start at once.
            log, process = await asyncio.to_thread(self._launch, name)
            self._log, self._process = log, process
            if self._ending is not None:
                await self._drop_process()
                raise EngineError("the engine is closed")
            where = "" if self.place is None else f", {self.place}"
            name = f"worker {self.number}, pid {process.pid}{where}"
            log.write(f"--- {name} ---\n".encode())
            await self._connect(process, log)
        except OSError as problem:
            raise EngineError(f"worker {self.number} cannot be started: {problem}") from problem
        deadline = self._config.deadlines.start
        try:
            await self.link.submit(Request(Op.HELLO, 0, None, deadline, lambda _: None))
        except WorldFault as fault:
            raise EngineError(f"worker {self.number} did not start: {fault.detail}") from fault
        self._ready = True

    def retire(self) -> None:
        """Keeps it from hosting new episodes."""
        self._retired = True

    def kill(self, problem: str) -> None:
        """Kills the worker. Its episodes are lost as SIMULATOR_CRASH; ``problem`` is the reason,
        as in "holds …"."""
        if self.live:
            self.link.give_up()
            self._end(partial(self._end_killed, problem, of_one=self.load == 1))

    async def stop(self) -> None:
        """Asks the process to end, then kills it. Open episodes fail as collateral.

        May be called at any time, also twice.
        """
        closed = WorldFault(FaultClass.SERVICE_FAULT, "the engine was closed", collateral=True)
        ending = self._end(self._end_politely)
        self.link.fail(closed)
        await asyncio.shield(ending)

    def on_hang(self, request: Request) -> None:
        """Kills the worker: it did not answer in time."""
        self._end(partial(self._end_hung, request))

    def on_lost(self, running: Request | None) -> None:
        """Ends the worker: it closed its end of the socket."""
        self._end(partial(self._end_dead, running))

    def _end(self, way: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Starts the end of the worker, unless it has started."""
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(way())
        return self._ending

    def _started(self) -> WorkerProcess:
        if self._process is None:
            raise RuntimeError("the worker has not been started")
        return self._process

    def _launch(self, log: str) -> tuple[BoundedLog, WorkerProcess]:
        kept = BoundedLog(self._config.log_folder / log, self._config.log_bytes)
        suite = suite_path(self._config.suite)
        try:
            return kept, WorkerProcess(suite, self.place, self._config.environment)
        except BaseException:
            kept.close()
            raise

    async def _drop_process(self) -> None:
        """Ends a process that was started while the supervisor was stopped."""
        process = self._started()
        process.link.close()
        for descriptor in (process.page, process.output):
            os.close(descriptor)
        await self._reap(process)
        self._release()

    async def _connect(self, process: WorkerProcess, log: BoundedLog) -> None:
        self._page = ReadableSharedMemory(process.page)
        self._output = output = LogPipe(log)
        self._output_transport = await connect_read_pipe(lambda: output, process.output)
        loop = asyncio.get_running_loop()
        await loop.create_unix_connection(lambda: self.link, sock=process.link)

    async def _end_politely(self) -> None:
        if self._process is not None:
            self.link.say_bye()
            if not await self._process.exited(_BYE):
                self._process.signal_group(signal.SIGTERM)
                await self._process.exited(_TERM)
            await self._reap(self._process)
        self._release()

    async def _end_hung(self, request: Request) -> None:
        process = self._started()
        await self._await_stacks(process)
        await self._reap(process)
        problem = f"did not answer {request.op.name} within {request.deadline:g} s and was killed"
        self._report_loss(FaultClass.SIMULATOR_HANG, problem)

    async def _await_stacks(self, process: WorkerProcess) -> None:
        before = self._log_tail()
        process.print_stacks()
        for _ in range(round(_STACKS / _PAUSE)):
            if await process.exited(_PAUSE) or self._log_tail() != before:
                break
        await process.exited(_PAUSE)

    async def _end_killed(self, problem: str, *, of_one: bool) -> None:
        await self._reap(self._started())
        problem = f"{problem} and was killed"
        self._report_loss(FaultClass.SIMULATOR_CRASH, problem, of_one=of_one)

    async def _end_dead(self, running: Request | None) -> None:
        process = self._started()
        await process.exited(_EXIT)
        how = await self._reap(process)
        when = "while idle" if running is None else f"during {running.op.name}"
        self._report_loss(FaultClass.SIMULATOR_CRASH, f"{how} {when}")

    async def _reap(self, process: WorkerProcess) -> str:
        if not await process.exited(0):
            await asyncio.to_thread(process.kill_all)
        if not await process.exited(_KILL):
            return f"could not be killed within {_KILL:g} s"
        how = process.reap()
        if self._output is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._output.ended.wait(), _LAST_WORDS)
        return how

    def _report_loss(self, fault: FaultClass, problem: str, *, of_one: bool = False) -> None:
        name = f"worker {self.number} (pid {self._started().pid})"
        detail = f"{name} {problem}; its last output:\n{self._log_tail()}"
        self.link.fail(WorldFault(fault, detail), of_one=of_one)
        self._release()
        if self._ready:
            self._on_end(self)

    def _log_tail(self) -> str:
        return "" if self._log is None else self._log.tail()

    def _release(self) -> None:
        self.link.close()
        if self._output_transport is not None:
            self._output_transport.close()
        if self._page is not None:
            self._page.close()
        if self._log is not None:
            self._log.close()


# --- A worker as the operating system sees it: started, signalled, waited for

_MODULE = ("-m", "env_service.engine.worker")
_LOG = logging.getLogger(__name__)


class WorkerProcess:
    """One worker process, leader of its own process group.

    The worker and all that it starts die with the process that made it (see ``lifeline``).
    ``link``, ``page`` and ``output`` are this side's ends of the socket, the shared memory
    and the output pipe; whoever takes them over closes them.
    """

    def __init__(
        self, suite: str, place: Place | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """``place`` None: anywhere. ``variables``: beyond this process's environment.

        Raises OSError where no process can be started.
        """
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.page = make_shared_memory()
        self.output, printed = os.pipe()
        held, self._lifeline = os.pipe()
        setup = {"suite": suite, "socket": theirs.fileno(), "page": self.page, "lifeline": held}
        environment = {**os.environ, **(variables or {})}
        if place is not None:
            environment = place.environment(environment)
        try:
            self._child = ChildProcess(
                # -P: a file of the working directory must not pose as a module.
                [*(sys.executable, "-P", "-u", "-X", "faulthandler"), *_MODULE, json.dumps(setup)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                pass_fds=(theirs.fileno(), self.page, held),
                env={**environment, "PYTHONPATH": _import_path()},
                start_new_session=True,
            )
        except OSError:
            self.link.close()
            for fd in (self.page, self.output, self._lifeline):
                os.close(fd)
            raise
        finally:
            theirs.close()
            os.close(printed)
            os.close(held)
        if place is not None and place.cpus:
            _pin(self.pid, place.cpus)

    @property
    def pid(self) -> int:
        """The process id of the worker, and of its group."""
        return self._child.pid

    def print_stacks(self) -> None:
        """Makes the worker print the stacks of its threads, even if its interpreter hangs."""
        self._child.send_signal(signal.SIGUSR1)

    def signal_group(self, number: signal.Signals) -> None:
        """Signals the worker and all that it started. Not after ``reap``."""
        self._child.signal_group(number)

    def kill_all(self) -> None:
        """Kills the worker and all that it started, in whatever process groups. Not after ``reap``.

        A simulator's package may start it in a new group, so that Ctrl-C does not reach it.
        """
        kill_descendants(self.pid)
        self.signal_group(signal.SIGKILL)

    async def exited(self, timeout: float) -> bool:
        """Waits up to ``timeout`` seconds; returns whether the worker exited. Does not reap it."""
        return await self._child.exits(timeout)

    def reap(self) -> str:
        """Kills what is left of the group; returns how the worker ended. Once, after the exit."""
        # The dead leader still holds its number, so the signal cannot hit another group.
        self.signal_group(signal.SIGKILL)
        status = self._child.reap()
        os.close(self._lifeline)
        if status >= 0:
            return f"exited with status {status}"
        name = signal.Signals(-status).name
        hint = " (by a user, or by the kernel for lack of memory)" if name == "SIGKILL" else ""
        return f"was killed by {name}{hint}"


def _pin(pid: int, cpus: tuple[int, ...]) -> None:
    """Keeps a process that has just been started, and all that it starts, to these cores."""
    try:
        # Done from here, before it has imported anything that starts threads.
        os.sched_setaffinity(pid, cpus)
    except (OSError, AttributeError) as problem:
        _LOG.warning("process %d runs on any core, not on %s: %s", pid, cpus, problem)


def _import_path() -> str:
    """The import path of this process, for the worker."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
