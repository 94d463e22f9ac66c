"""Comparisons, reports and verifications: the same as the command line's."""

from __future__ import annotations

from pathlib import Path

import pytest

import houseguest as hg

KEY = "0" * 64


def test_runs_are_compared_on_their_common_tasks(runs: Path) -> None:
    first, second = sorted(hg.load(runs), key=lambda run: run.id)
    (pair,) = hg.compare(first, second.path).pairs
    assert pair["difference"] == pytest.approx(-0.25)
    assert "Compared on 4 tasks" in str(hg.compare(first, second))
    with pytest.raises(hg.UsageError, match="two different runs"):
        hg.compare(first, first.path)


def test_a_report_writes_the_files_that_were_asked_for(runs: Path, tmp_path: Path) -> None:
    made = hg.report(runs, tmp_path / "report", formats=("csv",))
    assert "episodes.csv" in {path.name for path in made.files}
    assert made.document.sections
    assert hg.report(runs).files == ()
    with pytest.raises(hg.UsageError, match="'pdf'"):
        hg.report(runs, tmp_path, formats=("pdf",))
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").touch()
    with pytest.raises(hg.UsageError, match="full"):
        hg.report(runs, full)


def test_tables_are_frames_live_and_from_a_folder(runs: Path, tmp_path: Path) -> None:
    live = hg.compare(*sorted(hg.load(runs), key=lambda run: run.id)).tables
    report = hg.report(runs, tmp_path / "report", formats=("csv",))
    saved = hg.tables(tmp_path / "report")
    assert {f"{name}.csv" for name in saved} < {path.name for path in report.files}
    for name, table in report.tables.items():
        assert table.table() == saved[name].table()
    frame = saved["overview"].to_pandas()
    rate = "success"
    assert sorted(frame[rate]) == [0.25, 0.5]
    assert (frame[f"{rate} low"] < frame[rate]).all()
    assert frame[f"{rate} n"].tolist() == [4, 4]
    assert "<script>" not in saved["overview"]._repr_html_()
    assert len(live) > 0
    with pytest.raises(hg.UsageError, match="holds no report"):
        hg.tables(runs)


def test_a_verification_is_true_until_a_file_changes(runs: Path) -> None:
    run = hg.load(runs)[0]
    verified = hg.verify(run, replay=False)
    assert verified
    assert verified.problems == ()
    assert not hg.verify(run, replay=False, key=KEY)
    summary = run.path / "summary.json"
    summary.write_text(summary.read_text(encoding="utf-8").replace("true", "false", 1))
    changed = hg.verify(run.path, replay=False)
    assert not changed
    assert changed.problems[0].file == "summary.json"
    assert "summary.json" in changed._repr_html_()
    with pytest.raises(hg.UsageError, match="absent"):
        hg.verify("absent")
