"""Receptacles for one kind of thing, and the thing's place in each.

AI2-THOR's object-specific receptacles: a coffee machine takes a mug under its spout, a stove
burner one pan, pot or kettle in its middle, a toaster slices in its slots, hangers and holders
what hangs on them. They take nothing else, also when the action is forced, and no more than fits.
"""

from collections.abc import Iterator

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.geometry import IDENTITY, Rotation, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import free, obstacles
from env_service.worlds.household.simulation.space.placement import Order, box_at
from env_service.worlds.household.simulation.space.support_surfaces import built_model, supports
from env_service.worlds.household.state import HouseholdState, ObjectState

SPECIAL = frozenset(
    {
        "CoffeeMachine",
        "HandTowelHolder",
        "StoveBurner",
        "Toaster",
        "ToiletPaperHanger",
        "TowelHolder",
    }
)

SHOWS = 0.02
"""Metres that a slice sticks out of a toaster, at least."""

ATTACHED = {
    "HandTowelHolder": (Vec3(0.0, -0.102, 0.038), Vec3(0.0, 0.0, 0.0)),
    "ToiletPaperHanger": (Vec3(-0.057, 0.0, 0.084), Vec3(0.0, 0.0, 270.0)),
    "TowelHolder": (Vec3(0.0, 0.014, 0.107), Vec3(0.0, 0.0, 0.0)),
}
"""By type, the place of AI2-THOR's attach point in the receptacle's local frame, metres and degrees
(the floor plans' metadata, with 60 towels, and a recorded roll of paper)."""


def accepts(receptacle: ObjectState, item: ObjectState) -> bool:
    """Whether a special receptacle is made for an item."""
    return receptacle.spec.type in object_types()[item.spec.type].receptacles


def is_full(state: HouseholdState, receptacle: ObjectState) -> bool:
    """Whether a special receptacle is full."""
    mine = [state.objects[key] for key in receptacle.contents or () if key in state.objects]
    held = sum(accepts(receptacle, each) for each in mine if _has_type(each))
    return held >= _places(state, receptacle)


def attached(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState, order: Order
) -> Transform | None:
    """The pose of the item's local frame in a special receptacle; None if a neighbouring object is
    in the way."""
    around = obstacles(state, item, receptacle, airy=False)
    frames = list(_frames(state, item, receptacle))
    if receptacle.spec.type == "StoveBurner":
        straight = sorted(frames[:4], key=lambda frame: order(_middle(item, frame)))
        frames = straight + frames[4:]
    elif receptacle.spec.type != "Toaster":
        around = ()
    for frame in frames:
        if free(box_at(item, frame), around):
            return frame @ item.spec.asset_frame.inverse()
    return None


def _has_type(item: ObjectState) -> bool:
    return item.spec.type in object_types()


def _places(state: HouseholdState, receptacle: ObjectState) -> int:
    if receptacle.spec.type != "Toaster":
        return 1
    return len(supports(state.scene, receptacle))


def _frames(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState
) -> Iterator[Transform]:
    kind = receptacle.spec.type
    if kind in ATTACHED:
        yield _attached(item, receptacle)
    elif kind == "StoveBurner":
        yield from _on_burner(state, item, receptacle)
    elif kind == "Toaster":
        yield from _in_slots(state, item, receptacle)
    else:
        place = supports(state.scene, receptacle)[0]
        yield place.frame


def _on_burner(
    state: HouseholdState, item: ObjectState, burner: ObjectState
) -> Iterator[Transform]:
    """The bottom of the vessel over the middle of the burner, its handle to any of eight sides,
    the straight ones first."""
    built = built_model(item, state.scene.palette)
    pivot = Vec3(0.0, 0.0, 0.0)
    if built is not None and built.surfaces:
        bottom = built.surfaces[0]
        (x0, z0), (x1, z1) = bottom.low, bottom.high
        pivot = Vec3((x0 + x1) / 2, 0.0, (z0 + z1) / 2)
    for place in supports(state.scene, burner)[:1]:
        for turn in (0, 90, 180, 270, 45, 135, 225, 315):
            rotation = place.frame.rotation @ Rotation.yaw(float(turn))
            yield Transform(rotation, place.frame.position - rotation.apply(pivot))


def _in_slots(
    state: HouseholdState, item: ObjectState, toaster: ObjectState
) -> Iterator[Transform]:
    """On edge in each slot, the thin side across it, small pieces on the raised rack: the top of
    what toasts shows."""
    for place in supports(state.scene, toaster):
        edge = _axes_to(item.spec.body.size, across="z" if place.width >= place.depth else "x")
        frame = _standing(item, Transform(place.frame.rotation @ edge, place.frame.position))
        rise = max(0.0, toaster.extent[1].y + SHOWS - box_at(item, frame).top)
        yield Transform(frame.rotation, frame.position + Vec3(0.0, rise, 0.0))


def _attached(item: ObjectState, holder: ObjectState) -> Transform:
    """The asset's frame where the item's local frame is at the holder's attach point."""
    place, turn = ATTACHED[holder.spec.type]
    return holder.pose @ Transform.at(place, turn) @ item.spec.asset_frame


def _standing(item: ObjectState, frame: Transform) -> Transform:
    """The frame moved so that the lowest point of the item's box lies over its origin."""
    box = box_at(item, frame)
    foot = Vec3(box.center.x, box.bottom, box.center.z)
    return Transform(frame.rotation, frame.position + frame.position - foot)


def _axes_to(size: Vec3, across: str, *, upright: bool = False) -> Rotation:
    """The turn that brings the shortest axis of a box to `across` (x or z); vertical is the longer
    of the other two if `upright`, else the shorter."""
    order = sorted("xyz", key=lambda axis: (getattr(size, axis), axis))
    thin, middle, longest = order
    up, along = (longest, middle) if upright else (middle, longest)
    target = {thin: across, up: "y", along: "x" if across == "z" else "z"}
    if all(target[axis] == axis for axis in "xyz"):
        return IDENTITY
    rows = [[1.0 if target[source] == axis else 0.0 for source in "xyz"] for axis in "xyz"]
    if _determinant(rows) < 0:  # a mirror image: turn one horizontal axis round
        flipped = "xyz".index("x" if across == "z" else "z")
        rows[flipped] = [-value for value in rows[flipped]]
    a, b, c = rows
    return Rotation(((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])))


def _determinant(rows: list[list[float]]) -> float:
    a, b, c = rows
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1])
        - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def _middle(item: ObjectState, frame: Transform) -> Vec3:
    return box_at(item, frame).center
