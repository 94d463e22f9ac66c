"""Plays a task to its end: the next duty, and anew from where it is after each dead end."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.alfred.expert.clearing import clear
from env_service.suites.alfred.expert.duties import advance
from env_service.suites.alfred.expert.play import ExhaustedError, Play, StuckError, Taken
from env_service.suites.alfred.skills.step import SkillStep

MOST_DEAD_ENDS = 8
"""After so many a play is given up."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One play of a task.

    Attributes:
        taken: all its steps, in order.
        won: whether the goal was reached at the end.
        dead_ends: what was given up on the way.
    """

    taken: tuple[Taken, ...]
    won: bool
    dead_ends: tuple[str, ...]

    @property
    def steps(self) -> tuple[SkillStep, ...]:
        """All steps, also those that did not work."""
        return tuple(each.step for each in self.taken)

    @property
    def useful(self) -> tuple[SkillStep, ...]:
        """The steps without those that led nowhere."""
        return tuple(each.step for each in self.taken if not each.wasted)

    @property
    def effective(self) -> tuple[SkillStep, ...]:
        """The steps without those that did not work and left the hand as it was."""
        return tuple(each.step for each in self.taken if not each.idle)


def play_out(play: Play) -> Attempt:
    """Plays until the goal is reached, no step is left, or nothing more can be tried."""
    dead_ends: list[str] = []
    try:
        _make_room(play, dead_ends)
        while not play.met and len(dead_ends) < MOST_DEAD_ENDS:
            try:
                advance(play)
            except StuckError as stuck:
                if str(stuck) in dead_ends:
                    break
                dead_ends.append(str(stuck))
    except ExhaustedError as exhausted:
        dead_ends.append(str(exhausted))
    return Attempt(tuple(play.taken), play.met, tuple(dead_ends))


def _make_room(play: Play, dead_ends: list[str]) -> None:
    """While the hand is empty: where an earlier play had to."""
    for each in sorted(play.experience.crowded):
        try:
            clear(play, each)
        except StuckError as stuck:
            dead_ends.append(str(stuck))
