"""Tasks of all seven types in floor plans of which no trajectory is at hand: things are shuffled
among the receptacles, and a goal is drawn from what the room has."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.builtin.goals import (
    CLEANABLE,
    COOLABLE,
    HEATABLE,
    LAMPS,
    MOVABLES,
    PARENTS,
    may_hold,
)
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import PICKABLE, SLICEABLE
from env_service.suites.alfred.task import (
    AgentStart,
    AlfredTask,
    Goal,
    ObjectPose,
    SceneSetup,
    TaskType,
)
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject
from env_service.worlds.ai2thor_api.world_registry import open_world

_CHANGED = {
    TaskType.HEAT: (HEATABLE, "Microwave"),
    TaskType.COOL: (COOLABLE, "Fridge"),
    TaskType.CLEAN: (CLEANABLE, "SinkBasin"),
}

OPEN = 0.7
"""The share of tasks in which nothing is shut in."""

HIGHEST = 1.9
"""Metres: what lies higher, as on top of wall cabinets, is out of sight."""

WALLED = ("Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "Microwave", "Mug", "Pot", "Safe")


def room_tasks(scenes: Sequence[str], count: int, seed: int) -> Iterator[AlfredTask]:
    """So many tasks in each of the scenes. Equal arguments give equal tasks."""
    share_floor_plans()
    for scene in scenes:
        source = random.Random(f"{scene} {seed}")
        for number in range(count):
            yield _task(scene, number, source)


def _task(scene: str, number: int, source: random.Random) -> AlfredTask:
    world = open_world("household", scene, thor_start())
    try:
        while True:
            world.step(
                "InitialRandomSpawn",
                randomSeed=source.randrange(10**6),
                forceVisible=source.random() < OPEN,
                numPlacementAttempts=5,
                placeStationary=True,
            )
            house = AlfredView(world.last_event.metadata)
            goals = list(_goals(house))
            types = sorted({each.type.value for each in goals})
            if types:
                break
        chosen = source.choice(types)
        goal = source.choice([each for each in goals if each.type.value == chosen])
        return AlfredTask(f"{scene}-{number}", goal, _setup(scene, world, house, goal, source))
    finally:
        world.stop()


def _setup(
    scene: str, world: ThorController, house: AlfredView, goal: Goal, source: random.Random
) -> SceneSetup:
    poses = tuple(
        ObjectPose(each["name"], Point.read(each["position"]), Point.read(each["rotation"]))
        for each in house.objects
        if each["pickupable"]
    )
    places = world.step("GetReachablePositions").metadata["actionReturn"]
    return SceneSetup(
        scene=scene,
        poses=poses,
        toggles=((goal.toggle, False),) if goal.toggle else (),
        dirty_and_empty=goal.type is TaskType.CLEAN,
        agent=AgentStart(Point.read(source.choice(places)), source.choice((0, 90, 180, 270)), 30),
    )


def _goals(house: AlfredView) -> Iterator[Goal]:
    low = [each for each in house.objects if each["position"]["y"] < HIGHEST]
    there = sorted({each["objectType"] for each in low}.intersection(PICKABLE))
    parents = [each for each in PARENTS if house.of_type(each)]
    for kind in there:
        sliced = (False, True) if kind in SLICEABLE else (False,)
        for lamp in LAMPS:
            if house.of_type(lamp):
                yield Goal(TaskType.LOOK, kind, toggle=lamp)
        for parent in parents:
            if not _goes_in(house, kind, parent) or _is_there(house, kind, parent):
                continue
            if parent in may_hold(kind):
                for each in sliced:
                    yield from _carried(house, Goal(TaskType.SIMPLE, kind, parent, sliced=each))
        for movable in MOVABLES:
            if movable != kind and movable in may_hold(kind) and _goes_in(house, kind, movable):
                for parent in parents:
                    stays = _is_there(house, movable, parent)
                    if parent in may_hold(movable) and _goes_in(house, movable, parent) > stays:
                        yield Goal(TaskType.MOVABLE, kind, parent, movable)


def _carried(house: AlfredView, goal: Goal) -> Iterator[Goal]:
    if not goal.sliced:
        yield goal
    if len(house.of_type(goal.object)) > 1 or goal.sliced:
        yield Goal(TaskType.TWO, goal.object, goal.parent, sliced=goal.sliced)
    name = f"{goal.object}Sliced" if goal.sliced else goal.object
    for kind, (able, station) in _CHANGED.items():
        if name in able and house.of_type(station) and goal.parent != station:
            yield Goal(kind, goal.object, goal.parent, sliced=goal.sliced)


def _goes_in(house: AlfredView, kind: str, holder: str) -> bool:
    """Whether some receptacle of a type has walls at least as high and as far apart as the thing.
    Receptacles without walls are not asked."""
    if holder not in WALLED:
        return bool(house.of_type(holder))
    things, holders = house.of_type(kind), house.of_type(holder)
    return any(
        all(a < b for a, b in zip(_size(each), _size(outer), strict=True))
        for each in things
        for outer in holders
    )


def _size(item: ThorObject) -> tuple[float, float, float]:
    """Height, then the longer and the shorter side."""
    size = item["axisAlignedBoundingBox"]["size"]
    return (size["y"], max(size["x"], size["z"]), min(size["x"], size["z"]))


def _is_there(house: AlfredView, kind: str, parent: str) -> bool:
    return any(
        holder["objectType"] == parent
        for each in house.of_type(kind)
        for holder in house.parents(each)
    )
