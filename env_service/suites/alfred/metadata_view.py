"""A read-only look at the house at one moment, for skills, goals and judging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from env_service.suites.alfred.object_words import OPENABLE
from env_service.worlds.ai2thor_api.geometry import Point

ThorObject = Mapping[str, Any]
"""One object's metadata, with AI2-THOR's keys."""


class MetadataView:
    """The metadata of one event (`ThorEvent.metadata`), indexed as it is asked for."""

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

    def of_type(self, object_type: str) -> Sequence[ThorObject]:
        """The objects of a type, in the order of the metadata."""
        return self._by_type.get(object_type, ())

    def contents(self, container: ThorObject) -> Iterator[ThorObject]:
        """What the simulator says is directly in or on an object (its receptacleObjectIds)."""
        for inner in container.get("receptacleObjectIds") or ():
            found = self.by_id(inner)
            if found is not None:
                yield found

    def parents(self, item: ThorObject) -> Iterator[ThorObject]:
        """What the simulator says that an object is in or on (its parentReceptacles)."""
        for outer in item.get("parentReceptacles") or ():
            found = self.by_id(outer)
            if found is not None:
                yield found

    def closed_parent(self, item: ThorObject) -> ThorObject | None:
        """Something with a door, now closed, that the object is in; None if there is none. A
        toilet's lid is no door: what the simulator lists in a closed one lies on it."""
        shut = (
            each
            for each in self.parents(item)
            if each["objectType"] in OPENABLE and each["openable"] and not each["isOpen"]
        )
        return next(shut, None)

    @cached_property
    def held(self) -> ThorObject | None:
        """What the agent has in its hand; None for nothing."""
        carried = self.metadata.get("inventoryObjects") or ()
        return self.by_id(carried[0]["objectId"]) if carried else None

    @property
    def position(self) -> Point:
        """Where the agent stands, metres."""
        return Point.read(self.metadata["agent"]["position"])

    @property
    def yaw(self) -> float:
        """Where it looks: degrees clockwise from +z."""
        return float(self.metadata["agent"]["rotation"]["y"])

    @property
    def horizon(self) -> float:
        """How far down it looks, degrees."""
        return float(self.metadata["agent"]["cameraHorizon"])

    @cached_property
    def _by_id(self) -> Mapping[str, ThorObject]:
        return {each["objectId"]: each for each in self.objects}

    @cached_property
    def _by_type(self) -> Mapping[str, Sequence[ThorObject]]:
        found: dict[str, list[ThorObject]] = {}
        for each in self.objects:
            found.setdefault(each["objectType"], []).append(each)
        return found
