"""What the release says that each scene holds (spec section 1.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.asgard.node import PlanError
from env_service.suites.asgard.plan import (
    AsgardPlan,
    ContentsGoal,
    DeedGoal,
    Goal,
    LocationGoal,
)
from env_service.suites.asgard.vocabulary import available_objects


@dataclass(frozen=True, slots=True)
class SceneItems:
    """One scene. ``types`` has those that slicing makes, too; ``names`` are AI2-THOR's, such as
    Mug_e7fad100."""

    types: frozenset[str]
    names: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The words for objects that an agent is shown, whatever is really there."""
        return available_objects(self.types)


ItemCache = Mapping[str, SceneItems]
"""By scene, such as FloorPlan13."""


def read_item_cache(text: str | bytes) -> ItemCache:
    """From the text of the release's item_cache.json. Raises ValueError for one that is no such."""
    try:
        cache = json.loads(text)
        types, names = cache["types"], cache["names"]
        return {
            scene: SceneItems(frozenset(types[scene]), frozenset(names[scene])) for scene in types
        }
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise ValueError(
            "the item cache is no JSON object with lists of types and of names by scene under"
            ' "types" and "names"'
        ) from error


def check_room(plan: AsgardPlan, items: SceneItems, source: str) -> None:
    """Raises PlanError where a plan needs what its scene does not have: an object to set up, or
    one that a goal is about."""
    for place, action in enumerate(plan.setup_actions):
        if action.object_name not in items.names:
            where = f"setup_actions[{place}].object_name"
            raise PlanError(source, where, _nameless(action.object_name, plan.scene, items))
    for goal in plan.goals:
        for kind in _types(goal):
            if kind not in items.types:
                problem = f"is impossible: there is no {kind} in {plan.scene}"
                raise PlanError(source, f"goal ({type(goal).__name__})", problem)


def _nameless(name: str, scene: str, items: SceneItems) -> str:
    kind = name.partition("_")[0]
    alike = sorted(each for each in items.names if each.partition("_")[0] == kind)
    return f"there is no {name} in {scene}; of {kind} it has {', '.join(alike) or 'none'}"


def _types(goal: Goal) -> tuple[str, ...]:
    match goal:
        case DeedGoal():
            return ()
        case LocationGoal():
            return goal.object_type, goal.destination_type
        case ContentsGoal():
            return goal.container_type, *goal.contents
        case _:
            return (goal.object_type,)
