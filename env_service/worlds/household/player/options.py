"""The player's command line: Unity's flags, with which ai2thor starts it, and additional
options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS

TO_CONTROLLER = "AI2THOR_FIFO_SERVER_PIPE_PATH"
FROM_CONTROLLER = "AI2THOR_FIFO_CLIENT_PIPE_PATH"
SERVER_TYPE = "AI2THOR_SERVER_TYPE"
SCENES = FLOOR_PLANS
"""Names the folder with the iTHOR scenes' object metadata; `--scenes` wins over it."""

USAGE = f"""\
usage: python -m env_service.worlds.household.player [--scenes DIR] [UNITY FLAGS]

Replaces AI2-THOR's Unity player. Do not start it by hand: ai2thor starts it, and names its pipes
in {TO_CONTROLLER} and {FROM_CONTROLLER}.

    from ai2thor.controller import Controller
    from env_service.worlds.household.player.stand_in_build import command

    controller = Controller(local_executable_path=command(), x_display="0")

  --scenes DIR   folder with FloorPlan*_physics.json (default: ${SCENES}, else the data pack
                 ithor, if `houseguest data fetch ithor` fetched it); the built-in rooms are always
                 available
  --help         this text

It obeys -screen-width, -screen-height and -batchmode, and ignores all other flags of Unity.
"""


@dataclass(frozen=True)
class Options:
    """A player's options.

    Attributes:
        to_controller, from_controller: paths of the pipes.
        width, height: of the first picture, pixels.
        headless: no pictures at all.
        scenes: folder of iTHOR metadata, None for that of the data pack, if it is installed.
    """

    to_controller: str
    from_controller: str
    width: int = 300
    height: int = 300
    headless: bool = False
    scenes: Path | None = None


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Options:
    """Reads a command line and the environment.

    Raises:
        ValueError: the pipes are not named, another server than FIFO is asked for, a size is not a
            number, or the scenes' folder does not exist. The message says how to correct it.
    """
    if environment.get(SERVER_TYPE, "FIFO") != "FIFO":
        raise ValueError(
            f"{SERVER_TYPE} is {environment[SERVER_TYPE]}: this player supports only FIFO; "
            "pass server_class=ai2thor.fifo_server.FifoServer to the Controller"
        )
    missing = [name for name in (TO_CONTROLLER, FROM_CONTROLLER) if not environment.get(name)]
    if missing:
        raise ValueError(
            f"{' and '.join(missing)} not set: ai2thor starts this program, see --help"
        )
    values = _pairs(arguments)
    folder = values.get("--scenes", environment.get(SCENES, ""))
    scenes = Path(folder) if folder else None
    if scenes is not None and not scenes.is_dir():
        raise ValueError(f"the folder of scenes does not exist: {scenes}")
    return Options(
        environment[TO_CONTROLLER],
        environment[FROM_CONTROLLER],
        _pixels(values, "-screen-width"),
        _pixels(values, "-screen-height"),
        "-batchmode" in values,
        scenes,
    )


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    """Each flag with the word after it, "" where another flag or nothing follows."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=False)
    return {
        flag: "" if word.startswith("-") else word for flag, word in pairs if flag.startswith("-")
    }


def _pixels(values: Mapping[str, str], flag: str) -> int:
    text = values.get(flag, "300")
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{flag} is a positive number of pixels, not {text!r}")
    return int(text)
