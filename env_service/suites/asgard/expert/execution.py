"""Plays a task to its end: one duty after the other, anew from where it is after each dead end."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.suites.asgard.expert.duties import Duty, duties
from env_service.suites.asgard.expert.experience import Experience
from env_service.suites.asgard.expert.looking import shut_beside
from env_service.suites.asgard.expert.play import Actor, Charge, Play, PlayOver, StuckError
from env_service.suites.asgard.parsing import Command

MOST_DEAD_ENDS = 12
"""After so many the task is given up."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One play of a task.

    Attributes:
        steps: all actions, in order, refused ones included.
        refused: which of them the house refused, and its words.
        won: whether every goal was met at the end.
        dead_ends: what was given up on the way.
    """

    steps: tuple[Command, ...]
    refused: tuple[tuple[Command, str], ...]
    won: bool
    dead_ends: tuple[str, ...]

    @property
    def is_flawless(self) -> bool:
        """Whether it was won without a refused action and without a dead end."""
        return self.won and not self.refused and not self.dead_ends


def play_out(actor: Actor, charge: Charge, experience: Experience) -> Attempt:
    """Plays until the goals are met, no step is left, or nothing more can be tried."""
    play = Play(actor, charge, experience)
    dead_ends: list[str] = []
    won = False
    try:
        _run(play, duties(charge.goals), dead_ends)
    except PlayOver as over:
        won = over.won
    return Attempt(tuple(play.steps), tuple(play.refused), won, tuple(dead_ends))


def _run(play: Play, ordered: list[Duty], dead_ends: list[str]) -> None:
    while len(dead_ends) < MOST_DEAD_ENDS:
        duty = next((each for each in ordered if not each.is_done(play)), None)
        if duty is None:
            dead_ends.append("all is done, but some goal is not met")
            return
        try:
            duty.perform(play)
        except StuckError as stuck:
            dead_ends.append(f"{duty.name}: {stuck}")
            shut_beside(play)
            # Another one first: it may change what stood in the way.
            ordered = [*(each for each in ordered if each is not duty), duty]
        else:
            if not duty.is_done(play):
                dead_ends.append(f"{duty.name}: it is not done after all")
