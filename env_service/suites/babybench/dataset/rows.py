"""Makes the rows of a data set.

This file also defines the levels of each question, and the recipe that determines a data set's
content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.dataset.formats import SCHEMA_VERSION, Format, Row
from env_service.suites.babybench.formatters import describe
from env_service.suites.babybench.solved_level import examine
from env_service.suites.babybench.task_sets import Seeds
from env_service.suites.babybench.tasks import Facts, Question, Subject, make_task
from env_service.worlds.babyai.levels import AnyLevel, Level, PlanLevel, find_any_level
from env_service.worlds.babyai.omnibot.records import ExpertMode, ExpertRecord, InitialSubgoal
from env_service.worlds.babyai.shortest_path import optimal_steps, red_ball
from env_service.worlds.babyai.state import Position


class NoAnswerError(Exception):
    """The expert gave up, so that the question has no answer; the message says why."""


def make_row(recipe: Recipe, level_name: str, seed: int) -> Row:
    """The row of a level and a seed.

    If the expert runs out of steps, the row has no success; if it gives up, no row exists and
    NoAnswerError is raised. COMPAT plays published environments only, and raises
    ChangedEnvironmentError if the installed minigrid makes a different one.
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


# --- Recipes: everything that determines a data set's content, and its formats

_MAKERS = ("houseguest", "minigrid", "gymnasium", "numpy")
"""Distributions whose versions could change a row."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The options of a data set.

    ``question`` is one of columns.QUESTIONS, ``levels`` are names of the question's levels, in
    order, ``formatter`` is one of formatters.FORMATTERS, ``expert`` the value of an ExpertMode.
    """

    question: str
    levels: tuple[str, ...]
    seeds: Seeds
    formatter: str
    expert: str
    formats: tuple[Format, ...]

    def __len__(self) -> int:
        """The number of rows if none fails."""
        return len(self.levels) * len(self.seeds)

    def document(self) -> dict[str, Any]:
        """The recipe as JSON for the manifest, including versions."""
        return {
            "schema_version": SCHEMA_VERSION,
            "question": self.question,
            "levels": list(self.levels),
            "seeds": str(self.seeds),
            "formatter": self.formatter,
            "expert_mode": self.expert,
            "formats": [form.value for form in self.formats],
            "made_with": {name: metadata.version(name) for name in _MAKERS},
        }

    @staticmethod
    def read(document: Mapping[str, Any]) -> Recipe:
        """Reads the result of ``document``. Raises KeyError, TypeError and ValueError."""
        return Recipe(
            question=str(document["question"]),
            levels=tuple(map(str, document["levels"])),
            seeds=Seeds.read(document["seeds"]),
            formatter=str(document["formatter"]),
            expert=str(document["expert_mode"]),
            formats=tuple(map(Format, document["formats"])),
        )


def differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """The differences between two recipes' documents, in words: "seeds: 1-10 there, 1-500 asked
    for"."""
    return [
        f"{name.replace('_', ' ')}: {_short(there.get(name))} there, {_short(value)} asked for"
        for name, value in asked.items()
        if there.get(name) != value
    ]


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {version}" for name, version in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value[:4])) + (f" and {len(value) - 4} more" * (len(value) > 4))
    return str(value)


# --- The levels of each question's data set


def levels_of(question: str) -> dict[str, AnyLevel]:
    """The question's levels by name, in LLM-BabyBench's order. ``question``: see columns."""
    return dict(Question(question).levels)


def pick_levels(question: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names of the requested levels, in the benchmark's order; without any, all levels.

    You can use a level's name or its id in minigrid. Raises UnknownNameError.
    """
    levels = levels_of(question)
    ids = {env_name_of(level): name for name, level in levels.items()}
    wanted = set()
    for name in names:
        found = ids.get(name, name)
        if found not in levels:
            raise UnknownNameError(f"level of the question {question!r}", name, levels)
        wanted.add(found)
    return tuple(name for name in levels if not wanted or name in wanted)


def env_name_of(level: AnyLevel) -> str:
    """The id of the level's environment in LLM-BabyBench's files."""
    return level.published_id if isinstance(level, PlanLevel) else level.environment_id


def task_id_of(question: str, level: AnyLevel, seed: int) -> str:
    """The id of the equivalent task, the same in every task set of the question."""
    return make_task(Subject(Question(question), level, seed)).id
