"""Pushing, dropping and throwing, without physics: things slide and fly as far as a push of that
strength would take them, and lie still at once.

AI2-THOR adds a force for one physics step of 0.02 s, so a push of F newtons gives F * 0.02 / mass
metres a second; friction then stops what slides.
"""

import math
from dataclasses import replace

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
)
from env_service.worlds.household.simulation.actions.agent_movement import HAND, eye
from env_service.worlds.household.simulation.actions.breakage import hit
from env_service.worlds.household.simulation.actions.hand import camera_frame, release
from env_service.worlds.household.simulation.actions.targeting import TARGET, target
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.collisions import Obstacle, free, obstacles
from env_service.worlds.household.simulation.space.containment import (
    innermost,
    moved,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import box_at
from env_service.worlds.household.simulation.space.rest_position import let_fall, rest_below
from env_service.worlds.household.simulation.space.support_surfaces import Support, supports
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

FORCE = Parameter("forceAction", ParameterType.TRUTH, default=False)
STRENGTH = Parameter("moveMagnitude", ParameterType.NUMBER, 0.0)
SIMULATED = Parameter("autoSimulation", ParameterType.TRUTH, default=True)
"""No effect: objects are at rest after every action."""

PUSH_SECONDS = 0.02
GRAVITY = 9.81
FRICTION = 0.5
"""Seconds of the force, metres per square second, and the share of the weight that brakes."""

LIGHTEST = 0.05
"""kg; nothing weighs less."""

ROLLED = 0.03
"""Metres beside the place straight below: a thing that lands there hit something loose first."""

STEP = 0.01
"""Metres between the places at which a sliding thing is looked at."""


@ACTIONS.action(
    "DirectionalPush", *TARGET, STRENGTH, Parameter("pushAngle", ParameterType.NUMBER, 0.0)
)
@answering
def directional_push(context: ActionContext) -> Result:
    """Pushes an object that lies somewhere: `pushAngle` degrees clockwise from where the agent
    faces, 0 to 360; a negative angle counts counterclockwise."""
    if not -360.0 <= context["pushAngle"] <= 360.0:
        raise RefusedError("pushAngle must be in [0:360]")
    return _pushed(context, context["pushAngle"])


@ACTIONS.action("PushObject", *TARGET, STRENGTH)
@answering
def push_object(context: ActionContext) -> Result:
    """Pushes an object away from the agent."""
    return _pushed(context, 0.0)


@ACTIONS.action("PullObject", *TARGET, STRENGTH)
@answering
def pull_object(context: ActionContext) -> Result:
    """Pulls an object towards the agent."""
    return _pushed(context, 180.0)


@ACTIONS.action("DropHandObject", FORCE, SIMULATED)
@ACTIONS.action("DropHeldObject", FORCE, SIMULATED)
@answering
def drop_hand_object(context: ActionContext) -> Result:
    """Lets go of the held object; the answer is where it came to rest."""
    return _let_go(context, Vec3(0.0, 0.0, 0.0), refusals.HAND_EMPTY_DROP)


@ACTIONS.action("DropHeldObjectAhead", FORCE, SIMULATED)
@answering
def drop_held_object_ahead(context: ActionContext) -> Result:
    """Lets go of the held object in front of the agent, as far away as the hand is while the agent
    looks straight ahead; the answer is where it came to rest."""
    state = context.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_DROP)
    item, level = state.objects[state.held], replace(state.agent, horizon=0.0)
    hand = camera_frame(level).apply(HAND)
    middle = item.body.center
    pose = item.pose.position + Vec3(hand.x - middle.x, 0.0, hand.z - middle.z)
    state = moved(state, item.id, Transform(item.pose.rotation, pose))
    return _let_go(replace(context, state=state), Vec3(0.0, 0.0, 0.0), refusals.HAND_EMPTY_DROP)


@ACTIONS.action("ThrowObject", STRENGTH, FORCE, SIMULATED)
@ACTIONS.action("ThrowHeldObject", STRENGTH, FORCE, SIMULATED)
@answering
def throw_object(context: ActionContext) -> Result:
    """Throws the held object along the view."""
    ahead = camera_frame(context.state.agent).rotation.apply(Vec3(0.0, 0.0, 1.0))
    return _let_go(context, ahead * context["moveMagnitude"], refusals.HAND_EMPTY_THROW)


@ACTIONS.action(
    "TouchThenApplyForce",
    Parameter("x", ParameterType.NUMBER, 0.5),
    Parameter("y", ParameterType.NUMBER, 0.5),
    Parameter("direction", ParameterType.POINT, Vec3(0.0, 0.0, 1.0)),
    STRENGTH,
    Parameter("handDistance", ParameterType.NUMBER, 1.5),
)
@answering
def touch_then_apply_force(context: ActionContext) -> Result:
    """Reaches out along the line of sight through a point of the picture, at most `handDistance`
    metres, and pushes what it touches along `direction`, which is in the agent's frame.

    The answer says whether it touched something, what, and how far the arm reached. What cannot be
    moved is touched and stays. Only the horizontal part of the force counts.
    """
    x, y, reach = context["x"], context["y"], context["handDistance"]
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise RefusedError(refusals.OFF_PICTURE)
    point, state = context.visibility.point_at(x, y), context.state
    away = math.inf if point is None else (point - eye(state.agent)).length()
    if away > reach:
        return _touched(state, None, reach)
    found = context.visibility.object_at(x, y)
    item = state.objects.get(found or "")
    if item is None:
        return _touched(state, "not a sim object, a structure was touched", away)
    force = Rotation.yaw(state.agent.yaw).apply(context["direction"])
    level = math.hypot(force.x, force.z)
    if level > 0.0 and _loose(item):
        speed = abs(context["moveMagnitude"]) * level * PUSH_SECONDS / max(item.spec.mass, LIGHTEST)
        way = Vec3(force.x / level, 0.0, force.z / level)
        state = slid(state, item, way, speed * speed / (2 * FRICTION * GRAVITY))
    return _touched(state, item.id, away)


def _touched(state: HouseholdState, what: str | None, away: float) -> Result:
    felt = {
        "didHandTouchSomething": what is not None,
        "objectId": what or "",
        "armsLength": away,
    }
    return Result(state, value=felt, seconds=SECONDS)


def _loose(item: ObjectState) -> bool:
    """Whether a push moves an object: it is movable and not in the agent's hand."""
    movable = item.spec.can(Trait.PICKUPABLE) or item.spec.can(Trait.MOVEABLE)
    return movable and not item.held and item.in_hand_of is None


def _let_go(context: ActionContext, force: Vec3, empty: str) -> Result:
    state = context.state
    if state.held is None:
        raise RefusedError(empty)
    item = state.objects[state.held]
    speed = force * (PUSH_SECONDS / max(item.spec.mass, LIGHTEST))
    state = release(state)
    start = item.extent[0].y
    flown = _flown(state, item, speed)
    state = moved(state, item.id, Transform(item.pose.rotation, item.pose.position + flown))
    above = state.objects[item.id].body.center
    rest = rest_below(state, state.objects[item.id])
    state = put_in(moved(state, item.id, rest.pose), item.id, rest.receptacle)
    landed = state.objects[item.id]
    aside = landed.body.center - above
    # What rolls off something loose falls softly.
    rolled = math.hypot(aside.x, aside.z) > ROLLED
    fall = 0.0 if rolled else max(0.0, start - landed.extent[0].y)
    state = hit(state, item.id, fall=fall, speed=speed.length())
    return Result(state, value=landed.pose.position.to_json(), seconds=SECONDS)


def _flown(state: HouseholdState, item: ObjectState, speed: Vec3) -> Vec3:
    """How far aside a thrown thing comes before it would reach the floor; walls stop it."""
    height = max(0.0, item.extent[0].y - state.scene.bounds.bottom)
    rise = speed.y
    seconds = (rise + math.sqrt(rise * rise + 2 * GRAVITY * height)) / GRAVITY
    body, bounds = item.body.center, state.scene.bounds
    half = bounds.size * 0.5
    x = min(max(body.x + speed.x * seconds, bounds.center.x - half.x), bounds.center.x + half.x)
    z = min(max(body.z + speed.z * seconds, bounds.center.z - half.z), bounds.center.z + half.z)
    return Vec3(x - body.x, 0.0, z - body.z)


def _pushed(context: ActionContext, angle: float) -> Result:
    item = target(context)
    if not _loose(item):
        raise RefusedError(refusals.NOT_MOVEABLE)
    speed = abs(context["moveMagnitude"]) * PUSH_SECONDS / max(item.spec.mass, LIGHTEST)
    way = Rotation.yaw(context.state.agent.yaw + angle).apply(Vec3(0.0, 0.0, 1.0))
    distance = speed * speed / (2 * FRICTION * GRAVITY)
    return Result(slid(context.state, item, way, distance), seconds=SECONDS)


def slid(state: HouseholdState, item: ObjectState, way: Vec3, distance: float) -> HouseholdState:
    """The state with an object slid along a horizontal direction of unit length, until it stops,
    hits something, or falls off its support."""
    holder = innermost(state, item)
    grounds = supports(state.scene, holder) if holder is not None else ()
    around = _not_touching(item, obstacles(state, item, holder))
    reached, over = 0.0, False
    for number in range(1, int(distance / STEP) + 1):
        shift = way * (number * STEP)
        if not _free_at(state, item, shift, around):
            break
        reached = number * STEP
        if grounds and not _on(grounds, item, shift):
            over = True
            break
    if reached == 0.0:
        return state
    pose = Transform(item.pose.rotation, item.pose.position + way * reached)
    state = moved(state, item.id, pose)
    if not over:
        return state
    before = item.extent[0].y
    state = let_fall(taken_out(state, item.id), item.id)
    return hit(state, item.id, fall=before - state.objects[item.id].extent[0].y)


def _not_touching(item: ObjectState, around: tuple[Obstacle, ...]) -> list[Obstacle]:
    """Obstacles that the item does not overlap already: those would block it forever."""
    return [each for each in around if free(item.body, [each])]


def _free_at(state: HouseholdState, item: ObjectState, shift: Vec3, around: list[Obstacle]) -> bool:
    frame = item.pose @ item.spec.asset_frame
    box = box_at(item, Transform(frame.rotation, frame.position + shift))
    bounds, half = state.scene.bounds, state.scene.bounds.size * 0.5
    inside = (
        abs(box.center.x - bounds.center.x) <= half.x
        and abs(box.center.z - bounds.center.z) <= half.z
    )
    return inside and free(box, around)


def _on(grounds: tuple[Support, ...], item: ObjectState, shift: Vec3) -> bool:
    low, high = item.extent
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2) + shift
    return any(each.covers(foot) for each in grounds)
