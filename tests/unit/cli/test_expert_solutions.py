"""What the expert's lines say."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from env_service.cli.expert_solutions import (
    ambiguous_openings,
    context_digest,
    draw,
    draw_all,
    line_of,
    opening_of,
    solve,
    solve_all,
    to_draw,
    with_images,
)
from env_service.domain.observation import Channel, ImageRequest, ObservationRequest
from env_service.domain.task import Task
from env_service.suites.base import EpisodeOrder
from env_service.suites.registry import load_suite
from tests.support.lab import default_condition

LAB = "tests.support.lab:LabSuite"
SUITE = load_suite(LAB)


def order(task_set: str = "lab", place: int = 0, **changes: str) -> EpisodeOrder:
    """An order for a laboratory task that asks for everything on offer."""
    condition = default_condition(**changes)
    request = SUITE.offer(condition).grant(ObservationRequest())
    return EpisodeOrder(SUITE.task_sets()[task_set].tasks[place], "light", condition, request, 7)


def test_a_line_holds_the_opening_and_the_actions() -> None:
    context = SUITE.open_episode(order()).start().context
    assert line_of(SUITE, order()) == {
        "task": "lab/0",
        "order": {"world": "light", "condition": default_condition(), "seed": 7},
        "opening": {
            "instruction": "Win.",
            "text": "lab/0 seed 7 step 0",
            "context": context_digest(context),
            "images": [],
        },
        "actions": [{"skill": "win", "arguments": {}}],
        "success": True,
    }


def test_plans_and_answers_have_their_own_form() -> None:
    plan = line_of(SUITE, order("plans"))
    assert plan["actions"] == [{"plan": [{"skill": "win", "arguments": {}}]}]
    answer = line_of(SUITE, order("answers", 3))
    assert answer["actions"] == [{"text": "6"}]


def test_pictures_stand_as_the_hash_of_their_raw_pixels() -> None:
    seen = order(frame="64", depth="on")
    frames = SUITE.open_episode(seen).start().observation.frames
    assert len(frames) == 2
    expected = [sha256(bytes(frame.pixels.data.cast("B"))).hexdigest() for frame in frames]
    assert opening_of(SUITE, seen)["images"] == expected


def test_a_line_is_made_without_pictures() -> None:
    seen = order(frame="64")
    assert line_of(SUITE, seen)["opening"]["images"] == []
    assert seen.request.images


def test_pictures_are_drawn_when_they_are_asked_for() -> None:
    orders = [order("lab", place, frame="64") for place in range(3)]
    drawn = {each.task_id: each.images for each in draw_all(LAB, orders, jobs=1)}
    assert drawn == {each.task.id: tuple(opening_of(SUITE, each)["images"]) for each in orders}
    broken = draw(LAB, order(frame="64", fault="start_data"))
    assert broken.images == ()
    assert "scene-7.json is missing" in broken.problem


def test_the_context_stands_as_one_hash() -> None:
    assert context_digest({}) == ""
    known = context_digest({"rules": "Be kind.", "objects": "tüb"})
    assert known == context_digest({"objects": "tüb", "rules": "Be kind."})
    assert known == sha256(b'{"objects":"t\\u00fcb","rules":"Be kind."}').hexdigest()


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
    assert opening_of(SUITE, other)["text"] == "lab/0 seed 8 step 0"


# --- Tasks with equal opening texts

PICTURE = ObservationRequest((ImageRequest(Channel.RGB),))


def line(task: str, instruction: str = "go", context: str = "a", *images: str) -> dict[str, Any]:
    opening = {"instruction": instruction, "text": "", "context": context, "images": list(images)}
    return {"task": task, "opening": opening, "actions": [], "success": True}


def pictured(task: str, request: ObservationRequest = PICTURE) -> EpisodeOrder:
    return EpisodeOrder(Task(task, "", "", {}), "world", {}, request, 0)


LINES = (
    line("1"),
    line("2", "stop"),
    line("3", "go", "b"),
    line("4"),
    line("5", "go", "a", "0f"),
)


def test_tasks_with_words_of_their_own_need_no_picture() -> None:
    assert ambiguous_openings(LINES) == ["1", "4"]
    assert ambiguous_openings(LINES[:3]) == []


def test_those_are_drawn_for_which_pictures_are_offered() -> None:
    lines = {each["task"]: each for each in LINES}
    words = ObservationRequest(text=True)
    orders = [pictured("1"), pictured("2"), pictured("4", words), pictured("5")]
    assert to_draw(orders, lines) == [orders[0]]


def test_a_line_takes_its_pictures() -> None:
    drawn = with_images(LINES[0], ("0a",))
    assert drawn["opening"] == {**LINES[0]["opening"], "images": ["0a"]}
    assert LINES[0]["opening"]["images"] == []
