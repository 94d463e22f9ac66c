"""Starts guests in bubblewrap, and leaves none behind."""

from __future__ import annotations

import asyncio
import itertools
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.sandbox.agents import GuestCommand
from env_service.sandbox.bwrap import seccomp
from env_service.sandbox.bwrap.cgroups import GroupHome, find_home
from env_service.sandbox.bwrap.guest import BwrapGuest
from env_service.sandbox.bwrap.interpreter import Program
from env_service.sandbox.bwrap.isolation import describe
from env_service.sandbox.bwrap.plan import Operation, Plan, WatchPlan
from env_service.sandbox.bwrap.support import GUEST_UID, NAMESPACES, Support, find_support
from env_service.sandbox.bwrap.view import (
    SCRATCH,
    View,
    add_mounts,
    base_operations,
    command_view,
)
from env_service.sandbox.errors import GuestStartError
from env_service.sandbox.limits import MIB, GuestLimits
from env_service.sandbox.options import SandboxOptions
from env_service.sandbox.places import HOUSE, socket_of
from env_service.sandbox.seating import Seating

OPEN_FILES = 4096
SHARED_MEMORY = 64 * MIB
"""Bytes of /dev/shm, as in Docker."""
_PATH = "/usr/local/bin:/usr/bin:/bin"


def open_bwrap(guest: GuestCommand, options: SandboxOptions) -> BwrapSandbox:
    """A sandbox for guests of a command. Runs bubblewrap once to see whether it can.

    Of ``options``, ``limits``, ``mounts`` and ``environment`` count. Raises GuestStartError,
    saying what to install, to switch on or to mend.
    """
    if options.limits.gpus:
        raise GuestStartError(
            "--guest-gpus: a guest in bubblewrap gets no GPU, since nothing would hold it back from"
            " the driver's devices and the GPU's whole memory. Use --sandbox docker, or have the"
            " model served and give --model-server"
        )
    support, home = find_support(), find_home()
    if home is not None:
        home.sweep()
    return BwrapSandbox(Jail(guest, options, support, home))


@dataclass(frozen=True, slots=True)
class Jail:
    """What is the same for every guest of a run. ``groups`` is None where this process may make
    no control groups."""

    guest: GuestCommand
    options: SandboxOptions
    support: Support
    groups: GroupHome | None

    @property
    def uncounted_cores(self) -> bool:
        """Whether a guest is held back by the cores that it may use, not by its share of time."""
        return self.groups is None or self.groups.cpu is None

    def plan(self, seating: Seating, log_path: Path, number: int) -> Plan:
        """What it takes to start one guest, the ``number``-th. Raises GuestStartError."""
        limits = self.options.limits
        view, program = command_view(self.guest.command)
        watch = WatchPlan(limits.memory, limits.pids) if self.groups is None else None
        return Plan(
            bwrap=self.support.program,
            operations=tuple(self._operations(self._shown(view, log_path), program, seating)),
            command=(str(program.file), *self.guest.command[1:]),
            files=limits.scratch + MIB,
            open_files=OPEN_FILES,
            uid=self.support.uid,
            cores=_cores(limits, number) if self.uncounted_cores else (),
            seconds=limits.seconds,
            groups=None if self.groups is None else self.groups.plan(limits),
            watch=watch,
            counted=self.support.counted,
        )

    def _shown(self, view: View, log_path: Path) -> View:
        add_mounts(view, self.options.mounts)
        # What this run's guests have done and were asked, and those of all others beside it.
        for folder in log_path.absolute().parents[1:3]:
            view.hide(folder)
        return view

    def _operations(self, view: View, program: Program, seating: Seating) -> list[Operation]:
        socket = socket_of(seating.address)
        if not socket.is_socket():
            raise GuestStartError(f"nobody listens on {seating.address}: there is no such socket")
        there = f"{HOUSE}/{socket.name}"
        told = {
            "PATH": f"{program.file.parent}:{_PATH}",
            "HOME": SCRATCH,
            "LANG": "C.UTF-8",
            **dict(program.environment),
            **self.options.environment,
            **seating.environment(),
            "HOUSEGUEST_ADDRESS": f"unix:{there}",
        }
        return [
            *_namespaces(),
            *(("--setenv", *each) for each in told.items()),
            *base_operations(GUEST_UID),
            ("--proc", "/proc"),
            ("--dev", "/dev"),
            ("--size", str(min(SHARED_MEMORY, self.options.limits.scratch))),
            ("--tmpfs", "/dev/shm"),  # noqa: S108 - the guest's own
            ("--remount-ro", "/dev"),
            ("--size", str(self.options.limits.scratch)),
            ("--tmpfs", SCRATCH),
            *view.operations(),
            ("--ro-bind", str(socket.parent), str(HOUSE)),
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

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._guests: set[BwrapGuest] = set()
        self._numbers = itertools.count()
        self._closed = False

    @property
    def shared(self) -> bool:
        """Whether one guest plays every seat of a run."""
        return self._jail.guest.shared

    @property
    def isolation(self) -> str:
        """One line for the user: what a guest in here can do, and what it cannot."""
        jail = self._jail
        return describe(jail.options, jail.groups, jail.support)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a run's manifest records of it."""
        groups = self._jail.groups
        held = "watching" if groups is None else f"cgroups v{groups.version}"
        return {"bwrap": self._jail.support.version, "limits_by": held}

    async def start(self, seating: Seating, log_path: Path) -> BwrapGuest:
        """Starts a guest. Raises GuestStartError where it cannot be started."""
        if self._closed:
            raise GuestStartError("the sandbox is closed")
        number = next(self._numbers)
        plan = await asyncio.to_thread(self._jail.plan, seating, log_path, number)
        guest = await BwrapGuest.start(plan, log_path)
        self._guests = {each for each in self._guests if not each.stopped} | {guest}
        return guest

    async def close(self) -> None:
        """Ends every guest. Idempotent."""
        self._closed = True
        guests, self._guests = self._guests, set()
        await asyncio.gather(*(guest.stop(patience=0) for guest in guests))


def _namespaces() -> list[Operation]:
    return [
        *((each,) for each in NAMESPACES),
        ("--uid", str(GUEST_UID)),
        ("--gid", str(GUEST_UID)),
        ("--hostname", "guest"),
        ("--cap-drop", "ALL"),
        ("--die-with-parent",),
        ("--new-session",),
        ("--clearenv",),
    ]


def _folder(view: View) -> str:
    """Where the command begins: in the current folder, if the guest sees anything of it."""
    here = Path.cwd()
    return str(here) if view.holds(here) else SCRATCH


def _cores(limits: GuestLimits, number: int) -> tuple[int, ...]:
    """As many cores as the guest may use, rounded up; other guests get others, in turn."""
    cores = sorted(os.sched_getaffinity(0))
    count = min(len(cores), math.ceil(limits.cpus))
    return tuple(cores[(number * count + each) % len(cores)] for each in range(count))
