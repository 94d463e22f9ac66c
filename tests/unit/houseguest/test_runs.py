"""Runs as objects and as frames."""

from __future__ import annotations

import math
from pathlib import Path
from unittest.mock import patch

import pandas
import polars
import pyarrow
import pytest

import houseguest as hg
from env_service.results.report.episode_table import EPISODE_COLUMNS
from houseguest.runs import RUN_COLUMNS


def test_a_folder_its_runs_and_globs_are_found_once_each(runs: Path) -> None:
    found = hg.load(runs)
    assert len(found) == 2
    assert [run.path for run in hg.load(runs, str(runs / "*"), found[1].path)] == [
        run.path for run in found
    ]
    assert hg.load(found[1].path)[0] == found[1]


def test_a_place_without_runs_is_refused_with_what_a_run_is(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent", f"{tmp_path}/*-none"):
        with pytest.raises(hg.UsageError, match=r"manifest\.json"):
            hg.load(place)
    with pytest.raises(hg.UsageError, match="needs a folder"):
        hg.load()


def test_a_run_says_what_it_is_and_how_it_went(runs: Path) -> None:
    (run,) = hg.load(runs).filter(id="run-1")
    assert (run.suite, run.task_set, run.world) == ("tests.support.lab:LabSuite", "lab", "light")
    assert (run.seed, run.repeats, run.status, run.isolated) == (7, 1, "complete", False)
    assert run.success_rate == 0.5
    low, high = run.interval or (0, 0)
    assert 0 < low < 0.5 < high < 1
    assert [episode.success for episode in run] == [True, True, False, False]


def test_nothing_is_read_before_it_is_needed(runs: Path) -> None:
    with patch("houseguest.runs.read_run") as read:
        found = hg.load(runs)
        assert found[0].seed == 7
        assert read.call_count == 0


def test_the_three_frames_of_episodes_have_one_schema(runs: Path) -> None:
    episodes = hg.load(runs).episodes
    frame, polar, arrow = episodes.to_pandas(), episodes.to_polars(), episodes.to_arrow()
    names = [column.name for column in EPISODE_COLUMNS]
    assert list(frame.columns)[: len(names)] == names
    assert list(frame.columns) == polar.columns == arrow.column_names
    assert len(frame) == len(polar) == len(arrow) == 8
    assert frame["success"].sum() == polar["success"].sum() == 3
    assert frame["setting frame"].tolist() == polar["setting frame"].to_list() == ["64"] * 8
    for name in ("steps", "repeat", "goal_conditions"):
        assert polar.schema[name] == polars.Int64
        assert arrow.schema.field(name).type == pyarrow.int64()
        assert frame[name].dtype == pandas.Int64Dtype()
    assert arrow.to_pylist()[0]["failure"] is None
    assert frame["failure"].isna().sum() == 3


def test_a_frame_of_runs_has_rates_with_intervals(runs: Path) -> None:
    frame = hg.load(runs).to_pandas()
    assert list(frame.columns)[: len(RUN_COLUMNS)] == [column.name for column in RUN_COLUMNS]
    assert sorted(frame["success_rate"]) == [0.25, 0.5]
    assert (frame["success_rate_low"] < frame["success_rate"]).all()
    assert hg.load(runs).to_polars()["planned"].to_list() == [4, 4]


def test_missing_numbers_are_missing_in_every_frame(runs: Path) -> None:
    steps = hg.load(runs)[0].episodes[0].steps
    table = steps.table()
    table.values["cost_usd"][0] = None
    with patch.object(type(steps), "table", return_value=table):
        assert math.isnan(steps.to_pandas()["cost_usd"][0])
        assert steps.to_polars()["cost_usd"][0] is None
        assert steps.to_arrow()["cost_usd"][0].as_py() is None


def test_without_the_package_the_error_names_the_extra(runs: Path) -> None:
    with (
        patch("houseguest.frames.import_module", side_effect=ImportError("polars")),
        pytest.raises(hg.MissingPackageError, match=r"houseguest\[polars\]"),
    ):
        hg.load(runs).to_polars()


def test_texts_of_agents_are_escaped_in_notebooks(runs: Path) -> None:
    page = hg.load(runs)._repr_html_()
    assert "&lt;b&gt;Other&lt;/b&gt;" in page
    assert "<b>Other" not in page
    assert "50.0 %" in page


def test_a_changed_file_is_named(runs: Path) -> None:
    run = hg.load(runs)[0]
    (run.path / "episodes.jsonl").write_text("{}\n{}\n", encoding="utf-8")
    with pytest.raises(hg.HouseguestError, match=r"episodes\.jsonl, line 1"):
        _ = run.success_rate
    (run.path / "manifest.json").write_text("[]", encoding="utf-8")
    with pytest.raises(hg.HouseguestError, match=r"manifest\.json"):
        _ = hg.load(run.path)[0].seed


def test_a_filter_by_an_unknown_name_is_refused(runs: Path) -> None:
    with pytest.raises(hg.UsageError, match="'sed'"):
        hg.load(runs).filter(sed=1)
