"""What a step gives back: AI2-THOR's event with its pictures and metadata, each computed when it is
first read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel
from env_service.worlds.household.simulation.action import ActionResponse, Visibility
from env_service.worlds.household.simulation.actions.cameras import own_view, third_party_camera
from env_service.worlds.household.simulation.metadata import frame_metadata, objects_metadata
from env_service.worlds.household.simulation.segmentation import (
    ClassBoxes,
    InstanceBoxes,
    Legend,
    Masks,
)
from env_service.worlds.household.simulation.visibility import StateRenderer

Bytes = NDArray[np.uint8]
T = TypeVar("T")


class HouseholdEvent:
    """An event of the household world; true if its action succeeded.

    It has the attributes of `ai2thor.server.Event`. Pictures that Initialize did not ask for are
    None, their masks and boxes empty.
    """

    def __init__(
        self, answer: ActionResponse, state_renderer: StateRenderer, sight: Callable[[], Visibility]
    ) -> None:
        """`sight` gives what the agent sees in the answer's state."""
        self._answer, self._state_renderer, self._sight = answer, state_renderer, sight
        self._settings = answer.settings
        if answer.extra:
            self._settings = replace(answer.settings, **dict.fromkeys(answer.extra, True))

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
        """AI2-THOR's metadata. The caller may change it; nothing else changes with it."""
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
        return self._agent.color

    @property
    def cv2img(self) -> Bytes | None:
        """The frame with blue first, as OpenCV has it."""
        return None if self.frame is None else self.frame[..., ::-1]

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """See `ThorEvent`."""
        return self._agent.depth

    @cached_property
    def normals_frame(self) -> Bytes | None:
        """Normals in the camera's frame, uint8 [H, W, 3]: -1 to 1 along right, up and towards the
        viewer as 0 to 255."""
        return _packed_normals(self._agent, self._cameras[0])

    @cached_property
    def instance_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._instance_colors(self._agent)

    @cached_property
    def semantic_segmentation_frame(self) -> Bytes | None:
        """See `ThorEvent`."""
        return self._class_colors(self._agent)

    @cached_property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """See `ThorEvent`."""
        return self._instance_masks(self._agent) or {}

    @cached_property
    def class_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """Class -> bool [H, W]; only classes in the picture."""
        return self._class_masks(self._agent) or {}

    @cached_property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802
        """See `ThorEvent`."""
        masks = self.instance_masks
        return InstanceBoxes(masks) if isinstance(masks, Masks) else {}

    @cached_property
    def class_detections2D(self) -> Mapping[str, Sequence[Sequence[int]]]:  # noqa: N802
        """Class -> a box, as in `instance_detections2D`, for each of its objects."""
        masks = self.class_masks
        return ClassBoxes(masks) if isinstance(masks, Masks) else {}

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
        return _present(pictures.color for pictures in self._others)

    @property
    def third_party_depth_frames(self) -> list[NDArray[np.float32]]:
        """Depth, per third-party camera."""
        return _present(pictures.depth for pictures in self._others)

    @cached_property
    def third_party_normals_frames(self) -> list[Bytes]:
        """Normals, per third-party camera."""
        return _present(map(_packed_normals, self._others, self._cameras[1:]))

    @cached_property
    def third_party_instance_segmentation_frames(self) -> list[Bytes]:
        """Instance colours, per third-party camera."""
        return _present(map(self._instance_colors, self._others))

    @cached_property
    def third_party_semantic_segmentation_frames(self) -> list[Bytes]:
        """Class colours, per third-party camera."""
        return _present(map(self._class_colors, self._others))

    @cached_property
    def third_party_instance_masks(self) -> list[Masks]:
        """Instance masks, per third-party camera."""
        return _present(map(self._instance_masks, self._others))

    @cached_property
    def third_party_class_masks(self) -> list[Masks]:
        """Class masks, per third-party camera."""
        return _present(map(self._class_masks, self._others))

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
        return self._settings.render_instances or self._settings.render_classes

    @cached_property
    def _legend(self) -> Legend:
        return self._state_renderer.legend(self._answer.state)

    # --- One camera's pictures, drawn together when the first of them is read

    @cached_property
    def _cameras(self) -> tuple[Camera, ...]:
        """The agent's camera, then the added ones."""
        state, settings = self._answer.state, self._answer.settings
        ceiling = state.scene.bounds.top
        added = (third_party_camera(camera, settings, ceiling) for camera in state.cameras)
        return (own_view(state, settings), *added)

    @cached_property
    def _agent(self) -> CameraPictures:
        return self._drawn(self._cameras[0])

    @cached_property
    def _others(self) -> tuple[CameraPictures, ...]:
        return tuple(map(self._drawn, self._cameras[1:]))

    def _drawn(self, camera: Camera) -> CameraPictures:
        """All pictures that the settings ask for, drawn together."""
        settings, channels = self._settings, Channel(0)
        for asked, channel in (
            (settings.render_image and self._state_renderer.in_color, Channel.COLOR),
            (settings.render_depth, Channel.DEPTH),
            (self._colored, Channel.INSTANCES),
            (settings.render_normals, Channel.NORMALS),
        ):
            channels |= channel if asked else Channel(0)
        if not (channels and self._answer.picture):
            return CameraPictures()
        return self._state_renderer.draw(self._answer.state, camera, channels)

    def _instance_colors(self, pictures: CameraPictures) -> Bytes | None:
        """A colour per object, uint8 [H, W, 3]."""
        if pictures.instances is None or not self._settings.render_instances:
            return None
        return self._legend.painted(pictures.instances, self._legend.names)

    def _class_colors(self, pictures: CameraPictures) -> Bytes | None:
        """A colour per type, uint8 [H, W, 3]."""
        if pictures.instances is None or not self._settings.render_classes:
            return None
        return self._legend.painted(pictures.instances, self._legend.types)

    def _instance_masks(self, pictures: CameraPictures) -> Masks | None:
        """Object id -> bool [H, W]."""
        if pictures.instances is None or not self._settings.render_instances:
            return None
        return Masks(pictures.instances, self._legend.by_object)

    def _class_masks(self, pictures: CameraPictures) -> Masks | None:
        """Class -> bool [H, W]; made with instance pictures, as AI2-THOR makes it."""
        if pictures.instances is None or not self._settings.render_instances:
            return None
        return Masks(pictures.instances, self._legend.by_class)


def _present(pictures: Iterable[T | None]) -> list[T]:
    return [picture for picture in pictures if picture is not None]


def _packed_normals(pictures: CameraPictures, camera: Camera) -> Bytes | None:
    """Unit normals of the room's frame as bytes in the camera's frame."""
    if pictures.normals is None:
        return None
    turn = Rotation.from_euler(Vec3(camera.pitch, camera.yaw, camera.roll)).inverse()
    x, y, z = (pictures.normals[:, :, k] for k in range(3))
    own = [row[0] * x + row[1] * y + row[2] * z for row in turn.rows]
    own[2] = -own[2]
    packed = np.round((np.stack(own, 2) + 1.0) * 127.5).clip(0, 255).astype(np.uint8)
    packed.setflags(write=False)
    return packed


# --- Event metadata whose costly part is computed when it is first read


class LazyMetadata(dict[str, Any]):
    """A dictionary that computes "objects" when that key, or the whole dictionary, is first
    read."""

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
