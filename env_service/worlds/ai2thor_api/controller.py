"""The controller API of AI2-THOR, as far as suites use it, and how a suite wants its world
started: one interface over every world that speaks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ThorEvent(Protocol):
    """What a step gives back. It is true if the action succeeded.

    An event keeps what it showed: later steps do not change it.
    """

    @property
    def metadata(self) -> Mapping[str, Any]:
        """AI2-THOR's metadata: the agent's and frame's keys, and "objects" with 42 keys each."""
        ...

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        """The agent's view, uint8 [H, W, 3]; None if nothing was rendered."""
        ...

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """Metres, float32 [H, W]; None unless Initialize asked for it."""
        ...

    @property
    def instance_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """A colour per object, uint8 [H, W, 3]; None unless Initialize asked for it."""
        ...

    @property
    def semantic_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """A colour per object type, uint8 [H, W, 3]; None unless Initialize asked for it."""
        ...

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """Object id -> bool [H, W]; only objects in the picture."""
        ...

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802
        """Object id -> (left, top, right, bottom) in pixels, all inclusive."""
        ...

    @property
    def third_party_camera_frames(self) -> Sequence[NDArray[np.uint8]]:
        """The views of the third-party cameras, in the order in which they were added."""
        ...

    def get_object(self, object_id: str) -> Mapping[str, Any] | None:
        """The metadata of an object, None if there is none of that id."""
        ...

    def objects_by_type(self, object_type: str) -> Sequence[Mapping[str, Any]]:
        """The metadata of all objects of a type."""
        ...

    def __bool__(self) -> bool: ...


def rgb_picture(event: ThorEvent) -> NDArray[np.uint8]:
    """The agent's view as one block of memory, uint8 [H, W, 3]: the form in which a picture goes
    from here to the wire. Asking draws it, so ask only where it is shown.

    Raises:
        RuntimeError: the world draws nothing.
    """
    import numpy as np  # noqa: PLC0415 - lists of suites do without it

    frame = event.frame
    if frame is None:
        raise RuntimeError("the world gave no picture, though one was asked for at its start")
    return np.ascontiguousarray(frame)


class ThorController(Protocol):
    """A world behind AI2-THOR's controller API.

    An action that the world refuses is an event that is false; an action or argument that does
    not exist raises ValueError, as the real package does. A world that breaks, or does not answer
    in time, raises WorldFault from any method but `stop`, and is of no more use.
    """

    @property
    def last_event(self) -> ThorEvent:
        """The event of the last reset or step."""
        ...

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        """Loads a scene, or the same again, and initialises it; parameters stay for later resets.

        A mapping is a ProcTHOR house, which the world builds (AI2-THOR's CreateHouse); the event
        is false if it refuses to. The agent is not put where the house says that it starts.

        Raises:
            ValueError: an unknown scene, a house in a world that builds none, or parameters that
                make no sense.
        """
        ...

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        """Plays one action, by name or as a mapping with the key "action".

        Raises:
            ValueError: error codes InvalidAction, MissingArguments, AmbiguousAction and
                InvalidArgument.
            RuntimeError: the action was refused and `raise_for_failure=True` was given.
        """
        ...

    def stop(self) -> None:
        """Ends the world; a second call does nothing."""
        ...


# --- How a suite wants its world started: everything that could change a score

QUALITIES = ("Very Low", "Low", "Medium", "MediumCloseFitShadows", "High", "Very High", "Ultra")
"""AI2-THOR 5.0.0's names of render qualities (docs/ai2thor.md, "Player lifetime and deadlines")."""

PLAYER_PARAMETERS = frozenset(
    {
        "add_depth_noise",
        "branch",
        "commit_id",
        "depth_format",
        "download_only",
        "fullscreen",
        "gpu_device",
        "host",
        "image_dir",
        "include_private_scenes",
        "local_build",
        "local_executable_path",
        "platform",
        "port",
        "save_image_per_frame",
        "server_class",
        "server_start_timeout",
        "server_timeout",
        "start_unity",
        "x_display",
    }
)
"""How AI2-THOR's controller starts its player (docs/ai2thor.md, "Player lifetime and deadlines").
None of them reaches Initialize."""


@dataclass(frozen=True, slots=True)
class ThorStart:
    """The start-up parameters of a controller that belong to a suite.

    ``width`` and ``height`` are pixels of the agent's picture, at least 1. ``quality`` is one of
    QUALITIES. ``initialization`` goes unchanged to AI2-THOR's Initialize (gridSize, fieldOfView,
    renderInstanceSegmentation, …). How a machine runs the simulator is set elsewhere. Raises
    ValueError for a size or a quality that does not exist.
    """

    width: int = 300
    height: int = 300
    quality: str = "Ultra"
    initialization: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} pixels; it has to be at least 1")
        if self.quality not in QUALITIES:
            raise ValueError(
                f"no such quality: {self.quality!r}; choose one of {', '.join(QUALITIES)}"
            )
