"""The examples in LLM-BabyBench's prompts are true: they are played in the real levels.

The descriptions in ``prompts/babybench/examples/worlds`` are the house's own, of the level and
seed that a file is named after, without what all descriptions have in common.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from env_service.suites.babybench.answers.fixed import read_actions, read_state, read_subgoals
from env_service.suites.babybench.formatters import config_of, format_bullets, format_narrative
from env_service.suites.babybench.task_sets import DATASET_SEEDS
from env_service.suites.babybench.tasks import Facts
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.omnibot.solver import assist
from env_service.worlds.babyai.shortest_path import optimal_steps
from env_service.worlds.babyai.state import Heading
from env_service.worlds.babyai.world import BabyAiWorld
from tests.unit.agents.model_guest.babybench_episodes import BABYBENCH

EXAMPLES = BABYBENCH / "examples"
WORLDS = sorted((EXAMPLES / "worlds").iterdir())
_ONE = re.compile(r'world\("(.+?)-(\d+)"\) \| trim \}\}\n\n(.+?)(?=\n## |\Z)', re.DOTALL)


def world(level: str, seed: int) -> BabyAiWorld:
    return BabyAiWorld(find_any_level(level), seed)


@cache
def facts(level: str, seed: int) -> Facts:
    made = world(level, seed)
    return Facts(made.level.rooms, made.snapshot(), made.mission, made.max_steps)


def examples(question: str) -> list[tuple[str, int, str]]:
    """Level, seed, and what follows the description."""
    text = (EXAMPLES / f"{question}.jinja").read_text(encoding="utf-8")
    found = [(level, int(seed), rest.strip()) for level, seed, rest in _ONE.findall(text)]
    assert len(found) == 3
    return found


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.name)
def test_a_description_is_the_houses_own(path: Path) -> None:
    name, form, _ = path.name.split(".")
    level, _, seed = name.rpartition("-")
    known = facts(level, int(seed))
    described = {
        "structured": format_bullets(known),
        "narrative": format_narrative(known).strip(),
        "json": json.dumps({"config": config_of(known)}),
    }
    assert path.read_text(encoding="utf-8") == described[form] + "\n"


def test_no_example_is_a_task_of_the_data_sets() -> None:
    for question in ("predict", "plan", "decompose"):
        assert not {seed for _, seed, _ in examples(question)} & set(DATASET_SEEDS)


@pytest.mark.parametrize(("level", "seed", "rest"), examples("predict"))
def test_predict(level: str, seed: int, rest: str) -> None:
    actions, answer = rest.removeprefix("Actions: ").split("\n\n")
    playing = world(level, seed)
    effects = [playing.step(action) for action in actions.split(", ")]
    assert not any(effect.refusal for effect in effects)
    assert effects[-1].solved
    said = read_state(answer).value
    assert said is not None
    end = playing.snapshot()
    assert (said.position, Heading(said.heading)) == (end.agent, end.heading)


@pytest.mark.parametrize(("level", "seed", "rest"), examples("plan"))
def test_plan(level: str, seed: int, rest: str) -> None:
    said = read_actions(rest).value
    assert said is not None
    playing = world(level, seed)
    effects = [playing.step(action) for action in said.actions]
    assert not any(effect.refusal for effect in effects)
    assert [effect.solved for effect in effects] == [False] * (len(effects) - 1) + [True]
    assert len(said.actions) == optimal_steps(facts(level, seed).start)


@pytest.mark.parametrize("mode", ExpertMode)
@pytest.mark.parametrize(("level", "seed", "rest"), examples("decompose"))
def test_decompose(level: str, seed: int, rest: str, mode: ExpertMode) -> None:
    said = read_subgoals(rest).value
    assert said is not None
    assert not said.skipped
    carried_out = assist(find_any_level(level), seed, said.subgoals, mode=mode)
    assert carried_out.terminated
    assert carried_out.help_added == 0


def test_the_last_plan_example_has_a_blocked_row() -> None:
    """Its heading says so."""
    _, _, (level, seed, _) = examples("plan")
    start = facts(level, seed).start
    (ball,) = (at for at, thing in start.things() if (thing.kind, thing.color) == ("ball", "red"))
    assert ball[1] == start.agent[1]
    between = range(start.agent[0] + 1, ball[0])
    assert any(start.at((x, ball[1])) for x in between)


STEPS = {"left": -1, "right": 1}


def test_the_small_trace_is_right() -> None:
    text = (BABYBENCH / "methods" / "cot_predict.jinja").read_text(encoding="utf-8")
    start = re.compile(r"start \(\((\d), (\d)\), (\d)\), actions: (.+)\.\n")
    (told,) = start.findall(text)
    x, y, d, listed = told
    position, heading = (int(x), int(y)), int(d)
    traced = re.findall(r"^(\w+): column (\d), row (\d), (\w+)\.$", text, re.MULTILINE)
    assert traced.pop(0) == ("Start", x, y, Heading(heading).name.lower())
    for action, traced_line in zip(listed.split(", "), traced, strict=True):
        heading = (heading + STEPS.get(action, 0)) % 4
        if action == "forward":
            dx, dy = Heading(heading).vector
            position = (position[0] + dx, position[1] + dy)
        expected = (action, str(position[0]), str(position[1]), Heading(heading).name.lower())
        assert traced_line == expected
    assert f"the state is ({position}, {heading})" in text
