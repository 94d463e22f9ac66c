"""Putting objects at given places, and asking for places."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.add_and_remove import copied
from env_service.worlds.household.simulation.actions.cameras import in_pyramid
from env_service.worlds.household.simulation.actions.hand import release
from env_service.worlds.household.simulation.actions.targeting import find
from env_service.worlds.household.simulation.dispatch import read_point
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.collisions import Obstacle, free, obstacles
from env_service.worlds.household.simulation.space.containment import (
    moved,
    posed,
    removed,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import box_at
from env_service.worlds.household.simulation.space.support_surfaces import Support, supports
from env_service.worlds.household.simulation.space.supporting_objects import (
    holder_of,
    relocated,
    set_down,
    with_boards,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

STEP = 0.05
"""Metres between the points that GetSpawnCoordinatesAboveReceptacle gives."""

AROUND = 0.05
"""Metres beyond the scene's bounds where a thing can still be placed."""

SAME_PLACE, SAME_TURN = 0.001, 0.0005
"""Metres, and differences of the rotation's matrix, below which a pose is the one that an object
has already."""


@dataclass(frozen=True)
class _Pose:
    name: str
    pose: Transform


@ACTIONS.action(
    "SetObjectPoses",
    Parameter("objectPoses", ParameterType.LIST),
    Parameter("placeStationary", ParameterType.TRUTH, default=False),
    Parameter("enablePhysicsJitter", ParameterType.TRUTH, default=True),
    Parameter("forceRigidbodySleep", ParameterType.TRUTH, default=False),
    Parameter("skipMoveable", ParameterType.TRUTH, default=False),
    lenient=True,
)
@answering
def set_object_poses(context: ActionContext) -> Result:
    """Puts objects, by name, at poses: a list of {objectName, position, rotation}.

    As in AI2-THOR (its documentation, SetObjectPoses), every pickupable or moveable object that is
    not listed leaves the scene, and an object that is listed twice gets a copy, whose id names the
    copy's place. An object listed at its present pose keeps its state and its receptacles. Unless
    they are placed stationary, the others come to stand on what is at their underside, or below it;
    in closed furniture on a board that is drawn there. The agent's hand is empty afterwards.

    With `skipMoveable`, what can be moved and not picked up stays where it is, listed or not.
    `enablePhysicsJitter` and `forceRigidbodySleep` have no effect: things rest at once."""
    try:
        wanted = [_read(entry) for entry in context["objectPoses"]]
    except (KeyError, TypeError, ValueError):
        return refuse(context, "objectPoses must be a list of {objectName, position, rotation}")
    state, skip = release(context.state), context["skipMoveable"]
    if skip:
        heavy = {i.spec.name for i in state.objects.values() if _loose(i) and not _light(i)}
        wanted = [entry for entry in wanted if entry.name not in heavy]
    named = {
        item.spec.name: item.id
        for item in state.objects.values()
        if _loose(item) and (_light(item) or not skip)
    }
    for entry in wanted:
        if entry.name not in named:
            text = f"No Pickupable or Moveable object of name {entry.name} found in scene."
            raise RefusedError(text)
    listed = {named[entry.name] for entry in wanted}
    out = [key for key in named.values() if key not in listed]
    state, placed = _posed_all(removed(state, *out), wanted, named)
    if not context["placeStationary"]:
        state = _fallen(with_boards(state, placed), placed)
    return Result(state, seconds=SECONDS)


@ACTIONS.action(
    "PlaceObjectAtPoint",
    Parameter("objectId", ParameterType.TEXT),
    Parameter("position", ParameterType.POINT),
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("forceKinematic", ParameterType.TRUTH, default=False),
)
@answering
def place_object_at_point(context: ActionContext) -> Result:
    """Puts an object with the middle of its underside at a point, turned by Euler degrees or with
    its present rotation; refused if it would hit another object or leave the scene. Its contents
    move along."""
    item = find(context.state, context["objectId"])
    if not _loose(item):
        raise RefusedError(refusals.NOT_MOVEABLE)
    state = release(context.state) if item.held else context.state
    item = state.objects[item.id]
    rotation = item.pose.rotation
    if context["rotation"] is not None:
        rotation = Rotation.from_euler(context["rotation"])
    if not state.scene.scene_bounds.contains(context["position"], AROUND):
        raise RefusedError(
            f"position {context['position'].to_json()} is not within the scene bounds"
        )
    pose = _standing_at(item, rotation, context["position"])
    box = box_at(item, pose @ item.spec.asset_frame)
    if not free(box, _in_the_way(state, posed(item, pose))):
        raise RefusedError("Spawn area not clear, can't place object at that point")
    state = taken_out(state.having(replace(item, in_hand_of=None)), item.id)
    return Result(relocated(moved(state, item.id, pose), item.id), seconds=SECONDS)


@ACTIONS.action(
    "TeleportObject",
    Parameter("objectId", ParameterType.TEXT),
    Parameter("position", ParameterType.POINT, None),
    Parameter("positions", ParameterType.LIST, None),
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("x", ParameterType.NUMBER, None),
    Parameter("y", ParameterType.NUMBER, None),
    Parameter("z", ParameterType.NUMBER, None),
    Parameter("forceAction", ParameterType.TRUTH, default=False),
    Parameter("allowTeleportOutOfHand", ParameterType.TRUTH, default=False),
    Parameter("forceKinematic", ParameterType.TRUTH, default=False),
    Parameter("makeUnbreakable", ParameterType.TRUTH, default=False),
)
@answering
def teleport_object(context: ActionContext) -> Result:
    """Puts the origin of an object that can be moved at a position, or at the first free one of
    several, with its contents; turned by Euler degrees, or with its present rotation.

    Unless forced, the object must not run into another one there. Then it falls onto what is below,
    unless `forceKinematic` keeps it in the air.
    """
    state, item = context.state, context.state.objects.get(context["objectId"])
    if item is None:
        raise RefusedError(f"Cannot find object with id {context['objectId']}")
    if not _loose(item):
        raise RefusedError(refusals.NOT_MOVEABLE)
    if item.held and not context["allowTeleportOutOfHand"]:
        raise RefusedError("Cannot teleport object in hand.")
    if item.held:
        state = release(state)
    if context["makeUnbreakable"]:
        state = replace(state, unbreakable=state.unbreakable | {item.id})
    item = state.objects[item.id]
    given = context["rotation"]
    rotation = item.pose.rotation if given is None else Rotation.from_euler(given)
    pose = _free_pose(context, state, item, rotation)
    state = taken_out(state.having(replace(item, in_hand_of=None)), item.id)
    state = relocated(moved(state, item.id, pose), item.id)
    if not context["forceKinematic"] and item.spec.can(Trait.PICKUPABLE):
        state = set_down(state, item.id)
    return Result(state, seconds=SECONDS)


def _free_pose(
    context: ActionContext, state: HouseholdState, item: ObjectState, rotation: Rotation
) -> Transform:
    """The first of the requested poses at which the item hits nothing."""
    blocked = f"Object {item.id} could not be teleported to any of the requested positions"
    for place in _places(context):
        pose = Transform(rotation, place)
        if context["forceAction"]:
            return pose
        box = box_at(item, pose @ item.spec.asset_frame)
        hit = [each for each in _in_the_way(state, posed(item, pose)) if not free(box, [each])]
        if not hit:
            return pose
        if context["positions"] is None:
            bodies = {other.body: other.id for other in state.objects.values()}
            blocked = f"{item.id} is colliding with {bodies[hit[0].box]} after teleport."
    raise RefusedError(blocked)


def _places(context: ActionContext) -> list[Vec3]:
    """The requested positions of a TeleportObject action."""
    if context["positions"] is not None:
        try:
            return [read_point(each) for each in context["positions"]]
        except (TypeError, ValueError):
            raise RefusedError("positions must be a list of {x, y, z}") from None
    if context["position"] is not None:
        return [context["position"]]
    axes = [context[axis] for axis in ("x", "y", "z")]
    if None in axes:
        raise RefusedError("Give position, positions, or x, y and z.")
    return [Vec3(*axes)]


@ACTIONS.action(
    "GetSpawnCoordinatesAboveReceptacle",
    Parameter("objectId", ParameterType.TEXT),
    Parameter("anywhere", ParameterType.TRUTH, default=True),
)
@answering
def get_spawn_coordinates_above_receptacle(context: ActionContext) -> Result:
    """Points on a receptacle's surfaces, as {x, y, z}; only those in the agent's view unless
    `anywhere`."""
    item = find(context.state, context["objectId"])
    if not item.spec.can(Trait.RECEPTACLE):
        raise RefusedError(refusals.NOT_RECEPTACLE)
    points = [p for each in supports(context.state.scene, item) for p in _grid(each)]
    if not context["anywhere"]:
        points = [
            point for point in points if in_pyramid(context.state.agent, context.settings, point)
        ]
    return Result(context.state, value=[point.to_json() for point in points], quick=True)


def _read(entry: Mapping[str, Any]) -> _Pose:
    position = read_point(entry["position"])
    rotation = read_point(entry["rotation"]) if "rotation" in entry else Vec3(0.0, 0.0, 0.0)
    return _Pose(str(entry["objectName"]), Transform.at(position, rotation))


def _loose(item: ObjectState) -> bool:
    loose = item.spec.can(Trait.PICKUPABLE) or item.spec.can(Trait.MOVEABLE)
    return loose and not item.replaced


def _light(item: ObjectState) -> bool:
    return item.spec.can(Trait.PICKUPABLE)


def _posed_all(
    state: HouseholdState, wanted: list[_Pose], named: Mapping[str, str]
) -> tuple[HouseholdState, list[str]]:
    """The state with everything at its pose, and the ids of what was put there."""
    changed: list[str] = []
    used: set[str] = set()
    for entry in wanted:
        object_id = named[entry.name]
        if object_id in used:
            state, object_id = copied(state, object_id, entry.pose)
            changed.append(object_id)
        elif not _same(state.objects[object_id].pose, entry.pose):
            state = state.having(posed(state.objects[object_id], entry.pose))
            changed.append(object_id)
        used.add(object_id)
    moving = frozenset(changed)
    for key in changed:  # out of everything first: holders may have moved as well
        state = taken_out(state, key)
    left = [
        item.id
        for item in state.objects.values()
        if item.id not in moving and moving & frozenset(item.parents or ())
    ]
    for key in (*changed, *left):
        if state.objects[key].spec.can(Trait.PICKUPABLE):
            state = relocated(state, key)
    return state, changed


def _fallen(state: HouseholdState, placed: list[str]) -> HouseholdState:
    """Where the placed objects rest, as physics would decide: the lowest first, as they
    carry the others."""
    loose = [key for key in placed if state.objects[key].spec.can(Trait.PICKUPABLE)]
    for key in sorted(loose, key=lambda key: state.objects[key].extent[0].y):
        state = set_down(state, key)
    return state


def _same(first: Transform, second: Transform) -> bool:
    if (first.position - second.position).length() > SAME_PLACE:
        return False
    pairs = zip(first.rotation.rows, second.rotation.rows, strict=True)
    return all(
        abs(a - b) <= SAME_TURN for row, other in pairs for a, b in zip(row, other, strict=True)
    )


def _standing_at(item: ObjectState, rotation: Rotation, point: Vec3) -> Transform:
    """The item's own frame, turned so, with the middle of its underside at a point."""
    pose = Transform(rotation, Vec3(0.0, 0.0, 0.0))
    bounds = box_at(item, pose @ item.spec.asset_frame).bounds()
    foot = Vec3(bounds.center.x, bounds.bottom, bounds.center.z)
    return Transform(rotation, point - foot)


def _in_the_way(state: HouseholdState, item: ObjectState) -> list[Obstacle]:
    """What an item must not hit at its place: everything but its support, whose box may reach above
    its surface."""
    ground = state.objects.get(holder_of(state, item) or "")
    found = obstacles(state, item, None, airy=False)
    return [each for each in found if ground is None or each.box != ground.body]


def _grid(support: Support) -> list[Vec3]:
    points = []
    rows, columns = (int(extent / STEP) for extent in (support.depth, support.width))
    for k in range(rows + 1):
        for i in range(columns + 1):
            spot = Vec3((i - columns / 2) * STEP, 0.0, (k - rows / 2) * STEP)
            point = support.frame.apply(spot)
            if support.covers(point):
                points.append(point)
    return points
