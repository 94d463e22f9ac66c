"""What Initialize sets: the parameters of AI2-THOR's start that this world supports."""

from dataclasses import dataclass

NEAR, FAR = 0.01, 20.0
"""Metres: the near and the far plane of AI2-THOR 5.0.0's camera; pictures show nothing nearer or
farther."""


@dataclass(frozen=True)
class Settings:
    """AI2-THOR's initialization, with the defaults of its version 5.0.0.

    Attributes:
        width, height: of the agent's picture, pixels.
        field_of_view: vertical, degrees.
        grid_size: metres of one move.
        snap_to_grid: whether moves and turns end on the grid.
        rotate_step: degrees of one turn.
        visibility_distance: metres, horizontally from the agent's middle.
        render_image, render_depth, render_instances, render_classes, render_normals: pictures to
            make with every step.
        fast_emit: whether queries are answered without a new frame.
    """

    width: int = 300
    height: int = 300
    field_of_view: float = 90.0
    grid_size: float = 0.25
    snap_to_grid: bool = True
    rotate_step: float = 90.0
    visibility_distance: float = 1.5
    render_image: bool = True
    render_depth: bool = False
    render_instances: bool = False
    render_classes: bool = False
    render_normals: bool = False
    fast_emit: bool = True
