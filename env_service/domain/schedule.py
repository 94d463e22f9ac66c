"""Which task of a run is played next, and when the run is over."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from env_service.domain.packed_tasks import PackedTasks
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
    """How often the service may fail before a task is listed as unscored.

    ``per_task`` attempts at one task; ``per_run`` replays that one run grants in all, so
    that an agent who crashes the service earns no further tries.
    """

    per_task: int = 3
    per_run: int = 20


class Schedule:
    """The episodes of a run: waiting, being played, done, unscored or set aside.

    Deterministic: every task is dealt once, in order, then every task again for the next
    repeat; a voided episode comes back at the end.

    An episode that waits for its first try is not stored. A ledger takes memory for its tasks and
    for what has happened, whatever the number of repeats.
    """

    def __init__(self, tasks: PackedTasks, limits: VoidLimits, repeats: int = 1) -> None:
        """``tasks`` have different ids. ``repeats`` is at least 1."""
        self._tasks = tasks
        self._repeats = repeats
        self._limits = limits
        self._next = 0
        """The number of the next episode to be dealt for the first time: see ``_assignment``."""
        self._untried = self.total
        """Episodes from ``_next`` on that still have to be played."""
        self._skipped: set[tuple[str, int]] = set()
        """Episodes that an earlier process brought to an end."""
        self._first: deque[Assignment] = deque()
        """Episodes that go before the untried ones."""
        self._last: deque[Assignment] = deque()
        """Episodes that go after them."""
        self._playing: dict[tuple[str, int], Assignment] = {}
        self._done = 0
        self._unscored: dict[tuple[str, int], Assignment] = {}
        self._aside: set[tuple[str, int]] = set()
        self._attempts: dict[tuple[str, int], int] = {}
        self._voids = 0

    @property
    def total(self) -> int:
        """Tasks times repeats."""
        return len(self._tasks) * self._repeats

    @property
    def done(self) -> int:
        """Final episodes."""
        return self._done

    @property
    def unscored(self) -> tuple[Assignment, ...]:
        """Given up after too many faults of the service, in the order that happened."""
        return tuple(self._unscored.values())

    @property
    def played_out(self) -> bool:
        """Whether no task waits or is being played, so that none can come any more."""
        return not (self._untried or self._first or self._last or self._playing)

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
        """Takes over what an earlier process left: final episodes and own voids.

        Called once, before the first ``take``.
        """
        self._skipped = set(done)
        self._done = len(self._skipped)
        for key in voided:
            self._attempts[key] = self._attempts.get(key, 0) + 1
            self._voids += 1
        places = {task: place for place, task in enumerate(self._tasks.ids)}
        spent = [
            repeat * len(self._tasks) + places[task]
            for (task, repeat), tries in self._attempts.items()
            if tries >= self._limits.per_task
            and task in places
            and 0 <= repeat < self._repeats
            and (task, repeat) not in self._skipped
        ]
        for number in sorted(spent):
            assignment = self._assignment(number)
            self._unscored[assignment.key] = assignment
        self._skipped.update(self._unscored)
        planned = (task in places and 0 <= r < self._repeats for task, r in self._skipped)
        self._untried -= sum(planned)

    def take(self) -> Assignment | None:
        """The next task to play; None while, or because, none is waiting."""
        if self._first:
            assignment = self._first.popleft()
        elif self._untried:
            assignment = self._next_untried()
        elif self._last:
            assignment = self._last.popleft()
        else:
            return None
        self._playing[assignment.key] = assignment
        return assignment

    def complete(self, assignment: Assignment) -> None:
        """A final episode."""
        del self._playing[assignment.key]
        self._done += 1

    def void(self, assignment: Assignment, *, collateral: bool) -> None:
        """A fault of the service: the task waits again at the end, or becomes unscored."""
        del self._playing[assignment.key]
        if not collateral:
            self._attempts[assignment.key] = self._attempts.get(assignment.key, 0) + 1
            self._voids += 1
            spent = self._attempts[assignment.key] >= self._limits.per_task
            if spent or self._voids > self._limits.per_run:
                self._unscored[assignment.key] = assignment
                return
        self._last.append(assignment)

    def give_back(self, assignment: Assignment) -> None:
        """An episode that the service abandoned while closing: the task waits first in line."""
        del self._playing[assignment.key]
        self._first.appendleft(assignment)

    def set_aside(self, assignment: Assignment) -> None:
        """An episode that its agent withdrew from: the task waits for another process.

        It does not count, and this process does not assign it again: else an agent could play a
        task twice and keep the better episode.
        """
        del self._playing[assignment.key]
        self._aside.add(assignment.key)

    def _next_untried(self) -> Assignment:
        while True:
            number = self._next
            self._next += 1
            repeat, place = divmod(number, len(self._tasks))
            if (self._tasks.ids[place], repeat) not in self._skipped:
                self._untried -= 1
                return self._assignment(number)

    def _assignment(self, number: int) -> Assignment:
        """The episode of a number from 0 to ``total`` - 1, in the order of dealing."""
        repeat, place = divmod(number, len(self._tasks))
        return Assignment(self._tasks[place], repeat)
