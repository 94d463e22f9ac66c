"""The suite: LLM-BabyBench's questions about BabyAI levels."""

from collections.abc import Mapping
from functools import cached_property

from env_service.domain.episode import Episode, Mode
from env_service.domain.task import Task, TaskSet
from env_service.suites.babybench.conditions import NAMED, SETTINGS
from env_service.suites.babybench.episode import InteractiveEpisode, QuestionEpisode, player
from env_service.suites.babybench.expert import answer
from env_service.suites.babybench.report import DESIGN
from env_service.suites.babybench.task_sets import EVALUATION_SEEDS, BabyBenchTaskSets
from env_service.suites.babybench.tasks import Question, read_task
from env_service.suites.base import Condition, EpisodeOrder, ExpertRun, SanitySet, StepFacts
from env_service.suites.grid_levels import GridLevelsSuite


class BabyBenchSuite(GridLevelsSuite):
    """A Suite (see suites.base): Predict, Plan and Decompose, and the levels, played by ``babyai``.

    Each question has one answer in words. The service enforces every setting but ``prompter``,
    which affects only the agent's prompt and is recorded. An order's seed changes nothing, because
    a level is made from its task's seed.
    """

    name = "babybench"
    version = "1"
    description = "LLM-BabyBench: predict, plan and decompose in BabyAI levels, answered in words."
    settings = SETTINGS
    conditions = NAMED
    worlds: tuple[str, ...] = ("babyai",)
    deterministic: tuple[str, ...] = worlds
    packages: tuple[str, ...] = ("minigrid", "gymnasium", "numpy")
    modes: tuple[Mode, ...] = (Mode.ANSWER, Mode.STEPWISE)
    report = DESIGN

    @cached_property
    def _task_sets(self) -> BabyBenchTaskSets:
        return BabyBenchTaskSets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``predict``, ``plan``, ``decompose`` and ``interactive`` (320 tasks each), the data sets
        of the first three (8000 each), and those that a name spells out; see BabyBenchTaskSets."""
        return self._task_sets

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """A question of each kind."""
        return (
            SanitySet("predict", tasks=("GoToObj/2",)),
            SanitySet("plan", tasks=("Small-4Dists/2",)),
            SanitySet("decompose", tasks=("GoToLocal/2",)),
            SanitySet("interactive", tasks=("GoToObj/2",)),
        )

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Tasks whose seed is none of the evaluation's."""
        _, _, seed = task_id.rpartition("/")
        known = task_set in self._task_sets and seed.isdecimal()
        return known and int(seed) not in EVALUATION_SEEDS

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """One step for a question."""
        if read_task(task).question is Question.INTERACTIVE:
            return super().step_facts(task, world, condition)
        return StepFacts(1, 1_100 + (1_000 if "picture" in condition["observation"] else 0))

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Makes the episode; the level is generated when it starts."""
        if read_task(order.task).question is Question.INTERACTIVE:
            return InteractiveEpisode(order)
        return QuestionEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Answers with the omniscient expert's solution and scores the answer."""
        if read_task(order.task).question is Question.INTERACTIVE:
            return player().expert(order)
        return answer(order)
