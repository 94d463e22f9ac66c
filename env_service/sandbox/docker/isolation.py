"""One line on what a container keeps a guest from, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from env_service.sandbox.docker.runtimes import Runtime
from env_service.sandbox.docker.settings import NO_NETWORK
from env_service.sandbox.limits import GIB, MIB, GuestLimits
from env_service.sandbox.options import SandboxOptions
from env_service.sandbox.places import MODEL

_ENFORCED = {
    "MemoryLimit": "memory",
    "SwapLimit": "swap",
    "CpuCfsQuota": "cpus",
    "PidsLimit": "processes",
}
"""What an engine says of its limits, and what they are of."""
_STRICT_ENGINE = 25
"""The first engine whose own filter of system calls leaves out io_uring; AF_VSOCK went before."""


def describe(options: SandboxOptions, runtime: Runtime, info: Mapping[str, Any]) -> str:
    """What a user should know before a stranger's image runs."""
    return "; ".join(_parts(options, runtime, info))


def _parts(options: SandboxOptions, runtime: Runtime, info: Mapping[str, Any]) -> Iterator[str]:
    kernel = "a kernel of its own" if runtime.gvisor else "on this machine's kernel"
    yield f"a Docker container ({runtime.name}, {kernel})"
    yield _network(options.network)
    yield "its files are read-only, it has no privileges"
    yield _limits(options.limits)
    if options.model_server:
        yield f"a relay to {options.model_server}"
    folders = [str(mount.source) for mount in options.mounts if mount.target != MODEL]
    if folders:
        yield f"it can read {', '.join(folders)}"
    if options.limits.gpus:
        yield f"GPUs ({options.limits.gpus}), whose driver it shares with this machine"
    missing = [what for key, what in _ENFORCED.items() if info.get(key) is False]
    if missing:
        yield f"this engine does NOT limit {', '.join(missing)}"
    if not runtime.gvisor and 0 < _major(info) < _STRICT_ENGINE:
        yield (
            f"Docker {info['ServerVersion']} lets it call io_uring and, before 23, open AF_VSOCK:"
            f" {_STRICT_ENGINE} or newer does not"
        )


def _network(network: str) -> str:
    if network in ("", NO_NETWORK):
        return "no network"
    if network == "host":
        return "the network of this machine, all of it"
    return (
        f"the network {network}: whatever is on it, and services of this machine that listen on"
        " all addresses, even if the network is an internal one"
    )


def _limits(limits: GuestLimits) -> str:
    words = [f"{size(limits.memory)} memory", f"{limits.cpus:g} cpus", f"{limits.pids} processes"]
    if limits.seconds is not None:
        words.append(f"{limits.seconds:g} s")
    return "at most " + ", ".join(words)


def size(count: int) -> str:
    """Bytes, for people."""
    return f"{count / GIB:g} GiB" if count >= GIB else f"{count / MIB:g} MiB"


def _major(info: Mapping[str, Any]) -> int:
    first = str(info.get("ServerVersion") or "").partition(".")[0]
    return int(first) if first.isdecimal() else 0
