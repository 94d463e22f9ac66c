"""Where the installed minigrid generates another environment than the published one.

LLM-BabyBench's data were made with minigrid before 3.2; 2.5, 3.0 and 3.1 generate the same.
minigrid 3.2 forgets, between the attempts at one level, which room was locked, and so words
other missions. All sixteen levels were compared with seeds 0 to 500: five of these 8016
differ, all of them in the mission alone. The levels of plan_levels.py are not touched by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.babyai.simulator import SUPPORTED, installed_version


@dataclass(frozen=True, slots=True)
class Change:
    """An environment that minigrid 3.2 generates otherwise: the mission before and since."""

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
"""All that differ among the seeds 0 to 500; later seeds were not compared."""

_FIRST_CHANGED = (3, 2)

_CHANGES = {(change.level, change.seed): change for change in CHANGES}


class ChangedEnvironmentError(RuntimeError):
    """The installed minigrid generates another environment than the published one."""


def is_published(level: str, seed: int) -> bool:
    """Whether the installed minigrid generates the published environment.

    ``level`` is a name from LEVELS or PLAN_LEVELS. Raises UnsupportedSimulatorError when
    minigrid is missing or of an unknown version.
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
        f"Mend it with: pip install '{SUPPORTED}'"
    )
