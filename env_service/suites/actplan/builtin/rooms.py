"""What is in a built-in room, as activities see it: things, and where each one is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from env_service.suites.actplan.builtin.synsets import NAMED, Named
from env_service.worlds.household.scene.rooms.source import BuiltInRooms
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec
from env_service.worlds.thor.object_types import Trait

KEPT = 512
"""Rooms of which the inventory is kept."""

SCENES_KEPT = 32

ONE = {
    "StoveBurner": "StoveBurner", "Sink": "Sink", "SinkBasin": "Sink", "Bathtub": "Bathtub",
    "BathtubBasin": "Bathtub",
}  # fmt: skip
"""Types that people see as one thing, by the type that stands for it: the burners are the stove, a
sink is its basin."""

SHUT = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "LaundryHamper"})
"""Types whose contents cannot be seen or taken while they are closed."""

STACK = 0.25
"""Metres between the middles of two boards, seen from above, below which they are one shelf."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of a room, which may be several objects of the simulator.

    Attributes:
        kind: the object type.
        ids: the simulator's object ids; the first one is the thing's identity.
        holder: the identity of the receptacle that it is in or on; empty: it is built in.
        closed: whether it is a container that is closed.
        movable: whether it can be picked up.
        height: metres above the floor, of its middle.
    """

    kind: str
    ids: tuple[str, ...]
    holder: str
    closed: bool
    movable: bool
    height: float

    @property
    def id(self) -> str:
        """Its identity within its room."""
        return self.ids[0]

    @property
    def named(self) -> Named:
        """What it is called."""
        return NAMED[self.kind]

    @property
    def category(self) -> str:
        """Of BDDL."""
        return self.named.category


@dataclass(frozen=True)
class Room:
    """A built-in room.

    Attributes:
        scene: its name in the household world.
        kind: as BDDL's `inroom` has it: "living_room".
        things: all that have a name (`synsets.NAMED`), in the simulator's order.
    """

    scene: str
    kind: str
    things: tuple[Thing, ...]

    @cached_property
    def by_id(self) -> dict[str, Thing]:
        """Things by identity."""
        return {each.id: each for each in self.things}

    @property
    def word(self) -> str:
        """What people call it."""
        return self.kind.replace("_", " ")

    @property
    def floor(self) -> Thing:
        """Its floor."""
        return next(each for each in self.things if each.kind == "Floor")

    def of(self, *kinds: str) -> tuple[Thing, ...]:
        """The things of some types, type by type."""
        return tuple(each for kind in kinds for each in self.things if each.kind == kind)

    def holder(self, thing: Thing) -> Thing | None:
        """What a thing is in or on; None for what is built in."""
        return self.by_id.get(thing.holder)

    def in_or_on(self, holder: Thing) -> tuple[Thing, ...]:
        """What a receptacle holds."""
        return tuple(each for each in self.things if each.holder == holder.id)

    def hidden(self, thing: Thing) -> bool:
        """Whether it is in something that is closed."""
        holder = self.holder(thing)
        return holder is not None and (holder.closed or self.hidden(holder))


@lru_cache(maxsize=KEPT)
def room_of(scene: str) -> Room | None:
    """What is in a built-in room; None where the room cannot be drawn up, or is none."""
    try:
        found = scene_of(scene)
    except ValueError:
        return None
    return Room(scene, found.room.value, tuple(_things(found)))


@lru_cache(maxsize=SCENES_KEPT)
def scene_of(scene: str) -> SceneSpec:
    """A built-in room as the household world has it.

    Raises ValueError where the room cannot be drawn up, or is none.
    """
    found = BuiltInRooms().load(scene)
    if found is None:
        raise ValueError(f"{scene!r} is no built-in room")
    return found


def _things(scene: SceneSpec) -> Iterator[Thing]:
    groups = _groups(scene)
    owner = {spec.object_id: group[0].object_id for group in groups for spec in group}
    for group in groups:
        first = group[0]
        yield Thing(
            kind=ONE.get(first.type, first.type),
            ids=tuple(spec.object_id for spec in group),
            holder=_holder(scene, first, owner),
            closed=first.type in SHUT and first.start.openness == 0,
            movable=first.can(Trait.PICKUPABLE),
            height=first.bounds.center.y,
        )


def _groups(scene: SceneSpec) -> list[list[ObjectSpec]]:
    """Objects that are one thing together, in the scene's order."""
    groups: list[list[ObjectSpec]] = []
    for spec in scene.objects:
        if ONE.get(spec.type, spec.type) not in NAMED:
            continue
        home = next((group for group in groups if _same(group[0], spec)), None)
        if home is None:
            groups.append([spec])
        else:
            home.append(spec)
    return groups


def _same(one: ObjectSpec, other: ObjectSpec) -> bool:
    kind = ONE.get(one.type)
    if kind != ONE.get(other.type) or (kind is None and one.type != other.type):
        return False
    if kind == "StoveBurner":
        return True
    return (kind is not None or one.type == "Shelf") and _apart(one, other) < STACK


def _apart(one: ObjectSpec, other: ObjectSpec) -> float:
    """Metres between two objects, seen from above."""
    a, b = one.bounds.center, other.bounds.center
    return max(abs(a.x - b.x), abs(a.z - b.z))


def _holder(scene: SceneSpec, spec: ObjectSpec, owner: dict[str, str]) -> str:
    """The smallest of its receptacles that has a name: a spoon in a bowl is in the bowl."""
    parents: Sequence[ObjectSpec] = [scene.by_id[each] for each in spec.parents or ()]
    known = [each for each in parents if each.object_id in owner]
    if not known or not (spec.can(Trait.PICKUPABLE) or spec.can(Trait.MOVEABLE)):
        return ""
    smallest = min(known, key=lambda each: each.bounds.size.x * each.bounds.size.z)
    return owner[smallest.object_id]
