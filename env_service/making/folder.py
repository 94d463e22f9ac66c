"""Writes activities in the published layout (spec: actplan.md section 1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from env_service.results.atomic import write_atomically
from env_service.suites.actplan.dataset.layout import (
    SPLIT_FILE,
    description_file,
    problem_file,
)
from env_service.suites.actplan.task import Variant

SPLIT = "test"
"""What made activities are in: nothing is to be tuned on them unasked."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One variant of an activity: its BDDL and its description."""

    activity: str
    variant: Variant
    problem: str
    description: str


class TaskFolder:
    """A folder with activities, such as `data import actplan` reads."""

    def __init__(self, root: Path) -> None:
        """Writes nothing yet."""
        self.root = root

    def write(self, made: Variation) -> None:
        """Writes one variant, over what was there, and enters its activity."""
        for path, text in (
            (problem_file(made.activity, made.variant), made.problem),
            (description_file(made.activity, made.variant), made.description),
        ):
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, text.encode())
        self._enter(made.activity)

    def _enter(self, activity: str) -> None:
        """Adds an activity to the file of splits, which the loader looks them up in."""
        path = self.root / SPLIT_FILE
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        names = {line.partition("\t")[0] for line in lines}
        if activity in names:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in sorted((*lines, f"{activity}\t{SPLIT}")))
        write_atomically(path, text.encode())
