"""The agent's movements: steps, turns, looks, crouching, teleports.

The body is that of AI2-THOR 5.0.0's default agent (docs/household.md, The agent's body): a capsule
of radius 0.2 m whose origin is 0.901 m above the floor, a camera 0.675 m above the origin (at the
origin while crouching), and a horizon from 30 degrees up to 60 down.
"""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation.action import (
    ActionContext,
    ErrorCode,
    Handler,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.space.walkable_floor import floor_of
from env_service.worlds.household.state import AgentState

EYE_STANDING = 0.675
EYE_CROUCHING = 0.0
"""Height of the camera above the agent's origin, metres."""

HIGHEST_LOOK, LOWEST_LOOK = -30.0, 60.0
"""Limits of the horizon, degrees down."""

LOOK_STEP = 30.0
"""Degrees, of LookUp and LookDown without an argument."""

FLOOR_SLACK = 0.05
"""Metres by which a teleport's height may miss the agent's height on the floor."""

SECONDS = 0.1
"""Simulated time of a motion."""

ACTIONS = Register()

HAND = Vec3(0.0, -0.16, 0.38)
"""Where the hand is in the camera's frame, metres."""

FORCE = Parameter("forceAction", ParameterType.TRUTH, default=False)
BY_HAND = Parameter("manualInteract", ParameterType.TRUTH, default=False)
PLACE = (
    Parameter("position", ParameterType.POINT, None),
    Parameter("x", ParameterType.NUMBER, None),
    Parameter("y", ParameterType.NUMBER, None),
    Parameter("z", ParameterType.NUMBER, None),
)


def eye(agent: AgentState) -> Vec3:
    """Where the agent's camera is."""
    height = EYE_STANDING if agent.standing else EYE_CROUCHING
    return agent.position + Vec3(0.0, height, 0.0)


def level_grip(agent: AgentState) -> Transform:
    """The hand's default pose in the camera's frame: it stays level as the camera tilts."""
    return Transform(Rotation.from_euler(Vec3(-agent.horizon, 0.0, 0.0)), HAND)


def _step(direction: Vec3) -> Handler:
    """A step; `direction` is in the agent's frame, of unit length."""

    def handler(context: ActionContext) -> Result:
        settings, agent = context.settings, context.state.agent
        length = context["moveMagnitude"] if context["moveMagnitude"] > 0 else settings.grid_size
        way = Rotation.yaw(agent.yaw).apply(direction) * length
        target = agent.position + way
        if settings.snap_to_grid:
            target = _snapped(target, settings.grid_size)
        target = Vec3(round(target.x, 6), agent.position.y, round(target.z, 6))
        if context["forceAction"]:
            return _placed(context, replace(agent, position=target), resets=False)
        floor = floor_of(context.state)
        inside = floor.within(target)
        in_the_way = floor.blockers(agent.position, inside)
        if in_the_way or inside != target:
            return _blocked(context, in_the_way, way)
        return _placed(context, replace(agent, position=target), resets=False)

    return handler


def _snapped(point: Vec3, grid_size: float) -> Vec3:
    return Vec3(
        round(point.x / grid_size) * grid_size, point.y, round(point.z / grid_size) * grid_size
    )


def _blocked(context: ActionContext, in_the_way: tuple[str, ...], way: Vec3) -> Result:
    first = in_the_way[0] if in_the_way else "Wall"
    item = context.state.objects.get(first)
    error = (
        f"{item.spec.name if item else first} is blocking Agent 0 from moving by "
        f"({way.x:.4f}, {way.y:.4f}, {way.z:.4f})."
    )
    return replace(refuse(context, error), collided=in_the_way)


def _placed(context: ActionContext, agent: AgentState, *, resets: bool = True) -> Result:
    """The agent in another pose; all but steps and stances ``resets`` what the hand does with what
    it holds."""
    state = replace(context.state, agent=agent)
    if resets and state.held is not None:
        state = replace(state, grip=level_grip(agent))
    return Result(state, seconds=SECONDS)


for _name, _direction in (
    ("MoveAhead", Vec3(0.0, 0.0, 1.0)),
    ("MoveBack", Vec3(0.0, 0.0, -1.0)),
    ("MoveLeft", Vec3(-1.0, 0.0, 0.0)),
    ("MoveRight", Vec3(1.0, 0.0, 0.0)),
):
    ACTIONS.action(
        _name,
        Parameter("moveMagnitude", ParameterType.NUMBER, 0.0),
        Parameter("noise", ParameterType.NUMBER, 0.0),
        FORCE,
    )(_step(_direction))


def _turn(side: float) -> Handler:
    def handler(context: ActionContext) -> Result:
        agent = context.state.agent
        degrees = context.settings.rotate_step if context["degrees"] is None else context["degrees"]
        yaw = round((agent.yaw + side * degrees) % 360.0, 6) % 360.0
        return _placed(context, replace(agent, yaw=yaw))

    return handler


for _name, _side in (("RotateRight", 1.0), ("RotateLeft", -1.0)):
    ACTIONS.action(_name, Parameter("degrees", ParameterType.NUMBER, None), BY_HAND, FORCE)(
        _turn(_side)
    )


@ACTIONS.action("LookUp", Parameter("degrees", ParameterType.NUMBER, LOOK_STEP), BY_HAND, FORCE)
def look_up(context: ActionContext) -> Result:
    """Tilts the camera up."""
    return _tilted(context, "LookUp", -1.0)


@ACTIONS.action("LookDown", Parameter("degrees", ParameterType.NUMBER, LOOK_STEP), BY_HAND, FORCE)
def look_down(context: ActionContext) -> Result:
    """Tilts the camera down."""
    return _tilted(context, "LookDown", 1.0)


def _tilted(context: ActionContext, name: str, side: float) -> Result:
    degrees = context["degrees"]
    if degrees < 0:
        error = f"{name} action requires positive degree value. Invalid value used: {degrees}"
        return refuse(context, error)
    horizon = round(context.state.agent.horizon + side * degrees, 6)
    if horizon < HIGHEST_LOOK:
        error = f"can't look up beyond {-HIGHEST_LOOK:g} degrees above the forward horizon"
        return refuse(context, error, ErrorCode.LOOK_UP_TOO_FAR)
    if horizon > LOWEST_LOOK:
        error = f"can't look down beyond {LOWEST_LOOK:g} degrees below the forward horizon"
        return refuse(context, error, ErrorCode.LOOK_DOWN_TOO_FAR)
    return _placed(context, replace(context.state.agent, horizon=horizon))


@ACTIONS.action(
    "RotateLook",
    Parameter("rotation", ParameterType.POINT, Vec3(0.0, 0.0, 0.0)),
    Parameter("horizon", ParameterType.NUMBER, 0.0),
    lenient=True,
)
def rotate_look(context: ActionContext) -> Result:
    """Turns the agent to a yaw and tilts its camera to a horizon."""
    return _turned_to(context, context["rotation"].y, context["horizon"])


@ACTIONS.action(
    "Rotate", Parameter("rotation", ParameterType.POINT, Vec3(0.0, 0.0, 0.0)), lenient=True
)
def rotate(context: ActionContext) -> Result:
    """Turns the agent to a yaw."""
    return _turned_to(context, context["rotation"].y, context.state.agent.horizon)


@ACTIONS.action("Look", Parameter("horizon", ParameterType.NUMBER, 0.0), lenient=True)
def look(context: ActionContext) -> Result:
    """Tilts the camera to a horizon."""
    return _turned_to(context, context.state.agent.yaw, context["horizon"])


def _turned_to(context: ActionContext, yaw: float, horizon: float) -> Result:
    if not HIGHEST_LOOK <= horizon <= LOWEST_LOOK:
        limits = f"[{HIGHEST_LOOK:g}:{LOWEST_LOOK:g}]"
        return refuse(context, f"Each horizon must be in {limits}. You gave {horizon}.")
    agent = replace(context.state.agent, yaw=round(yaw % 360.0, 6) % 360.0, horizon=horizon)
    return _placed(context, agent)


@ACTIONS.action("Crouch")
def crouch(context: ActionContext) -> Result:
    """Lowers the camera."""
    if not context.state.agent.standing:
        return refuse(context, "Already Crouching")
    return _placed(context, replace(context.state.agent, standing=False), resets=False)


@ACTIONS.action("Stand")
def stand(context: ActionContext) -> Result:
    """Raises the camera again."""
    if context.state.agent.standing:
        return refuse(context, "Already Standing")
    return _placed(context, replace(context.state.agent, standing=True), resets=False)


@ACTIONS.action(
    "Teleport",
    *PLACE,
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("horizon", ParameterType.NUMBER, None),
    Parameter("standing", ParameterType.TRUTH, default=None),
    FORCE,
)
def teleport(context: ActionContext) -> Result:
    """Puts the agent elsewhere; what is not given does not change. The place is `position`, or x,
    y and z one by one."""
    if all(context[name] is None for name in ("x", "y", "z")):
        return _teleported(context)
    return _with_position(context, "Teleport")


@ACTIONS.action(
    "TeleportFull",
    *PLACE,
    Parameter("rotation", ParameterType.POINT),
    Parameter("horizon", ParameterType.NUMBER),
    Parameter("standing", ParameterType.TRUTH),
    FORCE,
)
def teleport_full(context: ActionContext) -> Result:
    """Puts the agent elsewhere; everything has to be given. The place is `position`, or x, y and
    z one by one, as GetInteractablePoses writes them."""
    return _with_position(context, "TeleportFull")


def _with_position(context: ActionContext, name: str) -> Result:
    """Teleports to a place that has to be given, as `position` or as x, y and z."""
    if context["position"] is not None:
        return _teleported(context)
    missing = [axis for axis in ("x", "y", "z") if context[axis] is None]
    if missing:
        names = "position" if len(missing) == 3 else ",".join(missing)
        error = f"action: {name} is missing the following arguments: {names}"
        return refuse(context, error, ErrorCode.MISSING_ARGUMENTS)
    position = Vec3(context["x"], context["y"], context["z"])
    return _teleported(replace(context, arguments={**context.arguments, "position": position}))


def _teleported(context: ActionContext) -> Result:
    agent = context.state.agent
    position = context["position"] or agent.position
    rotation = context["rotation"] or Vec3(0.0, agent.yaw, 0.0)
    horizon = agent.horizon if context["horizon"] is None else context["horizon"]
    standing = agent.standing if context["standing"] is None else context["standing"]
    if not context["forceAction"]:
        error = _teleport_error(context, position, rotation, horizon)
        if error:
            return refuse(context, error)
    height = context.state.scene.agent.position.y
    target = Vec3(position.x, height, position.z)
    return _placed(context, AgentState(target, rotation.y % 360.0, horizon, standing))


def _teleport_error(context: ActionContext, position: Vec3, rotation: Vec3, horizon: float) -> str:
    """Why the agent cannot be put there, "" if it can."""
    if not HIGHEST_LOOK <= horizon <= LOWEST_LOOK:
        limits = f"[{HIGHEST_LOOK:g}:{LOWEST_LOOK:g}]"
        return f"Each horizon must be in {limits}. You gave {horizon}."
    if rotation.x != 0 or rotation.z != 0:
        return (
            "No agents currently can change in pitch or roll. So, you must set "
            f"rotation(x=0, y=yaw, z=0). You gave {_written(rotation)}."
        )
    if not context.state.scene.scene_bounds.contains(position):
        return f"Teleport target position: {_written(position)} is not within the scene bounds."
    height = context.state.scene.agent.position.y
    if abs(position.y - height) > FLOOR_SLACK:
        return (
            "After teleporting and adjusting agent position to floor, there was too large a "
            f"change ({abs(position.y - height):.4f} > {FLOOR_SLACK}). If you still want to "
            "teleport here, consider setting forceAction=true."
        )
    floor = floor_of(context.state)
    if not floor.fits(position.x, position.z):
        return f"Cannot teleport to {_written(position)}: the agent would collide there."
    return ""


def _written(vector: Vec3) -> str:
    return f"({vector.x:.6f}, {vector.y:.6f}, {vector.z:.6f})"


@ACTIONS.action("Pass")
def let_time_pass(context: ActionContext) -> Result:
    """Does nothing for a moment."""
    return Result(context.state, seconds=SECONDS)


@ACTIONS.action("Done")
def done(context: ActionContext) -> Result:
    """The agent declares that it is done; nothing changes."""
    return Result(context.state)


@ACTIONS.action(
    "PausePhysicsAutoSim", Parameter("autoSyncTransforms", ParameterType.TRUTH, default=True)
)
@ACTIONS.action("UnpausePhysicsAutoSim")
def accept_physics_mode(context: ActionContext) -> Result:
    """Everything is at rest after every action anyway."""
    return Result(context.state)


@ACTIONS.action(
    "AdvancePhysicsStep", Parameter("timeStep", ParameterType.NUMBER, 0.02), lenient=True
)
def advance_physics_step(context: ActionContext) -> Result:
    """Lets some seconds pass."""
    if context["timeStep"] <= 0:
        error = f"timeStep must be positive. You gave {context['timeStep']}."
        return refuse(context, error)
    return Result(context.state, seconds=context["timeStep"])
