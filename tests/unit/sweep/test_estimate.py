"""Estimates without earlier runs: upper bounds from the facts of suites, prices and budgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.cli.sweep_options import SweepOptions
from env_service.domain.observation import ObservationRequest
from env_service.domain.schedule import Assignment
from env_service.suites.base import EpisodeOrder
from env_service.suites.registry import load_suite
from env_service.suites.selection import pick_tasks, settle_condition
from env_service.sweep.estimate import Estimate, Means, estimate, total_hours
from env_service.sweep.expand import expand
from env_service.sweep.plan import read_plan
from env_service.sweep.settle import settle
from tests.support.model_server import MODEL, ModelServer

PLAN = """
[defaults]
limit = 2
parallel = 2
episode-budget = 1800
[[agents]]
agent = "random"
[[agents]]
agent = "vlm"
base-url = "{url}"
model = "{model}"
prices = "{prices}"
[[agents]]
name = "cheap"
agent = "vlm"
base-url = "{url}"
model = "{model}"
reask = 1
max-cost = 0.01
max-tokens = 5000
[[agents]]
name = "own"
agent = "cmd:python own.py"
[[suites]]
suite = "babyai"
tasks = ["GoToLocal"]
[[suites]]
suite = "babybench"
task-set = "plan"
"""


@pytest.fixture
def estimates(tmp_path: Path) -> dict[str, Estimate]:
    prices = tmp_path / "prices.toml"
    prices.write_text(f"[{MODEL}]\ninput = 2.0\noutput = 10.0\n", encoding="utf-8")
    path, table = tmp_path / "plan.toml", SweepOptions()
    with ModelServer() as server:
        text = PLAN.format(url=server.url, model=MODEL, prices=prices)
        path.write_text(text, encoding="utf-8")
        plan, problems = read_plan(path, table)
        entries, _ = expand(plan, table)
        settled = settle(plan, entries, table)
    assert [*problems, *settled.problems] == []
    means = Means([])
    return {run.entry.id: estimate(run, 0, means.of(run)) for run in settled.runs}


def test_every_episode_takes_all_its_steps_and_the_tokens_of_that_many(
    estimates: dict[str, Estimate],
) -> None:
    grid = estimates["vlm/babyai"]
    assert grid.bound
    assert grid.to_json()["upper_bound"]
    # Two episodes of 64 steps; 8,500 tokens there and 300 back.
    assert grid.steps == 128
    assert grid.tokens == 128 * 8800
    assert grid.dollars == pytest.approx(128 * (8500 * 2 + 300 * 10) / 1e6)
    assert grid.hours == pytest.approx(0.5)
    question = estimates["vlm/babybench/plan"]
    assert (question.steps, question.tokens) == (2, 2 * 1400)
    # A step has 600 seconds.
    assert question.hours == pytest.approx(1 / 6)


def test_budgets_bound_it_and_agents_without_a_model_cost_nothing(
    estimates: dict[str, Estimate],
) -> None:
    cheap, free, own = (estimates[f"{name}/babyai"] for name in ("cheap", "random", "own"))
    assert (cheap.tokens, cheap.dollars) == (5000, 0.01)
    assert (free.tokens, free.dollars) == (0, 0)
    assert (own.steps, own.tokens, own.dollars) == (128, None, None)
    assert total_hours([cheap, free], 1, {}) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("suite", "task_set", "condition"),
    [
        ("actplan", "builtin-2", {}),
        ("actplan", "builtin-2", {"play": "steps", "pictures": "off"}),
        ("babybench", "predict", {}),
    ],
)
def test_a_suite_states_the_limit_that_an_episode_has(
    suite: str, task_set: str, condition: dict[str, str]
) -> None:
    found = load_suite(suite)
    settled = settle_condition(found, condition)
    task = pick_tasks(found, task_set, (), 1, settled).tasks[0]
    world = found.worlds_of(task_set)[0]
    request = found.offer(settled).grant(ObservationRequest())
    order = EpisodeOrder(task, world, settled, request, Assignment(task, 0).seed(0))
    episode = found.open_episode(order)
    assert episode.start().max_steps == found.step_facts(task, world, settled).limit
    episode.close()
