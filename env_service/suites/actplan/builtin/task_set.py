"""The built-in task sets by name: which activity comes when, in which rooms it is tried, and
each normal activity with its counterfactual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from random import Random

from env_service.domain.task import Task, TaskSet
from env_service.domain.text import counted
from env_service.suites.actplan.activity import Activity, assertions_in
from env_service.suites.actplan.builtin.activity_kinds import KINDS, ActivityKind
from env_service.suites.actplan.builtin.pictures import pictures_of, views_of
from env_service.suites.actplan.builtin.rooms import Room, room_of
from env_service.suites.actplan.builtin.scenario import (
    Put,
    Scenario,
    Subgoal,
    WrittenProblem,
    description_of,
    fits,
    problem_of,
)
from env_service.suites.actplan.builtin.scenario_rules import SCENARIO_RULES
from env_service.suites.actplan.counterfactual_rule import (
    CounterfactualRule,
    UnsuitableError,
    by_kind,
)
from env_service.suites.actplan.judges.judge import is_correct
from env_service.suites.actplan.planner.planner import plan_for
from env_service.suites.actplan.task import (
    ActPlanTask,
    CameraView,
    Circumstance,
    Variant,
    make_task,
)
from env_service.suites.builtin_sets import BuiltinName, Draws, is_builtin, named_task_set
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import check_names
from env_service.worlds.activity.bddl.syntax import BddlError

__all__ = ["builtin_task_set", "is_builtin"]

Rule = CounterfactualRule[Scenario, Scenario]

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
        MalformedNameError: the name is that of a built-in set, but malformed; the message gives the
            form.
    """
    return named_task_set(name, COUNT, _description, _stored_tasks)


def _description(set_name: BuiltinName) -> str:
    return (
        f"{counted(set_name.count, 'activity', 'activities')} in built-in rooms, each as it"
        f" usually goes and under a"
        f" counterfactual circumstance, drawn by seed {set_name.seed}."
    )


def _stored_tasks(set_name: BuiltinName) -> Iterator[Task]:
    return map(make_task, builtin_tasks(set_name))


@dataclass(frozen=True, slots=True)
class BuiltinPair:
    """An activity as it usually goes, and under a circumstance, in one room. ``sample``: which of
    the room's pairs of the activity, as ids have it. ``views``: of both."""

    normal: SolvedScenario
    changed: SolvedScenario
    circumstance: Circumstance
    sample: str
    views: tuple[CameraView, ...]

    def tasks(self) -> tuple[ActPlanTask, ActPlanTask]:
        """The two as tasks."""
        return (
            self._task(self.normal, Circumstance.NONE),
            self._task(self.changed, self.circumstance),
        )

    def _task(self, made: SolvedScenario, circumstance: Circumstance) -> ActPlanTask:
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


def builtin_tasks(set_name: BuiltinName) -> Iterator[ActPlanTask]:
    """The tasks of a set, one after the other."""
    tasks = (task for pair in builtin_pairs(set_name) for task in pair.tasks())
    return islice(tasks, set_name.count)


def builtin_pairs(set_name: BuiltinName) -> Iterator[BuiltinPair]:
    """The pairs that a set's tasks come from, one after the other."""
    drawn = _Drawn()
    for index, slot in enumerate(slots(set_name.seed, (set_name.count + 1) // 2)):
        yield _pair(slot, draw_for("pair", set_name.seed, index), drawn)


@dataclass(slots=True)
class _Drawn:
    """What was drawn so far, so that circumstances take turns, and ids differ."""

    circumstances: Counter[Circumstance] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    samples: Counter[tuple[str, str]] = field(default_factory=Counter)

    def in_turn(self, rng: Random) -> Iterator[Rule]:
        """All rules: the kind that came least often first, and of each kind the rule that did."""
        rules = by_kind(SCENARIO_RULES)
        for kind in sorted(rules, key=lambda each: (self.circumstances[each], rng.random())):
            yield from sorted(rules[kind], key=lambda each: (self.rules[each.name], rng.random()))

    def take(self, rule: Rule, place: tuple[str, str]) -> str:
        """Counts a pair; ``place``: its room and activity. Gives the name of its sample."""
        self.circumstances[rule.kind] += 1
        self.rules[rule.name] += 1
        number = self.samples[place]
        self.samples[place] += 1
        return f"sample_{number}"


def _pair(slot: Slot, rng: Random, drawn: _Drawn) -> BuiltinPair:
    """An activity and its counterfactual in the first room in which both can be set.

    Raises:
        RuntimeError: there is none.
    """
    rooms = (room_of(scene) for scene in rooms_for(slot) for _ in range(TRIES))
    for room in filter(None, rooms):
        found = _set_in(room, slot, rng, drawn)
        if found is not None:
            return found
    raise RuntimeError(f"no room of round {slot.round} of seed {slot.seed} will do for {slot.name}")


def _set_in(room: Room, slot: Slot, rng: Random, drawn: _Drawn) -> BuiltinPair | None:
    try:
        normal = solve_scenario(with_others(slot.kind(room, rng), rng))
        views_of(normal.scenario)
    except UnsuitableError:
        return None
    for rule in drawn.in_turn(rng):
        try:
            changed = make_counterfactual(normal, rule, rng)
            views = views_of(normal.scenario, changed.scenario)
        except UnsuitableError:
            continue
        sample = drawn.take(rule, (room.scene, slot.name))
        return BuiltinPair(normal, changed, rule.kind, sample, views)
    return None


# --- Which activity comes when, and in which rooms it is tried

NUMBERS = range(1, 100_000)
"""Numbers of the rooms that activities are set in."""

ROOMS: Mapping[str, int] = {"kitchen": 6, "living-room": 2, "bedroom": 2, "bathroom": 2}
"""Rooms of each kind in a round: two or three activities share one."""

SPARE = 20
"""Rooms of each kind that stand in for those in which an activity cannot be set."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for an activity.

    Attributes:
        kind: the activity.
        room_kind: the kind of room, spelled as in the rooms' names.
        place: which of its round's activities in rooms of this kind it is, from 0.
    """

    kind: ActivityKind
    room_kind: str
    seed: int
    round: int
    place: int

    @property
    def name(self) -> str:
        """The activity's name."""
        return self.kind.__name__


def slots(seed: int, count: int) -> Iterator[Slot]:
    """The first places of a seed. In a round every activity comes once."""
    number = 0
    while count > 0:
        for slot in _round(seed, number):
            if count <= 0:
                return
            yield slot
            count -= 1
        number += 1


def rooms_for(slot: Slot) -> Iterator[str]:
    """The room that belongs to a place, then the other ones of its round, the spare ones first."""
    own = ROOMS[slot.room_kind]
    drawn = draw_for("rooms", slot.room_kind, slot.seed, slot.round).sample(NUMBERS, own + SPARE)
    start = slot.place % SPARE
    spare = [*drawn[own + start :], *drawn[own : own + start]]
    for number in (drawn[slot.place % own], *spare):
        yield f"household-{slot.room_kind}-{number}"


def _round(seed: int, number: int) -> Iterator[Slot]:
    places: Counter[str] = Counter()
    all_kinds = [(room_kind, kind) for room_kind, kinds in KINDS.items() for kind in kinds]
    draw_for("round", seed, number).shuffle(all_kinds)
    for room_kind, kind in all_kinds:
        yield Slot(kind, room_kind, seed, number, places[room_kind])
        places[room_kind] += 1


# --- A normal activity and its counterfactual, with their plans, checked against each other


@dataclass(frozen=True, slots=True)
class SolvedScenario:
    """A scenario as a problem, with a plan that solves it."""

    scenario: Scenario
    written: WrittenProblem
    activity: Activity
    plan: tuple[str, ...]


def solve_scenario(given: Scenario, normal: SolvedScenario | None = None) -> SolvedScenario:
    """A scenario's problem and plan; ``normal``: of a counterfactual what it was made from.

    Raises UnsuitableError where the problem has too many objects or too few, its text cannot be
    read again, no plan is found, or the judge ``correct`` does not take the plan.
    """
    scenario = widened(given)
    variant = Variant.NORMAL if normal is None else Variant.COUNTERFACTUAL
    written = problem_of(scenario, variant)
    description = description_of(scenario, normal.scenario if normal else None)
    meant = Activity(scenario.activity, variant, written.problem, description)
    activity = _understood(scenario, meant, written.text)
    if not fits(written.problem) or activity is None:
        raise UnsuitableError
    plan = plan_for(activity)
    if plan is None or not is_correct(activity, plan):
        raise UnsuitableError
    return SolvedScenario(scenario, written, activity, plan)


def make_counterfactual(normal: SolvedScenario, rule: Rule, rng: Random) -> SolvedScenario:
    """A staged scenario under a rule's circumstances.

    Raises UnsuitableError if the rule does not apply, or if its result is not a counterfactual: it
    has the same goal, or the normal plan solves it, too.
    """
    changed = solve_scenario(with_others(rule.apply(normal.scenario, rng), rng), normal)
    if changed.activity.problem.goal == normal.activity.problem.goal:
        raise UnsuitableError
    if is_correct(changed.activity, normal.plan):
        raise UnsuitableError
    return changed


def _understood(scenario: Scenario, activity: Activity, text: str) -> Activity | None:
    """As judges will understand it; None where its text does not say what it is to say."""
    try:
        problem = read_problem(text, scenario.activity)
        check_names(problem, scenario.activity)
    except BddlError:
        return None
    found = assertions_in(text)
    if problem != activity.problem or found != scenario.assertions:
        return None
    return replace(activity, assertions=found)


# --- What is in the room besides, and plays no part

LEAST, MOST = 1, 4


def with_others(scenario: Scenario, rng: Random) -> Scenario:
    """A scenario with a few more things that stand or lie in the open, of categories that it does
    not need. What it has already stays, unless it could be taken for something that is needed."""
    used = {each.category for each in scenario.needed}
    kept = tuple(each for each in scenario.others if each.category not in used)
    changed = replace(scenario, others=kept)
    if any(each.movable for each in kept):
        return changed
    taken = {each.category for each in (*changed.participants, *changed.gone)}
    free = {
        each.category: each
        for each in scenario.room.things
        if each.movable and each.holder and not scenario.room.hidden(each)
    }
    left = [each for kind, each in free.items() if kind not in taken]
    more = rng.sample(left, min(len(left), rng.randint(LEAST, MOST)))
    return replace(changed, others=(*kept, *more))


def widened(scenario: Scenario) -> Scenario:
    """A scenario in which no words are ambiguous: where things are to go into "the drawer" and
    another drawer takes part, that one will do as well.

    Raises UnsuitableError where a thing is in such a one already.
    """
    return scenario.with_subgoals(*(_widened(subgoal, scenario) for subgoal in scenario.subgoals))


def _widened(subgoal: Subgoal, scenario: Scenario) -> Subgoal:
    if not isinstance(subgoal, Put) or subgoal.places[0].movable:
        return subgoal
    kind, there = subgoal.places[0].kind, {each.holder for each in subgoal.things}
    same_kind = [
        each for each in scenario.participants if each.kind == kind and each not in subgoal.places
    ]
    if any(each.id in there for each in same_kind):
        raise UnsuitableError
    return replace(subgoal, places=(*subgoal.places, *same_kind))


# --- The random generators of built-in tasks

draw_for = Draws("actplan")
"""Makes generators; the number of the set's seed has to be among the words."""
