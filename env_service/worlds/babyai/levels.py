"""The BabyAI levels, as a table: to add one, add a line. Needs no simulator.

A new level changes task sets (docs/babyai.md, "Add a level").
"""

from dataclasses import dataclass

from env_service.domain.names import UnknownNameError

ROOM_SIZE = 8
"""Cells along a room's side, walls included: minigrid's default for every level here."""


@dataclass(frozen=True, slots=True)
class Level:
    """A family of levels, one for each seed.

    ``difficulty`` and ``skills`` follow LLM-BabyBench's tables and BabyAI's taxonomy of
    competencies. ``rooms`` is the number of rooms along one side of the square maze. ``scenery`` is
    equal for levels that often have the same grid for the same seed, whatever their missions: with
    equal seeds they are not independent.
    """

    name: str
    difficulty: str
    rooms: int
    skills: tuple[str, ...]
    scenery: str

    @property
    def environment_id(self) -> str:
        """The name under which minigrid registers the level."""
        return f"BabyAI-{self.name}-v0"

    @property
    def room_size(self) -> int:
        """Cells along a room's side, walls included."""
        return ROOM_SIZE

    @property
    def grid_size(self) -> int:
        """Cells along a side of the grid: neighbouring rooms share a wall."""
        return self.rooms * (self.room_size - 1) + 1


_ROOM = ("room",)
_GREY = (*_ROOM, "ignore_grey_boxes")
_DISTRACTED = (*_GREY, "ignore_distractors")
_MAZE = (*_DISTRACTED, "maze")
_SYNTH = (*_MAZE, "unblock", "unlock_explicit", "go_to", "open", "pick_up", "put_next")

# The levels with a common scenery were found by comparing the grids of equal seeds, 1 … 500:
# always among GoTo, Pickup and Open; for 82 to 98 % of the seeds among Synth, SynthLoc, SynthSeq
# and BossLevel, and for 23 % between these and GoToSeq; for 12 % between GoToLocal and
# PutNextLocal. Every other pair has equal grids for less than 4 %, which is ignored.
_LEVELS = (
    Level("GoToObj", "Easy", 1, _ROOM, "GoToObj"),
    Level("GoToRedBallGrey", "Easy", 1, _GREY, "GoToRedBallGrey"),
    Level("GoToRedBall", "Medium", 1, _DISTRACTED, "GoToRedBall"),
    Level("GoToLocal", "Medium", 1, (*_DISTRACTED, "go_to"), "GoToLocal"),
    Level("PutNextLocal", "Medium", 1, (*_DISTRACTED, "put_next"), "GoToLocal"),
    Level("PickupLoc", "Medium", 1, (*_DISTRACTED, "pick_up", "location"), "PickupLoc"),
    Level("GoToObjMaze", "Medium", 3, (*_ROOM, "maze"), "GoToObjMaze"),
    Level("GoTo", "Medium", 3, (*_MAZE, "go_to"), "GoTo"),
    Level("Pickup", "Medium", 3, (*_MAZE, "pick_up"), "GoTo"),
    Level("UnblockPickup", "Hard", 3, (*_MAZE, "unblock", "pick_up"), "UnblockPickup"),
    Level("Open", "Hard", 3, (*_MAZE, "open"), "GoTo"),
    Level("Synth", "Hard", 3, _SYNTH, "Synth"),
    Level("SynthLoc", "Very Hard", 3, (*_SYNTH, "location"), "Synth"),
    Level("GoToSeq", "Very Hard", 3, (*_MAZE, "go_to", "sequence"), "Synth"),
    Level("SynthSeq", "Very Hard", 3, (*_SYNTH, "location", "sequence"), "Synth"),
    Level(
        "BossLevel",
        "Very Hard",
        3,
        (*_SYNTH, "location", "sequence", "unlock_implicit"),
        "Synth",
    ),
)

LEVELS = {level.name: level for level in _LEVELS}
"""The levels by name, in LLM-BabyBench's order."""


def find_level(name: str) -> Level:
    """The level of that name ("GoToLocal"). Raises UnknownNameError for any other."""
    if name not in LEVELS:
        raise UnknownNameError("BabyAI level", name, LEVELS)
    return LEVELS[name]
