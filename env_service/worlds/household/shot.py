"""One camera's pictures of one state, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.interface import Camera, Channel, Frames
from env_service.worlds.household.simulation.segmentation import Legend, Masks
from env_service.worlds.household.simulation.settings import Settings

Bytes = NDArray[np.uint8]


class Shot:
    """The pictures of one camera in one state."""

    def __init__(
        self,
        camera: Camera,
        draw: Callable[[Camera, Channel], Frames],
        legend: Legend,
        settings: Settings,
        *,
        wanted: bool,
    ) -> None:
        self._camera, self._draw, self._legend = camera, draw, legend
        self._settings, self._wanted = settings, wanted

    @cached_property
    def frame(self) -> Bytes | None:
        """Colours, uint8 [H, W, 3]; None if no picture is wanted. Like all arrays here it is
        read-only."""
        if not (self._wanted and self._settings.render_image):
            return None
        return self._frames.color

    @cached_property
    def depth(self) -> NDArray[np.float32] | None:
        """Metres, float32 [H, W]."""
        return self._frames.depth if self._wanted and self._settings.render_depth else None

    @cached_property
    def normals(self) -> Bytes | None:
        """Normals in the camera's frame, uint8 [H, W, 3]: -1 to 1 along right, up and towards the
        viewer as 0 to 255."""
        if not (self._wanted and self._settings.render_normals):
            return None
        normals = self._frames.normals
        return None if normals is None else _packed_normals(normals, self._camera)

    @cached_property
    def instances(self) -> NDArray[np.int32] | None:
        """Instance numbers, int32 [H, W]."""
        if not (self._wanted and self._settings.render_instances):
            return None
        return self._frames.instances

    @cached_property
    def instance_colors(self) -> Bytes | None:
        """A colour per object, uint8 [H, W, 3]."""
        if self.instances is None:
            return None
        return self._legend.painted(self.instances, self._legend.names)

    @cached_property
    def class_colors(self) -> Bytes | None:
        """A colour per type, uint8 [H, W, 3]."""
        if not (self._wanted and self._settings.render_classes):
            return None
        if self._frames.instances is None:
            return None
        return self._legend.painted(self._frames.instances, self._legend.types)

    @cached_property
    def instance_masks(self) -> Masks | dict[str, NDArray[np.bool_]]:
        """Object id -> bool [H, W]; empty without instance pictures."""
        if self.instances is None:
            return {}
        return Masks(self.instances, self._legend.by_object)

    @cached_property
    def class_masks(self) -> Masks | dict[str, NDArray[np.bool_]]:
        """Class -> bool [H, W]; empty without instance pictures."""
        if self.instances is None:
            return {}
        return Masks(self.instances, self._legend.by_class)

    @cached_property
    def _frames(self) -> Frames:
        """All that the settings ask for, in one drawing."""
        settings = self._settings
        channels = Channel(0)
        for asked, channel in (
            (settings.render_image, Channel.COLOR),
            (settings.render_depth, Channel.DEPTH),
            (settings.render_instances or settings.render_classes, Channel.INSTANCES),
            (settings.render_normals, Channel.NORMALS),
        ):
            channels |= channel if asked else Channel(0)
        return self._draw(self._camera, channels)


def _packed_normals(normals: NDArray[np.float32], camera: Camera) -> Bytes:
    """Unit normals of the room's frame as bytes in the camera's frame."""
    turn = Rotation.from_euler(Vec3(camera.pitch, camera.yaw, camera.roll)).inverse()
    x, y, z = (normals[:, :, k] for k in range(3))
    own = [row[0] * x + row[1] * y + row[2] * z for row in turn.rows]
    own[2] = -own[2]
    packed = np.round((np.stack(own, 2) + 1.0) * 127.5).clip(0, 255).astype(np.uint8)
    packed.setflags(write=False)
    return packed
