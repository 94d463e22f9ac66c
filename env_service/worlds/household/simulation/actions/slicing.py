"""Slicing: the whole stays listed, and its pieces take its place.

As in AI2-THOR, a sliced object stays in the metadata with isSliced true and can no longer be seen
or touched; its pieces are new objects with ids `Apple|x|y|z|AppleSliced_0`. A cooked potato gives
cooked pieces. An egg that is sliced or broken becomes one EggCracked.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Box, Rotation, Transform, Vec3
from env_service.worlds.household.scene.spec import ObjectSpec, StartState
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import SECONDS, ActionContext, Register, Result
from env_service.worlds.household.simulation.actions.targeting import TARGET, find, target
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import (
    innermost,
    posed,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import Search, find_spot, nearest_to
from env_service.worlds.household.simulation.space.rest_position import let_fall
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

PIECES = {"Apple": 3, "Bread": 9, "Lettuce": 8, "Potato": 9, "Tomato": 7}
"""How many pieces each gives: the fewest that the piece numbers in ALFRED's trajectories allow
(docs/household.md, Differences from AI2-THOR)."""

CRACKED_SIZE = Vec3(0.11, 0.022, 0.11)
"""Metres, of an egg out of its shell."""

HEEL = 0.62
"""How small the end pieces of a round thing are, against its middle."""


@dataclass(frozen=True)
class _Cut:
    """One piece: its number, its size when it lies flat, and the frame of its asset in the frame of
    the whole's asset."""

    number: int
    size: Vec3
    frame: Transform


@ACTIONS.action("SliceObject", *TARGET)
@answering
def slice_object(context: ActionContext) -> Result:
    """Cuts an object into pieces. No knife is needed, as in AI2-THOR; it must not be in hand."""
    if context["objectId"] is not None and find(context.state, context["objectId"]).sliced:
        raise RefusedError(refusals.already_sliced(context["objectId"]))
    item = target(context)
    if not item.spec.can(Trait.SLICEABLE):
        raise RefusedError(refusals.not_sliceable(item.spec.name))
    if item.held:
        raise RefusedError(refusals.IN_HAND)
    return Result(sliced(context.state, item.id), seconds=SECONDS)


def sliced(state: HouseholdState, object_id: str) -> HouseholdState:
    """The state with an object cut: its pieces side by side where it was."""
    item = state.objects[object_id]
    if item.spec.type == "Egg":
        state = crack(state, object_id)
        return state.having(replace(state.objects[object_id], sliced=True))
    kind = f"{item.spec.type}Sliced"
    frame = item.pose @ item.spec.asset_frame
    holder = innermost(state, item)
    inside, carrier = holder.id if holder is not None else None, item.in_hand_of
    state = _set_aside(state, replace(item, sliced=True))
    for cut in _cuts(item):
        piece = _piece(state, item, kind, cut.number, _body(frame @ cut.frame, cut.size))
        state = put_in(_added(state, item, piece), piece.object_id, inside)
        if carrier is not None:
            added = replace(state.objects[piece.object_id], in_hand_of=carrier)
            state = state.having(added)
    return state


def crack(state: HouseholdState, object_id: str) -> HouseholdState:
    """The state with an egg out of its shell, on what the egg lay on or fell on."""
    egg = state.objects[object_id]
    holder = innermost(state, egg)
    carrier = egg.in_hand_of
    egg = replace(egg, broken=True, held=False, in_hand_of=None)
    state = _set_aside(state, egg)
    low, high = egg.extent
    flat = Transform(position=Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2))
    piece = _piece(state, egg, "EggCracked", 0, _body(flat, CRACKED_SIZE))
    state = _added(state, egg, piece)
    key = piece.object_id
    if holder is None:
        return let_fall(state, key)
    search = Search(nearest_to(flat.position))
    pose = find_spot(state, state.objects[key], holder, search)
    if pose is not None:
        state = state.having(posed(state.objects[key], pose))
    if carrier is not None:
        state = state.having(replace(state.objects[key], in_hand_of=carrier))
    return put_in(state, key, holder.id)


def _set_aside(state: HouseholdState, item: ObjectState) -> HouseholdState:
    """The whole out of every receptacle and out of the agent's hand."""
    state = taken_out(state.having(item), item.id)
    return state.having(replace(state.objects[item.id], held=False, in_hand_of=None))


def _added(state: HouseholdState, whole: ObjectState, spec: ObjectSpec) -> HouseholdState:
    piece = ObjectState.at_start(spec)
    return state.having(replace(piece, temperature=whole.temperature, warm_until=whole.warm_until))


def _cuts(item: ObjectState) -> Iterator[_Cut]:
    """The pieces of a whole, cut across its longer horizontal axis, thick ones for a short whole.
    They stay upright as they were cut, the thin side along that axis."""
    count, size = PIECES[item.spec.type], item.spec.body.size
    along_x = size.x >= size.z
    length, across = (size.x, size.z) if along_x else (size.z, size.x)
    thickness = length / count
    rotation = _ALONG_X if along_x else _ALONG_Z
    for number in range(count):
        middle = (number + 0.5) * thickness - length / 2
        share = max(HEEL, math.sqrt(max(0.0, 1.0 - (2 * middle / length) ** 2)))
        piece = Vec3(across * share, thickness * 0.94, size.y * share)
        start = middle - piece.y / 2
        height = piece.z / 2
        origin = Vec3(start, height, 0.0) if along_x else Vec3(0.0, height, start)
        yield _Cut(number, piece, Transform(rotation, origin))


_ALONG_X = Rotation(((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
_ALONG_Z = Rotation(((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
"""What brings a flat piece's up to the whole's x or z, and its depth upright."""


def _body(frame: Transform, size: Vec3) -> Box:
    """The box that an asset of a size fills in a frame."""
    return Box(frame.apply(Vec3(0.0, size.y / 2, 0.0)), size, frame.rotation)


def _piece(
    state: HouseholdState, whole: ObjectState, kind: str, number: int, body: Box
) -> ObjectSpec:
    """The specification of a piece. The origin of its local frame is the middle of its box."""
    facts = object_types()[kind]
    spec = whole.spec
    count = PIECES.get(spec.type, 1)
    return ObjectSpec(
        object_id=f"{spec.object_id}|{kind}_{number}",
        name=_fresh_name(state, f"{spec.asset_id or spec.name}_Sliced_{number}"),
        type=kind,
        asset_id=f"{spec.asset_id}_Sliced" if spec.asset_id else "",
        position=body.center,
        rotation=body.rotation.to_euler(),
        body=body,
        bounds=body.bounds(),
        oriented=body,
        traits=facts.traits,
        variant=spec.variant,
        details=(*spec.details, ("piece", float(number)), ("pieces", float(count))),
        mass=spec.mass / count,
        materials=spec.materials,
        start=StartState(cooked=whole.cooked, temperature=whole.temperature),
    )


def _fresh_name(state: HouseholdState, name: str) -> str:
    taken = {item.spec.name for item in state.objects.values()}
    while name in taken:
        name += "(Clone)"
    return name
