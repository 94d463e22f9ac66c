"""The owner of a container: labels by which it is removed once its service is gone."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

LABEL = "houseguest"
"""On every container of ours."""
OWNER_LABEL = "houseguest.owner"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Owner:
    """Identifies a service, so that another one can find out whether it still runs.

    A process id alone says nothing: another process may have it by now, after a restart of the
    machine (``boot``) or sooner (``started``, in clock ticks after the boot), and in another
    container (``namespace`` of process ids) it means another process. ``nonce`` distinguishes what
    one process owns at a time.
    """

    boot: str
    namespace: str
    user: int
    pid: int
    started: int
    nonce: str

    @staticmethod
    def myself() -> Owner:
        """This process, with a fresh nonce."""
        return Owner(
            boot=_boot(),
            namespace=_namespace(),
            user=os.geteuid(),
            pid=os.getpid(),
            started=_started(os.getpid()) or 0,
            nonce=secrets.token_hex(8),
        )

    @staticmethod
    def parse(text: str) -> Owner | None:
        """Reads ``text``; None if it does not name an owner."""
        parts = text.split("/")
        try:
            boot, namespace, user, pid, started, nonce = parts
            return Owner(boot, namespace, int(user), int(pid), int(started), nonce)
        except ValueError:
            return None

    @property
    def text(self) -> str:
        """As a label holds it."""
        fields = (self.boot, self.namespace, self.user, self.pid, self.started, self.nonce)
        return "/".join(map(str, fields))

    @property
    def labels(self) -> dict[str, str]:
        """What a container of this owner is marked with."""
        return {LABEL: "guest", OWNER_LABEL: self.text}

    def is_gone(self) -> bool:
        """Whether it certainly runs no more. Where this process cannot know, it may still run."""
        boot = _boot()
        if not (boot and self.boot):
            return False
        if self.boot != boot:
            return True
        # Others' processes may be hidden, and those of other containers are.
        if self.namespace != _namespace() or self.user != os.geteuid():
            return False
        # Where not even this process is seen, /proc is of another namespace.
        if not self.namespace or _started(os.getpid()) is None:
            return False
        return _started(self.pid) != self.started


def _boot() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _started(pid: int) -> int | None:
    """When a process began, in clock ticks after the boot; None for one that is not there."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name, in brackets, may hold anything.
    state, *rest = text.rpartition(")")[2].split()
    # A zombie holds nothing any more.
    return None if state == "Z" else int(rest[18])
