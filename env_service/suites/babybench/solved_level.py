"""A level with the expert's solution. It stays in memory for several questions and repeats."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from env_service.suites.babybench.tasks import Facts
from env_service.worlds.babyai.levels import AnyLevel, PlanLevel
from env_service.worlds.babyai.omnibot.records import ExpertMode, ExpertRecord
from env_service.worlds.babyai.omnibot.solver import solve_world
from env_service.worlds.babyai.shortest_path import optimal_steps
from env_service.worlds.babyai.state import Position
from env_service.worlds.babyai.world import BabyAiWorld

MOST_KEPT = 512
"""How many levels are kept: more than an evaluation set has, for repeats. The largest need 100 kB.
"""


@dataclass(frozen=True, slots=True)
class LevelSolution:
    """The expert's solution of a level: the part of an ExpertRecord that questions need.

    ``state`` is the final cell and heading. Help counts subgoals: those that translate the mission,
    and those added on the way.
    """

    actions: tuple[str, ...]
    success: bool
    state: tuple[Position, int]
    help_initial: int
    help_added: int

    @property
    def help_count(self) -> int:
        """LLM-BabyBench's: with the translation, so at least 1."""
        return self.help_initial + self.help_added


@dataclass(frozen=True, slots=True)
class SolvedLevel:
    """A level's start, the expert's play, and a digest (hex) that only equal starts share.

    ``optimum`` is the fewest actions that lead to the red ball of a Plan room; None elsewhere.
    """

    facts: Facts
    expert: LevelSolution
    digest: str
    optimum: int | None


@lru_cache(maxsize=MOST_KEPT)
def solve_level(level: AnyLevel, seed: int, mode: ExpertMode) -> SolvedLevel:
    """Generates a level and lets the expert play it.

    COMPAT plays published environments only. Raises ChangedEnvironmentError for others, and
    UnsupportedSimulatorError as BabyAiWorld does.
    """
    facts, record = examine(level, seed, mode)
    start = f"{facts.mission}\n{facts.start.encode()}"
    optimum = optimal_steps(facts.start) if isinstance(level, PlanLevel) else None
    return SolvedLevel(facts, _summary(record), hashlib.sha256(start.encode()).hexdigest(), optimum)


def examine(level: AnyLevel, seed: int, mode: ExpertMode) -> tuple[Facts, ExpertRecord]:
    """A level's start, and how the expert plays it. Raises the errors of ``know``."""
    world = BabyAiWorld(level, seed, published_only=mode is ExpertMode.COMPAT)
    facts = Facts(level.rooms, world.snapshot(), world.mission, world.max_steps)
    # The expert plays the world to its end, so the facts have to be read before.
    return facts, solve_world(world, mode=mode)


def _summary(record: ExpertRecord) -> LevelSolution:
    return LevelSolution(
        actions=record.actions,
        success=record.success,
        state=(record.final_position, int(record.final_heading)),
        help_initial=record.help_initial,
        help_added=record.help_added,
    )
