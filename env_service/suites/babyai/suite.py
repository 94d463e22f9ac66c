"""The suite: BabyAI's missions, step by step."""

from collections.abc import Mapping
from functools import cached_property

from env_service.domain.action import SkillCall
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.task import TaskSet
from env_service.suites.babyai.episode import BabyAiEpisode
from env_service.suites.babyai.report import DESIGN
from env_service.suites.babyai.tasks import DATASET, EVALUATION_SEEDS, make_task_sets, read_task
from env_service.suites.base import EpisodeOrder, ExpertRun, SanitySet, Setting
from env_service.suites.grid_levels import GridLevelsSuite
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.solver import solve_episode

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "observation",
        "How the agent gets the grid.",
        ("text", "picture", "text+picture"),
    ),
    Setting(
        "view",
        "The whole grid, or the 7 × 7 cells in front of the agent.",
        ("full", "partial"),
    ),
    Setting(
        "feedback",
        "Feedback on an action: whether it worked, also why not, or nothing.",
        ("simple", "detailed", "none"),
    ),
    Setting(
        "step_limit",
        "Whether the agent gets the step limit.",
        ("told", "hidden"),
    ),
)


class BabyAiSuite(GridLevelsSuite):
    """A Suite (see suites.base): the BabyAI levels that LLM-BabyBench chose.

    The service enforces every setting. An order's seed changes nothing, because a level is made
    only from its task's seed.
    """

    name = "babyai"
    version = "1"
    description = f"BabyAI missions in grid rooms, played step by step on {len(LEVELS)} levels."
    settings = SETTINGS
    worlds: tuple[str, ...] = ("babyai",)
    deterministic: tuple[str, ...] = worlds
    packages: tuple[str, ...] = ("minigrid", "gymnasium", "numpy")
    modes: tuple[Mode, ...] = (Mode.STEPWISE,)
    report = DESIGN

    @cached_property
    def _task_sets(self) -> Mapping[str, TaskSet]:
        return make_task_sets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``evaluation`` (320 tasks) and ``dataset`` (8000)."""
        return self._task_sets

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """Three short missions."""
        return (SanitySet("evaluation", tasks=("GoToObj/2", "GoToLocal/2", "Pickup/2")),)

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Tasks of ``dataset`` whose seed is none of the evaluation's."""
        _, _, seed = task_id.rpartition("/")
        known = task_set == DATASET and seed.isdecimal()
        return known and int(seed) not in EVALUATION_SEEDS

    def open_episode(self, order: EpisodeOrder) -> BabyAiEpisode:
        """Makes the episode; the level is generated when it starts."""
        return BabyAiEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the level with the omniscient expert, and plays the solution to check it."""
        level, seed = read_task(order.task)
        actions = tuple(SkillCall(name) for name in solve_episode(level, seed).actions)
        episode = self.open_episode(order)
        episode.start()
        for action in actions:
            if episode.act(action).status is not EpisodeStatus.RUNNING:
                break
        success = episode.finish(FinishReason.OVER).success
        episode.close()
        return ExpertRun(actions, success)
