"""Putting things into a room: names, ids, parents and places, until a scene is complete."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field, replace

import numpy as np

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import Detail, Palette, Surface
from env_service.worlds.household.assets.sizes import usual_size
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.spec import (
    ObjectSpec,
    StartState,
    StructureSpec,
    Temperature,
    request_for,
)
from env_service.worlds.thor.object_types import Trait, object_types

CLEAR = 0.012
"""Metres kept between two things on a surface."""
TRIES = 60
"""Draws of a place on a surface before it counts as full."""
EVER_ON = frozenset({"LightSwitch", "FloorLamp"})
"""Types that are on when AI2-THOR's scenes load (data pack "ithor")."""

Details = tuple[tuple[str, Detail], ...]


class CrampedError(Exception):
    """A draft of a room that lacks the space for what it must hold."""


@dataclass(frozen=True)
class Item:
    """What to put somewhere.

    Attributes:
        type: an object type.
        size: along the asset's axes; the usual size if None.
        variant: its look; drawn if None.
        details: for the asset's builder.
        start: its state; the type's usual one if None.
        parents: ids of receptacles that hold it, besides the one that it is laid on.
    """

    type: str
    size: Vec3 | None = None
    variant: int | None = None
    details: Details = ()
    start: StartState | None = None
    parents: tuple[str, ...] = ()

    @property
    def extent(self) -> Vec3:
        """Its size in metres."""
        return self.size or usual_size(self.type)


@dataclass
class Furnishing:
    """A room being furnished.

    Attributes:
        name: the scene's; all names in it are drawn from it.
        palette: the room's colours.
        draw: every random choice of the room.
    """

    name: str
    palette: Palette
    draw: np.random.Generator
    objects: dict[str, ObjectSpec] = field(default_factory=dict)
    structure: list[StructureSpec] = field(default_factory=list)
    standing: list[Footprint] = field(default_factory=list)
    _laid: dict[tuple[str, int], list[Footprint]] = field(default_factory=dict)

    def put(self, item: Item | str, base: Vec3, yaw: float) -> ObjectSpec:
        """Adds an object: `base` is the middle of its underside, `yaw` where its front looks."""
        item = Item(item) if isinstance(item, str) else item
        return self.put_as(self._fresh_id(item.type, base), item, base, yaw)

    def put_as(self, object_id: str, item: Item, base: Vec3, yaw: float) -> ObjectSpec:
        """The same under a given id (basins are named after their sinks)."""
        kind, size = object_types()[item.type], item.extent
        variant = int(self.draw.integers(1, 31)) if item.variant is None else item.variant
        body = Box(base + Vec3(0.0, size.y / 2, 0.0), size, Rotation.yaw(yaw))
        loose = Trait.PICKUPABLE in kind.traits or Trait.MOVEABLE in kind.traits
        asset = f"{item.type}_{variant}" if loose else ""
        number = zlib.crc32(f"{self.name}/{item.type}/{len(self.objects)}".encode())
        spec = ObjectSpec(
            object_id=object_id,
            name=f"{item.type}_{number:08x}",
            type=item.type,
            asset_id=asset,
            position=base,
            rotation=Vec3(0.0, yaw % 360.0, 0.0),
            body=body,
            bounds=body.bounds(),
            oriented=body if loose else None,
            traits=kind.traits,
            variant=variant,
            details=(("asset", asset), *item.details),
            mass=round(sum(kind.mass) / 2, 3) if loose else 0.0,
            materials=kind.materials if loose else None,
            parents=item.parents or None,
            contents=() if Trait.RECEPTACLE in kind.traits else None,
            start=item.start or StartState(toggled=item.type in EVER_ON),
        )
        self.objects[spec.object_id] = spec
        return spec

    def build(
        self,
        type_name: str,
        body: Box,
        *,
        details: Details = (),
        solid: bool = True,
        variant: int = 0,
    ) -> None:
        """Adds a part of the structure."""
        name = f"{type_name}_{sum(part.type == type_name for part in self.structure)}"
        self.structure.append(StructureSpec(name, type_name, body, variant, details, solid))

    def stand(
        self, item: Item | str, base: Vec3, yaw: float, *, margin: float = 0.0
    ) -> ObjectSpec | None:
        """Puts a piece of furniture on the floor if its place is free, `margin` metres around it
        too; None if it is not."""
        item = Item(item) if isinstance(item, str) else item
        size = item.extent
        wide = Footprint(base.x, base.z, size.x + 2 * margin, size.z + 2 * margin, yaw)
        if any(wide.meets(other) for other in self.standing):
            return None
        self.standing.append(Footprint(base.x, base.z, size.x, size.z, yaw))
        return self.put(item, base, yaw)

    def lay(
        self,
        item: Item | str,
        holder: ObjectSpec,
        *,
        surface: int | None = None,
        yaw: float | None = None,
        at_back: bool = False,
    ) -> ObjectSpec | None:
        """Lays a thing on a free spot of a holder's surfaces; None if there is none, or if
        AI2-THOR's table does not let the one hold the other (it is silent on machines, which stand
        where they are put).

        Args:
            item: what to lay.
            holder: what to lay it on.
            surface: number of the surface; any, in a drawn order, if None.
            yaw: against the holder's front; drawn if None.
            at_back: prefers the rear half, where machines stand.
        """
        item = Item(item) if isinstance(item, str) else item
        allowed = object_types()[item.type].receptacles
        if allowed and holder.type not in allowed:
            return None
        offered = catalogue.model(request_for(holder, self.palette)).surfaces
        order = list(self.draw.permutation(len(offered))) if surface is None else [surface]
        for number in order:
            laid = self._laid.setdefault((holder.object_id, int(number)), [])
            mark = self._free_mark(
                offered[int(number)], laid, item.extent, yaw=yaw, at_back=at_back
            )
            if mark is not None:
                laid.append(mark)
                cold = StartState(temperature=Temperature.COLD)
                start = item.start or (cold if holder.type == "Fridge" else None)
                whole = replace(item, parents=(holder.object_id, *item.parents), start=start)
                return self.put(whole, *_in_room(holder, offered[int(number)].height, mark))
        return None

    def lay_somewhere(self, item: Item | str, *preferred: ObjectSpec | None) -> ObjectSpec:
        """Lays a thing on the first preferred holder with room for it, or on any in the room.

        Raises:
            CrampedError: nothing in the room has a place for it.
        """
        kind = item if isinstance(item, str) else item.type
        holders = list(self.objects.values())
        rest = [holders[int(number)] for number in self.draw.permutation(len(holders))]
        for holder in (*preferred, *rest):
            placed = None if holder is None else self.lay(item, holder)
            if placed is not None:
                return placed
        raise CrampedError(f"no room for a {kind} in {self.name}")

    def _free_mark(
        self,
        surface: Surface,
        laid: list[Footprint],
        size: Vec3,
        *,
        yaw: float | None,
        at_back: bool,
    ) -> Footprint | None:
        """A free place on a surface, in its holder's frame."""
        if size.y > surface.clearance:
            return None
        (x0, z0), (x1, z1) = surface.low, surface.high
        z1 = (z0 + z1) / 2 if at_back and z1 - z0 > 2 * size.z else z1
        for _ in range(TRIES):
            turned = float(self.draw.uniform(0, 360)) if yaw is None else yaw
            across, down = Footprint(0, 0, size.x, size.z, turned).extent()
            if across > x1 - x0 or down > z1 - z0:
                continue
            x = float(self.draw.uniform(x0 + across / 2, x1 - across / 2))
            z = float(self.draw.uniform(z0 + down / 2, z1 - down / 2))
            mark = Footprint(x, z, size.x + CLEAR, size.z + CLEAR, turned)
            apart = not any(mark.meets(other) for other in laid)
            if apart and (not surface.round or _in_ellipse(surface, mark)):
                return mark
        return None

    def finished(self) -> tuple[ObjectSpec, ...]:
        """All objects, each holder knowing what it holds, in the order of their ids."""
        held: dict[str, list[str]] = {}
        for spec in self.objects.values():
            for parent in spec.parents or ():
                held.setdefault(parent, []).append(spec.object_id)
        return tuple(
            replace(spec, contents=tuple(held.get(key, ()))) if spec.contents is not None else spec
            for key, spec in sorted(self.objects.items())
        )

    def _fresh_id(self, type_name: str, at: Vec3) -> str:
        """AI2-THOR's id of a thing at a place; one that is taken moves on by a centimetre."""
        shift = 0.0
        while True:
            found = "|".join(
                (type_name, *(f"{value:+06.2f}" for value in (at.x + shift, at.y, at.z)))
            )
            if found not in self.objects:
                return found
            shift += 0.01


def _in_room(holder: ObjectSpec, height: float, mark: Footprint) -> tuple[Vec3, float]:
    """Where in the room a place on a holder is: the base, and the yaw."""
    rows = holder.body.rotation.rows
    own = math.degrees(math.atan2(rows[0][2], rows[2][2]))
    local = Vec3(mark.x, height - holder.body.size.y / 2, mark.z)
    base = holder.body.rotation.apply(local) + holder.body.center
    rounded = Vec3(round(base.x, 4), round(base.y, 4), round(base.z, 4))
    return rounded, round((mark.yaw + own) % 360, 2)


def _in_ellipse(surface: Surface, mark: Footprint) -> bool:
    """Whether a mark lies within the ellipse in a round surface."""
    (x0, z0), (x1, z1) = surface.low, surface.high
    radius = math.hypot(mark.width, mark.depth) / 2
    a, b = (x1 - x0) / 2 - radius, (z1 - z0) / 2 - radius
    if a <= 0 or b <= 0:
        return False
    return ((mark.x - (x0 + x1) / 2) / a) ** 2 + ((mark.z - (z0 + z1) / 2) / b) ** 2 <= 1
