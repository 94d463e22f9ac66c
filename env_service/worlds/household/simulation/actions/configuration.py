"""Initialize and the actions that change the pictures' size and angle.

Rules and texts are those of Initialize in AI2-THOR 5.0.0. Where it fails without an error code,
this world gives InvalidArgument, so that the caller gets a ValueError.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from env_service.worlds.household.render.interface import LARGEST_SIDE
from env_service.worlds.household.simulation.action import (
    ActionContext,
    ErrorCode,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.settings import FAR, NEAR, Settings

QUALITIES = (
    "Very Low",
    "Low",
    "Medium",
    "MediumCloseFitShadows",
    "High",
    "Very High",
    "Ultra",
    "High WebGL",
)
"""AI2-THOR's quality settings; this world draws all of them alike."""

LARGEST_GRID = 5.0
"""Metres; Initialize refuses a larger grid size."""

SMALLEST_STEP = 0.001
"""Metres; a smaller grid size counts as none: places are rounded to a thousandth of that."""

ACTIONS = Register()


@ACTIONS.action(
    "Initialize",
    Parameter("gridSize", ParameterType.NUMBER, 0.25),
    Parameter("visibilityDistance", ParameterType.NUMBER, 0.0),
    Parameter("fieldOfView", ParameterType.NUMBER, 0.0),
    Parameter("rotateStepDegrees", ParameterType.NUMBER, 90.0),
    Parameter("snapToGrid", ParameterType.TRUTH, default=True),
    Parameter("agentMode", ParameterType.TEXT, "default"),
    Parameter("agentControllerType", ParameterType.TEXT, None),
    Parameter("agentCount", ParameterType.WHOLE, 1),
    Parameter("renderImage", ParameterType.TRUTH, default=True),
    Parameter("renderDepthImage", ParameterType.TRUTH, default=False),
    Parameter("renderInstanceSegmentation", ParameterType.TRUTH, default=False),
    Parameter("renderObjectImage", ParameterType.TRUTH, default=False),
    Parameter("renderSemanticSegmentation", ParameterType.TRUTH, default=False),
    Parameter("renderClassImage", ParameterType.TRUTH, default=False),
    Parameter("renderNormalsImage", ParameterType.TRUTH, default=False),
    Parameter("fastActionEmit", ParameterType.TRUTH, default=True),
    lenient=True,
)
def initialize(context: ActionContext) -> Result:
    """Sets everything but the resolution; what is not given returns to its default."""
    error = _initialize_error(context.arguments)
    if error:
        return refuse(context, error, ErrorCode.INVALID_ARGUMENT)
    plain = Settings()
    settings = replace(
        plain,
        width=context.settings.width,
        height=context.settings.height,
        grid_size=context["gridSize"] or plain.grid_size,
        visibility_distance=context["visibilityDistance"] or plain.visibility_distance,
        field_of_view=context["fieldOfView"] or plain.field_of_view,
        rotate_step=context["rotateStepDegrees"],
        snap_to_grid=context["snapToGrid"],
        render_image=context["renderImage"],
        render_depth=context["renderDepthImage"],
        render_instances=context["renderInstanceSegmentation"] or context["renderObjectImage"],
        render_classes=context["renderSemanticSegmentation"] or context["renderClassImage"],
        render_normals=context["renderNormalsImage"],
        fast_emit=context["fastActionEmit"],
    )
    planes = {"cameraNearPlane": NEAR, "cameraFarPlane": FAR}
    return Result(context.state, value=planes, settings=settings)


def _initialize_error(given: Mapping[str, Any]) -> str:
    """Why these parameters are invalid, "" if they are valid; 0 means the default where AI2-THOR
    treats it so."""
    if given["agentMode"].lower() != "default":
        return f"agentMode must be 'default' in this world. You gave {given['agentMode']}."
    if given["agentControllerType"] is not None:
        return "agentControllerType is no longer an allowed parameter. Use agentMode instead."
    if given["agentCount"] != 1:
        return f"agentCount must be 1 in this world. You gave {given['agentCount']}."
    if given["gridSize"] != 0 and not SMALLEST_STEP <= given["gridSize"] <= LARGEST_GRID:
        return f"grid size must be in the range (0,5]. You gave {given['gridSize']}."
    if not 0 <= given["fieldOfView"] < 180:
        return f"fov must be set to (0, 180) noninclusive. You gave {given['fieldOfView']}."
    if given["visibilityDistance"] < 0:
        distance = given["visibilityDistance"]
        return f"visibilityDistance must be non-negative. You gave {distance}."
    if given["rotateStepDegrees"] <= 0:
        step = given["rotateStepDegrees"]
        return f"rotateStepDegrees must be a non-zero, non-negative float. You gave {step}."
    if given["snapToGrid"] and given["rotateStepDegrees"] % 90 != 0:
        return (
            f"Invalid values 'rotateStepDegrees': {given['rotateStepDegrees']} and 'snapToGrid': "
            "True. 'snapToGrid': True is not supported when 'rotateStepDegrees' is different "
            "from grid rotation steps of 0, 90, 180, 270 or 360."
        )
    return ""


@ACTIONS.action(
    "ChangeResolution", Parameter("x", ParameterType.WHOLE), Parameter("y", ParameterType.WHOLE)
)
def change_resolution(context: ActionContext) -> Result:
    """Sets the size of every picture, in pixels."""
    for name, side in (("width", context["x"]), ("height", context["y"])):
        if not 1 <= side <= LARGEST_SIDE:
            error = f"a picture's {name} is 1 to {LARGEST_SIDE} pixels, not {side}"
            return refuse(context, error, ErrorCode.INVALID_ARGUMENT)
    settings = replace(context.settings, width=context["x"], height=context["y"])
    return Result(context.state, settings=settings)


@ACTIONS.action("ChangeQuality", Parameter("quality", ParameterType.TEXT))
def change_quality(context: ActionContext) -> Result:
    """Accepts one of AI2-THOR's qualities; the pictures do not change."""
    if context["quality"] not in QUALITIES:
        error = f"quality must be one of {', '.join(QUALITIES)}. You gave {context['quality']}."
        return refuse(context, error, ErrorCode.INVALID_ARGUMENT)
    return Result(context.state)


@ACTIONS.action("ChangeFOV", Parameter("fieldOfView", ParameterType.NUMBER))
def change_field_of_view(context: ActionContext) -> Result:
    """Sets the vertical angle of the agent's view."""
    angle = context["fieldOfView"]
    if not 0 < angle < 180:
        return refuse(context, "fov must be in (0, 180) noninclusive.")
    return Result(context.state, settings=replace(context.settings, field_of_view=angle))
