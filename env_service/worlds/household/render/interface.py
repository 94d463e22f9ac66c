"""The interface of renderers: a scene graph and a camera in, pictures out."""

from dataclasses import dataclass
from enum import Flag, auto
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.scene_graph import SceneGraph

NOTHING = -1
"""The instance number of a pixel that shows nothing."""

LARGEST_SIDE = 8192
"""Pixels; more in either direction is refused."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera.

    Attributes:
        position: of the eye, metres.
        yaw, pitch, roll: degrees, in geometry's sense; a positive pitch looks down.
        field_of_view: vertical, degrees, inside (0, 180).
        width, height: pixels, 1 to LARGEST_SIDE.
        near, far: metres; what lies outside is not drawn.
        setback: metres by which the eye is behind the place from which depth counts. An
            orthographic view is drawn from far behind its place, so that its lines of sight are
            parallel.
    """

    position: Vec3
    yaw: float
    pitch: float
    field_of_view: float
    width: int
    height: int
    roll: float = 0.0
    near: float = 0.01
    far: float = 20.0
    setback: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("width", self.width), ("height", self.height)):
            if not 1 <= value <= LARGEST_SIDE:
                raise ValueError(f"a picture's {name} is 1 to {LARGEST_SIDE} pixels, not {value}")
        if not 0 < self.field_of_view < 180:
            raise ValueError(
                f"a field of view is between 0 and 180 degrees, not {self.field_of_view}"
            )


class Channel(Flag):
    """What a picture can hold."""

    COLOR = auto()
    INSTANCES = auto()
    DEPTH = auto()
    NORMALS = auto()


@dataclass(frozen=True, eq=False)
class CameraPictures:
    """What one camera sees: the channels that were asked for; the rest is None.

    Arrays are read-only and C-contiguous, row 0 on top.

    Attributes:
        color: uint8 [H, W, 3], sRGB.
        instances: int32 [H, W]: instance number of the front-most surface, glass included;
            NOTHING where there is none.
        behind_glass: int32 [H, W]: the same for the first solid surface.
        depth: float32 [H, W]: metres along the view axis to the first solid surface; the camera's
            far plane where there is none.
        normals: float32 [H, W, 3]: unit normals of the first solid surface in the room's frame.
    """

    color: NDArray[np.uint8] | None = None
    instances: NDArray[np.int32] | None = None
    behind_glass: NDArray[np.int32] | None = None
    depth: NDArray[np.float32] | None = None
    normals: NDArray[np.float32] | None = None


class Renderer(Protocol):
    """Draws scene graphs. One renderer serves one world; it is not safe for several threads."""

    @property
    def name(self) -> str:
        """The name in a run's record, such as "soft", "soft+numba" or "gl (llvmpipe)"."""
        ...

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
        """Draws a view. The same graph version, camera and channels give the same arrays without
        drawing again; of a changed graph, only the differences are processed."""
        ...

    def close(self) -> None:
        """Frees memory and contexts; a second call does nothing."""
        ...
