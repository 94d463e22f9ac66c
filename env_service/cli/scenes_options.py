"""How scenes are captured: options that commands of ``houseguest scenes`` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.common import size_option

if TYPE_CHECKING:
    from env_service.worlds.thor.capture.sidecar import CaptureRequest
    from env_service.worlds.thor.start import ThorStart

F = TypeVar("F", bound=Callable[..., Any])

WORLDS = ("ai2thor", "household")


@dataclass(frozen=True)
class SceneLook:
    """How many pictures are taken of each scene, of how many pixels, and how wide they look:
    ``field_of_view`` is vertical, degrees."""

    frames: int
    size: tuple[int, int]
    field_of_view: float
    quality: str

    def start(self) -> ThorStart:
        """How the simulator is to be started. Raises ValueError."""
        from env_service.worlds.thor.start import ThorStart

        initialization = {
            "gridSize": 0.25,
            "snapToGrid": False,
            "fieldOfView": self.field_of_view,
            "renderInstanceSegmentation": self.frames > 0,
        }
        width, height = self.size
        return ThorStart(width, height, self.quality, initialization)

    def request(self, world: str) -> CaptureRequest:
        """What every scene is asked for. Raises ValueError."""
        from env_service.worlds.thor.capture.sidecar import CaptureRequest

        return CaptureRequest(world, self.start(), self.frames)


def world_option(command: F) -> F:
    """Adds ``--world``; the command's parameter is ``world: str``."""
    return click.option(
        "--world", type=click.Choice(WORLDS), default=WORLDS[0], show_default=True,
        help="The simulator that is asked.",
    )(command)  # fmt: skip


def look_options(command: F) -> F:
    """Adds ``--frames``, ``--size``, ``--field-of-view`` and ``--quality``; the command's
    parameter is ``look: SceneLook``."""

    @wraps(command)
    def with_look(
        *args: Any,
        frames: int,
        size: tuple[int, int],
        field_of_view: float,
        quality: str,
        **others: Any,
    ) -> Any:
        return command(*args, look=SceneLook(frames, size, field_of_view, quality), **others)

    decorated: Any = with_look
    for option in (
        click.option(
            "--quality", default="Ultra", show_default=True, metavar="NAME",
            help="AI2-THOR's render quality.",
        ),
        click.option(
            "--field-of-view", default=90.0, show_default=True, metavar="DEGREES",
            type=click.FloatRange(1.0, 179.0), help="From the bottom of a picture to its top.",
        ),
        size_option("Pixels of a picture: of its sides, or width x height."),
        click.option(
            "--frames", default=5, show_default=True, metavar="N", type=click.IntRange(0, 100),
            help="Pictures of each scene: of the start, then from far corners; 0 for none.",
        ),
    ):  # fmt: skip
        decorated = option(decorated)
    result: F = decorated
    return result
