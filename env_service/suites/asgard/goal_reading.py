"""Reads a plan's goals, and refuses those that nothing an agent does could meet."""

from __future__ import annotations

from env_service.suites.asgard.node import Node
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
from env_service.suites.asgard.tables import compatible, tables, whole_type
from env_service.worlds.thor.object_types import Trait, object_types

_TRAITS = {
    State.TOGGLED: Trait.TOGGLEABLE,
    State.OPEN: Trait.OPENABLE,
    State.DIRTY: Trait.DIRTYABLE,
    State.COOKED: Trait.COOKABLE,
    State.FILLED: Trait.FILLABLE,
}


def read_goals(goal: Node) -> tuple[Goal, ...]:
    """All goals, in the order of kinds that `AsgardPlan` states. Outcomes are not read: they are
    left over from when the plan was made. Raises PlanError."""
    goals: list[Goal] = [
        *map(_location, goal["location_goals"].items()),
        *map(_state, goal["state_goals"].items()),
        *map(_put_away, goal["put_away_goals"].items()),
        *_deeds(goal["action_goals"]),
        *map(_contents, goal["contents_goals"].items()),
    ]
    if not goals:
        raise goal.error("has no goal of any kind, so nothing could be scored")
    _refuse_contradictions(goal, goals)
    return tuple(goals)


def _type(node: Node) -> str:
    return node.one_of("object type", object_types())


def _location(node: Node) -> LocationGoal:
    goal = LocationGoal(_type(node["object_type"]), _type(node["destination_type"]))
    if not compatible(goal.object_type, goal.destination_type):
        raise node.error(f"is impossible: {goal.object_type} cannot go to {goal.destination_type}")
    return goal


def _state(node: Node) -> StateGoal:
    kind = _type(node["object_type"])
    state = State(node["state"].one_of("state", State))
    carrier = tables().slices.get(kind, kind) if state is State.COOKED else kind
    if not any(_can(each, _TRAITS[state]) for each in (kind, carrier)):
        raise node.error(f"is impossible: {kind} never changes its {state}")
    return StateGoal(kind, state, node["value"].flag())


def _can(kind: str, trait: Trait) -> bool:
    # A piece of food has what its whole has, if AI2-THOR's table is silent on it.
    kinds = (object_types()[each] for each in (kind, whole_type(kind)) if each is not None)
    return any(trait in each.traits | each.sometimes for each in kinds)


def _put_away(node: Node) -> PutAwayGoal:
    kind = _type(node["object_type"])
    if kind not in tables().first_homes:
        raise node.error(f"is impossible: nothing says where {kind} belongs")
    return PutAwayGoal(kind)


def _deeds(node: Node) -> list[DeedGoal]:
    for name in node.mapping():
        wanted = node[name]
        Node(name, node.source, node.where).one_of("action goal", Deed)
        if not wanted.flag():
            raise wanted.error("is false; only what is to be done can be a goal")
    return [DeedGoal(Deed(name)) for name in node.mapping()]


def _contents(node: Node) -> ContentsGoal:
    kind, listed = _type(node["container_type"]), node["contents"].items()
    if not listed:
        raise node["contents"].error("is empty; a contents goal names at least one type")
    contents = tuple(_type(each) for each in listed)
    for each in contents:
        if not compatible(each, kind):
            raise node.error(f"is impossible: {each} cannot go to {kind}")
    return ContentsGoal(kind, contents)


def _refuse_contradictions(goal: Node, goals: list[Goal]) -> None:
    wanted: dict[tuple[str, State], bool] = {}
    for each in goals:
        if isinstance(each, StateGoal):
            key = (each.object_type, each.state)
            if wanted.setdefault(key, each.value) is not each.value:
                raise goal["state_goals"].error(
                    f"is impossible: {each.object_type} is to be {each.state} and also not"
                )
