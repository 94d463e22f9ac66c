"""Counters along a wall: the top with its sinks, the carcass, cabinets and drawers below."""

from dataclasses import dataclass

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.layout import Footprint, Item
from env_service.worlds.household.scene.rooms.shell import Shell, Wall
from env_service.worlds.household.scene.spec import ObjectSpec

COUNTER_TOP = 0.90
SLAB = 0.035
BASE = COUNTER_TOP - SLAB
"""Metres: height of the surface, thickness of the slab, height of the carcass."""
LIP = 0.02
"""Metres by which the slab projects over the fronts."""
TOE = 0.10
DRAWER = 0.15
FRAME = 0.012
"""Metres of carcass between two fronts."""
WIDEST_UNIT = 0.60
FILLER = 0.07
"""Metres of a closed strip in a corner, so that its drawers and doors clear the adjacent
handles."""
WORKING = 0.5
"""Metres before a counter that stay free of furniture."""
SINK_UNIT = {"kitchen": 0.84, "bathroom": 0.62}
SINK_SIZE = {"kitchen": Vec3(0.70, 0.18, 0.46), "bathroom": Vec3(0.50, 0.15, 0.38)}
BASIN_SIZE = {"kitchen": Vec3(0.36, 0.16, 0.36), "bathroom": Vec3(0.40, 0.13, 0.28)}
SINK_DOORS = 0.70
"""Metres: doors below a sink end here, so that its bowl hangs free over their cabinets."""
TAP_LIFT = 0.01
"""Metres from a counter up to the foot of a tap, on the sink's rim."""
LANDING = 0.004
"""Metres above the ground of a basin where water lands."""


@dataclass(frozen=True)
class CounterPlan:
    """A straight counter.

    Attributes:
        start, end: metres along the wall.
        depth: metres from the wall to the fronts.
        sinks: middles of its sinks, along the wall.
        room: "kitchen" or "bathroom"; decides the kind of sinks.
        hidden: metres at its start and at its end where other furniture covers its fronts.
        dishwasher: whether one is next to its first sink.
    """

    start: float
    end: float
    depth: float = 0.60
    sinks: tuple[float, ...] = ()
    room: str = "bathroom"
    hidden: tuple[float, float] = (0.0, 0.0)
    dishwasher: bool = False


@dataclass(frozen=True)
class Unit:
    """A stretch of a carcass with fronts of its width: its limits along the wall."""

    start: float
    end: float
    sink: float | None = None
    closed: bool = False

    @property
    def width(self) -> float:
        """Metres."""
        return self.end - self.start

    @property
    def middle(self) -> float:
        """Metres along the wall."""
        return (self.start + self.end) / 2


def build_counter(shell: Shell, wall: Wall, plan: CounterPlan) -> ObjectSpec:
    """Builds a counter with all its parts; returns its CounterTop."""
    top = _slab(shell, wall, plan)
    for at in plan.sinks:
        _sink(shell, wall, plan, at, top)
    draw = shell.layout.draw
    style = front_style(shell)
    units = units_of(plan)
    machine = _beside_sink(units) if plan.dishwasher else None
    for unit in units:
        if unit is machine:
            _dishwasher(shell, wall, plan, unit)
            continue
        fronts = _fronts(unit, drawers_only=bool(draw.random() < 0.25))
        _carcass(shell, wall, plan, unit, fronts)
        before = wall.spot(unit.middle, plan.depth + WORKING / 2)
        shell.layout.fronts.append((before.x, before.z))
        for kind, x0, y0, x1, y1 in fronts:
            hinge = "left" if unit.middle < (plan.start + plan.end) / 2 else "right"
            item = Item(
                kind,
                Vec3(x1 - x0 - 0.004, y1 - y0 - 0.004, plan.depth - 0.03),
                style,
                details=(("hinge", hinge),) if kind == "Cabinet" else (),
            )
            spot = wall.spot(
                unit.middle - (x0 + x1) / 2, 0.03 + (plan.depth - 0.03) / 2, y0 + 0.002
            )
            shell.layout.put(item, spot, wall.yaw)
    middle = wall.spot((plan.start + plan.end) / 2, (plan.depth + LIP) / 2)
    shell.layout.standing.append(
        Footprint(middle.x, middle.z, plan.end - plan.start, plan.depth + LIP, wall.yaw)
    )
    shell.ledgers[wall.name].take(plan.start, plan.end, 0.0, COUNTER_TOP + 0.02)
    shell.reserve(wall, (plan.start, plan.end), plan.depth, WORKING)
    return top


def front_style(shell: Shell) -> int:
    """The look of all fronts of a room: that of its first one."""
    for spec in shell.layout.objects.values():
        if spec.type in ("Cabinet", "Drawer"):
            return spec.variant
    return int(shell.layout.draw.integers(1, 31))


def _beside_sink(units: tuple[Unit, ...]) -> Unit | None:
    """The first unit next to the first sink that is wide enough for a dishwasher."""
    for k, unit in enumerate(units):
        if unit.sink is not None:
            for beside in units[max(k - 1, 0) : k + 2]:
                if beside.sink is None and not beside.closed and 0.44 < beside.width < 0.66:
                    return beside
    return None


def _dishwasher(shell: Shell, wall: Wall, plan: CounterPlan, unit: Unit) -> None:
    body = Box(
        wall.spot(unit.middle, plan.depth / 2, BASE / 2),
        Vec3(unit.width - 0.006, BASE, plan.depth),
        Rotation.yaw(wall.yaw),
    )
    variant = int(shell.layout.draw.integers(1, 31))
    shell.layout.build("Dishwasher", body, variant=variant)


def units_of(plan: CounterPlan) -> tuple[Unit, ...]:
    """The carcass in units: one under each sink, the rest evenly divided."""
    wide = SINK_UNIT[plan.room]
    units: list[Unit] = []
    at, end = plan.start + plan.hidden[0], plan.end - plan.hidden[1]
    last: list[Unit] = []
    if plan.hidden[0] > 0:
        units.append(Unit(at, at + FILLER, closed=True))
        at += FILLER
    if plan.hidden[1] > 0:
        last.append(Unit(end - FILLER, end, closed=True))
        end -= FILLER
    for sink in (*sorted(plan.sinks), None):
        left = end if sink is None else max(at, sink - wide / 2)
        count = max(1, round((left - at) / WIDEST_UNIT + 0.25)) if left - at > 0.12 else 0
        step = (left - at) / count if count else 0.0
        units += [Unit(at + k * step, at + (k + 1) * step) for k in range(count)]
        if sink is not None:
            right = min(end, sink + wide / 2)
            units.append(Unit(left if count else at, right, sink))
            at = right
    return (*units, *last)


Front = tuple[str, float, float, float, float]


def _fronts(unit: Unit, *, drawers_only: bool) -> list[Front]:
    """(type, x0, y0, x1, y1) of the fronts of a unit, in the frame of its carcass."""
    half = unit.width / 2 - FRAME
    bottom = TOE + 0.02
    top = BASE - FRAME
    if unit.sink is not None:
        top = SINK_DOORS
        return [("Cabinet", 0.0, bottom, half, top), ("Cabinet", -half, bottom, -FRAME, top)]
    if unit.closed or unit.width < 0.22:
        return []
    if drawers_only and unit.width < 0.7:
        tall = (top - bottom - 2 * FRAME) / 3
        rows = [bottom + k * (tall + FRAME) for k in range(3)]
        return [("Drawer", -half, y, half, y + tall) for y in rows]
    split = top - DRAWER
    return [
        ("Drawer", -half, split, half, top),
        ("Cabinet", -half, bottom, half, split - FRAME),
    ]


def _slab(shell: Shell, wall: Wall, plan: CounterPlan) -> ObjectSpec:
    size = Vec3(plan.end - plan.start, SLAB, plan.depth + LIP)
    middle = (plan.start + plan.end) / 2
    sink = SINK_SIZE[plan.room]
    back = _sink_out(plan) - size.z / 2
    holes = tuple(
        (
            middle - at - sink.x / 2 + 0.01,
            back - sink.z / 2 + 0.01,
            middle - at + sink.x / 2 - 0.01,
            back + sink.z / 2 - 0.01,
        )
        for at in plan.sinks
    )
    details = (("holes", holes),) if holes else ()
    item = Item("CounterTop", size, details=details)
    return shell.layout.put(item, wall.spot(middle, size.z / 2, BASE), wall.yaw)


def _sink_out(plan: CounterPlan) -> float:
    """Metres from the wall to the middle of the sinks."""
    return plan.depth / 2 + 0.03


def _sink(shell: Shell, wall: Wall, plan: CounterPlan, at: float, top: ObjectSpec) -> None:
    size, basin = SINK_SIZE[plan.room], BASIN_SIZE[plan.room]
    out = _sink_out(plan)
    aside = -0.12 if plan.room == "kitchen" else 0.0
    hole = ((aside - basin.x / 2, -basin.z / 2, aside + basin.x / 2, basin.z / 2),)
    kind = "kitchen" if plan.room == "kitchen" else "ceramic"
    layout = shell.layout
    item = Item("Sink", size, details=(("basins", hole), ("kind", kind)))
    sink = layout.put(item, wall.spot(at, out, COUNTER_TOP + 0.012 - size.y), wall.yaw)
    low = COUNTER_TOP - basin.y
    place = wall.spot(at - aside, out, low)
    hollow = layout.put_as(
        f"{sink.object_id}|SinkBasin",
        Item("SinkBasin", basin, details=(("kind", kind),)),
        place,
        wall.yaw,
    )
    tap = Item(
        "Faucet",
        Vec3(0.16, 0.30, 0.22) if plan.room == "kitchen" else Vec3(0.18, 0.18, 0.16),
        details=(("mount", "deck"), ("land", LANDING - TAP_LIFT - basin.y)),
        parents=(top.object_id, hollow.object_id),
    )
    behind = out - size.z / 2 - 0.005 + 0.06
    layout.put(tap, wall.spot(at - aside, behind, COUNTER_TOP + TAP_LIFT), wall.yaw)


def _carcass(shell: Shell, wall: Wall, plan: CounterPlan, unit: Unit, fronts: list[Front]) -> None:
    holes = tuple((x0, y0, x1, y1) for _, x0, y0, x1, y1 in fronts)
    middle = wall.spot(unit.middle, plan.depth / 2, BASE / 2)
    body = Box(middle, Vec3(unit.width, BASE, plan.depth), Rotation.yaw(wall.yaw))
    shell.layout.build("CounterBase", body, details=(("openings", holes),))
