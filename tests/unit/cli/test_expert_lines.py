"""Which tasks need a picture to be told apart."""

from __future__ import annotations

from typing import Any

from env_service.cli.expert_lines import ambiguous_openings, to_draw, with_images
from env_service.domain.observation import Channel, ImageRequest, ObservationRequest
from env_service.domain.task import Task
from env_service.suites.base import EpisodeOrder

PICTURE = ObservationRequest((ImageRequest(Channel.RGB),))


def line(task: str, instruction: str = "go", context: str = "a", *images: str) -> dict[str, Any]:
    opening = {"instruction": instruction, "text": "", "context": context, "images": list(images)}
    return {"task": task, "opening": opening, "actions": [], "success": True}


def order(task: str, request: ObservationRequest = PICTURE) -> EpisodeOrder:
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
    orders = [order("1"), order("2"), order("4", words), order("5")]
    assert to_draw(orders, lines) == [orders[0]]


def test_a_line_takes_its_pictures() -> None:
    drawn = with_images(LINES[0], ("0a",))
    assert drawn["opening"] == {**LINES[0]["opening"], "images": ["0a"]}
    assert LINES[0]["opening"]["images"] == []
