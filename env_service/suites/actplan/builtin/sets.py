"""The built-in task sets by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from random import Random

from env_service.domain.english import counted
from env_service.domain.task import TaskSet
from env_service.suites.actplan.builtin.circumstances.changing import Rule
from env_service.suites.actplan.builtin.circumstances.registry import RULES
from env_service.suites.actplan.builtin.draws import draw_for
from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError
from env_service.suites.actplan.builtin.others import with_others
from env_service.suites.actplan.builtin.pairs import Staged, counterfactual, staged
from env_service.suites.actplan.builtin.pictures import pictures_of
from env_service.suites.actplan.builtin.rooms import Room, room_of
from env_service.suites.actplan.builtin.rounds import Slot, rooms_for, slots
from env_service.suites.actplan.builtin.views import views_of
from env_service.suites.actplan.task import ActPlanTask, Circumstance, HouseView, make_task
from env_service.suites.builtin_sets import BuiltinName, is_builtin, read_set_name

__all__ = ["builtin_task_set", "is_builtin"]

COUNT = 60
"""Of the set that says no number: 30 activities, each normal and counterfactual."""

TRIES = 3
"""How often an activity is drawn anew in a room before another room is taken."""


@lru_cache(maxsize=4)
def builtin_task_set(name: str) -> TaskSet | None:
    """The task set ``builtin``, ``builtin-COUNT`` or ``builtin-COUNT-SEED``; None for a name that
    is none of a built-in set (`is_builtin`).

    The first COUNT tasks of a seed: whatever COUNT is, a place has the same task. Normal activities
    and their counterfactuals take turns; the three kinds of circumstances come equally often, as
    far as activities allow. Takes seconds: rooms are drawn up, plans made and views chosen.

    Raises:
        MalformedNameError: it is one of a built-in set, but malformed; the text tells the form.
    """
    if not is_builtin(name):
        return None
    asked = read_set_name(name, COUNT)
    description = (
        f"{counted(asked.count, 'activity', 'activities')} in built-in rooms, each as it"
        f" usually goes and under a"
        f" counterfactual circumstance, drawn by seed {asked.seed}."
    )
    return TaskSet(name, description, tuple(map(make_task, builtin_tasks(asked))))


@dataclass(frozen=True, slots=True)
class Pair:
    """An activity as it usually goes, and under a circumstance, in one room. ``sample``: which of
    the room's pairs of the activity, as ids have it. ``views``: of both."""

    normal: Staged
    changed: Staged
    circumstance: Circumstance
    sample: str
    views: tuple[HouseView, ...]

    def tasks(self) -> tuple[ActPlanTask, ActPlanTask]:
        """The two as tasks."""
        return (
            self._task(self.normal, Circumstance.NONE),
            self._task(self.changed, self.circumstance),
        )

    def _task(self, made: Staged, circumstance: Circumstance) -> ActPlanTask:
        activity, scene = made.activity, made.scenario.room.scene
        return ActPlanTask(
            id=f"{scene}/{activity.name}/{activity.variant.number}/{self.sample}",
            activity=activity.name,
            variant=activity.variant,
            problem=made.written.text,
            description=activity.description,
            scene=scene,
            sample=self.sample,
            circumstance=circumstance,
            pictures=pictures_of(made.scenario, self.views),
        )


def builtin_tasks(asked: BuiltinName) -> Iterator[ActPlanTask]:
    """The tasks of a set, one after the other."""
    tasks = (task for pair in builtin_pairs(asked) for task in pair.tasks())
    return islice(tasks, asked.count)


def builtin_pairs(asked: BuiltinName) -> Iterator[Pair]:
    """The pairs that a set's tasks come from, one after the other."""
    drawn = _Drawn()
    for index, slot in enumerate(slots(asked.seed, (asked.count + 1) // 2)):
        yield _pair(slot, draw_for("pair", asked.seed, index), drawn)


@dataclass(slots=True)
class _Drawn:
    """What was drawn so far, so that circumstances take turns, and ids differ."""

    circumstances: Counter[Circumstance] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    samples: Counter[tuple[str, str]] = field(default_factory=Counter)

    def in_turn(self, draw: Random) -> Iterator[tuple[Circumstance, Rule]]:
        """All rules: the kind that came least often first, and of each kind the rule that did."""
        kinds = sorted(RULES, key=lambda each: (self.circumstances[each], draw.random()))
        for kind in kinds:
            rules = sorted(RULES[kind], key=lambda each: (self.rules[each.__name__], draw.random()))
            yield from ((kind, rule) for rule in rules)

    def take(self, circumstance: Circumstance, rule: Rule, place: tuple[str, str]) -> str:
        """Counts a pair; ``place``: its room and activity. Gives the name of its sample."""
        self.circumstances[circumstance] += 1
        self.rules[rule.__name__] += 1
        number = self.samples[place]
        self.samples[place] += 1
        return f"sample_{number}"


def _pair(slot: Slot, draw: Random, drawn: _Drawn) -> Pair:
    """An activity and its counterfactual in the first room in which both can be set.

    Raises:
        RuntimeError: there is none.
    """
    rooms = (room_of(scene) for scene in rooms_for(slot) for _ in range(TRIES))
    for room in filter(None, rooms):
        found = _set_in(room, slot, draw, drawn)
        if found is not None:
            return found
    raise RuntimeError(f"no room of round {slot.round} of seed {slot.seed} will do for {slot.name}")


def _set_in(room: Room, slot: Slot, draw: Random, drawn: _Drawn) -> Pair | None:
    try:
        normal = staged(with_others(slot.kind(room, draw), draw))
        views_of(normal.scenario)
    except UnsuitableError:
        return None
    for circumstance, rule in drawn.in_turn(draw):
        try:
            changed = counterfactual(normal, rule, draw)
            views = views_of(normal.scenario, changed.scenario)
        except UnsuitableError:
            continue
        sample = drawn.take(circumstance, rule, (room.scene, slot.name))
        return Pair(normal, changed, circumstance, sample, views)
    return None
