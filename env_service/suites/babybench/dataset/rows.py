"""Makes one row: the level, what the expert does in it, and the answer that follows."""

from __future__ import annotations

from typing import Any

from env_service.suites.babybench.dataset.columns import SCHEMA_VERSION, Row
from env_service.suites.babybench.dataset.levels import env_name_of, task_id_of
from env_service.suites.babybench.dataset.recipe import Recipe
from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.formatters import describe
from env_service.suites.babybench.knowledge import examine
from env_service.worlds.babyai.levels import Level
from env_service.worlds.babyai.omnibot.records import ExpertMode, ExpertRecord, InitialSubgoal
from env_service.worlds.babyai.plan_levels import AnyLevel, find_any_level
from env_service.worlds.babyai.shortest import optimal_steps, red_ball
from env_service.worlds.babyai.state import Position


class NoAnswerError(Exception):
    """The expert gave up, so that there is nothing to ask for; the message says why."""


def make_row(recipe: Recipe, level_name: str, seed: int) -> Row:
    """The row of a level and a seed.

    An expert that runs out of steps leaves a row without success; one that gives up leaves none.
    Raises NoAnswerError, and with the expert in COMPAT, which plays published environments only,
    ChangedEnvironmentError where the installed minigrid makes another one.
    """
    level = find_any_level(level_name)
    mode = ExpertMode(recipe.expert)
    facts, record = examine(level, seed, mode)
    if record.problem is not None:
        raise NoAnswerError(f"the expert gave up: {record.problem.message}")
    return {
        "env_name": env_name_of(level),
        "seed": seed,
        "env_description": describe(facts, recipe.formatter),
        "initial_state": _state(*facts.state),
        **_asked(recipe.question, facts, record),
        "question": recipe.question,
        "task_id": task_id_of(recipe.question, level, seed),
        **_level(level, facts, record),
        "env_published": record.published,
        "expert_steps": record.steps,
        "expert_success": record.success,
        "expert_mode": mode.value,
        "formatter": recipe.formatter,
        "schema_version": SCHEMA_VERSION,
    }


def _asked(question: str, facts: Facts, record: ExpertRecord) -> dict[str, Any]:
    actions = ", ".join(record.actions)
    if question == "predict":
        final = _state(record.final_position, int(record.final_heading))
        return {"action_sequence": actions, "target_state": final, "mission": facts.mission}
    if question == "plan":
        return {
            "target_subgoal": str(red_ball(facts.start)),
            "expert_action_sequence": actions,
            "mission": facts.mission,
            "shortest_steps": optimal_steps(facts.start),
        }
    return {
        "mission": facts.mission,
        "help_count": record.help_count,
        "help_initial": record.help_initial,
        "help_added": record.help_added,
        "initial_subgoals": [_subgoal(each) for each in record.initial_subgoals],
        "expert_action_sequence": actions,
    }


def _level(level: AnyLevel, facts: Facts, record: ExpertRecord) -> dict[str, Any]:
    doors = [(at, thing) for at, thing in facts.objects if thing.kind == "door"]
    things = {at for at, thing in facts.objects if thing.kind != "door"}
    meant = {at for each in record.initial_subgoals for at in each.matches}
    return {
        "level": level.name,
        "difficulty": level.difficulty if isinstance(level, Level) else level.size,
        "skills": list(level.skills) if isinstance(level, Level) else [],
        "doors": [
            {"color": thing.color, "x": at[0], "y": at[1], "state": thing.state}
            for at, thing in doors
        ],
        "grid_width": facts.start.width,
        "grid_height": facts.start.height,
        "things": len(things),
        "obstacles": len(things - meant),
        "max_steps": facts.max_steps,
    }


def _subgoal(initial: InitialSubgoal) -> dict[str, Any]:
    entry = initial.entry
    x, y = initial.chosen or entry.position or (None, None)
    named = {"name": entry.name.value, "reason": entry.reason, "target": entry.target}
    return {**named, "x": x, "y": y}


def _state(position: Position, heading: int) -> str:
    return str((position, heading))
