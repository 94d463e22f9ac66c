"""A simulator's fault, where a command cannot go on after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from env_service.cli.errors import Failure

if TYPE_CHECKING:
    from env_service.domain.failure import WorldFault


def broken(world: str, fault: WorldFault) -> Failure:
    """The Failure for a simulator's fault, where the command cannot continue."""
    doctor = "`houseguest doctor --world ai2thor --start` looks for the cause"
    message = f"{fault.detail}. {doctor}" if world == "ai2thor" else fault.detail
    return Failure(message, kind=fault.fault.value)
