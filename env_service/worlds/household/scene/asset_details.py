"""The details of single objects for asset builders: hinges, hollows, heights, looks."""

import re
import zlib
from collections.abc import Sequence

from env_service.worlds.household.assets.model import Detail, Palette
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.counters import Counter
from env_service.worlds.household.scene.facing import cabinet_front, holder_of
from env_service.worlds.household.scene.fitted_furniture import SLAB, board_of
from env_service.worlds.household.scene.footprints import Point2, inside, keyhole
from env_service.worlds.household.scene.import_context import ImportContext
from env_service.worlds.household.scene.plumbing import (
    basin_kind,
    ceramic_hole,
    kind_of,
    owner_of,
    shower_details,
    stands_on,
    tub_of,
)
from env_service.worlds.household.scene.thor_records import ThorRecord

Details = tuple[tuple[str, Detail], ...]

_SEATS = frozenset({"ArmChair", "Bed", "Chair", "DogBed", "Footstool", "Ottoman", "Sofa"})
_HOLDERS = frozenset({"CoffeeTable", "Desk", "DiningTable", "Dresser", "SideTable", "TVStand"})
_TROUGH = 1.9
"""A sink that is wider than this many times its depth is a trough."""

_LEVELS_APART = 0.05
"""Metres between the boards of a fridge; a thing that is lower above another board lies on that
one."""

_NUMBERS = re.compile(r"\d+")


def variant_of(record: ThorRecord, scene: str) -> int:
    """The number of a look: equal for equal assets, mostly different for different ones.

    It is the number in the asset's id, the later ones weighing less. Objects without an asset get
    the scene's look, so that a room's cabinets agree with each other.
    """
    if not record.asset_id:
        # drawers and doors of one kitchen have one kind of front
        kind = "Cabinet" if record.type == "Drawer" else record.type.removesuffix("Basin")
        name = f"{scene} {kind}"
        if record.type in {"Mirror", "Painting", "Poster", "Chair", "Curtains"}:
            name = f"{name} {record.bounds.size.x:.2f} {record.bounds.size.y:.2f}"
        return zlib.crc32(name.encode()) >> 3
    numbers = [int(found) for found in _NUMBERS.findall(record.asset_id)]
    if not numbers:
        return zlib.crc32(record.asset_id.encode()) >> 3
    number = 0
    for value in numbers:
        number = number * 31 + value
    return number


def board_levels(undersides: Sequence[float], height: float, headroom: float = 0.1) -> list[float]:
    """The heights of the boards on which things lie in closed furniture, lowest first, metres
    above its underside.

    Args:
        undersides: of the things, metres above the furniture's underside.
        height: of the furniture, metres.
        headroom: metres that are free above the highest board at least.
    """
    found: list[float] = []
    for level in sorted(undersides):
        if 0.05 < level < height - headroom and (not found or level - found[-1] > _LEVELS_APART):
            found.append(round(level, 4))
    return found


class Detailer:
    """Finds the details of a scene's objects, one by one."""

    def __init__(self, plan: ImportContext, palette: Palette) -> None:
        self._around, self._bodies, self._palette = plan.around, plan.bodies, palette
        self._scene = plan.name
        self._counters = {counter.record.object_id: counter for counter in plan.counters}
        self._resting: dict[str, list[ThorRecord]] = {}
        for record in plan.records:
            for parent in record.parents or ():
                self._resting.setdefault(parent, []).append(record)
        self._built_in: dict[str, list[ThorRecord]] = {}
        for record in plan.around.of("Drawer", "Cabinet", "Shelf"):
            holder = holder_of(record, plan.around)
            if holder is not None:
                self._built_in.setdefault(holder.object_id, []).append(record)

    def of(self, record: ThorRecord) -> Details:
        """All details of an object; "asset" is always the first."""
        found: list[tuple[str, Detail]] = [("asset", record.asset_id)]
        kind = record.type
        if kind in {"Cabinet", "Drawer", "Shelf"}:
            found += self._fitted(record)
        elif kind == "CounterTop":
            found += self._counter(record)
        elif kind in {"Sink", "Bathtub"}:
            found += self._basins(record)
        elif kind == "Floor":
            found += self._floor(record)
        elif kind == "SinkBasin":
            if tub_of(record, self._around) is not None:
                found.append(("builder", "BathtubBasin"))
            found.append(("kind", basin_kind(record, self._around)))
        elif kind in {"Faucet", "ShowerHead"}:
            found += self._fall(record)
        elif kind in {"ShowerCurtain", "ShowerDoor", "ShowerGlass"}:
            found += shower_details(record, self._bodies, self._around)
        elif kind == "Fridge":
            found += self._boards(record)
        elif kind in _SEATS:
            found += self._level(record)
        elif kind in _HOLDERS or kind == "ShelvingUnit":
            found += self._hollows(record)
        return tuple(found)

    def _fitted(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        found: list[tuple[str, Detail]] = []
        holder = holder_of(record, self._around)
        if record.type == "Cabinet":
            side = cabinet_front(record, self._around).side
            found.append(("kind", "double") if side == "double" else ("hinge", side))
            found.append(("grip", self._grip(record)))
            if self._basin_over(record) is not None:
                found.append(("top", "open"))
        if record.type == "Drawer":
            basin = self._basin_over(record)
            if basin is not None:
                walls = self._bodies[basin.object_id].bottom - record.low - 0.01
                found.append(("walls", round(max(walls, 0.03), 4)))
        if holder is not None and record.type != "Shelf":
            found.append(("wood", self._palette.wood))
        if record.type == "Shelf":
            top = None if holder is None else self._bodies[holder.object_id].top
            found += board_of(record, top, on_wall=self._on_wall(record))
        return found

    def _grip(self, record: ThorRecord) -> str:
        """The height of a door's handle: at the top of low cabinets, at the bottom of high ones."""
        low = record.low - self._around.shape.floor
        high = record.high - self._around.shape.floor
        return "top" if high < 1.1 else "bottom" if low > 1.0 else "middle"

    def _basin_over(self, record: ThorRecord) -> ThorRecord | None:
        """A basin that hangs into a cabinet or drawer."""
        return next(
            (
                basin
                for basin in self._around.of("SinkBasin")
                if basin.low < record.high + 0.01 < basin.high + 0.2
                and basin.spot.overlap(record.spot) is not None
            ),
            None,
        )

    def _on_wall(self, record: ThorRecord) -> bool:
        inside, spot = self._around.shape.inside, record.spot
        gaps = (
            inside.east - spot.east,
            spot.west - inside.west,
            inside.north - spot.north,
            spot.south - inside.south,
        )
        return min(gaps) < 0.06 and record.low > self._around.shape.floor + 0.3

    def _counter(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        counter, body = self._counters[record.object_id], self._bodies[record.object_id]
        low = body.center.y - body.size.y / 2
        found: list[tuple[str, Detail]] = [("top", counter.top - low), ("thickness", SLAB)]
        ring = self._with_round_holes(counter)
        if not counter.plain or ring != counter.outline:
            corners = (_in_frame(body, x, z) for x, z in ring)
            found.append(("outline", tuple((round(x, 4), round(z, 4)) for x, z in corners)))
        holes = [
            hole
            for sink in self._around.of("Sink", "Bathtub")
            if abs(sink.high - counter.top) < 0.15
            and not self._is_ceramic(sink)
            and (hole := self._hole(sink, counter, body)) is not None
        ]
        if holes:
            found.append(("holes", tuple(holes)))
        return found

    def _hole(
        self, sink: ThorRecord, counter: Counter, body: Box
    ) -> tuple[float, float, float, float] | None:
        """Where a sink is let into a counter: its ground plan without the rim that lies on it."""
        place = self._bodies[sink.object_id]
        spot = sink.spot
        if _is_slanted(place):
            return None
        room = spot.grown(-0.02)
        corners = [(x, z) for x in (room.west, room.east) for z in (room.south, room.north)]
        if not all(inside(corner, counter.outline) for corner in corners):
            return None
        ends = [_in_frame(body, room.west, room.south), _in_frame(body, room.east, room.north)]
        (x0, x1), (z0, z1) = (sorted(values) for values in zip(*ends, strict=True))
        return (round(x0, 4), round(z0, 4), round(x1, 4), round(z1, 4))

    def _with_round_holes(self, counter: Counter) -> tuple[Point2, ...]:
        """The outline of a counter, cut around ceramic sinks and around sinks across a corner:
        holes have to be straight."""
        ring = counter.outline
        for sink in self._around.of("Sink"):
            place = self._bodies[sink.object_id]
            ceramic = self._is_ceramic(sink)
            apart = abs(sink.high - counter.top) > 0.15
            if apart or not (ceramic or _is_slanted(place)):
                continue
            if ceramic and stands_on(sink, counter.top, self._bodies, self._around):
                continue
            ahead = place.rotation.apply(Vec3(0.0, 0.0, -1.0))
            hole = self._outline(sink, place, ceramic=ceramic)
            holes = [hole] if _within(hole, counter) else self._basin_outlines(sink)
            for each in holes:
                ring = keyhole(ring, each, (ahead.x, ahead.z))
        return ring

    def _basin_outlines(self, sink: ThorRecord) -> list[Sequence[Point2]]:
        """Around the basins of a sink that hangs over the edge of its counter."""
        own = (b for b in self._around.of("SinkBasin") if owner_of(b, self._around) is sink)
        bodies = [self._bodies[basin.object_id] for basin in own]
        rims = [Box(b.center, b.size + Vec3(0.02, 0.0, 0.02), b.rotation) for b in bodies]
        return [[(c.x, c.z) for c in rim.corners()[:4]] for rim in rims]

    def _outline(self, sink: ThorRecord, place: Box, *, ceramic: bool) -> Sequence[Point2]:
        if ceramic:
            # the builder draws an oval for even variants
            return ceramic_hole(place, oval=self.variant(sink) % 2 == 0)
        size = place.size - Vec3(0.04, 0.0, 0.04)
        return [(c.x, c.z) for c in Box(place.center, size, place.rotation).corners()[:4]]

    def _is_ceramic(self, sink: ThorRecord) -> bool:
        if sink.type != "Sink" or sink.bounds.size.y > 0.5:
            return False
        kind = kind_of(sink, self._around, in_counter=self._in_counter(sink))
        return kind == "ceramic" or (kind is None and sink.asset_id.startswith("Sink_"))

    def variant(self, record: ThorRecord) -> int:
        """The number of a look; a basin has that of its sink. A trough gets an odd number, as
        builders make ovals for even ones."""
        owner = owner_of(record, self._around) or record
        number = variant_of(owner, self._scene)
        sides = (owner.spot.width, owner.spot.depth)
        trough = owner.type == "Sink" and max(sides) > _TROUGH * min(sides)
        return number | 1 if trough else number

    def _basins(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        body = self._bodies[record.object_id]
        rows = []
        for basin in self._around.of("BathtubBasin", "SinkBasin"):
            place = self._bodies[basin.object_id]
            if owner_of(basin, self._around) is not record or not body.contains(
                Vec3(place.center.x, body.center.y, place.center.z)
            ):
                continue
            turned = body.rotation.inverse()
            corners = [turned.apply(c - body.center) for c in place.corners()]
            x0, x1 = min(c.x for c in corners), max(c.x for c in corners)
            z0, z1 = min(c.z for c in corners), max(c.z for c in corners)
            w, d = body.size.x / 2 - 0.012, body.size.z / 2 - 0.012
            row: tuple[float, ...] = (max(x0, -w), max(z0, -d), min(x1, w), min(z1, d))
            if record.type == "Sink":
                row = (*row, record.high - basin.low)
            rows.append(row)
        found: list[tuple[str, Detail]] = []
        if rows:
            found.append(("basins", tuple(tuple(round(v, 4) for v in row) for row in rows)))
        if record.type == "Sink":
            kind = kind_of(record, self._around, in_counter=self._in_counter(record))
            if kind is not None:
                found.append(("kind", kind))
        return found

    def _in_counter(self, sink: ThorRecord) -> bool:
        return any(
            abs(sink.high - counter.top) < 0.15 and strip.holds(*sink.spot.center)
            for counter in self._counters.values()
            for strip, _ in counter.runs
        )

    def _floor(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        """The floor reaches under the walls, whatever AI2-THOR's box says."""
        body, shape = self._bodies[record.object_id], self._around.shape
        low = body.center.y - body.size.y / 2
        found: list[tuple[str, Detail]] = [("top", shape.floor - low)]
        area = shape.inside.grown(0.2)
        ring = (
            (area.west, area.south),
            (area.east, area.south),
            (area.east, area.north),
            (area.west, area.north),
        )
        corners = (_in_frame(body, x, z) for x, z in ring)
        found.append(("outline", tuple((round(x, 4), round(z, 4)) for x, z in corners)))
        return found

    def _fall(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        """How far water falls: to the bottom of the nearest basin below, else to the floor."""
        body, around = self._bodies[record.object_id], self._around
        low = body.center.y - body.size.y / 2
        below = [
            r
            for r in around.of("SinkBasin", "BathtubBasin", "Sink", "Bathtub")
            if r.spot.grown(0.45).holds(body.center.x, body.center.z) and r.low < body.center.y
        ]
        if below:
            x, z = body.center.x, body.center.z
            basin = min(
                below,
                key=lambda r: abs(r.spot.center[0] - x) + abs(r.spot.center[1] - z),
            )
            ground = basin.low
        else:
            ground = around.shape.floor
        if record.type == "Faucet" and not below:
            return []
        if record.type == "Faucet":
            return [("land", round(ground + 0.005 - low, 3))]
        # a shower's head is at the top of its box
        return [("fall", round(max(low + body.size.y * 0.95 - ground, 0.03), 3))]

    def _level(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        """The height of a seat or mattress, if something lies on it."""
        body = self._bodies[record.object_id]
        low = body.center.y - body.size.y / 2
        lying = sorted(r.low for r in self._resting.get(record.object_id, ()))
        if not lying:
            return []
        return [("level", round(lying[len(lying) // 2] - low, 3))]

    def _inner_levels(self, record: ThorRecord) -> list[float]:
        """Heights of the boards below the top: where things lie outside drawers."""
        body = self._bodies[record.object_id]
        low = body.center.y - body.size.y / 2
        found: list[float] = []
        for item in sorted(self._resting.get(record.object_id, ()), key=lambda r: r.low):
            level = item.low - low
            inner = 0.05 < level < body.size.y - 0.12 and item.type not in {"Drawer", "Cabinet"}
            if inner and (not found or level - found[-1] > 0.06):
                found.append(round(level, 4))
        return found

    def _boards(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        """The heights of a fridge's boards."""
        body = self._bodies[record.object_id]
        low = body.center.y - body.size.y / 2
        resting = self._resting.get(record.object_id, ())
        found = board_levels([item.low - low for item in resting], body.size.y)
        return [("boards", tuple((level,) for level in found))] if found else []

    def _hollows(self, record: ThorRecord) -> list[tuple[str, Detail]]:
        """Openings and boards of furniture that other objects are built into."""
        body = self._bodies[record.object_id]
        turned = body.rotation.inverse()
        origin = body.center - body.rotation.apply(Vec3(0.0, body.size.y / 2, 0.0))
        holes, boards = [], []
        for item in self._built_in.get(record.object_id, ()):
            corners = [turned.apply(c - origin) for c in self._bodies[item.object_id].corners()]
            low = min(c.y for c in corners)
            if item.type == "Shelf":
                boards.append((round(low + 0.003, 4),))
                continue
            holes.append(
                (
                    round(min(c.x for c in corners), 4),
                    round(low, 4),
                    round(max(c.x for c in corners), 4),
                    round(max(c.y for c in corners), 4),
                )
            )
        boards += [
            (level,)
            for level in self._inner_levels(record)
            if all(abs(level - board[0]) > 0.06 for board in boards)
        ]
        found: list[tuple[str, Detail]] = []
        if record.type == "ShelvingUnit":
            if boards:
                found = [("boards", tuple(sorted(boards))), ("shelves", "separate")]
            return found
        if holes:
            found.append(("drawers", tuple(holes)))
        if boards:
            found.append(("shelves", tuple(sorted(boards))))
        return found


def _within(outline: Sequence[Point2], counter: Counter) -> bool:
    return all(inside(point, counter.outline) for point in outline)


def _is_slanted(box: Box) -> bool:
    ahead = box.rotation.apply(Vec3(0.0, 0.0, 1.0))
    return min(abs(ahead.x), abs(ahead.z)) > 0.2


def _in_frame(body: Box, x: float, z: float) -> tuple[float, float]:
    """A point of the room in the ground plan of an asset's frame."""
    local = body.rotation.inverse().apply(Vec3(x, body.center.y, z) - body.center)
    return local.x, local.z
