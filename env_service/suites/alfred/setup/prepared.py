"""What a set-up came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from env_service.suites.alfred.task import Goal


class ProblemKind(Enum):
    """What of a task's opening could not be reproduced."""

    TOGGLE = "toggle"
    """An object could not be switched."""
    STATE = "state"
    """An object could not be made dirty or empty."""
    ABSENT = "absent"
    """The scene has no object of a posed type: it is missing."""
    COPIED = "copied"
    """More objects are posed than the scene has: one is there twice."""
    MOVED = "moved"
    """An object does not stay at its pose."""
    OUTSIDE = "outside"
    """An object's pose is inside a receptacle with a door or lid, and the object is not."""
    OUT_OF_REACH = "out_of_reach"
    """An object is seen from nowhere, not even once what it lies in is open."""
    UNSUPPORTED = "unsupported"
    """An object is in or on nothing."""
    AGENT = "agent"
    """The agent's pose is not free."""
    MET = "met"
    """The goal is reached before anything is done."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be reproduced: what, as the task names it, and why."""

    kind: ProblemKind
    subject: str
    reason: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the set-up did.

    Attributes:
        goal: the task's, with its object types as they are called in this world.
        aliases: types of AI2-THOR 2.1.0, as tasks and skills name them, that are called otherwise
            here: {"Glassbottle": "Bottle"}.
        problems: what could not be reproduced, in the order of the set-up.
        astray: metres between the task's start and where the agent stands; 0 where the task says
            nothing.
    """

    goal: Goal
    aliases: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    astray: float = 0.0
