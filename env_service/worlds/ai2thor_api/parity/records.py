"""What came of one script or task: the lines of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from env_service.domain.failure import FaultClass

SCRIPT, TASK = "script", "task"


@dataclass(frozen=True, slots=True)
class Fault:
    """A world that broke. ``at`` is the index of the action, 0 for the start; ``retryable`` is
    false where the same would happen again."""

    world: str
    fault: str
    detail: str
    at: int
    retryable: bool = True


class Voided(Exception):  # noqa: N818 - a fault, unlike errors of our own
    """A script came to no end, because a world broke."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.world}: {fault.detail}")
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Record:
    """A script or task that was played.

    Attributes:
        id: of the script or task.
        kind: SCRIPT or TASK.
        digest: of what was played, to tell whether a record is still about it.
        scene: the first scene.
        start: how the scene was started, as a script has it; empty for a task.
        rows: one an action, the first for the start; none if it was voided.
        tallies: see `Tallies.to_json`.
        divergence: the index of the first row in which the worlds parted, None for none.
        faults: each try that a world ended.
        voided: whether there was no try that came to an end.
        stopped: whether the rest was left out after the divergence.
    """

    id: str
    kind: str
    digest: str
    scene: str
    start: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    tallies: Mapping[str, Any] = field(default_factory=dict)
    divergence: int | None = None
    faults: tuple[Fault, ...] = ()
    voided: bool = False
    stopped: bool = False

    def to_json(self) -> dict[str, Any]:
        """One line."""
        value = {name: getattr(self, name) for name in self.__slots__}
        return {**value, "rows": list(self.rows), "faults": [asdict(f) for f in self.faults]}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Record:
        """What `to_json` gave. Raises KeyError or TypeError for anything else."""
        rest = {name: item for name, item in value.items() if name not in ("rows", "faults")}
        faults = tuple(Fault(**each) for each in value["faults"])
        return Record(**rest, rows=tuple(value["rows"]), faults=faults)


def data_fault(world: str, detail: str, at: int) -> Voided:
    """A world lacks what is asked for: no retry gives it."""
    return Voided(Fault(world, FaultClass.DATA_FAULT.value, detail, at, retryable=False))
