"""Options for the isolation of agents and the resources that they may use."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import click

from env_service.sandbox.options import GIB, KINDS, MIB, AgentLimits, ReadOnlyMount, SandboxOptions

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"": 1, "b": 1, "k": 2**10, "m": MIB, "g": GIB, "t": 2**40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([bkmgt]?)(?:i?b)?", re.IGNORECASE)
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LEAST_MEMORY = 16 * MIB
_LEAST_PIDS = 8
_LEAST_CPUS = 0.01
_OURS = "HOUSEGUEST_"

_DEFAULTS = AgentLimits()

SANDBOX_PARAMETERS = (
    *("sandbox", "guest_memory", "guest_cpus", "guest_pids", "guest_gpus", "time_limit"),
    *("runtime", "network", "mounts", "environment", "model_server"),
)
"""The parameters that ``sandbox_options`` adds."""

SHORT_NAMES = ("--memory", "--cpus", "--pids")
"""Second names of three of these options, available unless the agent has options so named."""

_SANDBOX_HELP = """docker for images; bwrap (bubblewrap) or process for commands. A process has no
isolation: use it only for code that you trust.  [default: docker for an image, else process]"""
_MEMORY_HELP = f"""Memory limit for each agent, such as 512m or 2g; an agent above it is killed.
[default: {_DEFAULTS.memory // GIB}g]"""
_CPUS_HELP = f"Cores for each agent, such as 0.5 or 2.  [default: {_DEFAULTS.cpus:g}]"
_PIDS_HELP = f"Processes and threads for each agent.  [default: {_DEFAULTS.pids}]"
_GPUS_HELP = """GPUs for agents: all, a number, or device=0,2. (--gpus sets the simulators' GPUs.)
[default: none]"""
_TIME_HELP = "Time limit for each agent, such as 90s, 30m or 2h.  [default: none]"
_RUNTIME_HELP = """A runtime of the Docker engine.  [default: runsc (gVisor) if the engine has it,
otherwise the engine's default]"""
_NETWORK_HELP = """A Docker network for agents that need more than the service. Agents can then
also reach services of this machine.  [default: none]"""
_MOUNT_HELP = """Mount a folder read-only for agents, at PATH or else at the same path; may be
repeated."""
_ENV_HELP = """Set an environment variable for agents, such as an API key. Without a value, use the
value from your environment. The value is not recorded and not part of the run's identity. May be
repeated."""
_MODEL_HELP = """Let agents without a network reach this one server, http://HOST:PORT, through the
socket in HOUSEGUEST_BASE_URL."""


def sandbox_options(command: F) -> F:
    """Adds the options whose parameters are SANDBOX_PARAMETERS, read by ``read_sandbox``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_sandbox(given: Mapping[str, Any]) -> SandboxOptions:
    """Reads the parameters of a command with ``sandbox_options``."""
    wanted = {
        "memory": given["guest_memory"],
        "cpus": given["guest_cpus"],
        "pids": given["guest_pids"],
        "seconds": given["time_limit"],
        "gpus": given["guest_gpus"],
    }
    limits = {name: value for name, value in wanted.items() if value is not None}
    names = {"mounts": "--mount", "environment": "--env"}
    return SandboxOptions(
        kind=given["sandbox"],
        limits=replace(_DEFAULTS, **limits),
        runtime=given["runtime"],
        network=given["network"],
        mounts=given["mounts"],
        environment=given["environment"],
        model_server=given["model_server"],
        asked=frozenset(
            names.get(name, f"--{name.replace('_', '-')}")
            for name in SANDBOX_PARAMETERS
            if name != "sandbox" and given[name] not in (None, "", (), {})
        ),
    )


def refuse_sandbox(options: SandboxOptions) -> None:
    """Raises click.UsageError if any option was given: an external agent has no sandbox."""
    asked = sorted({*options.asked, *(["--sandbox"] if options.kind else [])})
    if asked:
        raise click.UsageError(
            f"You start an external agent yourself, so {', '.join(asked)} would have no effect."
        )


def read_size(text: str) -> int:
    """Reads ``512m``, ``2g``, ``1.5GiB`` or a plain number as bytes. Raises ValueError."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a size such as 512m or 2g")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def read_time(text: str) -> float:
    """Reads ``90``, ``90s``, ``30m``, ``2h`` or ``1d`` as seconds. Raises ValueError."""
    found = _TIME.fullmatch(text.strip())
    if found is None or not (seconds := float(found[1]) * _SECONDS[found[2].lower()]):
        raise ValueError(f"{text!r} is not a time such as 90s, 30m or 2h")
    return seconds


def _kind(_context: object, _parameter: object, kind: str) -> str:
    if kind and kind not in KINDS:
        raise click.BadParameter(f"{kind!r} is not one of {', '.join(KINDS)}.")
    return kind


def memory_value(_context: object, _parameter: object, text: str | None) -> int | None:
    """Option callback that reads bytes of memory. Raises click.BadParameter."""
    if text is None:
        return None
    try:
        size = read_size(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error
    if not _LEAST_MEMORY <= size < 2**50:
        raise click.BadParameter(f"{text} is not 16m or more.")
    return size


def time_value(_context: object, _parameter: object, text: str | None) -> float | None:
    """Option callback that reads seconds. Raises click.BadParameter."""
    if text is None:
        return None
    try:
        return read_time(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


def _cpus(_context: object, _parameter: object, cpus: float | None) -> float | None:
    if cpus is not None and not _LEAST_CPUS <= cpus <= 4096:
        raise click.BadParameter(f"{cpus} is not from {_LEAST_CPUS} to 4096.")
    return cpus


def _pids(_context: object, _parameter: object, pids: int | None) -> int | None:
    if pids is not None and not _LEAST_PIDS <= pids <= 2**22:
        raise click.BadParameter(f"{pids} is not from {_LEAST_PIDS} to {2**22}.")
    return pids


def _gpus(_context: object, _parameter: object, gpus: str | None) -> str | None:
    if gpus is None or re.fullmatch(r"all|[1-9]\d*|device=[^,\s]+(,[^,\s]+)*", gpus):
        return gpus
    raise click.BadParameter(f"{gpus!r} is not all, a number above 0, or like device=0,2.")


def _mounts(
    _context: object, _parameter: object, given: Sequence[str]
) -> tuple[ReadOnlyMount, ...]:
    mounts = []
    for text in given:
        folder, _, target = text.partition(":")
        if not folder:
            raise click.BadParameter(f"{text!r} is not FOLDER or FOLDER:/PATH.")
        source = Path(folder).expanduser().absolute()
        mounts.append(ReadOnlyMount(source, PurePosixPath(target or source)))
    targets = [mount.target for mount in mounts]
    if len(set(targets)) < len(targets):
        raise click.BadParameter("two folders cannot be mounted at the same path.")
    return tuple(mounts)


def _environment(_context: object, _parameter: object, given: Sequence[str]) -> dict[str, str]:
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        # Errors never show the value, which may be a secret.
        if not _NAME.fullmatch(name):
            raise click.BadParameter(f"{name!r} is not a valid variable name.")
        if name.startswith(_OURS):
            raise click.BadParameter(f"{name}: only the service sets variables with {_OURS}.")
        if not equals and name not in os.environ:
            raise click.BadParameter(f"{name} is not set in your environment: pass {name}=VALUE.")
        variables[name] = value if equals else os.environ[name]
    return variables


# At the end of the file, because the callbacks must be defined first.
_OPTIONS = (
    click.option(
        "--sandbox", default="", metavar="|".join(KINDS), callback=_kind, help=_SANDBOX_HELP
    ),
    click.option(
        "--guest-memory",
        "--memory",
        "guest_memory",
        metavar="SIZE",
        callback=memory_value,
        help=_MEMORY_HELP,
    ),
    click.option(
        "--guest-cpus",
        "--cpus",
        "guest_cpus",
        type=float,
        metavar="N",
        callback=_cpus,
        help=_CPUS_HELP,
    ),
    click.option(
        "--guest-pids",
        "--pids",
        "guest_pids",
        type=int,
        metavar="N",
        callback=_pids,
        help=_PIDS_HELP,
    ),
    click.option("--guest-gpus", metavar="GPUS", callback=_gpus, help=_GPUS_HELP),
    click.option("--time-limit", metavar="TIME", callback=time_value, help=_TIME_HELP),
    click.option("--runtime", default="", metavar="NAME", help=_RUNTIME_HELP),
    click.option("--network", default="", metavar="NAME", help=_NETWORK_HELP),
    click.option(
        "--mount",
        "mounts",
        multiple=True,
        metavar="FOLDER[:PATH]",
        callback=_mounts,
        help=_MOUNT_HELP,
    ),
    click.option(
        "--env",
        "environment",
        multiple=True,
        metavar="NAME[=VALUE]",
        callback=_environment,
        help=_ENV_HELP,
    ),
    click.option("--model-server", default="", metavar="URL", help=_MODEL_HELP),
)
