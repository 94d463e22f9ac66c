"""Starts agents in bubblewrap, and ends them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.processes.child import ChildProcess
from env_service.processes.pipe import connect_read_pipe
from env_service.sandbox.agent_output import AgentOutput
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.bwrap import cgroups, seccomp
from env_service.sandbox.bwrap.cgroups import GroupHome, find_home
from env_service.sandbox.bwrap.filesystem_view import (
    SCRATCH,
    FilesystemView,
    Program,
    add_mounts,
    base_operations,
    command_view,
)
from env_service.sandbox.bwrap.keeper_plan import KeeperPlan, KeeperReport, Operation, WatchPlan
from env_service.sandbox.bwrap.seccomp import ARCHITECTURES, Architecture
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.interface import AgentExit, AgentStart
from env_service.sandbox.options import GIB, MIB, SERVICE, AgentLimits, SandboxOptions, socket_of

OPEN_FILES = 4096
SHARED_MEMORY = 64 * MIB
"""Bytes of /dev/shm, as in Docker."""
_PATH = "/usr/local/bin:/usr/bin:/bin"


def open_bwrap(agent: AgentCommand, options: SandboxOptions) -> BwrapSandbox:
    """A sandbox for agents of a command. Runs bubblewrap once to see whether it can.

    Of ``options``, ``limits``, ``mounts`` and ``environment`` count. Raises AgentStartError,
    saying what to install, to switch on or to mend.
    """
    if options.limits.gpus:
        raise AgentStartError(
            "--guest-gpus: an agent in bubblewrap gets no GPU, because bubblewrap cannot restrict"
            " access to the driver's devices and the GPU's memory. Use --sandbox docker, or run a"
            " model server and use --model-server"
        )
    support, home = find_support(), find_home()
    if home is not None:
        home.sweep()
    return BwrapSandbox(Confinement(agent, options, support, home))


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is the same for every agent of a run. ``groups`` is None where this process may make
    no control groups."""

    agent: AgentCommand
    options: SandboxOptions
    support: Support
    groups: GroupHome | None

    @property
    def uncounted_cores(self) -> bool:
        """Whether an agent is held back by the cores that it may use, not by its share of time."""
        return self.groups is None or self.groups.cpu is None

    def plan(self, agent_start: AgentStart, log_path: Path, number: int) -> KeeperPlan:
        """What it takes to start one agent, the ``number``-th. Raises AgentStartError."""
        limits = self.options.limits
        view, program = command_view(self.agent.command)
        watch = WatchPlan(limits.memory, limits.pids) if self.groups is None else None
        return KeeperPlan(
            bwrap=self.support.program,
            operations=tuple(self._operations(self._shown(view, log_path), program, agent_start)),
            command=(str(program.file), *self.agent.command[1:]),
            files=limits.scratch + MIB,
            open_files=OPEN_FILES,
            uid=self.support.uid,
            cores=_cores(limits, number) if self.uncounted_cores else (),
            seconds=limits.seconds,
            groups=None if self.groups is None else self.groups.plan(limits),
            watch=watch,
            counted=self.support.counted,
        )

    def _shown(self, view: FilesystemView, log_path: Path) -> FilesystemView:
        add_mounts(view, self.options.mounts)
        # The transcripts and logs of this run, and of all others next to it.
        for folder in log_path.absolute().parents[1:3]:
            view.hide(folder)
        return view

    def _operations(
        self, view: FilesystemView, program: Program, agent_start: AgentStart
    ) -> list[Operation]:
        socket = socket_of(agent_start.address)
        if not socket.is_socket():
            raise AgentStartError(f"{agent_start.address}: the service's socket does not exist")
        there = f"{SERVICE}/{socket.name}"
        environment = {
            "PATH": f"{program.file.parent}:{_PATH}",
            "HOME": SCRATCH,
            "LANG": "C.UTF-8",
            **dict(program.environment),
            **self.options.environment,
            **agent_start.environment(),
            "HOUSEGUEST_ADDRESS": f"unix:{there}",
        }
        return [
            *_namespaces(),
            *(("--setenv", *each) for each in environment.items()),
            *base_operations(AGENT_UID),
            ("--proc", "/proc"),
            ("--dev", "/dev"),
            ("--size", str(min(SHARED_MEMORY, self.options.limits.scratch))),
            ("--tmpfs", "/dev/shm"),  # noqa: S108 - the agent's own
            ("--remount-ro", "/dev"),
            ("--size", str(self.options.limits.scratch)),
            ("--tmpfs", SCRATCH),
            *view.operations(),
            ("--ro-bind", str(socket.parent), str(SERVICE)),
            ("--remount-ro", "/"),
            ("--chdir", _folder(view)),
            ("--seccomp", self._filter().hex()),
        ]

    def _filter(self) -> bytes:
        also: list[str] = []
        if self.groups is None:
            also += seccomp.UNCOUNTED
        if self.uncounted_cores:
            also += seccomp.PINNED
        return seccomp.build_filter(self.support.architecture, also)


class BwrapSandbox:
    """Starts one command again and again. For one event loop."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._agents: set[BwrapAgent] = set()
        self._numbers = itertools.count()
        self._closed = False

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self._confinement.agent.shared

    @property
    def isolation(self) -> str:
        """One line for the user: what an agent in here can do, and what it cannot."""
        confinement = self._confinement
        return describe(confinement.options, confinement.groups, confinement.support)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a run's manifest records of it."""
        groups = self._confinement.groups
        held = "watching" if groups is None else f"cgroups v{groups.version}"
        return {"bwrap": self._confinement.support.version, "limits_by": held}

    async def start(self, agent_start: AgentStart, log_path: Path) -> BwrapAgent:
        """Starts an agent. Raises AgentStartError where it cannot be started."""
        if self._closed:
            raise AgentStartError("the sandbox is closed")
        number = next(self._numbers)
        plan = await asyncio.to_thread(self._confinement.plan, agent_start, log_path, number)
        agent = await BwrapAgent.start(plan, log_path)
        self._agents = {each for each in self._agents if not each.stopped} | {agent}
        return agent

    async def close(self) -> None:
        """Ends every agent. Idempotent."""
        self._closed = True
        agents, self._agents = self._agents, set()
        await asyncio.gather(*(agent.stop(patience=0) for agent in agents))


def _namespaces() -> list[Operation]:
    return [
        *((each,) for each in NAMESPACES),
        ("--uid", str(AGENT_UID)),
        ("--gid", str(AGENT_UID)),
        ("--hostname", "guest"),
        ("--cap-drop", "ALL"),
        ("--die-with-parent",),
        ("--new-session",),
        ("--clearenv",),
    ]


def _folder(view: FilesystemView) -> str:
    """Where the command begins: in the current folder, if the agent sees anything of it."""
    here = Path.cwd()
    return str(here) if view.holds(here) else SCRATCH


def _cores(limits: AgentLimits, number: int) -> tuple[int, ...]:
    """As many cores as the agent may use, rounded up; other agents get others, in turn."""
    cores = sorted(os.sched_getaffinity(0))
    count = min(len(cores), math.ceil(limits.cpus))
    return tuple(cores[(number * count + each) % len(cores)] for each in range(count))


# --- One agent in bubblewrap, by way of its keeper

_KEEPER = ("-m", "env_service.sandbox.bwrap.keeper")
_KEEPER_SECONDS = 15.0
"""How long a keeper may take to clean up, until it is killed itself."""
_KILLED = -9


class BwrapAgent:
    """One running agent. Its output goes to a bounded log.

    Its keeper leads a separate session, so that Ctrl-C in the terminal reaches the service only. If
    the service dies, the keeper kills the agent.
    """

    def __init__(
        self,
        plan: KeeperPlan,
        keeper: ChildProcess,
        reports: asyncio.StreamReader,
        output: AgentOutput,
        lifeline: int,
    ) -> None:
        self._plan, self._keeper, self._reports = plan, keeper, reports
        self._output, self._lifeline = output, lifeline
        self._ending = asyncio.ensure_future(self._end())
        self._begun: asyncio.Future[KeeperReport] = asyncio.get_running_loop().create_future()

    @staticmethod
    async def start(plan: KeeperPlan, log_path: Path) -> BwrapAgent:
        """Starts the agent's command. Raises AgentStartError."""
        output = AgentOutput(log_path)
        reading, writing = os.pipe()
        try:
            keeper, reports = await _start_keeper(plan, reading, output)
        except BaseException:
            os.close(writing)
            await output.close()
            raise
        finally:
            os.close(reading)
        agent = BwrapAgent(plan, keeper, reports, output, writing)
        try:
            await output.begin()
            await agent.begin()
        except BaseException:
            await agent.stop(patience=0)
            raise
        return agent

    @property
    def stopped(self) -> bool:
        """Whether all was let go."""
        return self._lifeline < 0

    async def begin(self) -> None:
        """Waits until the agent runs. Raises AgentStartError if it cannot start."""
        report = await asyncio.shield(self._begun)
        if report.problem:
            await self.stop(patience=0)
            said = self.log_tail(3)
            raise AgentStartError(f"{report.problem}: {said}" if said else report.problem)

    async def wait(self) -> AgentExit:
        """Waits until the agent has exited. Call ``stop`` afterwards. May be cancelled, and called
        again."""
        return await asyncio.shield(self._ending)

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the agent wrote."""
        return self._output.log.tail(lines)

    def notices(self) -> list[str]:
        """Its notices for the operator since the last call."""
        return self._output.log.take_notices()

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the agent to end, then kills it and whatever it has started. Idempotent."""
        if not self._ending.done() and not self.stopped and patience > 0:
            with contextlib.suppress(BrokenPipeError):
                os.write(self._lifeline, b"t")
            await asyncio.wait({self._ending}, timeout=patience)
        if not self.stopped:
            os.close(self._lifeline)
            self._lifeline = -1
        await asyncio.wait({self._ending}, timeout=_KEEPER_SECONDS)
        self._keeper.send_signal(signal.SIGKILL)
        await self._ending
        self._keeper.reap()
        if self._plan.groups is not None:
            cgroups.remove(self._plan.groups.folders)
        await self._output.close()

    async def _end(self) -> AgentExit:
        """Reads the keeper's reports until it exits."""
        last = KeeperReport(problem="the sandbox's keeper process ended without a report")
        async for line in self._reports:
            last = KeeperReport.loads(line)
            if not self._begun.done():
                self._begun.set_result(last)
        if not self._begun.done():
            self._begun.set_result(last)
        await self._keeper.wait()
        code = _KILLED if last.code is None else last.code
        return AgentExit(code, out_of_memory=last.out_of_memory, out_of_time=last.out_of_time)


async def _start_keeper(
    plan: KeeperPlan, lifeline: int, output: AgentOutput
) -> tuple[ChildProcess, asyncio.StreamReader]:
    """A keeper that reads its plan from standard input, and its reports. Raises OSError."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(os.memfd_create("plan"), "r+b", buffering=0) as given:
            given.write(plan.dumps())
            given.seek(0)
            keeper = await ChildProcess.start(
                (sys.executable, *_KEEPER, str(lifeline)),
                stdin=given,
                stdout=writing,
                stderr=output.end,
                pass_fds=(lifeline,),
                start_new_session=True,
            )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    reports = asyncio.StreamReader()
    await connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reports), reading)
    return keeper, reports


# --- One line on what bubblewrap prevents, and what it does not


def describe(options: SandboxOptions, groups: GroupHome | None, support: Support) -> str:
    """What a user should know before an untrusted program runs."""
    return "; ".join(_parts(options, groups, support))


def _parts(options: SandboxOptions, groups: GroupHome | None, support: Support) -> Iterator[str]:
    yield f"bubblewrap {support.version} (namespaces of this machine's kernel, calls filtered)"
    yield "no network"
    yield "it reads programs, its own folder and what its Python needs, and writes /tmp alone"
    yield _limits(options.limits, groups)
    yield _held_by(groups)
    if options.model_server:
        yield f"a relay to {options.model_server}"
    if options.mounts:
        folders = ", ".join(str(mount.source) for mount in options.mounts)
        yield f"it can read {folders}"


def _limits(limits: AgentLimits, groups: GroupHome | None) -> str:
    cpus = f"{limits.cpus:g} cpus"
    if groups is None or groups.cpu is None:
        cpus = f"{math.ceil(limits.cpus)} cores"
    words = [f"{_size(limits.memory)} memory", cpus, f"{limits.pids} processes"]
    if limits.seconds is not None:
        words.append(f"{limits.seconds:g} s")
    return "at most " + ", ".join(words)


def _held_by(groups: GroupHome | None) -> str:
    if groups is not None:
        return f"held by control groups (v{groups.version})"
    return (
        "held by looking every 0.2 s, as this user may make no control groups: memory may exceed"
        " its limit in between, and /tmp comes on top of it"
    )


def _size(count: int) -> str:
    return f"{count / GIB:g} GiB" if count >= GIB else f"{count / MIB:g} MiB"


# --- Whether this machine can run bubblewrap

AGENT_UID = 10001
"""The user id that an agent sees; also its real one if the service is root."""
OLDEST = (0, 8)
"""The first bubblewrap with ``--disable-userns``."""
COUNTED_KERNEL = (5, 14)
"""The first Linux that counts the processes of each user namespace apart."""
NAMESPACES = ("--unshare-all", "--unshare-user", "--disable-userns")
_TRIAL_SECONDS = 30.0
_AS_USER = (
    "import os, sys; uid = int(sys.argv[1]); os.setgroups([]); os.setgid(uid); os.setuid(uid);"
    "os.execv(sys.argv[2], sys.argv[2:])"
)
_SWITCHES = (
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "an AppArmor profile that allows bwrap user namespaces, or sysctl"
        " kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


@dataclass(frozen=True, slots=True)
class Support:
    """What there is: the program, its version, the machine's system calls, and the user whom
    agents have to be started as (None: oneself)."""

    program: str
    version: str
    architecture: Architecture
    uid: int | None
    counted: bool


def find_support() -> Support:
    """Raises AgentStartError, saying what to install or to switch on."""
    if sys.platform != "linux":
        raise AgentStartError("--sandbox bwrap needs Linux; --sandbox docker runs elsewhere, too")
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise AgentStartError(
            f"--sandbox bwrap supports the system calls of {' and '.join(ARCHITECTURES)}, not of"
            f" {platform.machine()}; use --sandbox docker"
        )
    program = shutil.which("bwrap")
    if program is None:
        raise AgentStartError(
            "--sandbox bwrap needs bubblewrap, which is not installed: apt install bubblewrap, or"
            " dnf install bubblewrap"
        )
    version = _version(program)
    uid = AGENT_UID if os.geteuid() == 0 else None
    _try(program, uid)
    return Support(program, version, architecture, uid, _kernel() >= COUNTED_KERNEL)


def _version(program: str) -> str:
    try:
        asked = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AgentStartError(f"{program} does not run: {error}") from error
    version = asked.stdout.split()[-1] if asked.stdout.split() else ""
    if _numbers(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise AgentStartError(
            f"{program} is bubblewrap {version or 'of an unknown version'}, but --sandbox bwrap"
            f" needs {oldest} or newer (as in Debian 12, Ubuntu 24.04, Fedora 38)"
        )
    return version


def _try(program: str, uid: int | None) -> None:
    """Makes all the namespaces once."""
    words = [word for each in base_operations(AGENT_UID) if each[0] != "--ro-bind-data"
             for word in each]  # fmt: skip
    command = [program, *NAMESPACES, *words, "--proc", "/proc", "--dev", "/dev"]
    ids = ["--uid", str(AGENT_UID), "--gid", str(AGENT_UID)]
    command += [*ids, "--", shutil.which("true") or "true"]
    # A `user=` of `subprocess` would fork this process. gRPC's handlers would then start threads
    # in the child, and what they log or break there would look like bubblewrap's doing.
    if uid is not None:
        command = [sys.executable, "-I", "-S", "-c", _AS_USER, str(uid), *command]
    try:
        tried = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AgentStartError(f"{program} does not run: {error}") from error
    if tried.returncode != 0:
        raise AgentStartError(
            f"bubblewrap cannot create its namespaces ({tried.stderr.strip()}){_hint()}"
        )


def _hint() -> str:
    """What forbids it, as far as the kernel's settings show."""
    for name, forbids, remedy in _SWITCHES:
        switch = Path("/proc/sys") / name
        if switch.is_file() and switch.read_text().strip() == forbids:
            return f": users cannot create namespaces on this machine; enable them with {remedy}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return ": a container cannot create them unless it was started with that permission"
    return ": allow user namespaces on this machine"


def _kernel() -> tuple[int, ...]:
    return _numbers(platform.release())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])
