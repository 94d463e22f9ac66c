"""Makes a room into the opening of a task: AsgardBench's start-up sequence (docs/asgard-rules.md,
"An episode").

The order of the calls decides AI2-THOR's random placement, so this module keeps it exactly.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.asgard.actions.body import HIGHEST, LOWEST
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import (
    AsgardPlan,
    InitialPose,
    Placement,
    Selection,
    SetupAction,
    SetupKind,
)
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent
from env_service.worlds.ai2thor_api.geometry import Point, distance
from env_service.worlds.ai2thor_api.metadata_view import ThorObject
from env_service.worlds.ai2thor_api.settling import Settled

ATTEMPTS = 10
"""InitialRandomSpawn's numPlacementAttempts."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the start-up did.

    Attributes:
        removed: names of the objects taken out of the room, in order.
        refused: setup actions that the world refused, with its messages.
        astray: metres between the plan's initial pose and the agent's position; more than 0
            only in a world where that pose is not free. None for a plan without a pose.
    """

    removed: tuple[str, ...]
    refused: tuple[str, ...]
    astray: float | None


def prepare(controller: ThorController, plan: AsgardPlan) -> Prepared:
    """Sets up a task in a room that was just opened (`open_world` with `start.thor_start`).

    Raises:
        WorldFault: the world broke, or could not place things or the agent (DATA_FAULT).
    """
    return _Setup(controller, plan).run()


def set_up(controller: ThorController, plan: AsgardPlan) -> float:
    """Calls `prepare`, and gives the agent's distance from the plan's pose, metres.

    Raises WorldFault, also if the world refuses a setup action: the task would be another without.
    """
    prepared = prepare(controller, plan)
    if prepared.refused:
        detail = f"{plan.name} cannot be set up in {plan.scene}: {'; '.join(prepared.refused)}"
        raise WorldFault(FaultClass.DATA_FAULT, detail)
    return prepared.astray or 0.0


class _Setup:
    """One start-up."""

    def __init__(self, controller: ThorController, plan: AsgardPlan) -> None:
        self._world, self._plan = Settled(controller), plan
        self._removed: list[str] = []
        self._refused: list[str] = []

    def run(self) -> Prepared:
        """The whole sequence."""
        self._disable(broken(self._view))
        self._disable(duplicates(self._view))
        self._world.step("Pass")
        self._turn()
        for placement in (self._plan.targets, *self._plan.distractors):
            self._spawn(placement, first=placement is self._plan.targets)
        targets = {each["objectId"] for each in selected(self._view, self._plan.targets.objects)}
        self._disable(list(in_the_way(self._view, targets)))
        for action in self._plan.setup_actions:
            self._act(action)
        silverware = Selection(classes=("Silverware",))
        self._spawn_on(silverware, frozenset(object_tables().silverware_surfaces))
        self._disable(self._view.of_type(NEVER_THERE))
        astray = self._go(self._plan.initial_pose)
        self._world.step("Pass")
        return Prepared(tuple(self._removed), tuple(self._refused), astray)

    @property
    def _view(self) -> AsgardView:
        return AsgardView(self._world.last_event.metadata)

    def _disable(self, items: Iterable[ThorObject]) -> None:
        for item in list(items):
            if self._world.step("DisableObject", objectId=item["objectId"]):
                self._removed.append(item["name"])

    def _turn(self) -> None:
        import numpy as np  # noqa: PLC0415 - lists of suites do without it

        # The legacy generator, as the released code draws its start direction from it.
        yaw = int(np.random.RandomState(self._plan.seed).randint(0, 360))
        agent = self._view.agent
        self._teleport(agent.position, yaw=yaw, horizon=agent.horizon, standing=True)

    def _spawn(self, placement: Placement, *, first: bool) -> None:
        allowed = object_tables().receptacles
        if placement.containers is not None:
            allowed = _types(placement.containers)
        elif first:
            allowed = allowed - object_tables().openable
        self._spawn_on(placement.objects, allowed)

    def _spawn_on(self, objects: Selection, allowed: frozenset[str]) -> None:
        view = self._view
        if view.by_name(BROKEN_SINK) is not None:
            allowed = allowed - {"SinkBasin"}
        moving = {each["objectId"] for each in selected(view, objects)}
        types = dict.fromkeys(each["objectType"] for each in view.objects)
        event = self._world.step(
            "InitialRandomSpawn",
            randomSeed=self._plan.seed,
            forceVisible=True,
            numPlacementAttempts=ATTEMPTS,
            placeStationary=True,
            excludedReceptacles=[kind for kind in types if kind not in allowed],
            excludedObjectIds=[
                each["objectId"] for each in view.objects if each["objectId"] not in moving
            ],
        )
        if not event:
            raise self._fault("its objects could not be placed", event)

    def _act(self, action: SetupAction) -> None:
        item = self._view.by_name(action.object_name)
        if item is None:
            self._refused.append(f"{action.kind} {action.object_name}: it is not in the room")
            return
        if action.kind is SetupKind.EMPTY and not item["isFilledWithLiquid"]:
            return
        name, given = _CALLS[action.kind], {"objectId": item["objectId"], "forceAction": True}
        if action.liquid is not None:
            given["fillLiquid"] = action.liquid
        event = self._world.step(name, **given)
        if not event:
            error = event.metadata["errorMessage"]
            self._refused.append(f"{action.kind} {action.object_name}: {error}")

    def _go(self, pose: InitialPose | None) -> float | None:
        """To where the episode begins, or to the nearest place that is free."""
        if pose is None:
            return None
        if self._start_at(pose, pose.position):
            return 0.0
        places = [
            Point.read(each)
            for each in self._world.step("GetReachablePositions").metadata["actionReturn"] or ()
        ]
        places.sort(key=lambda each: distance(each, pose.position))
        for place in places:
            if self._start_at(pose, place):
                return distance(place, pose.position)
        raise self._fault("the agent could not be put anywhere", self._world.last_event)

    def _start_at(self, pose: InitialPose, place: Point) -> bool:
        event = self._teleport(place, yaw=pose.yaw, horizon=pose.horizon, standing=pose.standing)
        return bool(event)

    def _teleport(self, place: Point, *, yaw: float, horizon: float, standing: bool) -> ThorEvent:
        return self._world.step(
            "Teleport",
            position=place._asdict(),
            rotation={"x": 0.0, "y": yaw, "z": 0.0},
            horizon=min(max(horizon, HIGHEST), LOWEST),
            standing=standing,
        )

    def _fault(self, what: str, event: ThorEvent) -> WorldFault:
        error = event.metadata["errorMessage"]
        detail = f"{self._plan.name} in {self._plan.scene}: {what}: {error}"
        return WorldFault(FaultClass.DATA_FAULT, detail)


_CALLS: dict[SetupKind, str] = {
    SetupKind.DIRTY: "DirtyObject",
    SetupKind.FILL: "FillObjectWithLiquid",
    SetupKind.EMPTY: "EmptyLiquidFromObject",
}


def selected(view: AsgardView, selection: Selection) -> list[ThorObject]:
    """The objects that a selection names, in the order of the metadata."""
    types = _types(selection)
    return [
        each
        for each in view.objects
        if each["objectType"] in types or each["name"] in selection.names
    ]


def _types(selection: Selection) -> frozenset[str]:
    return frozenset((*selection.types, *object_tables().members(selection.classes)))


# --- What the start-up takes out of a room, whatever the task (docs/asgard-rules.md, "An episode")

BROKEN = frozenset({"Cup_344dbbfb"})
"""Names of objects with which nothing can be done."""

BROKEN_SINK = "SinkBasin_ae09d571"
"""Name of a basin; where it is, nothing is placed in any."""

CROWDED = ("CounterTop", "DiningTable", "CoffeeTable", "Desk")
"""Types of surfaces on which room is made."""

LEAST_FREE = 0.2
"""Square metres that are free afterwards, as far as things can be taken away."""

NEVER_THERE = "PepperShaker"
"""Type that is taken out last."""


def broken(view: AsgardView) -> list[ThorObject]:
    """What is taken out first."""
    return [each for each in view.objects if each["name"] in BROKEN]


def duplicates(view: AsgardView) -> list[ThorObject]:
    """All but the first object of each type that can be picked up."""
    found: list[ThorObject] = []
    known: set[str] = set()
    for each in view.objects:
        if not each["pickupable"]:
            continue
        if each["objectType"] in known:
            found.append(each)
        known.add(each["objectType"])
    return found


def in_the_way(view: AsgardView, targets: Collection[str]) -> Iterator[ThorObject]:
    """What has to go so that each surface has room, surface by surface, the largest first. Objects
    with an id in ``targets`` stay."""
    for kind in CROWDED:
        for surface in view.of_type(kind):
            yield from _in_the_way_on(view, surface, targets)


def _in_the_way_on(
    view: AsgardView, surface: ThorObject, targets: Collection[str]
) -> Iterator[ThorObject]:
    things = [each for each in view.contents(surface) if each["pickupable"]]
    free = _area(surface) - sum(map(_footprint, things)) - _sinks(view, surface)
    loose = [each for each in things if each["objectId"] not in targets]
    for each in sorted(loose, key=_footprint, reverse=True):
        if free >= LEAST_FREE:
            return
        free += _footprint(each)
        yield each


def _area(item: ThorObject) -> float:
    size = item["axisAlignedBoundingBox"]["size"]
    return float(size["x"] * size["z"])


def _footprint(item: ThorObject) -> float:
    """The square that a thing takes however it is turned."""
    size = item["axisAlignedBoundingBox"]["size"]
    return float(max(size["x"], size["z"]) ** 2)


def _sinks(view: AsgardView, surface: ThorObject) -> float:
    """The area of the sinks that are let into a surface."""
    return sum(_overlap(surface, each) for each in view.of_type("Sink"))


def _overlap(one: ThorObject, other: ThorObject) -> float:
    sides = 1.0
    for axis in ("x", "z"):
        a, b = one["axisAlignedBoundingBox"], other["axisAlignedBoundingBox"]
        reach = (a["size"][axis] + b["size"][axis]) / 2
        apart = abs(a["center"][axis] - b["center"][axis])
        side = min(reach - apart, a["size"][axis], b["size"][axis])
        sides *= max(side, 0.0)
    return sides
