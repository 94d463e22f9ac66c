"""Loads minigrid on first use, checks its version, and silences its output.

It also lists the environments that minigrid 3.2 generates differently from the published ones.
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from typing import Any

from env_service.worlds.babyai.levels import PLAN_LEVELS

SUPPORTED = "minigrid>=2.5,<3.2"
"""The versions to install: their levels are the published ones.

3.2 is also accepted, because all differences in its levels are known: see CHANGES.
"""

_OLDEST, _FIRST_TOO_NEW = (2, 5), (3, 3)


class UnsupportedSimulatorError(RuntimeError):
    """minigrid is missing, of another version, or configured with other rules."""


def check_version(found: str) -> tuple[int, int]:
    """``found`` as major and minor number.

    Raises UnsupportedSimulatorError unless the levels of that version are known.
    """
    numbers = re.match(r"(\d+)\.(\d+)", found)
    version = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    if not _OLDEST <= version < _FIRST_TOO_NEW:
        raise UnsupportedSimulatorError(
            f"minigrid {found} is installed, but the levels are defined by {SUPPORTED}: "
            f"other versions generate other levels. Install it with: pip install '{SUPPORTED}'"
        )
    return version


@cache
def installed_version() -> tuple[int, int]:
    """Major and minor number of the installed minigrid.

    Raises UnsupportedSimulatorError if it is missing or not supported.
    """
    try:
        return check_version(metadata.version("minigrid"))
    except metadata.PackageNotFoundError as missing:
        raise UnsupportedSimulatorError(
            f"minigrid is not installed. Install it with: pip install '{SUPPORTED}'"
        ) from missing


@cache
def load_simulator() -> None:
    """Imports minigrid once, and checks that it follows the expected rules.

    Raises UnsupportedSimulatorError if it is missing, not supported or configured with other rules.
    """
    installed_version()
    if os.environ.get("BABYAI_DONE_ACTIONS"):
        raise UnsupportedSimulatorError(
            "BABYAI_DONE_ACTIONS is set in the environment, and makes minigrid end missions "
            "by other rules. Unset it."
        )
    # pygame, which minigrid imports, prints a greeting unless this variable is set.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import_module("minigrid")
    # minigrid prints a line for every rejected layout. A name in its module shadows the built-in
    # print only there; redirecting standard output would not be thread-safe.
    generator = import_module("minigrid.envs.babyai.core.roomgrid_level")
    generator.__dict__["print"] = _say_nothing
    import_module("env_service.worlds.babyai.tile_shapes").install()
    _register_plan_levels()


def _register_plan_levels() -> None:
    gymnasium = import_module("gymnasium")
    for level in PLAN_LEVELS.values():
        if level.environment_id not in gymnasium.registry:
            gymnasium.register(
                id=level.environment_id,
                entry_point="env_service.worlds.babyai.plan_environment:RedBallAmongGrey",
                kwargs={"room_size": level.room_size, "num_dists": level.distractors},
            )


def _say_nothing(*_: object) -> None:
    """Replaces print."""


def make_environment(environment_id: str, seed: int) -> Any:
    """A minigrid environment, generated from ``seed`` and ready for its first step.

    Always a new one: some levels keep random results of one reset for the next, so an environment
    that is reset again would depend on its history. Its ``reset`` and ``step`` return no
    observation.

    Raises ValueError for a negative seed.
    """
    if seed < 0:
        raise ValueError(f"the seed of {environment_id} is {seed}, but has to be at least 0")
    load_simulator()
    gymnasium = import_module("gymnasium")
    environment = gymnasium.make(environment_id, disable_env_checker=True).unwrapped
    # minigrid makes an observation at every step, which takes longer than the step itself.
    environment.gen_obs = dict
    environment.reset(seed=seed)
    return environment


def render_tile(thing: Any, tile_size: int) -> Any:
    """minigrid's image of one cell: uint8 [tile_size, tile_size, 3]. Read-only."""
    return import_module("minigrid.core.grid").Grid.render_tile(thing, tile_size=tile_size)


def is_composed(instruction: Any) -> bool:
    """Whether one of minigrid's instructions consists of two others."""
    return isinstance(instruction, _verifier().SeqInstr)


def is_reversed(instruction: Any) -> bool:
    """Whether a composed instruction wants its second half done first ("after you")."""
    return isinstance(instruction, _verifier().AfterInstr)


def _verifier() -> Any:
    return import_module("minigrid.envs.babyai.core.verifier")


# --- Environments that the installed minigrid generates differently from the published ones


@dataclass(frozen=True, slots=True)
class Change:
    """An environment that minigrid 3.2 generates differently: the missions before and since."""

    level: str
    seed: int
    published: str
    since: str


CHANGES = (
    Change("SynthLoc", 3, "go to the red box", "go to a door on your right"),
    Change("SynthLoc", 277, "open a door", "open a purple door"),
    Change(
        "SynthSeq",
        3,
        "put the purple box next to the grey box and go to the door on your right",
        "put the purple box next to the green key and open the door in front of you",
    ),
    Change(
        "SynthSeq",
        236,
        "pick up the blue box behind you after you open a door and pick up a red ball",
        "pick up the blue box behind you, then open the red door and open a blue door",
    ),
    Change(
        "SynthSeq",
        422,
        "put a key next to a yellow door",
        "put a key next to the door on your left",
    ),
)
"""All differences among the seeds 0 to 500; later seeds were not compared."""

_FIRST_CHANGED = (3, 2)

_CHANGES = {(change.level, change.seed): change for change in CHANGES}


class ChangedEnvironmentError(RuntimeError):
    """The installed minigrid generates a different environment from the published one."""


def is_published(level: str, seed: int) -> bool:
    """Whether the installed minigrid generates the published environment.

    ``level`` is a name from LEVELS or PLAN_LEVELS. Raises UnsupportedSimulatorError if minigrid is
    missing or of an unknown version.
    """
    return (level, seed) not in _CHANGES or installed_version() < _FIRST_CHANGED


def require_published(level: str, seed: int) -> None:
    """Raises ChangedEnvironmentError unless ``is_published``."""
    if is_published(level, seed):
        return
    change = _CHANGES[level, seed]
    found = ".".join(map(str, installed_version()))
    raise ChangedEnvironmentError(
        f"{level} with seed {seed}: minigrid {found} generates another mission "
        f"({change.since!r}) than the published one ({change.published!r}). "
        f"Install it with: pip install '{SUPPORTED}'"
    )
