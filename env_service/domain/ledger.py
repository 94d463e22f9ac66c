"""Which task of a run is played next, and when the run is over."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from env_service.domain.task import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """One task to be played once: the ``repeat``-th time, from 0."""

    task: Task
    repeat: int

    @property
    def key(self) -> tuple[str, int]:
        """Unique in a run."""
        return (self.task.id, self.repeat)

    def seed(self, run_seed: int) -> int:
        """The episode's seed, 0 … 2**63 - 1: of the run's seed, the task and the repeat."""
        sheet = f"{run_seed}\n{self.task.id}\n{self.repeat}".encode()
        return int.from_bytes(hashlib.sha256(sheet).digest()[:8], "big") >> 1


@dataclass(frozen=True, slots=True)
class VoidLimits:
    """How often the house may fail before a task is listed as unscored.

    ``per_task`` attempts at one task; ``per_run`` replays that one run grants in all, so
    that a guest who crashes the house earns no further tries.
    """

    per_task: int = 3
    per_run: int = 20


class Ledger:
    """The tasks of a run: waiting, being played, done, unscored or set aside.

    Deterministic: tasks are given out in order; a voided one comes back at the end.
    """

    def __init__(self, assignments: Iterable[Assignment], limits: VoidLimits) -> None:
        self._waiting = deque(assignments)
        self._limits = limits
        self._total = len(self._waiting)
        self._playing: dict[tuple[str, int], Assignment] = {}
        self._done: set[tuple[str, int]] = set()
        self._unscored: dict[tuple[str, int], Assignment] = {}
        self._aside: set[tuple[str, int]] = set()
        self._attempts: dict[tuple[str, int], int] = {}
        self._voids = 0

    @property
    def total(self) -> int:
        """Tasks times repeats."""
        return self._total

    @property
    def done(self) -> int:
        """Final episodes."""
        return len(self._done)

    @property
    def unscored(self) -> tuple[Assignment, ...]:
        """Given up after too many house faults, in the order that happened."""
        return tuple(self._unscored.values())

    @property
    def played_out(self) -> bool:
        """Whether no task waits or is being played, so that none can come any more."""
        return not self._waiting and not self._playing

    @property
    def finished(self) -> bool:
        """Whether every task is done or unscored."""
        return self.played_out and not self._aside

    @property
    def voids(self) -> int:
        """Own voids so far, collateral ones excepted."""
        return self._voids

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task the next or running one is, from 1."""
        return self._attempts.get(assignment.key, 0) + 1

    def restore(self, done: Iterable[tuple[str, int]], voided: Iterable[tuple[str, int]]) -> None:
        """Takes over what an earlier process left: final episodes and own voids."""
        self._done.update(done)
        for key in voided:
            self._attempts[key] = self._attempts.get(key, 0) + 1
            self._voids += 1
        still = [a for a in self._waiting if a.key not in self._done]
        spent = [a for a in still if self._attempts.get(a.key, 0) >= self._limits.per_task]
        self._unscored.update((a.key, a) for a in spent)
        self._waiting = deque(a for a in still if a.key not in self._unscored)

    def take(self) -> Assignment | None:
        """The next task to play; None while, or because, none is waiting."""
        if not self._waiting:
            return None
        assignment = self._waiting.popleft()
        self._playing[assignment.key] = assignment
        return assignment

    def complete(self, assignment: Assignment) -> None:
        """A final episode."""
        del self._playing[assignment.key]
        self._done.add(assignment.key)

    def void(self, assignment: Assignment, *, collateral: bool) -> None:
        """A house fault: the task waits again at the end, or becomes unscored."""
        del self._playing[assignment.key]
        if not collateral:
            self._attempts[assignment.key] = self._attempts.get(assignment.key, 0) + 1
            self._voids += 1
            spent = self._attempts[assignment.key] >= self._limits.per_task
            if spent or self._voids > self._limits.per_run:
                self._unscored[assignment.key] = assignment
                return
        self._waiting.append(assignment)

    def give_back(self, assignment: Assignment) -> None:
        """An episode that the house abandoned while closing: the task waits first in line."""
        del self._playing[assignment.key]
        self._waiting.appendleft(assignment)

    def set_aside(self, assignment: Assignment) -> None:
        """An episode that its guest withdrew from: the task waits for another process.

        It is charged to nobody, and not given out again here: nobody plays a task twice to
        choose the better episode.
        """
        del self._playing[assignment.key]
        self._aside.add(assignment.key)


def assignments(tasks: Iterable[Task], repeats: int) -> Iterable[Assignment]:
    """Every task ``repeats`` times, one whole round after the other."""
    chosen = list(tasks)
    return (Assignment(task, repeat) for repeat in range(repeats) for task in chosen)
