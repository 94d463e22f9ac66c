"""A house as far as a log tells of it: what the goal and the steps name is there, but for what
could not be found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from env_service.suites.alfred.house import House
from env_service.suites.alfred.judging.lexicon import types_of_words
from env_service.suites.alfred.judging.lexicon_nouns import PLACES
from env_service.suites.alfred.names import (
    BASINS,
    OPENABLE,
    PICKABLE,
    RECEPTACLES,
    SLICEABLE,
    SWITCHABLE,
)
from env_service.suites.alfred.skills.step import Cause, StepRecord
from env_service.suites.alfred.task import Goal, TaskType

_ALWAYS = ("CounterTop", "Sink", "Faucet")


def imagined_house(goal: Goal, records: Sequence[StepRecord]) -> tuple[House, frozenset[str]]:
    """The house, and the ids of what nobody knows whether it is open."""
    wanted = [goal.object, goal.parent, goal.movable, goal.toggle]
    kinds = {each.removesuffix("Basin") for each in wanted if each}
    kinds |= set(_ALWAYS) | set(_named(records)) - set(_missed(records, kinds))
    twice = goal.object if goal.type is TaskType.TWO and not goal.sliced else ""
    objects = [
        each for kind in sorted(kinds) for each in _instances(kind, 2 if kind == twice else 1)
    ]
    unsure = frozenset(each["objectId"] for each in objects if each["openable"])
    return House({"objects": objects, "inventoryObjects": []}), unsure


def _named(records: Sequence[StepRecord]) -> Iterator[str]:
    for each in records:
        if each.step is not None and each.step.object:
            yield each.step.object
        elif each.step is None:
            known = types_of_words(each.said) & {*PICKABLE, *RECEPTACLES, *PLACES}
            yield from (kind.removesuffix("Basin") for kind in known if kind in RECEPTACLES)


def _missed(records: Sequence[StepRecord], wanted: set[str]) -> Iterator[str]:
    """What was looked for by its own name and is not there. What the goal wants is there, whatever
    a log says."""
    for each in records:
        absent = each.result.cause is Cause.NO_SUCH_OBJECT and each.step is not None
        if absent and each.step is not None and each.step.object not in wanted:
            yield each.step.object


def _instances(kind: str, count: int) -> Iterator[Mapping[str, Any]]:
    for number in range(count):
        name = f"{kind}|{number}"
        yield _object(name, kind)
        if kind in BASINS:
            yield _object(f"{name}|{BASINS[kind]}", BASINS[kind])


def _object(name: str, kind: str) -> Mapping[str, Any]:
    whole = kind.removesuffix("Basin")
    return {
        "objectId": name,
        "objectType": kind,
        "pickupable": kind in PICKABLE,
        "receptacle": kind not in BASINS and whole in RECEPTACLES,
        "openable": kind in OPENABLE,
        "isOpen": False,
        "toggleable": kind in SWITCHABLE,
        "isToggled": False,
        "sliceable": kind in SLICEABLE,
        "isSliced": False,
        "visible": True,
        "receptacleObjectIds": [],
        "parentReceptacles": [],
    }
