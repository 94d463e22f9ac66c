"""The findings of a verification."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    ``file`` is relative to the run's folder, ``line`` counts from 1 (None: the whole file).
    ``hint`` explains the problem, or how to investigate it.
    """

    file: str
    line: int | None
    what: str
    hint: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.what}" + (f" ({self.hint})" if self.hint else "")

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {"file": self.file, "line": self.line, "what": self.what, "hint": self.hint}


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """All findings of a verification.

    ``episodes``, ``exchanges`` and ``frames`` count what was checked, ``replayed`` the episodes
    that were replayed. ``notes`` limit what was proved, and are not problems. ``mixture`` says why
    the run has several agents; empty if one played all of it.
    """

    run: Path
    public_key: str
    episodes: int
    exchanges: int
    frames: int
    replayed: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    mixture: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether the verification found no problem."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "run": str(self.run),
            "good": self.good,
            "public_key": self.public_key,
            "episodes": self.episodes,
            "exchanges": self.exchanges,
            "frames": self.frames,
            "replayed": self.replayed,
            "problems": [problem.to_json() for problem in self.problems],
            "notes": list(self.notes),
            "mixture": list(self.mixture),
        }


@dataclass(slots=True)
class Findings:
    """Collects the parts of a VerificationReport."""

    run: Path
    public_key: str = ""
    episodes: int = 0
    exchanges: int = 0
    frames: int = 0
    replayed: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    mixture: tuple[str, ...] = ()
    unread: bool = False
    """Whether a journal of the run cannot be read at all."""

    def add(self, file: str, line: int | None, what: str, hint: str = "") -> None:
        """Adds a problem."""
        self.problems.append(Problem(file, line, what, hint))

    def report(self) -> VerificationReport:
        """The report of all findings."""
        return VerificationReport(
            run=self.run,
            public_key=self.public_key,
            episodes=self.episodes,
            exchanges=self.exchanges,
            frames=self.frames,
            replayed=self.replayed,
            problems=tuple(self.problems),
            notes=tuple(self.notes),
            mixture=self.mixture,
        )
