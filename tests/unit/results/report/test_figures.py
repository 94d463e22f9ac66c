"""From a design to what figures draw, and the drawing itself."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from env_service.results.report.drawings import (
    Axis,
    BarChart,
    Drawing,
    Line,
    LineChart,
    Matrix,
    PointChart,
    StackChart,
)
from env_service.results.report.episodes import Episodes
from env_service.results.report.figures import make_figure, make_figures
from env_service.results.report.model import FigureData
from env_service.results.report.plotting import draw
from env_service.results.report.runs import make_family
from env_service.results.report.tables import Cell
from env_service.suites.reporting import (
    STEPS,
    Bars,
    Confusion,
    Curve,
    Field,
    Figure,
    Histogram,
    Label,
    ReportDesign,
    Scatter,
    Stacked,
    Unit,
    mean,
    metric,
)
from tests.support.made_run import made_text

NASTY = "$\\frac{<b>&\"' \x00\x1b[2J"


def win_even(task: int, _repeat: int) -> bool:
    return task % 2 == 0


def made(figure: Figure, *texts: object) -> FigureData | None:
    family = make_family(texts or [made_text(wins=win_even)])  # type: ignore[arg-type]
    return make_figure(figure, ReportDesign((figure,), group="bench"), Episodes(family))


def shown(figure: Figure, *texts: object) -> FigureData:
    found = made(figure, *texts)
    assert found is not None
    return found


def test_bars_show_a_measure_with_its_interval_and_say_so_in_words() -> None:
    figure = shown(Bars(id="f", title="F", by=Field.GROUP), made_text(wins=lambda n, _: n % 5 == 1))
    assert isinstance(figure.drawing, BarChart)
    ((name, cells),) = figure.drawing.series
    assert name == ""
    assert [cell.value for cell in cells] == [0, 1, 0, 0, 0]
    assert all(cell.interval for cell in cells)
    assert figure.description == (
        "Bars: success by bench, from 0.0 % (group-0) to 100.0 % (group-1)."
    )
    assert [row.cells[0].value for row in figure.table.rows] == [f"group-{n}" for n in range(5)]


def test_several_runs_are_series_of_bars() -> None:
    figure = shown(Bars(id="f", title="F", by=Field.GROUP), made_text(), made_text(seed=8))
    assert isinstance(figure.drawing, BarChart)
    assert [name for name, _ in figure.drawing.series] == ["A seed 7", "B seed 8"]
    assert "A: 50.0 % throughout; B: 50.0 % throughout" in figure.description


def test_stacks_count_every_episode_once() -> None:
    figure = shown(Stacked(id="f", title="F", by=Field.GROUP, parts=Field.FAILURE))
    assert isinstance(figure.drawing, StackChart)
    assert figure.drawing.parts[0] == "succeeded"
    assert [sum(line) for line in figure.drawing.counts] == [4] * 5
    two = shown(
        Stacked(id="f", title="F", by=Field.GROUP, parts=Label("said")), made_text(), made_text()
    )
    assert isinstance(two.drawing, StackChart)
    assert two.drawing.categories[:2] == ("group-0 · A", "group-0 · B")


def test_a_histogram_counts_into_equal_ranges() -> None:
    figure = shown(Histogram(id="f", title="F", quantity=metric("refusals"), bins=4))
    assert [[cell.value for cell in row.cells] for row in figure.table.rows] == [
        [0, 1, 4],
        [1, 2, 4],
        [2, 3, 4],
        [3, 4, 8],
    ]


def test_a_curve_rises_to_the_success_rate() -> None:
    figure = shown(Curve(id="f", title="F"))
    assert isinstance(figure.drawing, LineChart)
    (line,) = figure.drawing.lines
    assert (line.y[0], line.y[-1]) == (0.0, 0.5)
    assert list(line.y) == sorted(line.y)
    assert all(low <= y <= high for low, y, high in zip(line.low, line.y, line.high, strict=True))
    # Of the ten successes (5 + n % 7 steps), six took at most 8.
    assert dict(zip(line.x, line.y, strict=True))[8.0] == 0.3


def test_points_need_two() -> None:
    figure = Scatter(id="f", title="F", x=mean(STEPS))
    assert made(figure) is None
    found = shown(figure, made_text(), made_text(seed=8, wins=win_even))
    assert isinstance(found.drawing, PointChart)
    assert [name for name, _, _ in found.drawing.points] == ["A seed 7", "B seed 8"]


def test_a_confusion_matrix_is_told_with_its_baseline() -> None:
    figure = shown(
        Confusion(id="f", title="F", truth=Label("true", "truth"), predicted=Label("said"))
    )
    # True is "yes" unless n is divisible by 3 (7 of 20); said is "yes" where n is even.
    assert isinstance(figure.drawing, Matrix)
    assert figure.drawing.names == ("no", "yes")
    assert figure.drawing.counts == ((3, 4), (7, 6))
    assert "accuracy 45.0 %" in figure.description
    assert "always saying “yes” would reach 65.0 %" in figure.description
    assert "Matthews correlation −0.1" in figure.description
    assert figure.table.rows[1].cells[-3:-1] == (Cell(0.6, n=10), Cell(6 / 13, n=13))


def test_several_runs_have_a_confusion_matrix_each() -> None:
    figure = Confusion(id="f", title="F", truth=Label("true"), predicted=Label("said"))
    always = made_text(seed=8, wins=lambda *_: True)
    family = make_family([made_text(wins=win_even), always])
    found = make_figures(figure, ReportDesign((figure,)), Episodes(family))
    assert [(each.id, each.title) for each in found] == [
        ("f-run-a", "F: A seed 7"),
        ("f-run-b", "F: B seed 8"),
    ]
    assert "accuracy 45.0 %" in found[0].description
    assert "accuracy 65.0 %" in found[1].description


def test_a_figure_that_takes_runs_together_says_so() -> None:
    texts = [made_text(), made_text(seed=8)]
    points = Scatter(id="f", title="F", x=mean(STEPS), points=Field.GROUP)
    for figure, notes in (
        (points, ["All 2 runs together."]),
        (Bars(id="f", title="F", by=Field.GROUP), [""]),
        (Scatter(id="f", title="F", x=mean(STEPS)), [""]),
    ):
        found = make_figures(figure, ReportDesign((figure,)), Episodes(make_family(texts)))
        assert [each.note for each in found] == notes


def test_what_no_episode_has_is_not_drawn() -> None:
    for figure in (
        Histogram(id="f", title="F", quantity=metric("unheard of")),
        Stacked(id="f", title="F", by=Label("nobody"), parts=Field.FAILURE),
        Confusion(id="f", title="F", truth=Label("nobody"), predicted=Label("said")),
        Bars(id="f", title="F", by=Field.GROUP, measure=mean(metric("unheard of"))),
    ):
        assert made(figure) is None
    assert made(Curve(id="f", title="F"), made_text(wins=lambda *_: False)) is None


def test_many_runs_are_not_drawn_into_each_other() -> None:
    many = [made_text(f"run-{n}", seed=n) for n in range(9)]
    bars = shown(Bars(id="f", title="F", by=Field.GROUP), *many)
    assert isinstance(bars.drawing, BarChart)
    assert bars.drawing.categories[0] == "A seed 0"
    assert [name for name, _ in bars.drawing.series] == [""]
    stack = shown(Stacked(id="f", title="F", by=Field.GROUP, parts=Field.FAILURE), *many)
    assert isinstance(stack.drawing, StackChart)
    assert len(stack.drawing.categories) == 9
    assert made(Curve(id="f", title="F"), *many) is None


CELLS = (Cell(0.5, 0.4, 0.6, 10), Cell(None))
DRAWINGS: list[Drawing] = [
    BarChart((NASTY, "b"), ((NASTY, CELLS), ("s", CELLS)), Axis(NASTY, Unit.PERCENT)),
    BarChart(("a", "b"), (("", (Cell(-0.2, -0.4, 0.1), Cell(0.2))),), Axis("d", Unit.POINTS)),
    StackChart((NASTY, "b"), (NASTY, "succeeded"), ((1, 2), (0, 0))),
    LineChart(
        (Line(NASTY, (0.0, 1.0), (0.0, 1.0), (0.0, 0.5), (0.5, 1.0)), Line("s", (0.0,), (0.0,))),
        Axis(NASTY, Unit.SECONDS),
        Axis("y"),
    ),
    PointChart(((NASTY, CELLS[0], CELLS[0]),), Axis("x", Unit.DOLLARS), Axis(NASTY)),
    Matrix(NASTY, "said", (NASTY, "b", "c", "d"), ((1, 0, 0, 0),) * 4),
]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: type(drawing).__name__)
def test_drawings_are_repeatable_and_take_any_text_for_text(drawing: Drawing) -> None:
    first, second = (draw(drawing, "f", png=True, label=NASTY) for _ in range(2))
    assert first == second
    assert first.png is not None
    assert first.png.startswith(b"\x89PNG")
    texts = [element.text or "" for element in ET.fromstring(first.svg).iter() if element.text]
    assert any("$\\frac{<b>&\"' ��[2J" in text for text in texts)
    assert not any(element.tag.endswith("}b") for element in ET.fromstring(first.svg).iter())
