"""What the expert's lines say."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from env_service.cli.expert_play import line_of, opening_of, solve, solve_all
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder
from tests.support.lab import LabSuite, default_condition

LAB = "tests.support.lab:LabSuite"


def order(task_set: str = "lab", place: int = 0, **changes: str) -> EpisodeOrder:
    """An order for a laboratory task that asks for everything on offer."""
    suite = LabSuite()
    condition = default_condition(**changes)
    request = suite.offer(condition).grant(ObservationRequest())
    return EpisodeOrder(suite.task_sets()[task_set].tasks[place], "light", condition, request, 7)


def test_a_line_holds_the_opening_and_the_actions() -> None:
    assert line_of(LabSuite(), order()) == {
        "task": "lab/0",
        "opening": {"instruction": "Win.", "text": "lab/0 seed 7 step 0", "images": []},
        "actions": [{"skill": "win", "arguments": {}}],
        "success": True,
    }


def test_plans_and_answers_have_their_own_form() -> None:
    plan = line_of(LabSuite(), order("plans"))
    assert plan["actions"] == [{"plan": [{"skill": "win", "arguments": {}}]}]
    answer = line_of(LabSuite(), order("answers", 3))
    assert answer["actions"] == [{"text": "6"}]


def test_pictures_stand_as_the_hash_of_their_raw_pixels() -> None:
    seen = order(frame="64", depth="on")
    frames = LabSuite().open_episode(seen).start().observation.frames
    assert len(frames) == 2
    expected = [sha256(bytes(frame.pixels.data.cast("B"))).hexdigest() for frame in frames]
    assert opening_of(LabSuite(), seen)["images"] == expected


def test_an_expert_that_breaks_down_is_a_problem_of_its_task() -> None:
    solution = solve(LAB, order(fault="start_data"))
    assert solution.line is None
    assert "scene-7.json is missing" in solution.problem


def test_solving_goes_on_after_a_breakdown() -> None:
    broken = order("lab", 1, fault="start_data")
    solutions = list(solve_all(LAB, [order(), broken, order("lab", 2)], jobs=1))
    assert [solution.line is None for solution in solutions] == [False, True, False]


def test_the_seed_reaches_the_opening() -> None:
    other = replace(order(), seed=8)
    assert opening_of(LabSuite(), other)["text"] == "lab/0 seed 8 step 0"
