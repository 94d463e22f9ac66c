"""What a user may ask of the sandbox that agents run in, how much of the machine an agent gets,
and where it finds things.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from env_service.sandbox.errors import AgentSpecError, AgentStartError

# --- How much of the machine an agent gets

MIB = 2**20
GIB = 2**30


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """What one agent may use; ``--guest-memory``, ``--guest-cpus``, ``--guest-pids``,
    ``--guest-gpus`` and ``--time-limit`` of ``houseguest run`` set it.

    ``memory`` and ``scratch`` (its writable, non-executable /tmp, which counts as memory) are
    bytes, ``cpus`` cores, ``pids`` processes and threads together. ``seconds`` bounds an agent's
    whole life, by the wall clock; None: unbounded. ``gpus`` is ``all``, a number of them, or
    their indices as in ``0,2`` with a leading ``device=``; empty: none.
    """

    memory: int = 4 * GIB
    cpus: float = 2.0
    pids: int = 256
    seconds: float | None = None
    gpus: str = ""
    scratch: int = 256 * MIB


DOCKER, BWRAP, PROCESS = KINDS = ("docker", "bwrap", "process")
IN_PROCESS = "in-process"
"""What a manifest records for an agent that is Python code in the service's process. A command line
cannot start one."""


@dataclass(frozen=True, slots=True)
class ReadOnlyMount:
    """A folder of this machine, which agents find at ``target`` and cannot change."""

    source: Path
    target: PurePosixPath


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """How agents are isolated. A sandbox that cannot do what is asked refuses when it is opened.

    ``kind`` is one of KINDS; empty: docker for an image, process for a command. ``asked`` names
    the options that were given, as the user typed them, so that none is silently left out.
    ``runtime`` and ``network`` are Docker's names; empty: as the sandbox chooses, and none.
    ``environment`` is passed on unchanged, and neither shown nor recorded. ``model_server`` is a
    URL ``http://HOST:PORT[/path]`` that agents reach by a relay, whatever their network.
    """

    kind: str = ""
    limits: AgentLimits = field(default_factory=AgentLimits)
    runtime: str = ""
    network: str = ""
    mounts: tuple[ReadOnlyMount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    model_server: str = ""
    asked: frozenset[str] = frozenset()


# --- Where an agent finds things in its sandbox

SERVICE = PurePosixPath("/run/houseguest")
"""The folder with the socket of the service."""
MODEL = PurePosixPath("/run/houseguest-model")
"""The folder with the socket of the relay to the model's server."""
MODEL_SOCKET = "model.sock"
TAKEN = ("/proc", "/sys", "/dev", "/tmp", str(SERVICE), str(MODEL))  # noqa: S108 - the agent's own
"""Folders that no mount may use."""


def socket_of(address: str) -> Path:
    """The socket of an address ``unix:/path``, as a full path.

    Agents get its folder, so that they find the socket again after the service has replaced it.
    Raises AgentStartError for any other address, and for a folder with other files, which an agent
    would see.
    """
    if not address.startswith("unix:"):
        raise AgentStartError(
            f"an agent in a sandbox needs a Unix socket to reach the service, but it listens on"
            f" {address}"
        )
    socket = Path(address.removeprefix("unix:")).absolute()
    with suppress(OSError):
        if others := sorted({each.name for each in socket.parent.iterdir()} - {socket.name}):
            raise AgentStartError(
                f"{socket.parent} contains more than the socket of the service ({others[0]}), and"
                " an agent in a sandbox would see it: give --listen a separate folder, or omit it"
            )
    return socket


def is_within(path: PurePosixPath, folder: str) -> bool:
    """Whether a path is the folder or is inside it."""
    return path.is_relative_to(folder)


def check_mount(mount: ReadOnlyMount) -> None:
    """Raises AgentSpecError for a folder that is not there, and for a place that would hide what
    a sandbox puts there itself."""
    shown = f"--mount {mount.source}:{mount.target}"
    if not mount.source.is_dir():
        raise AgentSpecError(f"{shown}: the folder {mount.source} does not exist")
    if not mount.target.is_absolute() or ".." in mount.target.parts:
        raise AgentSpecError(f"{shown}: {mount.target} must be an absolute path")
    above = any(PurePosixPath(taken).is_relative_to(mount.target) for taken in TAKEN)
    if above or any(is_within(mount.target, taken) for taken in TAKEN):
        raise AgentSpecError(
            f"{shown}: {mount.target} is reserved in a sandbox; choose another place,"
            f" such as --mount {mount.source}:/mnt/{mount.source.name}"
        )
