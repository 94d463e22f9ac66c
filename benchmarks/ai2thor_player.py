"""What the measurements of the adapter share: tables, and controllers on the stand-in player."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity.controller import Ai2ThorController
from env_service.worlds.ai2thor_unity.settings import Deadlines, Platform, ThorSettings
from env_service.worlds.household.player.faults import VARIABLE
from env_service.worlds.household.player.stand_in_build import command

KITCHEN = "household-kitchen-1"
BATHROOM = "household-bathroom-1"


@dataclass(frozen=True)
class Table:
    """A title, the heads of the columns, and a row of cells for each line."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def adapter(scene: str, side: int, **deadlines: float) -> Ai2ThorController:
    """Our adapter, with pictures and instance masks of ``side`` x ``side`` pixels."""
    settings = ThorSettings(
        platform=Platform.EXECUTABLE, executable=command(), deadlines=Deadlines(**deadlines)
    )
    start = ThorStart(side, side, "Low", {"renderInstanceSegmentation": True})
    return Ai2ThorController(scene, start, settings)


def bare(scene: str, side: int) -> Any:
    """AI2-THOR's own controller, set up for speed: no time limit."""
    from ai2thor.controller import Controller  # noqa: PLC0415 - half a second that others spare

    return Controller(
        local_executable_path=command(),
        x_display="0",
        scene=scene,
        width=side,
        height=side,
        quality="Low",
        server_timeout=None,
        renderInstanceSegmentation=True,
    )


def stop(controller: Any) -> None:
    """Stops either of them."""
    with suppress(BrokenPipeError, ValueError):
        controller.stop()


def misbehave(faults: Mapping[str, Any] | None) -> None:
    """What the players that start from now on do wrong."""
    os.environ.pop(VARIABLE, None)
    if faults is not None:
        os.environ[VARIABLE] = json.dumps(faults)
