"""The findings of checks, and the request that they answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from env_service.sandbox.agent_manifest import Given


class DiagnosisState(StrEnum):
    """The severity, mildest first."""

    OK = "ok"
    NOTE = "note"
    """Something optional is not there."""
    WARNING = "warning"
    """It works, but may fail soon, or differ from what is expected."""
    PROBLEM = "problem"
    """Something necessary does not work."""


_ORDER = tuple(DiagnosisState)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding.

    ``found`` is what there is, in a line or two. ``mend`` says what to do; it may be empty
    only where the state is OK.

    Raises:
        ValueError: something is not OK, and ``mend`` does not say what to do.
    """

    name: str
    state: DiagnosisState
    found: str
    mend: str = ""

    def __post_init__(self) -> None:
        if self.state is not DiagnosisState.OK and not self.mend:
            raise ValueError(f"{self.name}: a {self.state} has to say how to mend it")


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """What the checks are asked about.

    ``runs`` is where run folders go; ``signing_key`` the key's file, None for the usual one.
    ``agent`` is what ``--agent`` of a run would be, and empty when no agent is asked about;
    ``agent_args`` and ``agent_options`` are its options, as ``parse_agent`` takes them.
    ``world`` is a simulator that is asked about, "" for none; with ``start`` it is started with
    ``scene``, "" for one that the world chooses.
    """

    runs: Path
    signing_key: Path | None = None
    agent: str = ""
    agent_args: str = ""
    agent_options: Given | None = None
    world: str = ""
    start: bool = False
    scene: str = ""


def worst(findings: Iterable[Diagnosis]) -> DiagnosisState:
    """The worst state among them; OK for none."""
    return max((finding.state for finding in findings), key=_ORDER.index, default=DiagnosisState.OK)
