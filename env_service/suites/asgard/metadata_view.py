"""How AsgardBench's rules and goals read a scene."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from env_service.suites.asgard.object_types import object_tables
from env_service.worlds.ai2thor_api.geometry import volume
from env_service.worlds.ai2thor_api.metadata_view import MetadataView, ThorObject

NEVER_CONTENTS = frozenset(
    {"Cabinet", "CounterTop", "Faucet", "Microwave", "Sink", "SinkBasin", "Toilet"}
)
"""Types that never count as contents, though AI2-THOR may list them so; the release agrees."""

_NEVER_TOGETHER = frozenset({("Pan", "Plate")})
"""(contents, container) that AI2-THOR reports wrongly, and the release leaves out."""


class AsgardView(MetadataView):
    """The metadata of one event.

    The release reads an object's place from both sides, the object's parents and the receptacle's
    contents, so this view links them itself instead of following one of the lists.

    ``remembered`` maps the id of a container to the ids of objects that are in it though the
    metadata has forgotten it: AI2-THOR drops what a container that is picked up contains.
    """

    def __init__(
        self,
        metadata: Mapping[str, Any],
        remembered: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(metadata)
        self._remembered = remembered or {}

    def parents(self, item: ThorObject) -> Sequence[ThorObject]:
        """Everything that the object is in or on, in the order of the metadata.

        Of nested containers AI2-THOR may name all.
        """
        return self._parents.get(item["objectId"], ())

    def contents(self, receptacle: ThorObject) -> Sequence[ThorObject]:
        """The objects in or on an object, in the order of the metadata."""
        return self._contents.get(receptacle["objectId"], ())

    def container(self, item: ThorObject) -> ThorObject | None:
        """The smallest thing that the object is in, surfaces left out; None for what lies
        openly. A StoveBurner counts as a surface."""
        surfaces = object_tables().surfaces
        found = [each for each in self.parents(item) if each["objectType"] not in surfaces]
        return min(found, key=volume, default=None)

    def surface_types(self, item: ThorObject) -> frozenset[str]:
        """The types of the surfaces among what the object is in or on."""
        return object_tables().surfaces & {each["objectType"] for each in self.parents(item)}

    def visible(self, item: ThorObject) -> bool:
        """Whether the agent sees it: the metadata says so of it or of something in or on it, or
        it is held."""
        if item["visible"] or self.is_held(item):
            return True
        return any(each["visible"] for each in self.contents(item))

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
