"""AI2-THOR's metadata of one moment, indexed: the view that rules, skills, goals and experts read.

A suite derives another view if its published rules read the metadata differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from env_service.worlds.ai2thor_api.geometry import Point

ThorObject = Mapping[str, Any]
"""One object's metadata, with AI2-THOR's keys."""


@dataclass(frozen=True, slots=True)
class AgentPose:
    """Where the agent stands and looks.

    Attributes:
        position: metres, in AI2-THOR's axes (y up).
        yaw: degrees clockwise from +z.
        horizon: degrees that the camera is tilted downwards.
        standing: False while the agent crouches.
    """

    position: Point
    yaw: float
    horizon: float
    standing: bool


class MetadataView:
    """The metadata of one event (`ThorEvent.metadata`). It reads nothing before it is asked, and
    changes nothing."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.metadata = metadata

    @property
    def objects(self) -> Sequence[ThorObject]:
        """All objects, in the order of the metadata."""
        found: Sequence[ThorObject] = self.metadata["objects"]
        return found

    def by_id(self, object_id: str) -> ThorObject | None:
        """The object of an id; None if there is none."""
        return self._by_id.get(object_id)

    def by_name(self, name: str) -> ThorObject | None:
        """The object of AI2-THOR's name, such as Mug_e7fad100; None if there is none."""
        return self._by_name.get(name)

    def of_type(self, object_type: str) -> Sequence[ThorObject]:
        """The objects of a type, in the order of the metadata."""
        return self._by_type.get(object_type, ())

    def first(self, object_type: str) -> ThorObject | None:
        """The first object of a type; None if there is none."""
        found = self.of_type(object_type)
        return found[0] if found else None

    @cached_property
    def types(self) -> frozenset[str]:
        """The types of the scene's objects."""
        return frozenset(self._by_type)

    @cached_property
    def held(self) -> ThorObject | None:
        """What the agent has in its hand; None for nothing."""
        carried = self.metadata.get("inventoryObjects") or ()
        return self.by_id(carried[0]["objectId"]) if carried else None

    def is_held(self, item: ThorObject) -> bool:
        """Whether the agent has the object in its hand."""
        return self.held is not None and self.held["objectId"] == item["objectId"]

    @cached_property
    def agent(self) -> AgentPose:
        """The agent's pose."""
        agent = self.metadata["agent"]
        return AgentPose(
            position=Point.read(agent["position"]),
            yaw=float(agent["rotation"]["y"]),
            horizon=float(agent["cameraHorizon"]),
            standing=bool(agent["isStanding"]),
        )

    @property
    def camera(self) -> Point:
        """Where the agent's eye is, metres."""
        return Point.read(self.metadata["cameraPosition"])

    def contents(self, receptacle: ThorObject) -> Sequence[ThorObject]:
        """What the simulator lists in or on an object (its receptacleObjectIds), in that order."""
        return self._known(receptacle.get("receptacleObjectIds"))

    def parents(self, item: ThorObject) -> Sequence[ThorObject]:
        """What the simulator says that an object is in or on (its parentReceptacles), in that
        order. Of nested receptacles it may list all."""
        return self._known(item.get("parentReceptacles"))

    def closed_parent(self, item: ThorObject) -> ThorObject | None:
        """The first closed receptacle that the object is in (see `has_door`); None if there is
        none."""
        found = (each for each in self.parents(item) if self.has_door(each) and not each["isOpen"])
        return next(found, None)

    def has_door(self, receptacle: ThorObject) -> bool:
        """Whether a receptacle, while it is closed, keeps the agent from its contents."""
        return bool(receptacle.get("openable"))

    def _known(self, object_ids: Iterable[str] | None) -> Sequence[ThorObject]:
        found = (self.by_id(each) for each in object_ids or ())
        return [each for each in found if each is not None]

    @cached_property
    def _by_id(self) -> Mapping[str, ThorObject]:
        return {each["objectId"]: each for each in self.objects}

    @cached_property
    def _by_name(self) -> Mapping[str, ThorObject]:
        return {each["name"]: each for each in self.objects}

    @cached_property
    def _by_type(self) -> Mapping[str, Sequence[ThorObject]]:
        found: dict[str, list[ThorObject]] = {}
        for each in self.objects:
            found.setdefault(each["objectType"], []).append(each)
        return found


def largest_first(items: Iterable[ThorObject]) -> list[ThorObject]:
    """Those of the objects that can be picked up, the largest footprint first; equal ones stay in
    their order. An object without a box along the axes has no footprint."""

    def footprint(item: ThorObject) -> float:
        size = (item.get("axisAlignedBoundingBox") or {}).get("size")
        return float(size["x"] * size["z"]) if size else 0.0

    return sorted((each for each in items if each["pickupable"]), key=footprint, reverse=True)
