"""Whether one goal holds, kind by kind (spec section 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from env_service.suites.asgard.plan import (
    ContentsGoal,
    Deed,
    DeedGoal,
    Goal,
    LocationGoal,
    PutAwayGoal,
    State,
    StateGoal,
)
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.view import HouseView, ThorObject
from env_service.worlds.thor.geometry import Extent


def is_met(goal: Goal, view: HouseView, deeds: Collection[Deed], rules: Rules) -> bool:
    """Whether the goal holds now. A goal on a type of which there is no object does not."""
    match goal:
        case LocationGoal():
            return any(
                _lies_there(goal, view, each, rules) for each in view.of_type(goal.object_type)
            )
        case StateGoal():
            return _has_state(goal, view, rules)
        case PutAwayGoal():
            found = _looked_at(view.of_type(goal.object_type), rules)
            return bool(found) and all(_is_home(view, each, rules) for each in found)
        case DeedGoal():
            return goal.deed in deeds
        case ContentsGoal():
            found = _looked_at(view.of_type(goal.container_type), rules)
            return any(_holds_just(view, each, goal.contents) for each in found)


def serves_location_goal(item: ThorObject, view: HouseView, goals: Iterable[Goal]) -> bool:
    """Whether the object is what some location goal asks for, where it asks for it: such objects
    are locked under ``Rules.goal_locked_objects`` (spec section 2.2)."""
    wanted = {
        goal.destination_type
        for goal in goals
        if isinstance(goal, LocationGoal) and goal.object_type == item["objectType"]
    }
    container = view.container(item) if wanted else None
    return container is not None and container["objectType"] in wanted


def homes(object_type: str, rules: Rules) -> frozenset[str]:
    """The types that the object is put away in or on."""
    known = tables()
    if not rules.pots_and_cups_anywhere and object_type in known.paper_homes:
        return frozenset(known.paper_homes[object_type])
    first, second = known.first_homes, known.second_homes
    return frozenset((*first.get(object_type, ()), *second.get(object_type, ())))


def _looked_at(found: Sequence[ThorObject], rules: Rules) -> Sequence[ThorObject]:
    return found[:1] if rules.first_instance_only else found


def _lies_there(goal: LocationGoal, view: HouseView, item: ThorObject, rules: Rules) -> bool:
    if view.is_held(item) and not rules.held_counts_as_placed:
        return False
    container = view.container(item)
    if container is not None and container["objectType"] == goal.destination_type:
        return True
    return any(_rests_in(item, each) for each in view.of_type(goal.destination_type))


def _rests_in(item: ThorObject, destination: ThorObject) -> bool:
    # AI2-THOR's containment is unreliable: the places of the two decide as well.
    own, other = Extent(item), Extent(destination)
    reach = max(own.height, other.height)
    return abs(own.center.y - other.center.y) <= reach and other.covers(own.center)


def _has_state(goal: StateGoal, view: HouseView, rules: Rules) -> bool:
    kind, key = goal.object_type, goal.state.value
    if goal.state is State.COOKED and (pieces := _cooked_pieces(kind, view, rules)) is not None:
        return any(each[key] is goal.value for each in pieces)
    found = _looked_at(view.of_type(kind), rules)
    return bool(found) and all(each[key] is goal.value for each in found)


def _cooked_pieces(kind: str, view: HouseView, rules: Rules) -> Sequence[ThorObject] | None:
    """What to look at instead of the whole: any piece will do. None: the whole itself."""
    if kind == "Egg":
        return _looked_at(view.of_type("EggCracked"), rules)
    if kind == "Bread":
        return view.of_type("BreadSliced")
    return view.of_type(kind) if kind == "PotatoSliced" else None


def _is_home(view: HouseView, item: ThorObject, rules: Rules) -> bool:
    container = view.container(item)
    places = view.surface_types(item) | ({container["objectType"]} if container else set())
    return bool(places & homes(item["objectType"], rules))


def _holds_just(view: HouseView, container: ThorObject, wanted: tuple[str, ...]) -> bool:
    inside = view.contents(container)
    # A slice on a plate is on the table, whether or not AI2-THOR says so of it.
    nested = [each for dish in inside for each in view.contents(dish)]
    there = {each["objectType"] for each in (*inside, *nested)}
    others = [each for each in inside if each["pickupable"] and each["objectType"] not in wanted]
    return there.issuperset(wanted) and not others
