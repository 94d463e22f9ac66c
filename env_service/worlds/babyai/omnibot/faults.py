"""How the expert gives up."""

from __future__ import annotations

from env_service.worlds.babyai.omnibot.records import Problem, ProblemKind

_ASSERTION = "AssertionError: "

_PUBLISHED_ERRORS = {
    ProblemKind.UNREACHABLE: f"{_ASSERTION}0nothing left to explore",
    ProblemKind.LOCKED_DOOR: _ASSERTION,
    ProblemKind.NO_POSITION: "TypeError: 'NoneType' object is not iterable",
    ProblemKind.NOTHING_MATCHES: _ASSERTION,
    ProblemKind.RUNS_IN_CIRCLES: "",
}


class StuckError(Exception):
    """Ends the expert's planning; never leaves this package. ``problem`` says why."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        """Adds how the published expert fails there."""
        super().__init__(message)
        self.problem = Problem(kind, message, _PUBLISHED_ERRORS[kind])
