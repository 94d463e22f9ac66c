"""The pictures of built-in activities: which few views show what a plan needs, and taking them when
an episode begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.observation import Channel, Frame, ImageRole
from env_service.suites.actplan.builtin.rooms import Room, Thing, scene_of
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.suites.actplan.counterfactual_rule import UnsuitableError
from env_service.suites.actplan.task import CameraView, Pictures
from env_service.worlds.ai2thor_api.built_in_rooms import (
    BuiltInRoom,
    RoomView,
    Viewpoint,
    built_in_room_view,
)
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.ai2thor_api.world_registry import open_world

WORLD = "household"

WIDTH, HEIGHT = 512, 640
"""Pixels, as published pictures have them (docs/actplan.md, Task sets)."""

DIRTY, ON, OFF, GONE = "DirtyObject", "ToggleObjectOn", "ToggleObjectOff", "RemoveFromScene"


def pictures_of(scenario: Scenario, views: tuple[CameraView, ...]) -> Pictures:
    """The pictures to take for a scenario. What is dirty, switched on or not there at the opening
    is so in the pictures, as far as the household world can show it: it shows neither dust nor
    frost nor rot, and stains on dishes, beds, mirrors and cloths alone."""
    changes = tuple(_changes(scenario))
    return Pictures(room=scenario.room.scene, views=views, changes=changes)


def take_pictures(pictures: Pictures) -> tuple[Frame, ...]:
    """Takes the pictures: RGB, WIDTH x HEIGHT, in their order; by their names as views.

    Raises:
        WorldFault: DATA_FAULT where a change cannot be made in the room.
        WorldUnavailableError: pictures cannot be drawn on this machine.
    """
    controller = open_world(WORLD, pictures.room, ThorStart(WIDTH, HEIGHT))
    try:
        for action, thing in pictures.changes:
            _change(controller, action, thing)
        return tuple(
            _picture(controller, number, view) for number, view in enumerate(pictures.views)
        )
    finally:
        controller.stop()


def _change(controller: ThorController, action: str, thing: str) -> None:
    more = {"forceAction": True} if action != GONE else {}
    event = controller.step(action, objectId=thing, **more)
    if not event:
        message = event.metadata["errorMessage"]
        raise WorldFault(FaultClass.DATA_FAULT, f"{action} of {thing} was refused: {message}")


def _picture(controller: ThorController, number: int, view: CameraView) -> Frame:
    x, y, z = view.position
    where = {
        "position": {"x": x, "y": y, "z": z},
        "rotation": {"x": view.pitch, "y": view.yaw, "z": 0.0},
        "fieldOfView": view.field,
    }
    if number == 0:
        event = controller.step("AddThirdPartyCamera", **where)
    else:
        event = controller.step("UpdateThirdPartyCamera", thirdPartyCameraId=0, **where)
    pixels = np.ascontiguousarray(event.third_party_camera_frames[0])
    return Frame(Channel.RGB, pixels, ImageRole.VIEW, view.name)


def _changes(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for thing in scenario.gone:
        yield from ((GONE, each) for each in thing.ids)
    for fact in scenario.facts:
        item = scene_of(scenario.room.scene).by_id[fact.thing.id]
        dirty, toggled = fact.state == "stained", fact.state == "toggled_on"
        if dirty and Trait.DIRTYABLE in item.traits and not item.is_dirty:
            yield DIRTY, item.object_id
        if toggled and Trait.TOGGLEABLE in item.traits and item.is_toggled != fact.positive:
            yield ON if fact.positive else OFF, item.object_id


# --- Which views show what an activity needs


LEAST, MOST = 3, 5
"""Pictures of a task; published ones have from two to five (docs/actplan.md, Task sets)."""

ENOUGH, HARDLY = 14, 4
"""Pixels of the small pictures in which sight is measured (one is about 28 of a picture in its full
size): so many show a thing well; fewer show it at all."""
BEST, MUCH = 0.6, 0.3
"""Where a small thing cannot be shown well, this share of the most that any view shows of it will
do; of a large one it has to be this share, not a corner of it."""
PLENTY = 60
"""More pixels than these make a view no better."""

Target = tuple[str, ...]
"""The object ids of one thing: it is shown where one of them is."""


def views_of(*scenarios: Scenario) -> tuple[CameraView, ...]:
    """From LEAST to MOST views that show what the jobs of scenarios in one room need; of what is in
    closed containers, the containers.

    Raises UnsuitableError where MOST views cannot show it all.
    """
    sight = sight_of(scenarios[0].room.scene)
    targets = tuple(dict.fromkeys(each for one in scenarios for each in _targets(one)))
    looks = list(sight.around)
    for target in targets:
        if all(look.shows(target) < ENOUGH for look in looks):
            looks += sight.towards(target[0])
    chosen = _chosen(looks, {each: _enough(looks, each) for each in targets})
    if any(all(look.shows(each) < HARDLY for look in chosen) for each in targets):
        raise UnsuitableError
    return tuple(_view(number, look) for number, look in enumerate(chosen, 1))


def unseen(scenario: Scenario, views: Sequence[CameraView]) -> tuple[str, ...]:
    """The object ids of what the jobs need and no view shows."""
    sight = sight_of(scenario.room.scene)
    looks = [sight.look(_place(each), each.yaw, each.pitch) for each in views]
    targets = dict.fromkeys(_targets(scenario))
    return tuple(t[0] for t in targets if all(look.shows(t) < HARDLY for look in looks))


def _targets(scenario: Scenario) -> Iterator[Target]:
    room = scenario.room
    for thing in scenario.needed:
        if thing is not room.floor:
            yield _outermost(room, thing).ids


def _outermost(room: Room, thing: Thing) -> Thing:
    """What has to be looked at to find a thing: itself, or the closed container around it."""
    found, holder = thing, room.holder(thing)
    while holder is not None:
        found = holder if holder.closed else found
        holder = room.holder(holder)
    return found


def _enough(looks: Sequence[CameraPose], target: Target) -> float:
    """Pixels from which on a thing counts as shown."""
    best = max(look.shows(target) for look in looks)
    return max(HARDLY, min(ENOUGH, BEST * best), MUCH * best)


def _chosen(looks: Sequence[CameraPose], enough: Mapping[Target, float]) -> list[CameraPose]:
    """Greedily: next comes what shows most of what was not shown yet."""
    chosen: list[CameraPose] = []
    missing = set(enough)
    while len(chosen) < LEAST or (missing and len(chosen) < MOST):
        best = max(looks, key=lambda look: _worth(look, enough, missing, chosen))
        found = {each for each in missing if best.shows(each) >= enough[each]}
        if not found and len(chosen) >= LEAST:
            break
        chosen.append(best)
        missing -= found
    return chosen


def _worth(
    look: CameraPose,
    enough: Mapping[Target, float],
    missing: set[Target],
    chosen: Sequence[CameraPose],
) -> tuple[int, bool, float]:
    """How many more things a view shows; whether it is from elsewhere than the others; how well it
    shows all."""
    more = sum(look.shows(each) >= enough[each] for each in missing)
    elsewhere = all((look.position, look.yaw) != (each.position, each.yaw) for each in chosen)
    apart = all(_turn(look.yaw, each.yaw) >= TURNED for each in chosen)
    return more, elsewhere and apart, sum(min(look.shows(each), PLENTY) for each in enough)


TURNED = 40.0
"""Degrees between the directions of two views that show different sides of a room."""


def _view(number: int, look: CameraPose) -> CameraView:
    x, y, z = look.position
    return CameraView(f"view_{number}", (x, round(y, 3), z), look.yaw, look.pitch, FIELD)


def _place(view: CameraView) -> Point:
    return Point(*view.position)


def _turn(first: float, second: float) -> float:
    """Degrees between two directions, in [0, 180]."""
    turn = (second - first) % 360.0
    return min(turn, 360.0 - turn)


# --- What can be seen of a built-in room from where

PROBE_WIDTH, PROBE_HEIGHT = 96, 120
"""Pixels of the pictures in which sight is measured: the proportions of published pictures, which
are 512 wide and 640 high (docs/actplan.md, Task sets)."""

FIELD = 75.0
"""Degrees, vertically."""

EYE = 1.55
"""Metres above the floor."""

GRID, ELBOWS = 0.35, 0.3
"""Metres between places to stand, and what stays free around the eye."""

STANDS, YAWS, PITCH = 6, tuple(range(0, 360, 45)), 24.0
"""How many places are looked around from, in which directions, how far down: degrees."""

FLAT = frozenset({"Floor", "Rug"})
"""Types that one can stand on."""

FILLING, SEVERAL = 0.3, 4
"""The share of a picture that a single thing should not take up, and how many things should be
there."""

KEPT = 32


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A view, and how many pixels it shows of what, by object id."""

    position: Point
    yaw: float
    pitch: float
    pixels: Mapping[str, int]

    @property
    def open(self) -> bool:
        """Whether no single thing fills the picture, and there are several in it."""
        largest = max(self.pixels.values(), default=PROBE_WIDTH * PROBE_HEIGHT)
        return largest < FILLING * PROBE_WIDTH * PROBE_HEIGHT and len(self.pixels) >= SEVERAL

    def shows(self, ids: Sequence[str]) -> int:
        """Pixels of objects together."""
        return sum(self.pixels.get(each, 0) for each in ids)


@dataclass(frozen=True)
class Sight:
    """A built-in room at its start, to look around in."""

    scene: BuiltInRoom
    view: RoomView

    @cached_property
    def around(self) -> tuple[CameraPose, ...]:
        """Views in all directions from a few places far apart; none right before a wall, or before
        something large."""
        looks = [self.look(place, yaw, PITCH) for place in self._stands() for yaw in YAWS]
        return tuple(each for each in looks if each.open) or tuple(looks)

    def towards(self, object_id: str, most: int = 4) -> tuple[CameraPose, ...]:
        """Views of an object from the free places from which it should be seen best."""
        spec = self.scene.by_id[object_id]
        center = spec.bounds.center
        liked = sorted(self._free, key=lambda place: abs(_apart(place, center) - LIKED))
        return tuple(self._aimed(place, center) for place in liked[:most])

    def look(self, place: Point, yaw: float, pitch: float) -> CameraPose:
        """One view."""
        viewpoint = Viewpoint(place, yaw, pitch, FIELD, PROBE_WIDTH, PROBE_HEIGHT)
        return CameraPose(place, yaw, pitch, self.view.visible_pixels(viewpoint))

    def _aimed(self, place: Point, center: Point) -> CameraPose:
        down = math.degrees(math.atan2(place.y - center.y, max(_apart(place, center), 0.3)))
        return self.look(place, round(_yaw_towards(place, center), 1), round(min(down, 60.0), 1))

    @cached_property
    def _free(self) -> tuple[Point, ...]:
        """Places for the eye, on a grid, over free floor."""
        bounds = self.scene.bounds
        low = Point(*(c - s * 0.5 for c, s in zip(bounds.center, bounds.size, strict=True)))
        boxes = [spec.bounds for spec in self.scene.objects if spec.type not in FLAT]
        centers = np.array([box.center for box in boxes])
        halves = np.array([box.size for box in boxes]) * 0.5
        least, most = centers - halves - ELBOWS, centers + halves + ELBOWS
        tall = least[:, 1] < low.y + EYE
        found = []
        for x in np.arange(low.x + ELBOWS, low.x + bounds.size.x - ELBOWS, GRID):
            for z in np.arange(low.z + ELBOWS, low.z + bounds.size.z - ELBOWS, GRID):
                inside = (least[:, 0] < x) & (x < most[:, 0]) & (least[:, 2] < z) & (z < most[:, 2])
                if not (inside & tall).any():
                    found.append(Point(round(float(x), 3), low.y + EYE, round(float(z), 3)))
        return tuple(found) or (Point(bounds.center.x, low.y + EYE, bounds.center.z),)

    def _stands(self) -> list[Point]:
        """Places far from one another, the first one far from the room's middle."""
        chosen: list[Point] = []
        middle = self.scene.bounds.center
        while len(chosen) < min(STANDS, len(self._free)):
            far = chosen or [middle]
            chosen.append(max(self._free, key=lambda p: min(_apart(p, each) for each in far)))
        return chosen


LIKED = 1.3
"""Metres from which a thing is looked at."""


@lru_cache(maxsize=KEPT)
def sight_of(scene: str) -> Sight:
    """A built-in room to look around in.

    Raises ValueError for a name that is none of a built-in room.
    """
    view = built_in_room_view(scene)
    if view is None:
        raise ValueError(f"{scene!r} is not a built-in room")
    return Sight(scene_of(scene), view)


def _apart(one: Point, other: Point) -> float:
    """Metres between two points, seen from above."""
    return math.hypot(one.x - other.x, one.z - other.z)


def _yaw_towards(start: Point, end: Point) -> float:
    """Degrees in [0, 360), rounded, so that the libraries of two machines agree."""
    angle = math.degrees(math.atan2(end.x - start.x, end.z - start.z))
    return round(angle, 9) % 360.0
