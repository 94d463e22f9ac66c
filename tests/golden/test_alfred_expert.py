"""The expert solves tasks of valid_seen in the household world, and the episode agrees.

A sample, as each task takes a second: `benchmarks.alfred_expert` plays all.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from env_service.domain.episode import EpisodeResult, FinishReason
from env_service.domain.observation import ObservationRequest
from env_service.suites.alfred.conditions import SETTINGS
from env_service.suites.alfred.dataset.trajectories import read_trajectory, skills_of
from env_service.suites.alfred.episode import AlfredEpisode
from env_service.suites.alfred.expert import path_length, plan_for, solve
from env_service.suites.alfred.rules import STRICT_LOTA
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import AlfredTask, make_task
from env_service.suites.base import EpisodeOrder, ExpertRun
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.data import reference_data
from tests.support.whole import sample

pytestmark = pytest.mark.data

SOLVED: Mapping[str, str] = {
    "trial_T20190909_044715_250790": "an alarm clock under a desk lamp",
    "trial_T20190909_010644_297017": "a credit card into a drawer",
    "trial_T20190909_002950_338362": "a slice of apple in a pan",
    "trial_T20190909_105559_983897": "a butter knife, cleaned",
    "trial_T20190906_173120_350651": "a plate, cooled, into a cabinet",
    "trial_T20190909_050524_644477": "a potato, heated, into a sink",
    "trial_T20190908_125930_920681": "two books onto a desk",
    "trial_T20190906_181501_970690": "two slices of lettuce into a fridge",
}
SAMPLE = sample(list(SOLVED), [list(SOLVED)[place] for place in (2, 6)])
"""A slice in something movable, two things. Other tests here place a simple thing and heat one."""
SLICED_AND_HEATED = "trial_T20190910_180358_375701"
SIMPLE = "trial_T20190907_042856_259139"


@pytest.fixture(autouse=True)
def _floor_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    monkeypatch.setenv(FLOOR_PLANS, str(folder))


def _task(trial: str) -> AlfredTask:
    folder = reference_data("alfred/data/json_2.1.0/valid_seen")
    (path,) = folder.glob(f"*/{trial}/traj_data.json")
    read = read_trajectory(path.read_text(), trial)
    commands, reference = {"B": "Do it."}, skills_of(read)
    return AlfredTask(trial, read.goal, read.setup, commands=commands, reference=reference)


def _order(trial: str, **changes: str) -> EpisodeOrder:
    condition = {each.name: each.default for each in SETTINGS} | changes
    return EpisodeOrder(
        make_task(_task(trial)), "household", condition, ObservationRequest(text=True), seed=0
    )


def _played(order: EpisodeOrder, run: ExpertRun) -> EpisodeResult:
    episode = AlfredEpisode(order)
    try:
        episode.start()
        for each in run.actions:
            episode.act(each)
        return episode.finish(FinishReason.OVER)
    finally:
        episode.close()


@pytest.mark.parametrize("trial", SAMPLE)
def test_the_expert_solves_a_task_by_one_plan(trial: str) -> None:
    order = _order(trial)
    run = solve(order)
    assert run.success
    result = _played(order, run)
    assert result.success
    assert result.metrics["failed_steps"] == 0.0


def test_step_by_step_it_is_done_in_time() -> None:
    order = _order(SLICED_AND_HEATED, play="steps")
    run = solve(order)
    assert run.success
    assert len(run.actions) <= 25
    assert _played(order, run).success


def test_what_solves_a_task_is_short_and_the_same_each_time() -> None:
    told = [skill_text(each) for each in plan_for(_task(SIMPLE))]
    assert told == ["find a book", "pick up the book", "find a sofa", "put down the book"]
    assert solve(_order(SIMPLE)) == solve(_order(SIMPLE))


def test_it_plays_by_the_rules_of_lota_bench_too() -> None:
    assert len(plan_for(_task(SIMPLE), rules=STRICT_LOTA)) == path_length(_task(SIMPLE))
