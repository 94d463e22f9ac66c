"""Which runtime of the engine holds a guest in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from env_service.sandbox.errors import GuestStartError

GVISOR = "runsc"
GVISOR_PIDS = 512
"""Threads that gVisor's own kernel may need beyond the guest's: they count against its limit,
and one of 64 in all ended the sandbox itself."""
_UDS_FLAGS = ("--host-uds=open", "--host-uds=all", "--fsgofer-host-uds")
"""What lets a guest in gVisor connect to a Unix socket of the host (gvisor.dev, runsc flags)."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime by the engine's name for it. ``gvisor``: it has a kernel of its own."""

    name: str
    gvisor: bool = False

    @property
    def spare_pids(self) -> int:
        """How many processes and threads of its own count against the guest's limit."""
        return GVISOR_PIDS if self.gvisor else 0


def choose_runtime(info: Mapping[str, Any], wanted: str, *, gpus: bool = False) -> Runtime:
    """The runtime that was asked for; else gVisor where the engine has it; else the engine's own.

    ``info`` is what the engine says of itself. With GPUs gVisor has to be asked for, because not
    every version of it passes them on. Raises GuestStartError for a runtime that the engine does
    not have, and for gVisor where it would keep guests from the house.
    """
    known: Mapping[str, Any] = info.get("Runtimes") or {}
    if wanted and wanted not in known:
        raise GuestStartError(
            f"--runtime {wanted}: the engine has no such runtime, only {', '.join(sorted(known))}"
        )
    name = wanted or (GVISOR if GVISOR in known and not gpus else "")
    name = name or info.get("DefaultRuntime") or "runc"
    runtime = Runtime(name, gvisor=_is_gvisor(name, known.get(name) or {}))
    if runtime.gvisor:
        _check_sockets(name, known[name])
    return runtime


def _is_gvisor(name: str, settings: Mapping[str, Any]) -> bool:
    program = str(settings.get("path") or "").rpartition("/")[2]
    return GVISOR in (name, program) or "runsc" in str(settings.get("runtimeType") or "")


def _check_sockets(name: str, settings: Mapping[str, Any]) -> None:
    # A runtime by type has its flags in a file of its own, which the engine does not tell.
    if settings.get("runtimeType"):
        return
    arguments = settings.get("runtimeArgs") or ()
    if not any(argument.startswith(_UDS_FLAGS) for argument in arguments):
        raise GuestStartError(
            f"the runtime {name} keeps guests from the house's Unix socket: give it the argument"
            ' --host-uds=open ("runtimeArgs" in /etc/docker/daemon.json, then restart Docker), or'
            " choose another one, as with --runtime runc"
        )
