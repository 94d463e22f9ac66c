"""Episodes and steps, from transcripts."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import houseguest as hg
from houseguest.episodes import STEP_COLUMNS


@pytest.fixture
def run(runs: Path) -> hg.Run:
    return hg.load(runs).filter(id="run-1")[0]


def test_an_episode_has_its_instruction_conditions_and_steps(run: hg.Run) -> None:
    episode = run.episodes.filter(success=True)[0]
    assert episode.instruction
    assert all(goal.met for goal in episode.goal_conditions)
    assert [step.index for step in episode] == [0, 1, 2]
    assert [step.action for step in episode] == ["noop", "refuse(PHYSICALLY_BLOCKED)", "“win”"]
    assert episode.steps[1].outcomes[0].code == "PHYSICALLY_BLOCKED"
    assert episode.steps[-1].agent_seconds > 0


def test_pictures_are_arrays_and_images(run: hg.Run) -> None:
    episode = run.episodes[0]
    picture = episode.steps[0].shown.pictures[0]
    pixels = picture.array()
    assert (pixels.dtype, pixels.shape) == (np.uint8, (picture.height, picture.width, 3))
    assert np.array_equal(np.asarray(picture.image()), pixels)
    assert np.array_equal(np.asarray(hg.render(episode, 0)), pixels)
    assert hg.render(episode).size == (picture.width, picture.height)
    with pytest.raises(hg.UsageError, match="3 steps"):
        hg.render(episode, 3)


def test_a_missing_picture_is_an_error_that_names_it(run: hg.Run) -> None:
    for file in (run.path / "frames").rglob("*.ppm"):
        file.unlink()
    with pytest.raises(hg.HouseguestError, match="is missing"):
        hg.render(run.episodes[0])


def test_steps_of_all_episodes_make_a_frame(run: hg.Run) -> None:
    frame = run.episodes.steps.to_pandas()
    assert list(frame.columns) == [column.name for column in STEP_COLUMNS]
    assert len(frame) == sum(len(episode) for episode in run) == 12
    assert (
        run.episodes.steps.to_polars().shape == frame.shape == run.episodes.steps.to_arrow().shape
    )
    assert set(frame[frame["action"] == "“win”"]["outcome"]) == {"SUCCEEDED"}


def test_a_shortened_transcript_is_an_error_not_a_shorter_episode(run: hg.Run) -> None:
    episode = run.episodes[0]
    path = run.path / "transcripts" / f"{episode.id}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]))
    with pytest.raises(hg.HouseguestError, match="only 2 of 5 lines"):
        list(episode)
    path.unlink()
    with pytest.raises(hg.HouseguestError, match="only 0 of 5 lines"):
        list(episode)


def test_a_notebook_shows_the_player_of_an_episode(runs: Path) -> None:
    episode = hg.load(runs).filter(id="run-2")[0].episodes[0]
    shown = episode._repr_html_()
    (data,) = re.findall(r'src="data:text/html;charset=utf-8;base64,([^"]*)"', shown)
    page = base64.b64decode(data).decode()
    assert episode.id in page
    assert "<title>" in page
    assert "<script>" not in shown
    table = hg.load(runs).episodes._repr_html_()
    assert table.count("<tr>") == 1 + 8
    assert "failure: " in table


def test_without_the_viewer_a_notebook_shows_pictures_and_escaped_steps(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = hg.load(runs).filter(id="run-2")[0].episodes[0]
    for name in ("sqlalchemy", "sqlalchemy.exc"):
        monkeypatch.setitem(sys.modules, name, None)
    page = episode._repr_html_()
    assert page.count("data:image/png;base64,") == 2
    assert "&lt;script&gt;" in page
    assert "<script" not in page
