"""The folder of a report."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.domain.episode import GoalCondition
from env_service.results.report.comparison import make_comparison
from env_service.results.report.content import Document, episode_link
from env_service.results.report.report_files import FORMATS, PASTED, ReportFolderError, write_report
from env_service.results.report.run_report import Designed, make_report
from env_service.suites.reporting import EPISODES, Bars, Field, ReportDesign, Table
from tests.support.made_run import USED, made_text

DESIGN = ReportDesign(
    (
        Table(id="levels", title="Levels", rows=Field.GROUP, columns=(EPISODES,)),
        Bars(id="success", title="Success", by=Field.GROUP),
    )
)


def report(*texts: object) -> Document:
    return make_report(texts or [made_text(tasks=5)], lambda _: Designed(DESIGN))  # type: ignore[arg-type]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_format_is_written_and_listed(tmp_path: Path) -> None:
    written = write_report(report(), tmp_path / "report", FORMATS)
    assert written[0] == tmp_path / "report" / "index.html"
    assert {"levels.csv", "success.csv", "success.svg", "success.png", "overview.csv"} <= {
        path.name for path in written
    }
    contents = json.loads((tmp_path / "report" / "report.json").read_text())
    assert names(tmp_path / "report") == {"report.json", *contents["files"]}


def test_tables_for_papers_are_written_and_replaced(tmp_path: Path) -> None:
    write_report(report(), tmp_path, PASTED)
    assert {"levels.tex", "levels.md", "report.json"} <= names(tmp_path)
    write_report(report(), tmp_path, ("svg",))
    assert names(tmp_path) == {"report.json", "success.svg"}


def test_only_what_was_asked_for_is_written(tmp_path: Path) -> None:
    write_report(report(), tmp_path, ("svg",))
    assert names(tmp_path) == {"report.json", "success.svg"}


def test_an_earlier_report_is_replaced_whole(tmp_path: Path) -> None:
    write_report(report(), tmp_path, FORMATS)
    (tmp_path / "mine.txt").write_text("mine")
    write_report(report(), tmp_path, ("html",))
    assert names(tmp_path) == {"report.json", "index.html", "episodes.csv", "mine.txt"}


@pytest.mark.parametrize("contents", [None, "no JSON", "[]", '{"files": 3}'])
def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, contents: str | None) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    if contents is not None:
        (tmp_path / "report.json").write_text(contents)
    before = names(tmp_path)
    with pytest.raises(ReportFolderError, match="holds no report: name another folder"):
        write_report(report(), tmp_path, FORMATS)
    assert names(tmp_path) == before


def test_no_file_outside_the_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps({"files": ["../precious", "/etc/passwd"]}))
    write_report(report(), folder, ("html",))
    assert (tmp_path / "precious").read_text() == "keep"


def test_families_have_files_of_their_own(tmp_path: Path) -> None:
    write_report(
        report(made_text("a", tasks=5), made_text("b", tasks=5, world="heavy")), tmp_path, ("csv",)
    )
    assert {"labsuite-light-levels.csv", "labsuite-heavy-levels.csv"} <= names(tmp_path)


def test_equal_runs_give_equal_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_report(report(), tmp_path / name, FORMATS)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_a_run_without_any_episode_has_a_report(tmp_path: Path) -> None:
    text = made_text(tasks=5)
    empty = type(text)(text.path, text.manifest, (), ())
    write_report(report(empty), tmp_path, FORMATS)
    assert "0 of 5 planned episodes are scored" in (tmp_path / "index.html").read_text()


def test_what_a_run_says_breaks_no_file(tmp_path: Path) -> None:
    odd = "half a pair \ud800"
    text = made_text(
        tasks=5,
        agent=odd,
        declared=({"agent_name": odd, "model": [odd]},),
        resumed=({"versions": odd},),
        data=({"pack": odd, "modified": 3}, {"pack": 7, "modified": [odd]}),
    )
    records = tuple(replace(record, group=odd, labels={odd: odd}) for record in text.episodes)
    written = write_report(report(replace(text, episodes=records)), tmp_path, FORMATS)
    for path in written:
        if path.suffix != ".png":
            path.read_text(encoding="utf-8")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Files of the data pack &#39;half a pair \ufffd&#39; differ" in page


def test_a_report_that_was_cut_off_can_be_written_again(tmp_path: Path) -> None:
    write_report(report(), tmp_path, ("csv",))
    (tmp_path / "levels.csv").unlink()
    files = [tmp_path / "index.html", tmp_path / "episodes.csv"]
    assert write_report(report(), tmp_path, ("html",)) == files


def test_every_episode_has_a_row_with_its_ids_labels_and_metrics(tmp_path: Path) -> None:
    base = made_text("base", tasks=3, usage=USED)
    lost = replace(base.episodes[1], fault="simulator_crash", failure=None)
    before = replace(base.episodes[2], goal_conditions=(GoalCondition("=1+1", met=True),))
    other = made_text("other", tasks=2, seed=8)
    texts = [replace(base, episodes=(before, lost, base.episodes[0])), other]
    write_report(report(*texts), tmp_path, ("csv",))
    with (tmp_path / "episodes.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["episode_id"], row["unscored"]) for row in rows] == [
        ("base", "ep-0-0", ""),
        ("base", "ep-1-0", "simulator_crash"),
        ("base", "ep-2-0", ""),
        ("other", "ep-0-0", ""),
        ("other", "ep-1-0", ""),
    ]
    first = rows[0]
    assert (first["task_id"], first["success"], first["failure"]) == ("lab/0", "0", "gave_up")
    assert (first["goal_conditions_gained"], first["goal_conditions_open_at_start"]) == ("0.0", "1")
    assert (first["goal_conditions_met"], first["goal_conditions"]) == ("1", "2")
    assert (first["label said"], first["metric valid"], first["usage calls"]) == ("no", "0.0", "2")
    assert first["setting feedback"] == "simple"
    assert rows[1]["success"] == "", "it was not scored"
    assert rows[2]["goal_conditions_gained"] == "", "its start was not recorded"
    assert rows[3]["usage calls"] == ""


def test_rows_link_to_the_episodes_of_the_report(tmp_path: Path) -> None:
    document = replace(report(made_text("base", tasks=1)), viewer="episodes/index.html")
    write_report(document, tmp_path, ("csv",))
    with (tmp_path / "episodes.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["link"] == "episodes/index.html" + episode_link("base", "ep-0-0")


def test_a_comparison_writes_every_episode_too(tmp_path: Path) -> None:
    texts = [made_text("base", tasks=3), made_text("other", tasks=2, seed=8)]
    write_report(make_comparison(texts, lambda _: Designed(DESIGN)), tmp_path, ("csv",))
    lines = (tmp_path / "episodes.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 5
