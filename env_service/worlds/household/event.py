"""What a step gives back: AI2-THOR's event with its pictures and metadata, each worked out when
somebody reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.interface import Camera, Channel, Frames
from env_service.worlds.household.simulation.action import ActionResponse, Sight
from env_service.worlds.household.simulation.actions.cameras import agent_camera, third_party_camera
from env_service.worlds.household.simulation.metadata import frame_metadata, objects_metadata
from env_service.worlds.household.simulation.segmentation import (
    ClassBoxes,
    InstanceBoxes,
    Legend,
    Masks,
)
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.visibility import Views

Bytes = NDArray[np.uint8]
T = TypeVar("T")


class HouseholdEvent:
    """An event of the household world; true if its action succeeded.

    It has the attributes of `ai2thor.server.Event`. Pictures that Initialize did not ask for are
    None, their masks and boxes empty.
    """

    def __init__(self, answer: ActionResponse, views: Views, sight: Callable[[], Sight]) -> None:
        """`sight` gives what the agent sees in the answer's state."""
        self._answer, self._views, self._sight = answer, views, sight

    def __bool__(self) -> bool:
        return self._answer.success

    def __repr__(self) -> str:
        answer = self._answer
        return (
            f"<HouseholdEvent {answer.action} success={answer.success} error={answer.error!r} "
            f"actionReturn={str(answer.value)[:100]}>"
        )

    @property
    def answer(self) -> ActionResponse:
        """What the simulator answered."""
        return self._answer

    @property
    def events(self) -> list[HouseholdEvent]:
        """One event per agent: itself."""
        return [self]

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """AI2-THOR's metadata. It is the caller's: changing it changes nothing else."""
        state, sight = self._answer.state, self._sight
        colors = self._legend.table if self._colored else None
        values = frame_metadata(self._answer, colors)
        return LazyMetadata(values, lambda: objects_metadata(state, sight()))

    @property
    def screen_width(self) -> int:
        """Pixels."""
        return self._answer.settings.width

    @property
    def screen_height(self) -> int:
        """Pixels."""
        return self._answer.settings.height

    @property
    def frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._agent.frame

    @property
    def cv2img(self) -> Bytes | None:
        """The frame with blue first, as OpenCV has it."""
        return None if self.frame is None else self.frame[..., ::-1]

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """See `ThorEvent`."""
        return self._agent.depth

    @property
    def normals_frame(self) -> Bytes | None:
        """See `Shot.normals`."""
        return self._agent.normals

    @property
    def instance_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._agent.instance_colors

    @property
    def semantic_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._agent.class_colors

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """See `ThorEvent`."""
        return self._agent.instance_masks

    @property
    def class_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """Class -> bool [H, W]; only classes in the picture."""
        return self._agent.class_masks

    @cached_property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802
        """See `ThorEvent`."""
        masks = self._agent.instance_masks
        return InstanceBoxes(masks) if isinstance(masks, Masks) else {}

    @cached_property
    def class_detections2D(self) -> Mapping[str, Sequence[Sequence[int]]]:  # noqa: N802
        """Class -> a box, as in `instance_detections2D`, for each of its objects."""
        masks, instances = self._agent.class_masks, self._agent.instances
        if instances is None or not isinstance(masks, Masks):
            return {}
        return ClassBoxes(instances, masks)

    @cached_property
    def color_to_object_id(self) -> Mapping[tuple[int, int, int], str]:
        """The colour table, both ways; empty without segmentation."""
        return {color: name for name, color in self.object_id_to_color.items()}

    @cached_property
    def object_id_to_color(self) -> Mapping[str, tuple[int, int, int]]:
        """See `color_to_object_id`."""
        return dict(self._legend.colors) if self._colored else {}

    @property
    def third_party_camera_frames(self) -> list[Bytes]:
        """See `ThorEvent`."""
        return _present(shot.frame for shot in self._others)

    @property
    def third_party_depth_frames(self) -> list[NDArray[np.float32]]:
        """Depth, per third-party camera."""
        return _present(shot.depth for shot in self._others)

    @property
    def third_party_normals_frames(self) -> list[Bytes]:
        """Normals, per third-party camera."""
        return _present(shot.normals for shot in self._others)

    @property
    def third_party_instance_segmentation_frames(self) -> list[Bytes]:
        """Instance colours, per third-party camera."""
        return _present(shot.instance_colors for shot in self._others)

    @property
    def third_party_semantic_segmentation_frames(self) -> list[Bytes]:
        """Class colours, per third-party camera."""
        return _present(shot.class_colors for shot in self._others)

    @property
    def third_party_instance_masks(self) -> list[Mapping[str, NDArray[np.bool_]]]:
        """Instance masks, per third-party camera."""
        return [shot.instance_masks for shot in self._others if shot.instances is not None]

    @property
    def third_party_class_masks(self) -> list[Mapping[str, NDArray[np.bool_]]]:
        """Class masks, per third-party camera."""
        return [shot.class_masks for shot in self._others if shot.instances is not None]

    @property
    def pose(self) -> tuple[int, int, int, int]:
        """x, z, yaw and horizon of the agent, in thousandths."""
        agent = self._answer.state.agent
        numbers = (agent.position.x, agent.position.z, agent.yaw, agent.horizon)
        x, z, yaw, horizon = (round(number * 1000) for number in numbers)
        return (x, z, yaw, horizon)

    @property
    def pose_discrete(self) -> tuple[int, int, int, int]:
        """x and z in quarters of a metre, yaw in quarter turns, horizon in degrees."""
        agent = self._answer.state.agent
        x, z = (int(value / 0.25) for value in (agent.position.x, agent.position.z))
        return (x, z, int(agent.yaw / 90.0), round(agent.horizon))

    def get_object(self, object_id: str) -> dict[str, Any] | None:
        """See `ThorEvent`."""
        return next((o for o in self.metadata["objects"] if o["objectId"] == object_id), None)

    def objects_by_type(self, object_type: str) -> list[dict[str, Any]]:
        """See `ThorEvent`."""
        return [o for o in self.metadata["objects"] if o["objectType"] == object_type]

    @property
    def _colored(self) -> bool:
        return self._answer.settings.render_instances or self._answer.settings.render_classes

    @cached_property
    def _legend(self) -> Legend:
        return self._views.legend(self._answer.state)

    @cached_property
    def _agent(self) -> CameraPictures:
        return self._shot(agent_camera(self._answer.state.agent, self._answer.settings))

    @cached_property
    def _others(self) -> tuple[CameraPictures, ...]:
        settings = self._answer.settings
        cameras = self._answer.state.cameras
        return tuple(self._shot(third_party_camera(camera, settings)) for camera in cameras)

    def _shot(self, camera: Camera) -> CameraPictures:
        answer, views = self._answer, self._views
        settings = answer.settings
        if not views.in_color:
            settings = replace(settings, render_image=False)
        return CameraPictures(
            camera,
            lambda camera, channels: views.draw(answer.state, camera, channels),
            self._legend,
            settings,
            wanted=answer.picture,
        )


def _present(pictures: Iterable[T | None]) -> list[T]:
    return [picture for picture in pictures if picture is not None]


# --- One camera's pictures of one state, each made when it is asked for


class CameraPictures:
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


# --- Event metadata whose costly part waits until somebody reads it


class LazyMetadata(dict[str, Any]):
    """A dictionary whose "objects" are worked out when they, or all of it, are read."""

    def __init__(
        self, values: Mapping[str, Any], objects: Callable[[], list[dict[str, Any]]]
    ) -> None:
        super().__init__(values)
        self._objects = objects

    def __missing__(self, key: str) -> Any:
        if key == "objects":
            return self.setdefault("objects", self._objects())
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key == "objects" or super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __eq__(self, other: object) -> bool:
        return self._whole() == (other._whole() if isinstance(other, LazyMetadata) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = dict.__hash__

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self._whole(),)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key."""
        try:
            return self[key]
        except KeyError:
            return default

    def keys(self) -> Any:
        """All keys."""
        return self._whole().keys()

    def values(self) -> Any:
        """All values."""
        return self._whole().values()

    def items(self) -> Any:
        """All pairs."""
        return self._whole().items()

    def copy(self) -> dict[str, Any]:
        """A plain dictionary of it all."""
        return self._whole()

    def _whole(self) -> dict[str, Any]:
        objects = self["objects"]
        rest = {key: dict.__getitem__(self, key) for key in dict.__iter__(self)}
        return {"objects": objects, **rest}
