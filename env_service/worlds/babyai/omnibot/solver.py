"""The expert's services: to play a level or an episode, or to help to execute a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from env_service.worlds.babyai.levels import AnyLevel
from env_service.worlds.babyai.omnibot.records import (
    Assistance,
    ExpertMode,
    ExpertRecord,
    PlannedSubgoal,
)
from env_service.worlds.babyai.state import Heading, Position
from env_service.worlds.babyai.world import BabyAiWorld

if TYPE_CHECKING:
    from env_service.worlds.babyai.omnibot.bot import OmniBot


def solve(level: AnyLevel, seed: int, *, mode: ExpertMode = ExpertMode.FIXED) -> ExpertRecord:
    """Plays the level to its end.

    Always returns a record: ``problem`` says where the expert gave up. COMPAT plays published
    environments only, and raises ChangedEnvironmentError for others (see simulator.py). Raises
    UnsupportedSimulatorError and ValueError as BabyAiWorld does.
    """
    return solve_world(_make_world(level, seed, mode), mode=mode)


def solve_world(world: BabyAiWorld, *, mode: ExpertMode = ExpertMode.FIXED) -> ExpertRecord:
    """``solve`` in a new world without steps, which it plays to its end.

    This saves making the world again if the caller also needs its start.
    """
    bot = _make_bot(world, mode)
    bot.translate_mission()
    playing = import_module("env_service.worlds.babyai.omnibot.player")
    mission, help_initial = world.mission, bot.stack.pushes
    initial = playing.describe_translation(bot)
    play = playing.play_mission(bot)
    success = play.terminated and play.reward > 0
    position, heading = _pose(world)
    return ExpertRecord(
        level=world.level.name,
        seed=world.seed,
        mode=mode,
        mission=mission,
        actions=tuple(play.actions),
        success=success,
        truncated=play.truncated and not play.terminated,
        reward=play.reward if success else 0.0,
        final_position=position,
        final_heading=heading,
        help_initial=help_initial,
        help_added=bot.stack.pushes - help_initial,
        initial_subgoals=initial,
        stacks=tuple(play.stacks),
        published=world.published,
        problem=play.problem,
    )


def assist(
    level: AnyLevel,
    seed: int,
    subgoals: Sequence[PlannedSubgoal],
    *,
    mode: ExpertMode = ExpertMode.FIXED,
) -> Assistance:
    """Executes a plan in the given order, and adds subgoals if a step is not possible otherwise.

    The mission only ends the episode; it does not guide the expert. In FIXED, a subgoal to go next
    to a taken cell, followed by a subgoal to drop, means a free cell next to that one whenever
    something is carried, so that plans can express "put next to" (LLM-BabyBench's evaluator skips
    such a drop). If the plan says to open an open door, the expert closes it and opens it again;
    neither counts as help.

    Always returns a result, for any plan: ``problem`` says where the expert gave up. Raises the
    errors of ``solve``.
    """
    world = _make_world(level, seed, mode)
    bot = _make_bot(world, mode)
    playing = import_module("env_service.worlds.babyai.omnibot.player")
    play = playing.play_plan(bot, subgoals)
    position, heading = _pose(world)
    return Assistance(
        level=world.level.name,
        seed=world.seed,
        mode=mode,
        actions=tuple(play.actions),
        terminated=play.terminated,
        truncated=play.truncated and not play.terminated,
        final_position=position,
        final_heading=heading,
        help_added=bot.stack.pushes,
        help_at=tuple(play.help_at),
        plan_left=tuple(play.plan_left),
        stacks=tuple(play.stacks),
        published=world.published,
        problem=play.problem,
    )


def _make_world(level: AnyLevel, seed: int, mode: ExpertMode) -> BabyAiWorld:
    return BabyAiWorld(level, seed, published_only=mode is ExpertMode.COMPAT)


def _make_bot(world: BabyAiWorld, mode: ExpertMode) -> OmniBot:
    # Imported here, because these modules import the simulator, whose version a world checks
    # first.
    module = import_module("env_service.worlds.babyai.omnibot.bot")
    bot: OmniBot = module.OmniBot(world.environment, mode)
    return bot


def _pose(world: BabyAiWorld) -> tuple[Position, Heading]:
    x, y = world.environment.agent_pos
    return (int(x), int(y)), Heading(int(world.environment.agent_dir))


# --- The omniscient expert for episodes: the actions to take


@dataclass(frozen=True, slots=True)
class Solution:
    """The expert's actions. ``problem`` says why it gave up; empty if it did not.

    ``actions`` are names from ACTIONS, at most as many as the level's limit.
    """

    actions: tuple[str, ...]
    problem: str = ""


def solve_episode(level: AnyLevel, seed: int) -> Solution:
    """Plays the level to its end, with the whole grid in view.

    The caller has to play the actions to check whether they solve it. Raises the errors of
    BabyAiWorld.
    """
    record = solve_world(BabyAiWorld(level, seed))
    if record.problem is not None:
        return Solution(record.actions, f"the expert gave up: {record.problem.message}")
    return Solution(record.actions, "" if record.success else "the expert had nothing left to do")
