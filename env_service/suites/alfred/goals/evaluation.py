"""Whether a goal is met: the conditions of the seven task types (spec section 3.7).

They look at the house as it is, and at what was done only where the goal says heated, cooled or
cleaned. In or on means what the simulator lists as directly in or on a receptacle. Whether a
container is open does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from env_service.domain.episode import GoalCondition
from env_service.suites.alfred.goals.instances import Instances
from env_service.suites.alfred.goals.phrases import Phrases
from env_service.suites.alfred.house import House
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.skills.step import Marks
from env_service.suites.alfred.task import Goal, TaskType

Conditions = Iterator[tuple[str, bool]]
"""What is to be true, in words, and whether it is."""


def evaluate(
    goal: Goal, house: House, marks: Marks, rules: Rules = EXACT
) -> tuple[GoalCondition, ...]:
    """The goal's conditions, in a fixed order: as many, and with the same names, whatever the
    house. ``goal`` names types as they are called in this house (`Prepared.goal`)."""
    found = Instances(goal, house, rules)
    told = [*_CONDITIONS[goal.type](goal, found, house, marks)]
    if goal.sliced:
        told += _slices(goal, found)
    return tuple(GoalCondition(name, met) for name, met in told)


def count_met(conditions: Sequence[GoalCondition]) -> int:
    """How many of the conditions hold."""
    return sum(each.met for each in conditions)


def _simple(goal: Goal, found: Instances, house: House, marks: Marks) -> Conditions:
    del house, marks
    words = Phrases(goal)
    yield f"{words.an_object} is {words.at_parent}", any(found.placed())


def _two(goal: Goal, found: Instances, house: House, marks: Marks) -> Conditions:
    del house, marks
    words = Phrases(goal)
    counts = [len(list(found.inside(each, found.targets))) for each in found.parents]
    most = max(counts, default=0)
    yield f"{words.an_object} is {words.at_parent}", most >= 1
    yield f"another {words.object} is in or on the same {words.parent}", most >= 2


def _look(goal: Goal, found: Instances, house: House, marks: Marks) -> Conditions:
    del marks
    words = Phrases(goal)
    yield f"{words.an_object} is in the hand", found.is_target(house.held)
    lit = any(each["isToggled"] and each["visible"] for each in found.lamps)
    yield f"{words.a_toggle} is on and in view", lit


def _treated(goal: Goal, found: Instances, house: House, marks: Marks) -> Conditions:
    del house
    words = Phrases(goal)
    name, ids = _treatment(goal.type, marks)
    placed = {each["objectId"] for each in found.placed()}
    marked = {each["objectId"] for each in found.targets} & ids
    yield f"{words.an_object} is {words.at_parent}", bool(placed)
    yield f"{words.an_object} was {name}", bool(marked)
    yield f"{words.an_object} that was {name} is {words.at_parent}", bool(placed & marked)


def _movable(goal: Goal, found: Instances, house: House, marks: Marks) -> Conditions:
    del house, marks
    words = Phrases(goal)
    movables = found.movables
    filled = {m["objectId"] for m in movables if any(found.inside(m, found.targets))}
    placed = {m["objectId"] for each in found.parents for m in found.inside(each, movables)}
    yield f"{words.an_object} is in or on {words.a_movable}", bool(filled)
    yield f"{words.a_movable} is {words.at_parent}", bool(placed)
    yield f"{words.a_movable} with {words.an_object} is {words.at_parent}", bool(filled & placed)


def _slices(goal: Goal, found: Instances) -> Conditions:
    words = Phrases(goal)
    count = len(found.targets)
    yield f"{words.whole} is sliced", count >= 1
    if goal.type is TaskType.TWO:
        yield f"there are two slices of {words.kind}", count >= 2


def _treatment(kind: TaskType, marks: Marks) -> tuple[str, frozenset[str]]:
    return {
        TaskType.HEAT: ("heated", marks.heated),
        TaskType.COOL: ("cooled", marks.cooled),
        TaskType.CLEAN: ("cleaned", marks.cleaned),
    }[kind]


_CONDITIONS: Mapping[TaskType, Callable[[Goal, Instances, House, Marks], Conditions]] = {
    TaskType.SIMPLE: _simple,
    TaskType.TWO: _two,
    TaskType.LOOK: _look,
    TaskType.CLEAN: _treated,
    TaskType.HEAT: _treated,
    TaskType.COOL: _treated,
    TaskType.MOVABLE: _movable,
}
