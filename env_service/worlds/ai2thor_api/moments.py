"""The true state of a scene as a moment: from AI2-THOR's metadata, in any world that has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from env_service.domain.episode import GoalCondition
from env_service.domain.moment import Footprint, Moment, Note, Pose, Room, Spot, Thing
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.geometry import Extent
from env_service.worlds.ai2thor_api.metadata_view import MetadataView, ThorObject

_STATES: Mapping[str, tuple[str, str]] = {
    "open": ("openable", "isOpen"),
    "on": ("toggleable", "isToggled"),
    "broken": ("breakable", "isBroken"),
    "dirty": ("dirtyable", "isDirty"),
    "used up": ("canBeUsedUp", "isUsedUp"),
    "cooked": ("cookable", "isCooked"),
    "sliced": ("sliceable", "isSliced"),
}
"""A property's name for people: the keys that say whether an object has it, and its value."""
_FLOOR = "Floor"
_FLAT = frozenset({_FLOOR, "Painting", "Window", "LightSwitch", "StoveKnob", "Blinds", "Curtains"})
"""Object types that hide others on a map, or that nobody would look for there."""


@runtime_checkable
class WalledController(Protocol):
    """What a ThorController may offer in addition."""

    def walls(self) -> Iterable[Footprint]:
        """The walls of the scene, which AI2-THOR does not list as objects."""


class SceneWatch:
    """Notes moments of a scene. Without ``note`` it does nothing and costs nothing."""

    def __init__(self, note: Note | None = None) -> None:
        self._note = note
        self._begun = False

    @property
    def on(self) -> bool:
        """Whether somebody watches."""
        return self._note is not None

    def look(
        self,
        world: ThorController | None,
        goals: Iterable[GoalCondition],
        caption: str = "",
        problem: str = "",
    ) -> None:
        """Notes the present state of a scene."""
        if self._note is None or world is None:
            return
        view = MetadataView(world.last_event.metadata)
        moment = Moment(
            goals=tuple(goals),
            things=tuple(_things(view)),
            pose=_pose(view),
            held=() if view.held is None else (str(view.held["objectId"]),),
            visible=tuple(str(each["objectId"]) for each in view.objects if each["visible"]),
            caption=caption,
            problem=problem,
        )
        if not self._begun:
            self._begun = True
            moment = replace(moment, room=_room(world, view))
        self._note(moment)


def _pose(view: MetadataView) -> Pose:
    agent = view.agent
    return Pose(_short(agent.position.x), _short(agent.position.z), agent.yaw, agent.horizon)


def _things(view: MetadataView) -> Iterator[Thing]:
    names = _names(view)
    for each in view.objects:
        yield Thing(
            id=str(each["objectId"]),
            name=names[each["objectId"]],
            properties=_properties(each, names),
            at=(_short(each["position"]["x"]), _short(each["position"]["z"])),
        )


def _names(view: MetadataView) -> dict[str, str]:
    """A type as name, with a number if the scene has several objects of it."""
    count, seen = Counter(each["objectType"] for each in view.objects), Counter[str]()
    names = {}
    for each in view.objects:
        kind = str(each["objectType"])
        seen[kind] += 1
        names[each["objectId"]] = kind if count[kind] == 1 else f"{kind} {seen[kind]}"
    return names


def _properties(item: ThorObject, names: Mapping[str, str]) -> dict[str, str]:
    found = {
        name: "yes" if item[value] else "no"
        for name, (has, value) in _STATES.items()
        if item.get(has)
    }
    if item.get("canFillWithLiquid"):
        liquid = item.get("fillLiquid") or "something"
        found["filled with"] = str(liquid) if item.get("isFilledWithLiquid") else "nothing"
    if item.get("pickupable"):
        parents = [names[each] for each in item.get("parentReceptacles") or () if each in names]
        held = item.get("isPickedUp")
        found["in or on"] = "the agent's hand" if held else ", ".join(parents) or "nothing"
        found["temperature"] = str(item.get("temperature", ""))
    # What the agent carries moves with it.
    if (item.get("pickupable") or item.get("moveable")) and not item.get("isPickedUp"):
        found["place"] = ", ".join(f"{item['position'][axis]:.2f}" for axis in "xyz")
    return found


def _room(world: ThorController, view: MetadataView) -> Room:
    walls = world.walls() if isinstance(world, WalledController) else ()
    names = _names(view)
    return Room(
        floor=_floor(view),
        walls=tuple(walls),
        furniture=tuple(
            _footprint(each, names[each["objectId"]])
            for each in view.objects
            if not each["pickupable"] and each["objectType"] not in _FLAT and Extent(each).corners
        ),
    )


def _floor(view: MetadataView) -> tuple[Spot, ...]:
    """The outline of all floors together, as a rectangle; empty if the scene lists no floor."""
    corners = [corner for each in view.of_type(_FLOOR) for corner in Extent(each).corners]
    return _rectangle((corner.x, corner.z) for corner in corners) if corners else ()


def _footprint(item: ThorObject, name: str) -> Footprint:
    corners = Extent(item).corners
    levels = [corner.y for corner in corners]
    outline = tuple((_short(x), _short(z)) for x, z in Extent(item).outline)
    return Footprint(str(item["objectId"]), name, outline, _short(min(levels)), _short(max(levels)))


def _rectangle(spots: Iterable[tuple[Any, Any]]) -> tuple[Spot, ...]:
    xs, zs = zip(*spots, strict=True)
    left, right, low, high = map(_short, (min(xs), max(xs), min(zs), max(zs)))
    return ((left, low), (right, low), (right, high), (left, high))


def _short(metres: float) -> float:
    return round(float(metres), 3)
