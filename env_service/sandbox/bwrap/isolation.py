"""One line on what bubblewrap keeps a guest from, and what it does not."""

from __future__ import annotations

import math
from collections.abc import Iterator

from env_service.sandbox.bwrap.cgroups import GroupHome
from env_service.sandbox.bwrap.support import Support
from env_service.sandbox.limits import GIB, MIB, GuestLimits
from env_service.sandbox.options import SandboxOptions


def describe(options: SandboxOptions, groups: GroupHome | None, support: Support) -> str:
    """What a user should know before a stranger's program runs."""
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


def _limits(limits: GuestLimits, groups: GroupHome | None) -> str:
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
