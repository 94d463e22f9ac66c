"""A read-only look at the house at one moment, for rules and goals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from env_service.suites.asgard.object_types import object_tables
from env_service.worlds.ai2thor_api.geometry import Point, volume

ThorObject = Mapping[str, Any]
"""One object's metadata, with AI2-THOR's keys."""

NEVER_CONTENTS = frozenset(
    {"Cabinet", "CounterTop", "Faucet", "Microwave", "Sink", "SinkBasin", "Toilet"}
)
"""Types that count as nobody's contents, though AI2-THOR may list them so (spec section 2.7)."""

_NEVER_TOGETHER = frozenset({("Pan", "Plate")})
"""(contents, container) that AI2-THOR reports wrongly (spec section 2.7)."""


@dataclass(frozen=True, slots=True)
class AgentPose:
    """Where the agent stands and looks: metres; degrees clockwise from +z, and downwards."""

    position: Point
    yaw: float
    horizon: float
    standing: bool


class MetadataView:
    """The metadata of one event (`ThorEvent.metadata`), indexed as it is asked for.

    ``remembered`` maps the id of a container to the ids of objects that are in it though the
    metadata has forgotten it: AI2-THOR drops what a container that is picked up contains (spec
    section 2.3, PICKUP).
    """

    def __init__(
        self,
        metadata: Mapping[str, Any],
        remembered: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.metadata = metadata
        self._remembered = remembered or {}

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
        """The types of which there is an object."""
        return frozenset(self._by_type)

    @cached_property
    def held(self) -> ThorObject | None:
        """What the agent has in its hand; None for nothing."""
        carried = self.metadata.get("inventoryObjects") or ()
        return self.by_id(carried[0]["objectId"]) if carried else None

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
        """Where the agent's eye is."""
        return Point.read(self.metadata["cameraPosition"])

    def is_held(self, item: ThorObject) -> bool:
        """Whether it is in the agent's hand."""
        return self.held is not None and self.held["objectId"] == item["objectId"]

    def parents(self, item: ThorObject) -> Sequence[ThorObject]:
        """Everything that the object is in or on, in the order of the metadata.

        Of nested containers AI2-THOR may name all.
        """
        return self._parents.get(item["objectId"], ())

    def contents(self, container: ThorObject) -> Sequence[ThorObject]:
        """What lies in or on an object, in the order of the metadata (spec section 2.7)."""
        return self._contents.get(container["objectId"], ())

    def container(self, item: ThorObject) -> ThorObject | None:
        """The smallest thing that the object is in, surfaces left out (spec section 2.7): None
        for what lies openly. A StoveBurner counts as a surface."""
        surfaces = object_tables().surfaces
        found = [each for each in self.parents(item) if each["objectType"] not in surfaces]
        return min(found, key=volume, default=None)

    def surface_types(self, item: ThorObject) -> frozenset[str]:
        """The types of the surfaces among what the object is in or on."""
        return object_tables().surfaces & {each["objectType"] for each in self.parents(item)}

    def closed_parent(self, item: ThorObject) -> ThorObject | None:
        """A container with a door, now closed, that the object is in; None if there is none."""
        found = (
            each for each in self.parents(item) if each.get("openable") and not each.get("isOpen")
        )
        return next(found, None)

    def visible(self, item: ThorObject) -> bool:
        """Whether the agent sees it: the metadata says so of it or of something in or on it, or
        it is held (spec section 2.3)."""
        if item["visible"] or self.is_held(item):
            return True
        return any(each["visible"] for each in self.contents(item))

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

    @cached_property
    def _links(self) -> frozenset[tuple[str, str]]:
        """(contents, container) by id. Either side may know of it alone."""
        found: set[tuple[str, str]] = set()
        for each in self.objects:
            own = each["objectId"]
            found.update((own, parent) for parent in each.get("parentReceptacles") or ())
            found.update((inner, own) for inner in each.get("receptacleObjectIds") or ())
        for own, inner_ids in self._remembered.items():
            found.update((inner, own) for inner in inner_ids)
        held = self.held["objectId"] if self.held else None
        return frozenset(link for link in found if link[0] != held and self._real(*link))

    def _real(self, inner: str, outer: str) -> bool:
        known = self._by_id
        if inner not in known or outer not in known or inner == outer:
            return False
        pair = known[inner]["objectType"], known[outer]["objectType"]
        return pair[0] not in NEVER_CONTENTS and pair not in _NEVER_TOGETHER

    @cached_property
    def _parents(self) -> Mapping[str, Sequence[ThorObject]]:
        return self._grouped((inner, outer) for inner, outer in self._links)

    @cached_property
    def _contents(self) -> Mapping[str, Sequence[ThorObject]]:
        return self._grouped((outer, inner) for inner, outer in self._links)

    def _grouped(self, links: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[ThorObject]]:
        found: dict[str, set[str]] = {}
        for key, value in links:
            found.setdefault(key, set()).add(value)
        rank = {object_id: number for number, object_id in enumerate(self._by_id)}
        return {
            key: [self._by_id[each] for each in sorted(ids, key=rank.__getitem__)]
            for key, ids in found.items()
        }
