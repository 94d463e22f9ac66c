"""A tree of what recorded episodes did, and how it is drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.results.report.action_trees import make_tree
from env_service.results.report.content import Branch, FigureData, TreeChart
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.report_files import write_report
from env_service.results.report.run_report import Designed, make_report
from env_service.results.report.runs import make_family
from env_service.results.run_layout import TRANSCRIPTS
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signing_key import SigningKey
from env_service.suites.reporting import ActionTree, ReportDesign
from tests.support.late import Late
from tests.support.played_run import play_run

plotting = Late("env_service.results.report.plotting")

TREE = ActionTree(id="plans", title="Plans")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """Two episodes won by noop, a refused action and "win"; two lost by noop, "hm" and lose."""
    path, _ = play_run(tmp_path_factory.mktemp("runs"), SigningKey.generate())
    return read_run(path)


def tree(*texts: RunContents, words: str = "") -> FigureData | None:
    episodes = EpisodeColumns(make_family(texts), words)
    return make_tree(TREE, episodes, episodes.all)


def shown(*texts: RunContents) -> FigureData:
    found = tree(*texts)
    assert found is not None
    return found


def test_the_tree_is_read_from_the_transcripts(run: RunContents) -> None:
    figure = shown(run)
    assert figure.title == "Plans: “Win.”"
    assert isinstance(figure.drawing, TreeChart)
    first, won, lost = figure.drawing.branches
    assert (first.actions, first.episodes, first.won) == (("noop",), 4, 2)
    assert won.actions == ("refuse PHYSICALLY_BLOCKED ✗", "win")
    assert (won.episodes, won.won, won.end) == (2, 2, "2 tasks")
    assert (lost.episodes, lost.won) == (2, 0)
    assert figure.description.startswith(
        "Tree: 4 episodes in 2 different ways, 2 won; the first action is common to all."
    )


def test_a_single_episode_is_told_in_the_singular(run: RunContents) -> None:
    figure = shown(replace(run, episodes=run.episodes[:1]))
    assert figure.description.startswith("Tree: 1 episode in 1 way, ")


def test_its_numbers_are_every_action_behind_the_one_before(run: RunContents) -> None:
    table = shown(run).table
    assert table.names[:4] == ("node", "parent", "step", "action")
    rows = [[cell.value for cell in row.cells] for row in table.rows]
    assert rows[0][:6] == [1, 0, 1, "noop", 4, 2]
    assert [row[1] for row in rows] == [0, 1, 2, 1, 4]
    assert rows[2][3:] == ["win", 2, 2, 0, 2, 2, "lab/0, lab/1"]


def test_several_runs_share_a_tree_and_are_told_apart(run: RunContents) -> None:
    other = replace(run, manifest=replace(run.manifest, seed=8))
    drawing = shown(run, other).drawing
    assert isinstance(drawing, TreeChart)
    assert drawing.branches[0].episodes == 8
    assert drawing.branches[1].end == "A, B · 2 tasks"


def test_an_instruction_is_found_by_some_of_its_words(run: RunContents) -> None:
    assert tree(run, words="WIN") == tree(run)
    with pytest.raises(UnknownNameError, match="instruction named 'tidy up'"):
        tree(run, words="tidy up")


def test_episodes_without_a_transcript_are_left_out(run: RunContents, tmp_path: Path) -> None:
    assert tree(replace(run, path=tmp_path)) is None
    (tmp_path / TRANSCRIPTS).mkdir()
    for number, record in enumerate(run.episodes):
        name = f"{record.episode_id}.jsonl"
        text = (run.path / TRANSCRIPTS / name).read_bytes()
        torn = b"".join(text.splitlines(keepends=True)[:-2])[:-20]
        (tmp_path / TRANSCRIPTS / name).write_bytes(text if number else torn)
    drawing = shown(replace(run, path=tmp_path)).drawing
    assert isinstance(drawing, TreeChart)
    assert drawing.branches[0].episodes == 4, "what can be read of a torn one counts"


def test_a_report_has_the_tree_as_picture_and_numbers(run: RunContents, tmp_path: Path) -> None:
    document = make_report([run], lambda _: Designed(ReportDesign((TREE,))), tree="win")
    write_report(document, tmp_path / "report", ("html", "csv", "svg"))
    page = (tmp_path / "report" / "index.html").read_text()
    assert 'class="wide"' in page
    assert "refuse PHYSICALLY_BLOCKED" in page
    svg = (tmp_path / "report" / "plans.svg").read_text()
    texts = [element.text for element in ET.fromstring(svg).iter() if element.text]
    assert "4 episodes, 2 won" in texts
    assert "0 of 2 won · 2 tasks" in texts
    lines = (tmp_path / "report" / "plans.csv").read_text().splitlines()
    assert lines[0].startswith("node,parent,step,action,episodes,won")
    assert len(lines) == 6


def test_branches_are_as_wide_as_they_have_episodes() -> None:
    branches = (
        Branch(None, 0, (), 11, 1),
        Branch(0, 1, ("common",), 10, 0, "a"),
        Branch(0, 1, ("rare",), 1, 1, "b"),
    )
    svg = plotting.draw(TreeChart(branches), "f", png=False).svg
    widths = [
        float(part.split("stroke-width: ")[1].split(";")[0])
        for part in svg.split("<path ")
        if "stroke-linecap: square" in part and "stroke-width: " in part
    ]
    assert max(widths) > 4 * min(widths)


def test_a_long_row_keeps_its_beginning_and_its_end_in_two_lines() -> None:
    actions = tuple(f"PICKUP Thing{number}" for number in range(60))
    lines = plotting.row_lines(Branch(None, 0, actions, 1, 0, "t"), 400.0)
    assert len(lines) == plotting.MOST_LINES
    assert all(plotting.measure(line) <= 400 for line in lines)
    assert lines[0].startswith("PICKUP Thing0 → PICKUP Thing1 →")
    assert lines[1].endswith("more … → PICKUP Thing59")
    short = Branch(None, 0, actions[:3], 1, 0, "t")
    assert plotting.row_lines(short, 400.0) == ["PICKUP Thing0 → PICKUP Thing1 → PICKUP Thing2"]


def test_words_too_long_for_a_line_are_cut() -> None:
    text = plotting.cut("W" * 200, 100.0)
    assert text.endswith("…")
    assert 80 < plotting.measure(text) <= 100
    (line,) = plotting.row_lines(Branch(None, 0, ("W" * 200,), 1, 0, "t"), 100.0)
    assert plotting.measure(line) <= 100
