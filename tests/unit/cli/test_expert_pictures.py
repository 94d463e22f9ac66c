"""Strips and films of solutions."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from env_service.cli.errors import Misuse
from env_service.cli.expert_pictures import ExpertDrawing, draw_film, draw_strip, shots_of
from env_service.domain.action import Action, SkillCall, Text
from env_service.domain.observation import ObservationRequest
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition

SUITE = BabyAiSuite()


def order(observation: str = "picture") -> EpisodeOrder:
    task = SUITE.task_sets()["evaluation"].tasks[0]
    condition = settle_condition(SUITE, {"observation": observation})
    return EpisodeOrder(task, "babyai", condition, ObservationRequest(), seed=0)


def solution() -> tuple[Action, ...]:
    return SUITE.expert(order()).actions


def test_there_is_a_picture_before_and_after_each_action() -> None:
    actions = solution()
    shots = list(shots_of(SUITE, order(), actions))
    assert [shot.caption for shot in shots] == [
        "at the start",
        *(f"{number}. {action.name}" for number, action in enumerate(actions, 1)),
    ]
    assert (shots[0].pixels != shots[-1].pixels).any()


def test_what_was_refused_is_marked() -> None:
    *_, refused = shots_of(SUITE, order(), (SkillCall("drop"),))
    assert refused.caption == "1. drop (refused)"
    *_, unread = shots_of(SUITE, order(), (Text("I would\n" + "very much like to go " * 9),))
    assert unread.caption.endswith("... (refused)")
    assert len(unread.caption) < 60


def test_nothing_is_drawn_after_the_end() -> None:
    actions = solution()
    assert len(list(shots_of(SUITE, order(), (*actions, *actions)))) == len(actions) + 1


def test_a_strip_shows_all_and_a_film_one_after_the_other() -> None:
    shots = list(shots_of(SUITE, order(), solution()))
    strip = Image.open(BytesIO(draw_strip("a title", shots)))
    assert strip.format == "PNG"
    assert strip.width > 2 * strip.height / len(shots)
    film = Image.open(BytesIO(draw_film(shots)))
    assert (film.format, film.n_frames) == ("GIF", len(shots))


def test_files_are_named_by_task_and_kept(tmp_path: Path) -> None:
    drawing = ExpertDrawing(SUITE, tmp_path / "strips", tmp_path / "films")
    drawing.check([order()])
    drawing.draw(order(), solution())
    name = order().task.id.replace("/", "_")
    strip, film = tmp_path / "strips" / f"{name}.png", tmp_path / "films" / f"{name}.gif"
    assert film.stat().st_size > 1000
    strip.write_bytes(b"mine")
    drawing.draw(order(), solution())
    assert strip.read_bytes() == b"mine"


def test_a_condition_without_pictures_is_refused() -> None:
    with pytest.raises(Misuse, match="no pictures under this condition of babyai"):
        ExpertDrawing(SUITE, Path("strips"), None).check([order("text")])
