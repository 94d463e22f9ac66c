"""What a user may ask of the sandbox that guests run in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from env_service.sandbox.limits import GuestLimits

DOCKER, BWRAP, PROCESS = KINDS = ("docker", "bwrap", "process")


@dataclass(frozen=True, slots=True)
class ReadOnlyMount:
    """A folder of this machine, which guests find at ``target`` and cannot change."""

    source: Path
    target: PurePosixPath


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """How guests are held in. What a kind of sandbox cannot do is refused when it is opened.

    ``kind`` is one of KINDS; empty: docker for an image, process for a command. ``asked`` names
    the options that were given, as the user typed them, so that none is silently left out.
    ``runtime`` and ``network`` are Docker's names; empty: as the sandbox chooses, and none.
    ``environment`` is passed on as it is, and neither shown nor recorded. ``model_server`` is a
    URL ``http://HOST:PORT[/path]`` that guests reach by a relay, whatever their network.
    """

    kind: str = ""
    limits: GuestLimits = field(default_factory=GuestLimits)
    runtime: str = ""
    network: str = ""
    mounts: tuple[ReadOnlyMount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    model_server: str = ""
    asked: frozenset[str] = frozenset()
