"""The expert's answers, in the requested form."""

from collections.abc import Iterator

from env_service.domain.action import Text
from env_service.domain.episode import FinishReason
from env_service.suites.babybench.answers.readings import (
    END_TAG,
    PLAN_MARKER,
    START_TAG,
    STATE_MARKER,
    State,
    write_subgoal,
)
from env_service.suites.babybench.episode import QuestionEpisode
from env_service.suites.babybench.grading import RULES
from env_service.suites.babybench.solved_level import LevelSolution, solve_level
from env_service.suites.babybench.tasks import Question, Subject, read_task
from env_service.suites.base import EpisodeOrder, ExpertRun
from env_service.worlds.babyai.omnibot.records import PlannedSubgoal, SubgoalName
from env_service.worlds.babyai.state import Snapshot
from env_service.worlds.babyai.world import BabyAiWorld

_GO_TO = "go to "


def answer(order: EpisodeOrder) -> ExpertRun:
    """Answers a question and scores the answer."""
    subject = read_task(order.task)
    mode = RULES[order.condition["scoring"]].mode
    text = Text(_write(subject, solve_level(subject.level, subject.seed, mode).expert))
    episode = QuestionEpisode(order)
    episode.act(text)
    return ExpertRun((text,), episode.finish(FinishReason.OVER).success)


def _write(subject: Subject, expert: LevelSolution) -> str:
    match subject.question:
        case Question.PREDICT:
            return f"{STATE_MARKER}{State(*expert.state)}"
        case Question.PLAN:
            return f"{PLAN_MARKER}{', '.join(expert.actions)}"
        case _:
            lines = map(write_subgoal, derive_subgoals(subject, expert))
            return "\n".join([START_TAG, *lines, END_TAG])


def derive_subgoals(subject: Subject, expert: LevelSolution) -> tuple[PlannedSubgoal, ...]:
    """Subgoals that lead an agent through the expert's actions.

    Before everything that the expert does with its hands, a subgoal leads to the cell that it faces
    then. Others lead to each place where the mission wants it to go.
    """
    return tuple(_follow(BabyAiWorld(subject.level, subject.seed, published_only=False), expert))


def _follow(world: BabyAiWorld, expert: LevelSolution) -> Iterator[PlannedSubgoal]:
    gone = _gone_to(world)
    for action in expert.actions:
        if action == "done":
            break
        before = world.snapshot()
        name = _subgoal_of(action, before)
        if name is not None:
            yield PlannedSubgoal(SubgoalName.GO_NEXT_TO, before.ahead)
            yield PlannedSubgoal(name)
        world.step(action)
        if _gone_to(world) > gone:
            gone = _gone_to(world)
            yield PlannedSubgoal(SubgoalName.GO_NEXT_TO, world.snapshot().ahead)


def _gone_to(world: BabyAiWorld) -> int:
    """How many of the mission's parts that name a destination are fulfilled."""
    return sum(part.done for part in world.subgoals() if part.words.startswith(_GO_TO))


def _subgoal_of(action: str, before: Snapshot) -> SubgoalName | None:
    match action:
        case "pickup":
            return SubgoalName.PICKUP
        case "drop":
            return SubgoalName.DROP
        case "toggle":
            door = before.at(before.ahead)
            was_open = door is not None and door.state == "open"
            return SubgoalName.CLOSE if was_open else SubgoalName.OPEN
        case _:
            return None
