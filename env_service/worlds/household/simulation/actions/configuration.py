"""Initialize and the actions that change the pictures' size and angle.

Rules and texts are those of Initialize in AI2-THOR 5.0.0. Where it fails without an error code,
this world gives InvalidArgument, so that a caller learns of it by ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from env_service.worlds.household.render.interface import LARGEST_SIDE
from env_service.worlds.household.simulation.action import (
    ErrorCode,
    Kind,
    Parameter,
    Register,
    Result,
    Turn,
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
    Parameter("gridSize", Kind.NUMBER, 0.25),
    Parameter("visibilityDistance", Kind.NUMBER, 0.0),
    Parameter("fieldOfView", Kind.NUMBER, 0.0),
    Parameter("rotateStepDegrees", Kind.NUMBER, 90.0),
    Parameter("snapToGrid", Kind.TRUTH, default=True),
    Parameter("agentMode", Kind.TEXT, "default"),
    Parameter("agentCount", Kind.WHOLE, 1),
    Parameter("renderImage", Kind.TRUTH, default=True),
    Parameter("renderDepthImage", Kind.TRUTH, default=False),
    Parameter("renderInstanceSegmentation", Kind.TRUTH, default=False),
    Parameter("renderObjectImage", Kind.TRUTH, default=False),
    Parameter("renderSemanticSegmentation", Kind.TRUTH, default=False),
    Parameter("renderClassImage", Kind.TRUTH, default=False),
    Parameter("renderNormalsImage", Kind.TRUTH, default=False),
    Parameter("fastActionEmit", Kind.TRUTH, default=True),
    lenient=True,
)
def initialize(turn: Turn) -> Result:
    """Sets everything but the resolution; what is not given goes back to its default."""
    error = _initialize_error(turn.arguments)
    if error:
        return refuse(turn, error, ErrorCode.INVALID_ARGUMENT)
    plain = Settings()
    settings = replace(
        plain,
        width=turn.settings.width,
        height=turn.settings.height,
        grid_size=turn["gridSize"] or plain.grid_size,
        visibility_distance=turn["visibilityDistance"] or plain.visibility_distance,
        field_of_view=turn["fieldOfView"] or plain.field_of_view,
        rotate_step=turn["rotateStepDegrees"],
        snap_to_grid=turn["snapToGrid"],
        render_image=turn["renderImage"],
        render_depth=turn["renderDepthImage"],
        render_instances=turn["renderInstanceSegmentation"] or turn["renderObjectImage"],
        render_classes=turn["renderSemanticSegmentation"] or turn["renderClassImage"],
        render_normals=turn["renderNormalsImage"],
        fast_emit=turn["fastActionEmit"],
    )
    planes = {"cameraNearPlane": NEAR, "cameraFarPlane": FAR}
    return Result(turn.state, value=planes, settings=settings)


def _initialize_error(given: Mapping[str, Any]) -> str:
    """Why these parameters make no sense, "" if they do; 0 stands for a default where AI2-THOR
    takes it so."""
    if given["agentMode"].lower() != "default":
        return f"agentMode must be 'default' in this world. You gave {given['agentMode']}."
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


@ACTIONS.action("ChangeResolution", Parameter("x", Kind.WHOLE), Parameter("y", Kind.WHOLE))
def change_resolution(turn: Turn) -> Result:
    """Sets the size of every picture, in pixels."""
    for name, side in (("width", turn["x"]), ("height", turn["y"])):
        if not 1 <= side <= LARGEST_SIDE:
            error = f"a picture's {name} is 1 to {LARGEST_SIDE} pixels, not {side}"
            return refuse(turn, error, ErrorCode.INVALID_ARGUMENT)
    settings = replace(turn.settings, width=turn["x"], height=turn["y"])
    return Result(turn.state, settings=settings)


@ACTIONS.action("ChangeQuality", Parameter("quality", Kind.TEXT))
def change_quality(turn: Turn) -> Result:
    """Takes one of AI2-THOR's qualities; nothing looks different."""
    if turn["quality"] not in QUALITIES:
        error = f"quality must be one of {', '.join(QUALITIES)}. You gave {turn['quality']}."
        return refuse(turn, error, ErrorCode.INVALID_ARGUMENT)
    return Result(turn.state)


@ACTIONS.action("ChangeFOV", Parameter("fieldOfView", Kind.NUMBER))
def change_field_of_view(turn: Turn) -> Result:
    """Sets the vertical angle of the agent's view."""
    angle = turn["fieldOfView"]
    if not 0 < angle < 180:
        return refuse(turn, "fov must be in (0, 180) noninclusive.")
    return Result(turn.state, settings=replace(turn.settings, field_of_view=angle))
