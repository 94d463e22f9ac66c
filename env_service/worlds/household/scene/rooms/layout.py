"""Putting things into a room: names, ids, parents and places, until a scene is complete."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from env_service.domain.text import with_article
from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import AssetRequest, Detail, Palette, Surface
from env_service.worlds.household.assets.sizes import usual_size
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.spec import (
    ObjectSpec,
    StartState,
    StructureSpec,
    Temperature,
    request_for,
)

CLEAR = 0.012
"""Metres kept between two things on a surface."""
TRIES = 60
"""Draws of a place on a surface before it counts as full."""
POCKET = 0.25
"""Metres: a thing in a narrower gap next to a machine can hardly be seen."""
HIGH, FLAT = 1.4, 0.07
"""Metres: what is lower than FLAT cannot be seen on a board above HIGH (the agent's eyes are at
1.576 m)."""
HIDING_HOLDERS = frozenset(
    {
        "Bathtub", "BathtubBasin", "Box", "Bowl", "Cabinet", "Cup", "Drawer", "Floor", "Fridge",
        "GarbageCan", "LaundryHamper", "Microwave", "Mug", "Pan", "Plate", "Pot", "Safe", "Sink",
        "SinkBasin", "StoveBurner", "Toilet",
    }
)  # fmt: skip
"""Types that do not serve as a fallback place for things."""
EVER_ON = frozenset({"LightSwitch", "FloorLamp"})
"""Types that are on when AI2-THOR's scenes load (data pack "ithor")."""

Details = tuple[tuple[str, Detail], ...]


class CrampedError(Exception):
    """A draft of a room that lacks the space for what it must hold."""


@dataclass(frozen=True)
class Item:
    """An object to place.

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
class RoomLayout:
    """A room being furnished.

    Attributes:
        name: the scene's; all names in it are drawn from it.
        palette: the room's colours.
        draw: every random choice of the room.
        standing: floor that furniture takes.
        reserved: floor that stays free of furniture: before doors, drawers and machines.
        fronts: points (x, z) on the floor to which, or almost, one must be able to walk.
    """

    name: str
    palette: Palette
    draw: np.random.Generator
    objects: dict[str, ObjectSpec] = field(default_factory=dict)
    structure: list[StructureSpec] = field(default_factory=list)
    standing: list[Footprint] = field(default_factory=list)
    reserved: list[Footprint] = field(default_factory=list)
    fronts: list[tuple[float, float]] = field(default_factory=list)
    _laid: dict[tuple[str, int], list[Footprint]] = field(default_factory=dict)

    def put(self, item: Item | str, base: Vec3, yaw: float) -> ObjectSpec:
        """Adds an object: `base` is the middle of its underside, `yaw` where its front looks."""
        item = Item(item) if isinstance(item, str) else item
        return self.put_as(self._fresh_id(item.type, base), item, base, yaw)

    def put_as(self, object_id: str, item: Item, base: Vec3, yaw: float) -> ObjectSpec:
        """The same under a given id (basins are named after their sinks)."""
        return self._add(object_id, item, base, Vec3(0.0, yaw % 360.0, 0.0))

    def put_tilted(self, item: Item, center: Vec3, angles: Vec3) -> ObjectSpec:
        """Adds an object that does not stand upright: the middle of its box, Euler degrees."""
        half = Rotation.from_euler(angles).apply(Vec3(0.0, item.extent.y / 2, 0.0))
        return self._add(self._fresh_id(item.type, center), item, center - half, angles)

    def _add(self, object_id: str, item: Item, base: Vec3, angles: Vec3) -> ObjectSpec:
        kind, size = object_types()[item.type], item.extent
        variant = int(self.draw.integers(1, 31)) if item.variant is None else item.variant
        turn = Rotation.from_euler(angles)
        body = Box(base + turn.apply(Vec3(0.0, size.y / 2, 0.0)), size, turn)
        loose = Trait.PICKUPABLE in kind.traits or Trait.MOVEABLE in kind.traits
        asset = f"{item.type}_{variant}" if loose else ""
        number = zlib.crc32(f"{self.name}/{item.type}/{len(self.objects)}".encode())
        spec = ObjectSpec(
            object_id=object_id,
            name=f"{item.type}_{number:08x}",
            type=item.type,
            asset_id=asset,
            position=base,
            rotation=angles,
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
        self, item: Item | str, base: Vec3, yaw: float, *, margin: float = 0.0, kept: bool = True
    ) -> ObjectSpec | None:
        """Puts a piece of furniture on the floor if its place is free; None if it is not.

        Args:
            item: what.
            base: the middle of its underside.
            yaw: where its front looks.
            margin: metres around it where no other furniture may stand at this moment.
            kept: whether it keeps off reserved floor; a chair before its desk need not.
        """
        item = Item(item) if isinstance(item, str) else item
        size = item.extent
        own = Footprint(base.x, base.z, size.x, size.z, yaw)
        wide = Footprint(base.x, base.z, size.x + 2 * margin, size.z + 2 * margin, yaw)
        if any(wide.meets(other) for other in self.standing):
            return None
        if kept and any(own.meets(other) for other in self.reserved):
            return None
        self.standing.append(own)
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
            at_back: prefers the rear half, where machines stand, and lets nothing hide behind it.
        """
        item = Item(item) if isinstance(item, str) else item
        offered = self._surfaces(item, holder)
        order = list(self.draw.permutation(len(offered))) if surface is None else [surface]
        for number in order[: len(offered)]:
            place = offered[int(number)]
            if _out_of_sight(item, holder, place):
                continue
            laid = self._laid.setdefault((holder.object_id, int(number)), [])
            mark = self._free_mark(place, laid, item.extent, yaw=yaw, at_back=at_back)
            if mark is not None:
                laid.append(_with_shadow(place, mark) if at_back else mark)
                return self._laid_down(item, holder, place, mark)
        return None

    def lay_at(
        self,
        item: Item | str,
        holder: ObjectSpec,
        at: tuple[float, float],
        *,
        surface: int = 0,
        yaw: float = 0.0,
    ) -> ObjectSpec | None:
        """Lays a thing at a place (x, z) in its holder's frame; None if the place is taken or not
        wholly on the surface."""
        item = Item(item) if isinstance(item, str) else item
        offered = self._surfaces(item, holder)
        if surface >= len(offered):
            return None
        place, size = offered[surface], item.extent
        mark = Footprint(*at, size.x, size.z, yaw)
        across, down = mark.extent()
        within = (
            place.low[0] <= at[0] - across / 2 + 1e-6
            and at[0] + across / 2 <= place.high[0] + 1e-6
            and place.low[1] <= at[1] - down / 2 + 1e-6
            and at[1] + down / 2 <= place.high[1] + 1e-6
        )
        laid = self._laid.setdefault((holder.object_id, surface), [])
        if not within or size.y > place.clearance or any(mark.meets(other) for other in laid):
            return None
        laid.append(mark)
        return self._laid_down(item, holder, place, mark)

    def keep_clear(
        self, holder: ObjectSpec, at: tuple[float, float], width: float, depth: float
    ) -> None:
        """Lets nothing be laid on a rectangle, given in the holder's frame, of all its surfaces."""
        for number in range(len(catalogue.model(request_for(holder, self.palette)).surfaces)):
            laid = self._laid.setdefault((holder.object_id, number), [])
            laid.append(Footprint(*at, width, depth))

    def _surfaces(self, item: Item, holder: ObjectSpec) -> tuple[Surface, ...]:
        """The surfaces of a holder that may hold an item."""
        allowed = object_types()[item.type].receptacles
        if allowed and holder.type not in allowed:
            return ()
        return catalogue.model(request_for(holder, self.palette)).surfaces

    def _laid_down(
        self, item: Item, holder: ObjectSpec, surface: Surface, mark: Footprint
    ) -> ObjectSpec:
        cold = StartState(temperature=Temperature.COLD)
        start = item.start or (cold if holder.type == "Fridge" else None)
        whole = replace(item, parents=(holder.object_id, *item.parents), start=start)
        return self.put(whole, *_in_room(holder, surface.height, mark))

    def lay_somewhere(self, item: Item | str, *preferred: ObjectSpec | None) -> ObjectSpec:
        """Lays a thing on the first preferred holder with room for it, or on any open one in the
        room.

        Raises:
            CrampedError: nothing in the room has a place for it.
        """
        kind = item if isinstance(item, str) else item.type
        holders = [each for each in self.objects.values() if each.type not in HIDING_HOLDERS]
        rest = [holders[int(number)] for number in self.draw.permutation(len(holders))]
        for holder in (*preferred, *rest):
            placed = None if holder is None else self.lay(item, holder)
            if placed is not None:
                return placed
        raise CrampedError(f"no room for {with_article(kind)} in {self.name}")

    def bottom_of(self, item: Item) -> Vec3:
        """The middle of a vessel's bottom, in its local frame. It is not the middle of its box, for
        a pan has a handle. The item has a variant."""
        size, variant = item.extent, item.variant or 0
        details = (("asset", f"{item.type}_{variant}"), *item.details)
        order = AssetRequest(item.type, variant, size, palette=self.palette, details=details)
        inner = catalogue.model(order).surfaces[:1]
        if not inner:
            return Vec3(0.0, 0.0, 0.0)
        (x0, z0), (x1, z1) = inner[0].low, inner[0].high
        return Vec3((x0 + x1) / 2, 0.0, (z0 + z1) / 2)

    def holds(self, kind: str) -> bool:
        """Whether the room has an object of a type."""
        return any(spec.type == kind for spec in self.objects.values())

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
        radius = math.hypot(size.x, size.z) / 2
        if min(x1 - x0, z1 - z0) < min(size.x, size.z) or max(x1 - x0, z1 - z0) < radius:
            return None
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


def _out_of_sight(item: Item, holder: ObjectSpec, surface: Surface) -> bool:
    """Whether a thing is too flat to be seen so high up."""
    low = holder.body.center.y - holder.body.size.y / 2
    return low + surface.height > HIGH and item.extent.y < FLAT


def _with_shadow(surface: Surface, mark: Footprint) -> Footprint:
    """A mark together with the strip behind it, up to the surface's rear edge, and with the rest of
    the surface at its sides where only a pocket remains."""
    across, down = mark.extent()
    left, right, front = mark.x - across / 2, mark.x + across / 2, mark.z + down / 2
    (x0, z0), (x1, _) = surface.low, surface.high
    left = x0 if left - x0 < POCKET else left
    right = x1 if x1 - right < POCKET else right
    return Footprint((left + right) / 2, (front + z0) / 2, right - left, front - z0)


def _in_ellipse(surface: Surface, mark: Footprint) -> bool:
    """Whether a mark lies within the ellipse in a round surface."""
    (x0, z0), (x1, z1) = surface.low, surface.high
    radius = math.hypot(mark.width, mark.depth) / 2
    a, b = (x1 - x0) / 2 - radius, (z1 - z0) / 2 - radius
    if a <= 0 or b <= 0:
        return False
    return ((mark.x - (x0 + x1) / 2) / a) ** 2 + ((mark.z - (z0 + z1) / 2) / b) ** 2 <= 1


# --- Rectangles on the floor or on a table, and whether two of them meet

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Footprint:
    """A rectangle seen from above.

    Attributes:
        x, z: its middle, metres.
        width, depth: its extents along the rectangle's axes.
        yaw: its turn, degrees, clockwise from above.
    """

    x: float
    z: float
    width: float
    depth: float
    yaw: float = 0.0

    @cached_property
    def axes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Unit vectors (x, z) along its width and its depth."""
        angle = math.radians(self.yaw)
        c, s = round(math.cos(angle), 12), round(math.sin(angle), 12)
        return (c, -s), (s, c)

    @cached_property
    def radius(self) -> float:
        """Metres from the middle to the corners."""
        return math.hypot(self.width, self.depth) / 2

    def extent(self) -> tuple[float, float]:
        """Width along x and depth along z of the upright rectangle around it."""
        (ux, uz), (vx, vz) = self.axes
        return (
            abs(ux) * self.width + abs(vx) * self.depth,
            abs(uz) * self.width + abs(vz) * self.depth,
        )

    def meets(self, other: Footprint) -> bool:
        """Whether the two share any area (separating axes)."""
        dx, dz = other.x - self.x, other.z - self.z
        far = self.radius + other.radius
        if dx * dx + dz * dz >= far * far:
            return False
        for ax, az in (*self.axes, *other.axes):
            if abs(dx * ax + dz * az) >= self._reach(ax, az) + other._reach(ax, az) - 1e-9:
                return False
        return True

    def distances(self, x: Floats, z: Floats) -> Floats:
        """Metres from points to the rectangle, in the points' shape; 0 inside."""
        (ux, uz), (vx, vz) = self.axes
        dx, dz = x - self.x, z - self.z
        a = np.maximum(np.abs(dx * ux + dz * uz) - self.width / 2, 0.0)
        b = np.maximum(np.abs(dx * vx + dz * vz) - self.depth / 2, 0.0)
        away: Floats = np.sqrt(a * a + b * b)
        return away

    def _reach(self, ax: float, az: float) -> float:
        """Half of its shadow on an axis."""
        (ux, uz), (vx, vz) = self.axes
        return (abs(ux * ax + uz * az) * self.width + abs(vx * ax + vz * az) * self.depth) / 2


# --- Small things that a room must hold, wherever they find a place

OPEN = StartState(openness=1.0)
STARTS: dict[str, StartState] = {
    "Box": OPEN,
    "Laptop": OPEN,
    "Cloth": StartState(dirty=True),
    "WineBottle": StartState(liquid="wine"),
}
"""How things lie about that do not start as their type does."""


SMALL_BOX = Vec3(0.32, 0.22, 0.28)
"""A box that fits on a shelf."""


def usual(kind: str) -> Item:
    """A thing of a type as it lies about."""
    return Item(kind, SMALL_BOX if kind == "Box" else None, start=STARTS.get(kind))


def put_about(layout: RoomLayout, kinds: tuple[str, ...], holders: list[ObjectSpec]) -> None:
    """One of each kind that the room does not hold yet, on one of the holders or anywhere; large
    ones first.

    Raises:
        CrampedError: nothing in the room has a place for one.
    """
    draw = layout.draw
    missing = [usual(kind) for kind in kinds if not layout.holds(kind)]
    for item in sorted(missing, key=lambda item: -item.extent.x * item.extent.z):
        order = [holders[int(number)] for number in draw.permutation(len(holders))]
        if item.type == "Laptop" and any(_on_top(layout, item, each) for each in order):
            continue
        layout.lay_somewhere(item, *order)


def _on_top(layout: RoomLayout, item: Item, holder: ObjectSpec) -> bool:
    """Lays something so that it can be used from the front."""
    turn = float(layout.draw.uniform(-12, 12))
    return layout.lay(item, holder, yaw=turn) is not None
