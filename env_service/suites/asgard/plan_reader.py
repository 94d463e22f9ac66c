"""Reads plan.json of AsgardBench, stripped plans and full ones, and refuses goals that nothing
an agent does could meet.
"""

from __future__ import annotations

from typing import Any

from env_service.domain import data_node
from env_service.domain.data_node import DataError
from env_service.suites.asgard.object_types import compatible, object_tables, whole_type
from env_service.suites.asgard.plan import (
    AsgardPlan,
    ContentsGoal,
    EventGoal,
    Goal,
    InitialPose,
    LocationGoal,
    Placement,
    PlanName,
    PutAwayGoal,
    RequiredEvent,
    Selection,
    SetupAction,
    SetupKind,
    State,
    StateGoal,
    read_name,
)
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.object_types import Trait, object_types

MOST_STEPS = 10_000
"""Of a solution. The longest published one has 107."""

LARGEST_SEED = 2**31 - 1
"""AI2-THOR's seeds are of 32 bits, with a sign."""

_UNUSED = ("secondary_names", "secondary_types", "preferred_name", "all")


def read_plan(data: Any, source: str) -> AsgardPlan:
    """A plan from its JSON. Raises PlanError, which says what is wrong and where."""
    plan = PlanNode(data, source)
    name, scene = plan["name"], plan["scene"].text()
    said = _said(name)
    if said.scene != scene:
        raise name.error(f"says {said.scene}, but the scene is {scene}")
    setup = plan["object_setup"]
    shaken = plan["randomization"]
    for key in ("error_injection", "fail_action"):
        if key in shaken:
            shaken[key].absent()
    steps, pose = _length(plan)
    return AsgardPlan(
        name=name.text(),
        family=said.family,
        conditions=said.conditions,
        scene=scene,
        description=plan["task_description"].text(),
        setup_actions=tuple(map(_setup_action, plan["setup_actions"].items())),
        targets=_placement(setup["target_setup"]),
        distractors=tuple(map(_placement, setup["distractor_setups"].items())),
        employed_types=setup["employed_types"].texts() if "employed_types" in setup else (),
        goals=read_goals(plan["goal"]),
        seed=shaken["seed"].whole(0, LARGEST_SEED),
        step_count=steps,
        initial_pose=pose,
    )


def _said(name: PlanNode) -> PlanName:
    try:
        return read_name(name.text())
    except PlanError:
        raise
    except ValueError as error:
        raise name.error(f"{name.value!r} {error}") from error


def _length(plan: PlanNode) -> tuple[int, InitialPose | None]:
    # A full plan lists its steps; only a stripped one gives their number and starting pose.
    if "steps" in plan:
        steps = plan["steps"]
        if not steps.items():
            raise steps.error("is empty; a full plan has at least one step")
        return len(steps.items()), None
    return plan["step_count"].whole(1, MOST_STEPS), _pose(plan["initial_pose"])


def _pose(pose: PlanNode) -> InitialPose:
    position = pose["position"]
    return InitialPose(
        position=Point(*(position[axis].number() for axis in "xyz")),
        yaw=pose["rotation"].number(),
        horizon=pose["horizon"].number(),
        standing=pose["isStanding"].flag(),
    )


def _setup_action(action: PlanNode) -> SetupAction:
    kind = SetupKind(action["action"].one_of("setup action", SetupKind))
    name = action["object_name"].text()
    argument = action.optional("argument")
    if kind is SetupKind.FILL:
        liquid = action["argument"].one_of("liquid", object_tables().liquids)
        return SetupAction(kind, name, liquid)
    if argument is not None:
        raise argument.error(f"is {argument.value!r}, but {kind} takes no argument")
    return SetupAction(kind, name)


def _placement(setup: PlanNode) -> Placement:
    containers = setup.optional("container_specifier")
    return Placement(
        objects=_selection(setup["object_specifier"]),
        containers=_selection(containers) if containers else None,
    )


def _selection(specifier: PlanNode) -> Selection:
    for key in _UNUSED:
        if key in specifier:
            specifier[key].absent()
    found = Selection(
        types=_types(specifier),
        classes=_listed(specifier, "classes"),
        names=_listed(specifier, "names"),
    )
    if found == Selection():
        raise specifier.error("selects nothing: types, classes and names are all empty")
    return found


def _types(specifier: PlanNode) -> tuple[str, ...]:
    listed = specifier.optional("types")
    kinds = object_types()
    return tuple(each.one_of("object type", kinds) for each in listed.items()) if listed else ()


def _listed(specifier: PlanNode, key: str) -> tuple[str, ...]:
    listed = specifier.optional(key)
    return listed.texts() if listed else ()


# --- Reads a plan's goals, and refuses those that nothing an agent does could meet

_TRAITS = {
    State.TOGGLED: Trait.TOGGLEABLE,
    State.OPEN: Trait.OPENABLE,
    State.DIRTY: Trait.DIRTYABLE,
    State.COOKED: Trait.COOKABLE,
    State.FILLED: Trait.FILLABLE,
}


def read_goals(goal: PlanNode) -> tuple[Goal, ...]:
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


def _type(node: PlanNode) -> str:
    return node.one_of("object type", object_types())


def _location(node: PlanNode) -> LocationGoal:
    goal = LocationGoal(_type(node["object_type"]), _type(node["destination_type"]))
    if not compatible(goal.object_type, goal.destination_type):
        raise node.error(f"is impossible: {goal.object_type} cannot go to {goal.destination_type}")
    return goal


def _state(node: PlanNode) -> StateGoal:
    kind = _type(node["object_type"])
    state = State(node["state"].one_of("state", State))
    carrier = object_tables().slices.get(kind, kind) if state is State.COOKED else kind
    if not any(_can(each, _TRAITS[state]) for each in (kind, carrier)):
        raise node.error(f"is impossible: {kind} never changes its {state}")
    return StateGoal(kind, state, node["value"].flag())


def _can(kind: str, trait: Trait) -> bool:
    # A piece of food has what its whole has, if AI2-THOR's table is silent on it.
    kinds = (object_types()[each] for each in (kind, whole_type(kind)) if each is not None)
    return any(trait in each.traits | each.sometimes for each in kinds)


def _put_away(node: PlanNode) -> PutAwayGoal:
    kind = _type(node["object_type"])
    if kind not in object_tables().first_homes:
        raise node.error(f"is impossible: nothing says where {kind} belongs")
    return PutAwayGoal(kind)


def _deeds(node: PlanNode) -> list[EventGoal]:
    for name in node.mapping():
        wanted = node[name]
        PlanNode(name, node.source, node.where).one_of("action goal", RequiredEvent)
        if not wanted.flag():
            raise wanted.error("is false; only what is to be done can be a goal")
    return [EventGoal(RequiredEvent(name)) for name in node.mapping()]


def _contents(node: PlanNode) -> ContentsGoal:
    kind, listed = _type(node["container_type"]), node["contents"].items()
    if not listed:
        raise node["contents"].error("is empty; a contents goal names at least one type")
    contents = tuple(_type(each) for each in listed)
    for each in contents:
        if not compatible(each, kind):
            raise node.error(f"is impossible: {each} cannot go to {kind}")
    return ContentsGoal(kind, contents)


def _refuse_contradictions(goal: PlanNode, goals: list[Goal]) -> None:
    wanted: dict[tuple[str, State], bool] = {}
    for each in goals:
        if isinstance(each, StateGoal):
            key = (each.object_type, each.state)
            if wanted.setdefault(key, each.value) is not each.value:
                raise goal["state_goals"].error(
                    f"is impossible: {each.object_type} is to be {each.state} and also not"
                )


# --- Reading a plan's JSON, with errors that say where


class PlanError(DataError):
    """A plan cannot be read. ``source`` is its file or name, ``where`` the place in it."""


def load_plan_json(text: str | bytes, source: str) -> Any:
    """The value of a text in JSON. Raises PlanError if the text is not JSON."""
    return data_node.load_json(text, source, PlanError).value


class PlanNode(data_node.DataNode):
    """A value of a plan, with its path for error messages. Every method raises PlanError."""

    __slots__ = ()

    def __init__(
        self, value: Any, source: str, where: str = "", kind: type[DataError] = PlanError
    ) -> None:
        super().__init__(value, source, where, kind)

    def texts(self) -> tuple[str, ...]:
        """As a list of texts; null is an empty one."""
        return () if self.value is None else super().texts()

    def absent(self) -> None:
        """As null, false or empty: what cannot be played must not be asked for."""
        if self.value:
            raise self.error(f"is {self.value!r:.60}, which is not supported; it has to be null")
