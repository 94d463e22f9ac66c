"""What the builders of shower doors, panes and curtains are told: hinges, panes, rods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.rectangle import YAWS, Rectangle
from env_service.worlds.household.scene.surroundings import Surroundings, gap
from env_service.worlds.household.scene.thor_records import ThorRecord

_CORNER = 0.2
"""Metres: a box of glass that is thicker is that of panes around a corner."""

_AT_WALL = 0.15
"""Metres from a wall at which a side of a shower needs no pane."""

_PROFILE = 0.012
"""From the edge of the box to the middle of a pane, metres."""

_LEAST_PANE = 0.06
_NEAR_TUB = 1.6
_TO_WALL = 0.3
"""Metres between a tub's end and the wall that its curtain's rod bridges."""


def shower_details(
    record: ThorRecord, bodies: Mapping[str, Box], around: Surroundings
) -> list[tuple[str, Detail]]:
    """The details of a ShowerDoor, ShowerGlass or ShowerCurtain; of any other none."""
    body = bodies[record.object_id]
    if record.type == "ShowerDoor":
        return _hinge(record, body)
    if record.type == "ShowerCurtain":
        return [*_hinge(record, body), *_rod(record, body, around)]
    if record.type == "ShowerGlass" and min(record.spot.width, record.spot.depth) > _CORNER:
        return _panes(record, body, around)
    return []


def _hinge(record: ThorRecord, body: Box) -> list[tuple[str, Detail]]:
    """A door's and a curtain's origin lies at the end that stays where it is."""
    local = body.rotation.inverse().apply(record.position - body.center)
    # builders turn a box that is thinner along x, so that its z is the door's -x
    along, extent = (
        (local.x, body.size.x) if body.size.x >= body.size.z else (-local.z, body.size.z)
    )
    if abs(along) < 0.2 * extent:
        return []
    return [("hinge", "left" if along > 0 else "right")]


def bath_of(record: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The bathtub that a curtain hangs at, None if there is none near."""
    tubs = [tub for tub in around.of("Bathtub") if gap(record, tub) < _NEAR_TUB]
    return min(tubs, key=lambda tub: gap(record, tub), default=None)


def _rod(record: ThorRecord, body: Box, around: Surroundings) -> list[tuple[str, Detail]]:
    """A curtain's rod runs along its tub, from wall to wall where these are near."""
    tub = bath_of(record, around)
    if tub is None:
        return []
    across = body.rotation.apply(Vec3(1.0, 0.0, 0.0))
    along_x = abs(across.x) > 0.9
    if not along_x and abs(across.z) < 0.9:
        return []
    yaw = 0.0 if along_x else 90.0
    low, high = tub.spot.across(yaw)
    least, most = around.shape.inside.across(yaw)
    low = least if low - least < _TO_WALL else low
    high = most if most - high < _TO_WALL else high
    middle, sign = (body.center.x, across.x) if along_x else (body.center.z, across.z)
    start, end = sorted((sign * (low - middle), sign * (high - middle)))
    half = body.size.x / 2
    return [("rod", ((round(min(start, -half), 4), round(max(end, half), 4)),))]


def _panes(record: ThorRecord, body: Box, around: Surroundings) -> list[tuple[str, Detail]]:
    """Panes on the sides of a corner shower that no wall closes, beside its doors."""
    spot, doors = record.spot, [door.spot for door in around.of("ShowerDoor")]
    walls = [around.shape.inside.side(yaw) for yaw in YAWS]
    rows = []
    for yaw, wall in zip(YAWS, walls, strict=True):
        side = spot.side(yaw)
        if wall - side < _AT_WALL:
            continue
        low, high = spot.across(yaw)
        strip = Rectangle.spanned(yaw, side - 0.12, side + 0.12, low, high)
        taken = [both.across(yaw) for door in doors if (both := door.overlap(strip)) is not None]
        taken = [(a, b) for a, b in taken if b - a > _LEAST_PANE]
        for start, end in _between((low, high), taken):
            edge = Rectangle.spanned(yaw, side - _PROFILE, side - _PROFILE, start, end)
            rows.append(_line(edge, body))
    return [("panes", tuple(rows))] if rows else []


def _line(edge: Rectangle, body: Box) -> tuple[float, ...]:
    """A pane's ends in the ground plan of the asset's frame."""
    turned = body.rotation.inverse()
    ends = [
        turned.apply(Vec3(x, body.center.y, z) - body.center)
        for x, z in ((edge.west, edge.south), (edge.east, edge.north))
    ]
    return tuple(round(value, 4) for end in ends for value in (end.x, end.z))


def _between(
    span: tuple[float, float], taken: Iterable[tuple[float, float]]
) -> list[tuple[float, float]]:
    """What intervals leave of a span, slivers left out."""
    found, at = [], span[0]
    for low, high in sorted(taken):
        found.append((at, low))
        at = max(at, high)
    found.append((at, span[1]))
    return [(low, high) for low, high in found if high - low > _LEAST_PANE]
