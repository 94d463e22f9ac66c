"""High-level plans as text: the goal of a plan, and a plan of skills in that form."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from env_service.suites.alfred.dataset.trajectories import (
    LAMPS,
    MOVABLE,
    HighAction,
    action_sequence,
)
from env_service.suites.alfred.object_words import ALL, BASINS
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.task import Goal, TaskType

_TYPES: Mapping[str, str] = {each.lower(): each for each in (*ALL, *BASINS.values())}
_ACTION = re.compile(r"\s*(\d+)\.\s*(\w+)\s*(?:\(([^()]*)\))?\s*\.?\s*")
_BETWEEN = re.compile(r",(?=\s*\d+\.)")
_APPLIANCES: Mapping[str, tuple[Verb, str, str]] = {
    "Microwave": (Verb.TURN_ON, "Microwave", "HeatObject"),
    "Fridge": (Verb.CLOSE, "Fridge", "CoolObject"),
    "Sink": (Verb.TURN_ON, "Faucet", "CleanObject"),
}
"""By appliance: the skill that changes what is in it, and what plans call that
(docs/alfred-rules.md, "Skills")."""


class SequenceError(ValueError):
    """A text is not a high-level plan, or not one of the task type. The message says where."""


def read_sequence(text: str) -> tuple[HighAction, ...]:
    """The actions of a plan as text: "1. GotoLocation(shelf), 2. …, 7. Done." (docs/alfred.md,
    "Task").

    Raises:
        SequenceError: an action is not of this form, or the numbers are not 1, 2, 3, ….
    """
    actions = []
    for place, part in enumerate(_BETWEEN.split(text), 1):
        found = _ACTION.fullmatch(part)
        if not found or int(found[1][:6]) != place:
            raise SequenceError(
                f"action {place} is {part.strip()[:60]!r}; it has to be like"
                f" '{place}. PutObject(mug,shelf)'"
            )
        arguments = tuple(each.strip() for each in (found[3] or "").split(",") if each.strip())
        actions.append(HighAction(found[2], arguments))
    return tuple(actions)


def goal_of(kind: TaskType, text: str) -> Goal:
    """The goal that a plan as text leads to, for a task of that type.

    Raises:
        SequenceError: the text is not a plan, or lacks what such a task needs.
    """
    actions = read_sequence(text)
    sliced = {each.arguments[0] for each in actions if _is(each, "SliceObject", 1)}
    if kind is TaskType.LOOK:
        thing = _last(actions, "PickupObject", 1, kind).arguments[0]
        lamp = _last(actions, "ToggleObject", 1, kind).arguments[0]
        return Goal(kind, type_named(thing), toggle=type_named(lamp), sliced=thing in sliced)
    if kind is TaskType.MOVABLE:
        return _movable_goal(actions, sliced)
    thing, parent = _last(actions, "PutObject", 2, kind).arguments
    return Goal(kind, type_named(thing), type_named(parent), sliced=thing in sliced)


def _movable_goal(actions: Sequence[HighAction], sliced: Collection[str]) -> Goal:
    """What is filled may be brought to its place before or after, or be filled from the start: then
    the plan does not tell with what, and the goal's object is empty."""
    kind = TaskType.MOVABLE
    puts = [each.arguments for each in actions if _is(each, "PutObject", 2)]
    filled = [each for each in puts if type_named(each[1]) in MOVABLE]
    thing, movable = (
        filled[-1] if filled else ("", _last(actions, "PutObject", 2, kind).arguments[0])
    )
    brought = [each for each in puts if each[0] == movable]
    if not brought:
        raise SequenceError(f"{movable} is put nowhere, which a task of type {kind.value} needs")
    return Goal(
        kind,
        type_named(thing) if thing else "",
        type_named(brought[-1][1]),
        type_named(movable),
        sliced=thing in sliced,
    )


def type_named(argument: str) -> str:
    """The object type that a plan's argument means: "SinkBasin" for "sinkbasin"; an unknown word
    itself, capitalised."""
    return _TYPES.get(argument.lower(), argument.capitalize())


def sequence_of(steps: Sequence[SkillStep]) -> str:
    """A plan of skills as a high-level plan: walking, picking up, putting, slicing, lamps. Doors
    and steps at an appliance become one HeatObject, CoolObject or CleanObject."""
    walked: list[HighAction] = []
    here = ""
    for there, action in _high(steps):
        if there != here:
            walked.append(HighAction("GotoLocation", (there.lower(),)))
            here = there
        walked.append(action)
    return action_sequence([*walked, HighAction("NoOp")])


def _high(steps: Sequence[SkillStep]) -> Iterator[tuple[str, HighAction]]:
    """Where each action of the high-level plan takes place, and the action."""
    held, place, opened, treated = "", "", "", ""
    for number, step in enumerate(steps):
        used = step.object
        if step.verb is Verb.FIND:
            place = used
        elif step.verb is Verb.OPEN:
            opened = used
        elif step.verb is Verb.PICK_UP:
            held = used
            if treated != held:
                yield opened or used, _action("PickupObject", used)
            treated = opened = ""
        elif step.verb is Verb.PUT_DOWN:
            held, there = held or used, BASINS.get(place, place)
            treatment = _treatment(steps[number + 1 :], place, held)
            if treatment:
                treated = held
                yield there, _action(treatment, held)
            else:
                yield there, _action("PutObject", held, there)
            held = opened = ""
        elif step.verb is Verb.SLICE:
            yield used, _action("SliceObject", used)
        elif step.verb is Verb.TURN_ON and used in LAMPS:
            yield used, _action("ToggleObject", used)


def _action(name: str, *types: str) -> HighAction:
    return HighAction(name, tuple(each.lower() for each in types))


def _treatment(rest: Sequence[SkillStep], place: str, held: str) -> str:
    """What becomes of a thing that was just put into an appliance and is taken out again; empty:
    nothing."""
    if place not in _APPLIANCES:
        return ""
    verb, used, name = _APPLIANCES[place]
    until = next((n for n, each in enumerate(rest) if each.verb is Verb.PICK_UP), -1)
    if until < 0 or rest[until].object != held:
        return ""
    return name if SkillStep(verb, used) in rest[:until] else ""


def _is(action: HighAction, name: str, arguments: int) -> bool:
    return action.name == name and len(action.arguments) == arguments


def _last(actions: Sequence[HighAction], name: str, arguments: int, kind: TaskType) -> HighAction:
    found = [each for each in actions if _is(each, name, arguments)]
    if not found:
        raise SequenceError(
            f"it has no {name} with {arguments} argument{'s' if arguments > 1 else ''}, which a"
            f" task of type {kind.value} needs"
        )
    return found[-1]
