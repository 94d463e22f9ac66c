"""Plays episodes with the expert. Importing this module imports minigrid."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from minigrid.core.actions import Actions
from minigrid.core.world_object import WorldObj
from minigrid.envs.babyai.core.verifier import ObjDesc

from env_service.worlds.babyai.omnibot.bot import OmniBot
from env_service.worlds.babyai.omnibot.goals import OURS, StuckError
from env_service.worlds.babyai.omnibot.records import (
    STEP_CAP,
    ExpertMode,
    InitialSubgoal,
    PlannedSubgoal,
    Problem,
    StackEntry,
    SubgoalName,
)
from env_service.worlds.babyai.state import Position

_NAMES = {ours: SubgoalName(theirs.__name__) for theirs, ours in OURS.items()}
_CLASSES = {name: ours for ours, name in _NAMES.items()}


class _Idling(Enum):
    """How often to take the action "done" when nothing is left to do."""

    NEVER = auto()
    ONCE = auto()
    TO_THE_END = auto()


@dataclass(slots=True)
class Play:
    """An episode in progress: the source of ExpertRecord and Assistance."""

    actions: list[str] = field(default_factory=list)
    stacks: list[tuple[StackEntry, ...]] = field(default_factory=list)
    help_at: list[int] = field(default_factory=list)
    plan_left: list[int] = field(default_factory=list)
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    problem: Problem | None = None


def play_mission(bot: OmniBot) -> Play:
    """Plays the mission; ``bot`` has translated it, and nothing has been played.

    When nothing is left to do, COMPAT continues with "done", as in LLM-BabyBench's data.
    """
    compat = bot.mode is ExpertMode.COMPAT
    return _play(bot, _Idling.TO_THE_END if compat else _Idling.NEVER, STEP_CAP)


def play_plan(bot: OmniBot, plan: Sequence[PlannedSubgoal]) -> Play:
    """Executes a plan, instead of the mission, until nothing is left to do or the mission ends.

    When nothing is left, COMPAT takes one "done", as LLM-BabyBench's evaluator does. Only the
    level's step limit applies.
    """
    goals = [_make_goal(bot, subgoal) for subgoal in plan]
    for goal, following in zip(goals, plan[1:], strict=False):
        goal.before_drop = following.name is SubgoalName.DROP
    for goal in reversed(goals):
        bot.stack.append_uncounted(goal)
    bot.stack.planned = len(goals)
    compat = bot.mode is ExpertMode.COMPAT
    limit = int(bot.environment.max_steps)
    return _play(bot, _Idling.ONCE if compat else _Idling.NEVER, limit)


def describe_translation(bot: OmniBot) -> tuple[InitialSubgoal, ...]:
    """The mission's subgoals, in order of execution."""
    return tuple(_describe_initial(bot, goal) for goal in reversed(bot.stack))


def _make_goal(bot: OmniBot, subgoal: PlannedSubgoal) -> Any:
    goal = _CLASSES[subgoal.name](bot)
    if bot.mode is ExpertMode.FIXED:
        goal.reopens = lambda: True
    if subgoal.name is SubgoalName.GO_NEXT_TO:
        goal.datum = subgoal.position
    return goal


def _play(bot: OmniBot, idling: _Idling, limit: int) -> Play:
    play = Play()
    environment, stack = bot.environment, bot.stack
    # As published, None finishes the first subgoal, unless it goes somewhere.
    action = None if bot.mode is ExpertMode.COMPAT else Actions.done
    listed: tuple[StackEntry, ...] = ()
    changes = -1
    while len(play.actions) < limit:
        try:
            action = bot.replan(action)
        except StuckError as stuck:
            play.problem = stuck.problem
            break
        if stack.changes != changes:
            listed, changes = tuple(map(_list_goal, stack)), stack.changes
        idle = not stack
        if idle and idling is _Idling.NEVER:
            break
        play.actions.append(action.name)
        play.stacks.append(listed)
        play.help_at.append(stack.pushes)
        play.plan_left.append(stack.planned)
        _, reward, play.terminated, play.truncated, _ = environment.step(action)
        play.reward = float(reward)
        if play.terminated or play.truncated or (idle and idling is _Idling.ONCE):
            break
    return play


def _list_goal(goal: Any) -> StackEntry:
    if goal.entry is None:
        target, position = _describe_target(goal.datum)
        goal.entry = StackEntry(_NAMES[type(goal)], goal.reason or "", target, position)
    entry: StackEntry = goal.entry
    return entry


def _describe_target(datum: Any) -> tuple[str, Position | None]:
    if isinstance(datum, ObjDesc):
        return " ".join(filter(None, (datum.color, datum.type, datum.loc))), None
    if isinstance(datum, WorldObj):
        thing: Any = datum
        x, y = thing.cur_pos
        return f"{thing.color} {thing.type}", (int(x), int(y))
    return "", None if datum is None else (int(datum[0]), int(datum[1]))


def _describe_initial(bot: OmniBot, goal: Any) -> InitialSubgoal:
    entry = _list_goal(goal)
    if not isinstance(goal.datum, ObjDesc):
        return InitialSubgoal(entry)
    chosen = None
    with suppress(StuckError):  # raised again on execution
        _, chosen = bot.find_thing(goal.datum, adjacent=entry.reason == "PutNext")
    matches = tuple((int(x), int(y)) for x, y in goal.datum.obj_poss)
    return InitialSubgoal(entry, matches, chosen)
