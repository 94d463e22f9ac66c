"""The obstacles to placing an object, and whether two oriented boxes intersect."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.simulation.space.containment import ENCLOSING, carried_with
from env_service.worlds.household.simulation.space.support_surfaces import HOLLOW
from env_service.worlds.household.state import HouseholdState, ObjectState

FLAT = frozenset({"Blinds", "Curtains", "Floor", "Mirror", "ShowerCurtain", "Window"})
"""Types that hang or lie along the room's faces; they block nothing."""

HANGING = frozenset({"Cabinet", "Microwave", "Shelf"})
"""Furniture that hangs over surfaces."""

AIRY = frozenset({"Faucet", "ShowerHead"})
"""Types with much air in their boxes: a mug fits under a spout."""


@dataclass(frozen=True)
class Obstacle:
    """The box of a thing, with the axis-aligned corners around it."""

    box: Box
    low: Vec3
    high: Vec3

    def hits(self, box: Box, low: Vec3, high: Vec3) -> bool:
        """Whether another box, with the corners around it, intersects it."""
        if high.x <= self.low.x + TOUCH or low.x >= self.high.x - TOUCH:
            return False
        if high.y <= self.low.y + TOUCH or low.y >= self.high.y - TOUCH:
            return False
        if high.z <= self.low.z + TOUCH or low.z >= self.high.z - TOUCH:
            return False
        return overlap(self.box, box)


def obstacles(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState | None, *, airy: bool = True
) -> tuple[Obstacle, ...]:
    """The obstacles to an item on or in a receptacle (None: anywhere in the room).

    Everything that can be picked up counts, and so do the objects on the receptacle. Other
    furniture is mostly air: it counts for things on the floor, and where it hangs over a surface.
    Hollow things can be reached into from anywhere. What holds the receptacle, and what moves with
    the item, does not count. Boxes of taps count only if `airy`.
    """
    moving = {item.id, *(each.id for each in carried_with(state, item))}
    ignored = moving | ({receptacle.id, *(receptacle.parents or ())} if receptacle else set())
    found = []
    for other in state.objects.values():
        if other.id in ignored or other.held or other.in_hand_of or other.replaced:
            continue
        if other.spec.type in FLAT or (other.spec.type in AIRY and not airy):
            continue
        if other.spec.can(Trait.PICKUPABLE) or _stands_in_the_way(other, receptacle):
            found.append(Obstacle(other.body, *other.extent))
    return tuple(found)


def _stands_in_the_way(other: ObjectState, receptacle: ObjectState | None) -> bool:
    if receptacle is None:
        return other.spec.type not in ENCLOSING | HOLLOW
    if receptacle.spec.type == "Floor":
        return True
    if other.id in (receptacle.contents or ()):  # dumps list a counter in a pot that touches it
        return _across(other) <= _across(receptacle)
    if other.spec.type not in furniture():
        return True
    if receptacle.spec.type in ENCLOSING or other.spec.type not in HANGING:
        return False
    return other.extent[0].y >= receptacle.extent[1].y


def _across(item: ObjectState) -> float:
    size = item.spec.body.size
    return max(size.x, size.z)


@cache
def furniture() -> frozenset[str]:
    """Types of which some instances hold things: their boxes are mostly air."""
    return frozenset(
        name
        for name, facts in object_types().items()
        if Trait.RECEPTACLE in facts.traits | facts.sometimes
    )


def free(box: Box, around: Iterable[Obstacle]) -> bool:
    """Whether a box misses all obstacles."""
    low, high = corners(box)
    return not any(each.hits(box, low, high) for each in around)


def corners(box: Box) -> tuple[Vec3, Vec3]:
    """Lowest and highest corner of the axis-aligned box around a box."""
    half = _half_extents(box)
    return box.center - half, box.center + half


def within(around: Sequence[Obstacle], low: Vec3, high: Vec3) -> tuple[Obstacle, ...]:
    """Those obstacles that reach into an axis-aligned region."""
    return tuple(
        each
        for each in around
        if each.high.x > low.x
        and each.low.x < high.x
        and each.high.y > low.y
        and each.low.y < high.y
        and each.high.z > low.z
        and each.low.z < high.z
    )


def _half_extents(box: Box) -> Vec3:
    half = box.size * 0.5
    rows = box.rotation.rows
    return Vec3(*(abs(r[0]) * half.x + abs(r[1]) * half.y + abs(r[2]) * half.z for r in rows))


# --- Whether two oriented boxes intersect: separating axes

TOUCH = 0.001
"""Metres by which boxes may overlap and still count as touching."""

PARALLEL = 1e-3
"""Sine of the angle below which two edges are parallel and add no axis: without it, boxes count as
separate up to half a millimetre late, and measured rotations, which miss right angles by 1e-5,
yield false axes."""

Triple = tuple[float, float, float]


def overlap(first: Box, second: Box, slack: float = TOUCH) -> bool:
    """Whether two boxes share more than a skin of `slack` metres; exact.

    Boxes are disjoint if one of 15 axes separates them: the faces' normals of both, and the
    products of their edges (Gottschalk, Lin and Manocha, 1996). All values are in the first box's
    frame.
    """
    apart = second.center - first.center
    reach = (first.size.length() + second.size.length()) / 2
    if apart.dot(apart) >= reach * reach:
        return False
    mine, other = _columns(first.rotation), _columns(second.rotation)
    between = _against(mine, apart.tuple())
    turned = (_against(other, mine[0]), _against(other, mine[1]), _against(other, mine[2]))
    half = _half(first), _half(second)
    return not (
        _faces_separate(between, turned, half, slack)
        or _edges_separate(between, turned, half, slack)
    )


def _faces_separate(
    t: Triple, r: tuple[Triple, Triple, Triple], half: tuple[Triple, Triple], slack: float
) -> bool:
    e, f = half
    for i in range(3):
        row = r[i]
        span = e[i] + f[0] * abs(row[0]) + f[1] * abs(row[1]) + f[2] * abs(row[2])
        if abs(t[i]) >= span - slack:
            return True
    for j in range(3):
        span = f[j] + e[0] * abs(r[0][j]) + e[1] * abs(r[1][j]) + e[2] * abs(r[2][j])
        if abs(t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j]) >= span - slack:
            return True
    return False


def _edges_separate(
    t: Triple, r: tuple[Triple, Triple, Triple], half: tuple[Triple, Triple], slack: float
) -> bool:
    e, f = half
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            c, d = (j + 1) % 3, (j + 2) % 3
            # not from r[i][j]: measured matrices are not rotations to the last digits
            sine = math.sqrt(r[a][j] * r[a][j] + r[b][j] * r[b][j])
            if sine < PARALLEL:
                continue
            span = e[a] * abs(r[b][j]) + e[b] * abs(r[a][j])
            span += f[c] * abs(r[i][d]) + f[d] * abs(r[i][c])
            if abs(t[b] * r[a][j] - t[a] * r[b][j]) >= span - slack * sine:
                return True
    return False


def _columns(rotation: Rotation) -> tuple[Triple, Triple, Triple]:
    """The turned axes."""
    a, b, c = rotation.rows
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def _against(axes: tuple[Triple, Triple, Triple], v: Triple) -> Triple:
    """How far a vector reaches along each of three axes."""
    a, b, c = axes
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        b[0] * v[0] + b[1] * v[1] + b[2] * v[2],
        c[0] * v[0] + c[1] * v[1] + c[2] * v[2],
    )


def _half(box: Box) -> Triple:
    return box.size.x / 2, box.size.y / 2, box.size.z / 2
