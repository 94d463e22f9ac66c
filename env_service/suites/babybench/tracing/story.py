"""What an answer and its level have to tell, step by step: plain values, drawn elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.babybench.answers.reading import State
from env_service.worlds.babyai.state import Position, Snapshot, Thing

PLANNED, ADDED, REOPENING, EXPERTS = "planned", "added", "reopening", "expert's"
"""Whose a subgoal on the stack is: the answer's; help; closing a door to open it again, which is
neither; the expert's own, where it plays alone."""


@dataclass(frozen=True, slots=True)
class StackLine:
    """A subgoal on the expert's stack. ``owner`` is one of the four above."""

    words: str
    owner: str


@dataclass(frozen=True, slots=True)
class Step:
    """An action and the true state after it.

    ``change`` is the one cell whose content it changed, with what is there now. ``idle`` is
    whether it changed nothing at all. ``stack`` is what the action was taken from, the next
    subgoal last, and ``help`` how many subgoals had been added by then.
    """

    action: str
    state: State
    carrying: Thing | None
    change: tuple[Position, Thing | None] | None
    idle: bool
    stack: tuple[StackLine, ...] = ()
    help: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """One way through the level. ``note`` says how it ends."""

    name: str
    steps: tuple[Step, ...]
    note: str = ""

    def states(self, start: State) -> tuple[State, ...]:
        """The state before the first step, and after each."""
        return (start, *(step.state for step in self.steps))


@dataclass(frozen=True, slots=True)
class Story:
    """An answer to a question about a level.

    ``asked`` is the question in words, ``verdict`` what became of the answer. ``said`` are the
    lines that were read out of it, ``left_out`` those that had to be left out. ``claim`` is the
    state that an answer to Predict says, ``target`` the cell that a plan is to lead to.
    ``tracks`` are the answer's own way first, where it has one.
    """

    start: Snapshot
    mission: str
    asked: str
    answer: str
    verdict: str
    said: tuple[str, ...]
    left_out: tuple[str, ...]
    tracks: tuple[Track, ...]
    claim: State | None = None
    target: Position | None = None

    @property
    def first(self) -> State:
        """Where the agent starts."""
        return State(self.start.agent, int(self.start.heading))
