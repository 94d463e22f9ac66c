"""The scores of answers to Predict, Plan and Decompose, and the labels that break down results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from env_service.domain.episode import GoalCondition
from env_service.suites.babybench.answers.readings import ActionList, State, SubgoalList
from env_service.suites.babybench.grid_model import GridModel
from env_service.suites.babybench.solved_level import LevelSolution, SolvedLevel
from env_service.suites.babybench.tasks import Facts, Subject
from env_service.worlds.babyai.levels import Level
from env_service.worlds.babyai.omnibot.records import Assistance
from env_service.worlds.babyai.shortest_path import red_ball
from env_service.worlds.babyai.state import PORTABLE, Position

# --- The score of one answer to any question

NO_ERROR = "none"
HANG = "hang"
"""Values of the label ``published_error`` besides the exceptions' classes."""

PARSED = "parsed"
"""The label ``answer`` for a readable answer; else an AnswerProblem's value."""


@dataclass(frozen=True, slots=True)
class Score:
    """The result of an answer. ``conditions`` are all met if and only if it succeeded."""

    conditions: tuple[GoalCondition, ...]
    metrics: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether all conditions are met."""
        return all(condition.met for condition in self.conditions)


def error_class(published_error: str) -> str:
    """The label for an error of LLM-BabyBench's evaluator: its class, or NO_ERROR."""
    return published_error.partition(":")[0] or NO_ERROR


# --- Predict: the distance of the claimed state from the true one (docs/babybench-scoring.md,
# Metrics)


def score_state(said: State | None, truth: State) -> Score:
    """Success is the exact state: place and heading.

    Metrics: ``position_correct`` and ``heading_correct``, 0 or 1; ``distance``, in cells by the
    Manhattan metric whatever the heading is, of every answer that could be read; and
    ``distance_when_wrong``, the same of those that are not exact.
    """
    if said is None:
        return Score(_predict_conditions(position=False, heading=False), _metrics(0, 0))
    position, heading = said.position == truth.position, said.heading == truth.heading
    metrics = _metrics(position, heading)
    metrics["distance"] = manhattan(said.position, truth.position)
    if not (position and heading):
        metrics["distance_when_wrong"] = metrics["distance"]
    return Score(_predict_conditions(position=position, heading=heading), metrics)


def manhattan(one: Position, other: Position) -> float:
    """The distance in cells, without diagonals."""
    return float(abs(one[0] - other[0]) + abs(one[1] - other[1]))


def _metrics(position: float, heading: float) -> dict[str, float]:
    return {"position_correct": float(position), "heading_correct": float(heading)}


def _predict_conditions(*, position: bool, heading: bool) -> tuple[GoalCondition, ...]:
    return (GoalCondition("position", position), GoalCondition("heading", heading))


# --- Plan: whether actions lead to the red ball, and how economically (docs/babybench-scoring.md,
# Metrics)

_USED_UP = 0.9
"""Part of the reward that is lost if the whole step limit is used: minigrid's factor."""


@dataclass(frozen=True, slots=True)
class PlanExecution:
    """The result of executing actions. ``taken`` are those until the ball or the limit ended the
    episode.

    ``ball_distance`` is in cells, by the Manhattan metric, less one: 0 when next to the ball.
    """

    reached: bool
    taken: int
    ball_distance: float


def execute(facts: Facts, actions: Iterable[str]) -> PlanExecution:
    """Executes actions, as minigrid does, until the agent faces the red ball next to it."""
    grid, ball, taken = GridModel(facts.start), red_ball(facts.start), 0
    reached = False
    for action in actions:
        grid.step(action)
        taken += 1
        reached = grid.ahead == ball
        if reached or taken >= facts.max_steps:
            break
    return PlanExecution(reached, taken, manhattan(grid.position, ball) - 1)


def score_plan(said: ActionList | None, known: SolvedLevel) -> Score:
    """Success is to stand next to the red ball and face it.

    Metrics, with the plan's length counted in full, also what comes after the ball is reached:
    ``efficiency`` is the expert's length over it, and ``efficiency_optimal`` the true optimum's,
    both only of plans that succeed (the paper's text); ``efficiency_or_zero`` is the first, with
    0 for a failure (the released code). The expert may be longer than the optimum, so that the
    first may exceed 1. ``ball_distance``, ``actions`` and ``unknown_actions`` are of every plan
    that could be read; ``reward`` is minigrid's, for the actions until the ball.
    """
    facts, optimum = known.facts, known.optimum or 0
    metrics = {"optimal_steps": float(optimum), "efficiency_or_zero": 0.0, "reward": 0.0}
    if said is None:
        return Score(_plan_conditions(reached=False), metrics)
    execution = execute(facts, said.actions)
    metrics["ball_distance"] = execution.ball_distance
    metrics["actions"] = float(len(said.actions))
    metrics["unknown_actions"] = float(len(said.unknown))
    if execution.reached:
        length = len(said.actions)
        metrics["efficiency"] = metrics["efficiency_or_zero"] = len(known.expert.actions) / length
        metrics["efficiency_optimal"] = optimum / length
        metrics["reward"] = 1 - _USED_UP * execution.taken / facts.max_steps
        metrics["actions_to_ball"] = float(execution.taken)
    return Score(_plan_conditions(reached=execution.reached), metrics)


def _plan_conditions(*, reached: bool) -> tuple[GoalCondition, ...]:
    return (GoalCondition("red ball reached", reached),)


# --- Decompose: whether subgoals fulfil the mission, with what help (docs/babybench-scoring.md,
# Metrics)


def score_subgoals(
    said: SubgoalList | None, played: Assistance | None, expert: LevelSolution
) -> Score:
    """Success is CR: the mission was fulfilled, with help or without.

    ``played`` is the execution of the plan; both are None if the answer could not be read.

    Metrics: ``cr``, ``pr`` (fulfilled without help) and ``aci`` as published, ``aci`` with the
    expert's help on its solution, translation included, as the limit, and ``aci_added`` with the
    translation left out. For every readable plan: ``help``, ``help_share`` of the expert's,
    ``subgoals``, ``skipped_lines``, ``executed_steps``, and ``stuck``, 1 if the expert could not
    continue; the label ``stuck`` says why.
    """
    done = played is not None and played.terminated
    used = played.help_added if played is not None else 0
    metrics = {
        "cr": float(done),
        "pr": float(done and used == 0),
        "aci": curve_area(used, expert.help_count, success=done),
        "aci_added": curve_area(used, expert.help_added, success=done),
    }
    conditions = (GoalCondition("mission fulfilled", done),)
    if said is None or played is None:
        return Score(conditions, metrics)
    metrics |= {
        "help": float(used),
        "help_share": used / expert.help_count,
        "subgoals": float(len(said.subgoals)),
        "skipped_lines": float(len(said.skipped)),
        "executed_steps": float(played.steps),
        "stuck": float(played.problem is not None),
    }
    if played.problem is None:
        return Score(conditions, metrics)
    return Score(conditions, metrics, {"stuck": played.problem.kind.value})


def published_failure(played: Assistance) -> str:
    """How LLM-BabyBench's evaluator fails on the plan, as a label; see ``error_class``."""
    if played.problem is None:
        return error_class("")
    error = played.problem.published_error
    return error_class(error) if error else HANG


def assistance_curve(used: int, limit: int, *, success: bool) -> tuple[bool, ...]:
    """Whether a plan succeeds with at most 0, 1, …, ``limit`` subgoals of help allowed.

    ``used`` is the help that it took.
    """
    return tuple(success and used <= allowed for allowed in range(limit + 1))


def curve_area(used: int, limit: int, *, success: bool) -> float:
    """The area under the assistance curve from 0 to ``limit``, as a share: in 0 … 1.

    The curve is a step function, whose value at k holds until k + 1. With the limit 0 it is 1
    where the plan succeeds without help.
    """
    curve = assistance_curve(used, limit, success=success)
    return sum(curve[:-1]) / limit if limit else float(curve[0])


# --- The labels and numbers of a level, independent of the answer

HELP_CLASSES = ((0, "0-2"), (3, "3-4"), (5, "5-6"), (7, "7-9"), (10, "10+"))
"""The smallest help of each class, and its name. The paper names the first and the last two
classes, and does not define the limits between the others.
"""


def help_class(count: int) -> str:
    """The class of so many subgoals of help."""
    return next(name for least, name in reversed(HELP_CLASSES) if count >= least)


def subject_labels(subject: Subject) -> dict[str, str]:
    """``question`` and ``grid`` ("22x22"); a level's ``difficulty``, or a Plan room's ``size``
    and the number of ``obstacles``."""
    level = subject.level
    labels = {
        "question": subject.question.value,
        "grid": f"{level.grid_size}x{level.grid_size}",
    }
    if isinstance(level, Level):
        return {**labels, "difficulty": level.difficulty}
    return {**labels, "size": level.size, "obstacles": str(level.distractors)}


def level_labels(known: SolvedLevel) -> dict[str, str]:
    """``help_class`` by the published count, and ``help_added_class`` without the translation."""
    expert = known.expert
    return {
        "help_class": help_class(expert.help_count),
        "help_added_class": help_class(expert.help_added),
    }


def level_metrics(known: SolvedLevel) -> dict[str, float]:
    """The expert's effort, and the number of keys, balls and boxes."""
    expert = known.expert
    things = sum(thing.kind in PORTABLE for _, thing in known.facts.objects)
    return {
        "expert_steps": float(len(expert.actions)),
        "help_count": float(expert.help_count),
        "help_initial": float(expert.help_initial),
        "help_added": float(expert.help_added),
        "objects": float(things),
    }
