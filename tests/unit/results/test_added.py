"""Scores that a command gave to a run's episodes afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from env_service.domain.data_node import FormatError
from env_service.results.posthoc_scores import (
    PosthocScore,
    PosthocScores,
    fitting_scores,
    read_posthoc_scores,
    write_posthoc_scores,
)
from env_service.results.records import EpisodeRecord
from env_service.results.verification import verify
from env_service.storage.signing_key import SigningKey
from tests.support.made_run import made_record
from tests.support.played_run import play_run

RECORDS = tuple(made_record(number, success=True) for number in range(3))


def scores(*records: EpisodeRecord) -> PosthocScores:
    """Of these episodes."""
    made = (
        PosthocScore(
            episode_id=each.episode_id,
            task_id=each.task_id,
            transcript_head=each.transcript_head,
            metrics={"length": 3.0, "instances": 2.0},
            details={"gold_1": {"length": 1}},
        )
        for each in records
    )
    return PosthocScores("lcs", "by letters", {"threshold": 0.8}, tuple(made))


def test_what_is_written_is_read_and_replaced(tmp_path: Path) -> None:
    assert read_posthoc_scores(tmp_path, "lcs") is None
    for made in (scores(*RECORDS[:1]), scores(*RECORDS)):
        assert write_posthoc_scores(tmp_path, made) == tmp_path / "scores" / "lcs.json"
        assert read_posthoc_scores(tmp_path, "lcs") == made
    # Nothing else is left there: no draft, and no earlier scores.
    assert [path.name for path in (tmp_path / "scores").iterdir()] == ["lcs.json"]


def test_scores_fit_the_episodes_that_they_were_made_of(tmp_path: Path) -> None:
    write_posthoc_scores(tmp_path, scores(*RECORDS))
    assert fitting_scores(tmp_path, "lcs", RECORDS) == scores(*RECORDS)
    lost = replace(RECORDS[0], episode_id="lost", fault="simulator_crash")
    assert fitting_scores(tmp_path, "lcs", (*RECORDS, lost)) == scores(*RECORDS)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([replace(each, transcript_head="1" * 64) for each in RECORDS], "episodes of another run"),
        (
            [replace(each, episode_id=f"new-{each.episode_id}") for each in RECORDS],
            "episodes of another run",
        ),
        ([*RECORDS, made_record(3, success=False)], "3 of its 4 episodes: the run continued"),
        (RECORDS[:2], "more episodes than the run has"),
    ],
    ids=["changed", "played-again", "played-on", "cut"],
)
def test_scores_of_other_plans_are_left_out(
    tmp_path: Path, records: list[EpisodeRecord], said: str
) -> None:
    write_posthoc_scores(tmp_path, scores(*RECORDS))
    found = fitting_scores(tmp_path, "lcs", records)
    assert isinstance(found, str)
    assert "omitted" in found
    assert said in found


def test_they_are_no_part_of_a_runs_proof(tmp_path: Path) -> None:
    folder, _ = play_run(tmp_path, SigningKey.generate())
    write_posthoc_scores(folder, scores(*RECORDS))
    assert verify(folder, replay=False).problems == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Expecting"),
        ("[]", "scores: is \\[\\], not an object"),
        ('{"kind": "episode"}', "kind"),
        ('{"kind": "added_scores", "name": "lcs", "told": 1}', r"scores: told: is 1, not a text"),
    ],
)
def test_a_file_that_says_something_else_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = write_posthoc_scores(tmp_path, scores(*RECORDS))
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=rf"lcs\.json: .*{said}"):
        read_posthoc_scores(tmp_path, "lcs")
    assert "cannot be read" in str(fitting_scores(tmp_path, "lcs", RECORDS))
