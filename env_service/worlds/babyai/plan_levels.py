"""The environments of LLM-BabyBench's Plan task, as a table. Needs no simulator."""

from dataclasses import dataclass

from env_service.domain.names import UnknownNameError
from env_service.worlds.babyai.levels import LEVELS, Level


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
