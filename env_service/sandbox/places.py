"""Where a guest finds things in its sandbox."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath

from env_service.sandbox.errors import AgentSpecError, GuestStartError
from env_service.sandbox.options import ReadOnlyMount

HOUSE = PurePosixPath("/run/houseguest")
"""The folder with the socket of the house."""
MODEL = PurePosixPath("/run/houseguest-model")
"""The folder with the socket of the relay to the model's server."""
MODEL_SOCKET = "model.sock"
TAKEN = ("/proc", "/sys", "/dev", "/tmp", str(HOUSE), str(MODEL))  # noqa: S108 - the guest's own
"""Folders in which nothing else may be put."""


def socket_of(address: str) -> Path:
    """The socket of an address ``unix:/path``, as a full path.

    Guests get the folder that it lies in, so that they find the socket again when the house has
    made it anew. Raises GuestStartError for any other address, and for a folder that holds more:
    a guest would see that, too.
    """
    if not address.startswith("unix:"):
        raise GuestStartError(
            f"a guest in a sandbox reaches the house by a Unix socket, but it listens on {address}"
        )
    socket = Path(address.removeprefix("unix:")).absolute()
    with suppress(OSError):
        if others := sorted({each.name for each in socket.parent.iterdir()} - {socket.name}):
            raise GuestStartError(
                f"{socket.parent} holds more than the socket of the house ({others[0]}), and a"
                " guest in a sandbox would see it: give --listen a folder of its own, or leave it"
                " out"
            )
    return socket


def is_within(path: PurePosixPath, folder: str) -> bool:
    """Whether a path is a folder, or lies in it."""
    return path.is_relative_to(folder)


def check_mount(mount: ReadOnlyMount) -> None:
    """Raises AgentSpecError for a folder that is not there, and for a place that would hide what
    a sandbox puts there itself."""
    shown = f"--mount {mount.source}:{mount.target}"
    if not mount.source.is_dir():
        raise AgentSpecError(f"{shown}: there is no folder {mount.source}")
    if not mount.target.is_absolute() or ".." in mount.target.parts:
        raise AgentSpecError(f"{shown}: {mount.target} has to be a full path")
    above = any(PurePosixPath(taken).is_relative_to(mount.target) for taken in TAKEN)
    if above or any(is_within(mount.target, taken) for taken in TAKEN):
        raise AgentSpecError(
            f"{shown}: {mount.target} is not free in a sandbox; give it another place,"
            f" as in --mount {mount.source}:/mnt/{mount.source.name}"
        )
