"""Reads plan.json of AsgardBench (spec section 1.2): stripped plans, and full ones."""

from __future__ import annotations

from typing import Any

from env_service.suites.asgard.goal_reading import read_goals
from env_service.suites.asgard.node import Node, PlanError
from env_service.suites.asgard.plan import (
    AsgardPlan,
    InitialPose,
    Placement,
    Selection,
    SetupAction,
    SetupKind,
)
from env_service.suites.asgard.plan_names import PlanName, read_name
from env_service.suites.asgard.tables import tables
from env_service.worlds.thor.geometry import Point
from env_service.worlds.thor.object_types import object_types

MOST_STEPS = 10_000
"""Of a solution. The longest published one has 107."""

LARGEST_SEED = 2**31 - 1
"""AI2-THOR's seeds are of 32 bits, with a sign."""

_UNUSED = ("secondary_names", "secondary_types", "preferred_name", "all")


def read_plan(data: Any, source: str) -> AsgardPlan:
    """A plan from its JSON. Raises PlanError, which says what is wrong and where."""
    plan = Node(data, source)
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


def _said(name: Node) -> PlanName:
    try:
        return read_name(name.text())
    except PlanError:
        raise
    except ValueError as error:
        raise name.error(f"{name.value!r} {error}") from error


def _length(plan: Node) -> tuple[int, InitialPose | None]:
    # A full plan lists its steps; only a stripped one counts them and tells where they began.
    if "steps" in plan:
        steps = plan["steps"]
        if not steps.items():
            raise steps.error("is empty; a full plan has at least one step")
        return len(steps.items()), None
    return plan["step_count"].whole(1, MOST_STEPS), _pose(plan["initial_pose"])


def _pose(pose: Node) -> InitialPose:
    position = pose["position"]
    return InitialPose(
        position=Point(*(position[axis].number() for axis in "xyz")),
        yaw=pose["rotation"].number(),
        horizon=pose["horizon"].number(),
        standing=pose["isStanding"].flag(),
    )


def _setup_action(action: Node) -> SetupAction:
    kind = SetupKind(action["action"].one_of("setup action", SetupKind))
    name = action["object_name"].text()
    argument = action.optional("argument")
    if kind is SetupKind.FILL:
        liquid = action["argument"].one_of("liquid", tables().liquids)
        return SetupAction(kind, name, liquid)
    if argument is not None:
        raise argument.error(f"is {argument.value!r}, but {kind} takes no argument")
    return SetupAction(kind, name)


def _placement(setup: Node) -> Placement:
    containers = setup.optional("container_specifier")
    return Placement(
        objects=_selection(setup["object_specifier"]),
        containers=_selection(containers) if containers else None,
    )


def _selection(specifier: Node) -> Selection:
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


def _types(specifier: Node) -> tuple[str, ...]:
    listed = specifier.optional("types")
    kinds = object_types()
    return tuple(each.one_of("object type", kinds) for each in listed.items()) if listed else ()


def _listed(specifier: Node, key: str) -> tuple[str, ...]:
    listed = specifier.optional(key)
    return listed.texts() if listed else ()
