"""What a step gives back: AI2-THOR's event, worked out as far as somebody asks.

An event keeps the state that it shows, so it gives the same answers whenever it is asked,
whatever was done since. Attributes and conventions: spec ai2thor.md sections 3.4, 3.5 and 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.metadata import Metadata
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.shot import Shot
from env_service.worlds.household.simulation.action import Sight
from env_service.worlds.household.simulation.answer import Answer
from env_service.worlds.household.simulation.cameras import agent_camera, third_party_camera
from env_service.worlds.household.simulation.frame_metadata import frame_metadata, objects_metadata
from env_service.worlds.household.simulation.segmentation import (
    ClassBoxes,
    InstanceBoxes,
    Legend,
    Masks,
)
from env_service.worlds.household.simulation.views import Views

Bytes = NDArray[np.uint8]
T = TypeVar("T")


class HouseholdEvent:
    """An event of the household world; true if its action succeeded.

    It has the attributes of `ai2thor.server.Event`. Pictures that Initialize did not ask for are
    None, their masks and boxes empty.
    """

    def __init__(self, answer: Answer, views: Views, sight: Callable[[], Sight]) -> None:
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
    def answer(self) -> Answer:
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
        return Metadata(values, lambda: objects_metadata(state, sight()))

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
    def _agent(self) -> Shot:
        return self._shot(agent_camera(self._answer.state.agent, self._answer.settings))

    @cached_property
    def _others(self) -> tuple[Shot, ...]:
        settings = self._answer.settings
        cameras = self._answer.state.cameras
        return tuple(self._shot(third_party_camera(camera, settings)) for camera in cameras)

    def _shot(self, camera: Camera) -> Shot:
        answer, views = self._answer, self._views
        settings = answer.settings
        if not views.in_color:
            settings = replace(settings, render_image=False)
        return Shot(
            camera,
            lambda camera, channels: views.draw(answer.state, camera, channels),
            self._legend,
            settings,
            wanted=answer.picture,
        )


def _present(pictures: Iterable[T | None]) -> list[T]:
    return [picture for picture in pictures if picture is not None]
