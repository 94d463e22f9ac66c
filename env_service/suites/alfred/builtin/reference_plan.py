"""A plan for a built-in task, from its goal alone."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.alfred.object_words import BASINS
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import Goal, TaskType

_DOORS = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})

_WHOLES = {part: whole for whole, part in BASINS.items()}

_Steps = Iterator[SkillStep]


def reference_plan(goal: Goal, source: str) -> tuple[str, ...]:
    """Skill strings, without "done".

    Args:
        source: the closed receptacle that the object starts in; empty if it starts in none.
    """
    return tuple(skill_text(each) for each in _plan(goal, source))


def _plan(goal: Goal, source: str) -> _Steps:
    """What is in the fridge already is cooled there: a fridge cools when it is closed."""
    if goal.type is TaskType.COOL and source == "Fridge":
        yield from _find(source, Verb.OPEN)
        if goal.sliced:
            yield from _find(goal.object, Verb.SLICE)
        yield SkillStep(Verb.CLOSE, source)
        yield from _take_out(goal.object, source)
    else:
        yield from _fetch(goal.object, source, cut=goal.sliced)
    match goal.type:
        case TaskType.LOOK:
            yield from _find(goal.toggle, Verb.TURN_ON)
            return
        case TaskType.HEAT:
            yield from _heat(goal.object)
        case TaskType.COOL if source != "Fridge":
            yield from _cool(goal.object)
        case TaskType.CLEAN:
            yield from _clean(goal.object)
        case TaskType.MOVABLE:
            yield from _put(goal.object, goal.movable)
            yield SkillStep(Verb.PICK_UP, goal.movable)
            yield from _put(goal.movable, goal.parent)
            return
    yield from _put(goal.object, goal.parent)
    if goal.type is TaskType.TWO:
        yield from _fetch(goal.object, source)
        yield from _put(goal.object, goal.parent)


def _fetch(kind: str, source: str, *, cut: bool = False) -> _Steps:
    if source:
        yield from _find(source, Verb.OPEN)
    yield SkillStep(Verb.FIND, kind)
    if cut:
        yield SkillStep(Verb.SLICE, kind)
    yield SkillStep(Verb.PICK_UP, kind)
    if source:
        yield SkillStep(Verb.CLOSE, source)


def _find(kind: str, then: Verb) -> _Steps:
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(then, kind)


def _put(kind: str, parent: str) -> _Steps:
    place = _WHOLES.get(parent, parent)
    yield SkillStep(Verb.FIND, place)
    if place in _DOORS:
        yield SkillStep(Verb.OPEN, place)
    yield SkillStep(Verb.PUT_DOWN, kind)
    if place in _DOORS:
        yield SkillStep(Verb.CLOSE, place)


def _heat(kind: str) -> _Steps:
    yield from _put(kind, "Microwave")
    yield SkillStep(Verb.TURN_ON, "Microwave")
    yield SkillStep(Verb.TURN_OFF, "Microwave")
    yield from _take_out(kind, "Microwave")


def _cool(kind: str) -> _Steps:
    yield from _put(kind, "Fridge")
    yield from _take_out(kind, "Fridge")


def _take_out(kind: str, appliance: str) -> _Steps:
    yield SkillStep(Verb.OPEN, appliance)
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(Verb.PICK_UP, kind)
    yield SkillStep(Verb.CLOSE, appliance)


def _clean(kind: str) -> _Steps:
    yield from _put(kind, "Sink")
    yield SkillStep(Verb.TURN_ON, "Faucet")
    yield SkillStep(Verb.TURN_OFF, "Faucet")
    yield SkillStep(Verb.FIND, kind)
    yield SkillStep(Verb.PICK_UP, kind)
