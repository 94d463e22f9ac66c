"""The BabyAI levels and the environments of LLM-BabyBench's Plan task, as tables: to add one, add a
line. Needs no simulator.

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


# --- The environments of LLM-BabyBench's Plan task


@dataclass(frozen=True, slots=True)
class PlanLevel:
    """A single room with a red ball as the target, and ``distractors`` grey things.

    ``size`` is the benchmark's word, ``room_size`` the cells along the room's side, walls included.
    """

    size: str
    room_size: int
    distractors: int

    @property
    def name(self) -> str:
        """The short name: "Small-4Dists"."""
        return f"{self.size}-{self.distractors}Dists"

    @property
    def published_id(self) -> str:
        """LLM-BabyBench's name: "CustomBabyAI-GoToRedBall-Small-4Dists-v0"."""
        return f"CustomBabyAI-GoToRedBall-{self.name}-v0"

    @property
    def environment_id(self) -> str:
        """The name that this package registers with the simulator."""
        return f"houseguest/GoToRedBall-{self.name}-v0"

    @property
    def rooms(self) -> int:
        """Rooms along one side of the grid."""
        return 1

    @property
    def grid_size(self) -> int:
        """Cells along a side of the grid."""
        return self.room_size

    @property
    def max_steps(self) -> int:
        """The step limit: one navigation through the room, by BabyAI's formula."""
        return self.room_size**2


_SIZES = {
    "Small": (8, (4, 5, 6, 7)),
    "Medium": (16, (20, 40, 50, 60)),
    "Large": (24, (60, 80, 100, 120)),
    "Ultra": (32, (120, 140, 160, 180)),
}

PLAN_LEVELS = {
    level.name: level
    for size, (room_size, counts) in _SIZES.items()
    for level in (PlanLevel(size, room_size, count) for count in counts)
}
"""The environments by name, from small to large."""

AnyLevel = Level | PlanLevel
"""The levels and environments of which a BabyAiWorld can be made."""

_BY_ANY_NAME: dict[str, AnyLevel] = {
    **LEVELS,
    **{level.environment_id: level for level in LEVELS.values()},
    **PLAN_LEVELS,
    **{level.published_id: level for level in PLAN_LEVELS.values()},
}


def find_any_level(name: str) -> AnyLevel:
    """The level or Plan environment of that name or published id ("BabyAI-GoTo-v0").

    Raises UnknownNameError for any other.
    """
    if name not in _BY_ANY_NAME:
        raise UnknownNameError("BabyAI level or Plan environment", name, _BY_ANY_NAME)
    return _BY_ANY_NAME[name]
