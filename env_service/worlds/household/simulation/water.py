"""Where water runs: taps and shower heads, the basins below them, the stream between."""

from collections.abc import Iterator
from dataclasses import dataclass

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.state import HouseholdState, ObjectState

TAP_REACH = 0.75
"""Metres: a basin further from a tap does not belong to it."""

STREAM_RADIUS = 0.06
"""Metres around the axis of a tap's stream."""

SHOWER_RADIUS = 0.35
"""Metres around the axis of a shower's stream."""

BASINS = ("SinkBasin", "BathtubBasin")
TUBS = ("Sink", "Bathtub")
"""Which objects hold water; of a tub with a separate basin, the basin does."""


@dataclass(frozen=True)
class Flow:
    """The target of a tap's water, whether it runs or not.

    Attributes:
        running: whether the tap is on.
        basins: where the water gathers.
        axis: a point in the stream, at its upper end.
        radius: of the stream, metres.
        bottom: height at which the stream ends.
    """

    running: bool
    basins: tuple[ObjectState, ...]
    axis: Vec3
    radius: float
    bottom: float

    def above(self, item: ObjectState) -> bool:
        """Whether an object's middle lies over one of the basins, level."""
        middle = item.body.center
        return any(
            basin.extent[0].x <= middle.x <= basin.extent[1].x
            and basin.extent[0].z <= middle.z <= basin.extent[1].z
            for basin in self.basins
        )

    def meets(self, item: ObjectState) -> bool:
        """Whether the stream falls on an object's box."""
        low, high = item.extent
        if high.y > self.axis.y + 0.02 or high.y < self.bottom - 0.02:
            return False
        beside_x = max(low.x - self.axis.x, 0.0, self.axis.x - high.x)
        beside_z = max(low.z - self.axis.z, 0.0, self.axis.z - high.z)
        return beside_x * beside_x + beside_z * beside_z <= self.radius * self.radius


def flows(state: HouseholdState) -> Iterator[Flow]:
    """The flow of every tap and shower head, in the order of the objects."""
    basins = _basins(state)
    for item in state.objects.values():
        if item.spec.type == "Faucet":
            yield _tap(item, basins)
        elif item.spec.type == "ShowerHead":
            yield _shower(state, item, basins)


def _basins(state: HouseholdState) -> list[ObjectState]:
    inner = [item for item in state.objects.values() if item.spec.type in BASINS]
    owners = {item.id.rsplit("|", 1)[0] for item in inner}
    tubs = [
        item for item in state.objects.values() if item.spec.type in TUBS and item.id not in owners
    ]
    return inner + tubs


def _tap(tap: ObjectState, basins: list[ObjectState]) -> Flow:
    """A tap fills the basin that the scene lists it in, else the one nearest to it. Its stream
    falls from the end of its box that is over the basin."""
    listed = [basin for basin in basins if basin.id in (tap.parents or ())]
    near = min(listed or basins, key=lambda basin: _aside(tap, basin), default=None)
    low, high = tap.extent
    if near is None or _aside(tap, near) > TAP_REACH:
        return Flow(tap.toggled, (), tap.body.center, STREAM_RADIUS, low.y - 0.3)
    goal = near.body.center
    x, z = _within(goal.x, low.x, high.x), _within(goal.z, low.z, high.z)
    axis = Vec3(x, high.y, z)
    return Flow(tap.toggled, (near,), axis, STREAM_RADIUS, near.extent[0].y)


def _within(value: float, low: float, high: float) -> float:
    """The value, kept within a span less its rims."""
    rim = min(0.02, (high - low) / 2)
    return min(max(value, low + rim), high - rim)


def _shower(state: HouseholdState, head: ObjectState, basins: list[ObjectState]) -> Flow:
    """A shower wets the objects below it, and fills the tub that it hangs over."""
    center, bottom = head.body.center, state.scene.bounds.bottom
    under = tuple(
        basin
        for basin in basins
        if basin.extent[0].x - SHOWER_RADIUS <= center.x <= basin.extent[1].x + SHOWER_RADIUS
        and basin.extent[0].z - SHOWER_RADIUS <= center.z <= basin.extent[1].z + SHOWER_RADIUS
        and basin.spec.type in ("Bathtub", "BathtubBasin")
    )
    return Flow(head.toggled, under, center, SHOWER_RADIUS, bottom)


def _aside(tap: ObjectState, basin: ObjectState) -> float:
    """How far a basin is from a tap: level from the tap's middle to the basin's box, and half of
    that to the basin's middle, which decides between two basins side by side."""
    low, high = basin.extent
    point, middle = tap.body.center, basin.body.center
    beside_x = max(low.x - point.x, 0.0, point.x - high.x)
    beside_z = max(low.z - point.z, 0.0, point.z - high.z)
    to_box = Vec3(beside_x, 0.0, beside_z).length()
    return to_box + Vec3(middle.x - point.x, 0.0, middle.z - point.z).length() / 2
