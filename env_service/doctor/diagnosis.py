"""Findings of the doctor's checks, and the request that says what to check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from env_service.sandbox.agent_manifest import Given


class DiagnosisState(StrEnum):
    """The severity of a finding, mildest first."""

    OK = "ok"
    NOTE = "note"
    """Something optional is missing."""
    WARNING = "warning"
    """It works, but may fail soon, or may differ from what is expected."""
    PROBLEM = "problem"
    """Something necessary does not work."""


_ORDER = tuple(DiagnosisState)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding.

    ``found`` describes the current state in one or two lines. ``mend`` says what to do; it may be
    empty only if the state is OK.

    Raises:
        ValueError: the state is not OK and ``mend`` is empty.
    """

    name: str
    state: DiagnosisState
    found: str
    mend: str = ""

    def __post_init__(self) -> None:
        if self.state is not DiagnosisState.OK and not self.mend:
            raise ValueError(f"{self.name}: a finding of state {self.state} needs a remedy (mend)")


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """What to check.

    ``runs`` is the folder for run folders. ``signing_key`` is the key's file; None means the
    default. ``agent`` has the form of the option ``--agent`` of a run; if it is empty, no
    agent is checked. ``agent_args`` and ``agent_options`` are the agent's options in the form that
    ``parse_agent`` takes. ``world`` is the simulator to check; "" means none. If ``start`` is true,
    the simulator is started with ``scene``; "" lets the world choose a scene.
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
    """The worst state of the findings; OK if there are none."""
    return max((finding.state for finding in findings), key=_ORDER.index, default=DiagnosisState.OK)
