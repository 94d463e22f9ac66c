"""From a design to what figures draw, and the drawing itself."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from env_service.results.report.content import (
    Axis,
    BarChart,
    Branch,
    Cell,
    Drawing,
    FigureData,
    Line,
    LineChart,
    Matrix,
    PointChart,
    RowKind,
    StackChart,
    TreeChart,
)
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.figures import make_figure, make_figures, why_omitted
from env_service.results.report.runs import make_family
from env_service.suites.reporting import (
    STEPS,
    SUCCESS,
    ActionTree,
    Bars,
    Chosen,
    Confusion,
    Curve,
    Field,
    Figure,
    Histogram,
    Label,
    Only,
    Profile,
    Reference,
    ReportDesign,
    Scatter,
    Stacked,
    Unit,
    mean,
    metric,
)
from tests.support.late import Late
from tests.support.made_run import USED, made_text

plotting = Late("env_service.results.report.plotting")

NASTY = "$\\frac{<b>&\"' \x00\x1b[2J"


def win_even(task: int, _repeat: int) -> bool:
    return task % 2 == 0


def made(figure: Figure, *texts: object) -> FigureData | None:
    family = make_family(texts or [made_text(wins=win_even)])  # type: ignore[arg-type]
    return make_figure(figure, ReportDesign((figure,), group="bench"), EpisodeColumns(family))


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
    found = make_figures(figure, ReportDesign((figure,)), EpisodeColumns(family))
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
        found = make_figures(figure, ReportDesign((figure,)), EpisodeColumns(make_family(texts)))
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


def with_feedback(name: str, **wins: object) -> object:
    text = made_text(name, **wins)  # type: ignore[arg-type]
    return replace(
        text,
        manifest=replace(text.manifest, condition={**text.manifest.condition, "feedback": name}),
    )


FEEDBACK = Bars(id="f", title="F", by=Field.AGENT, series=Chosen("feedback"), contrast=True)


def test_a_contrast_needs_two_of_its_series() -> None:
    assert made(FEEDBACK, with_feedback("none"), with_feedback("none")) is None
    figure = shown(FEEDBACK, with_feedback("none"), with_feedback("detailed"))
    assert isinstance(figure.drawing, BarChart)
    assert [name for name, _ in figure.drawing.series] == ["detailed", "none"]
    assert len(figure.drawing.categories) == 1


def reference(column: str, agent: str, value: float, n: int | None = None) -> Reference:
    return Reference(
        table="f",
        row="",
        column=column,
        value=value,
        n=n,
        source="P",
        world="w",
        rules="r",
        agent=agent,
    )


def test_published_numbers_stand_below_bars_by_agent() -> None:
    design = ReportDesign(
        (FEEDBACK,),
        (
            reference("none", "Elder", 0.25, n=100),
            reference("detailed", "Elder", 0.5),
            reference("simple", "Younger", 0.75),
        ),
    )
    texts = [with_feedback("none", usage=USED), with_feedback("detailed", usage=USED)]
    family = make_family(texts)  # type: ignore[arg-type]
    (figure,) = make_figures(FEEDBACK, design, EpisodeColumns(family))
    assert isinstance(figure.drawing, BarChart)
    assert figure.drawing.categories[1:] == ("Elder, w",), (
        "nothing of the Younger's was played here"
    )
    assert figure.drawing.published == 1
    detailed, none = (cells[1] for _, cells in figure.drawing.series)
    assert (detailed.value, detailed.interval) == (0.5, None)
    assert none.value == 0.25
    assert none.low == pytest.approx(0.175, abs=1e-3), "Wilson's, of 25 in 100"
    assert figure.table.rows[1].kind is RowKind.PUBLISHED
    assert [[cell.value for cell in row.cells[1:3]] for row in figure.table.rows] == [
        ["light", "version 1"],
        ["w", "r"],
    ]
    assert "Published in P; world w, rules: r; a different world than light" in figure.description
    svg = plotting.draw(figure.drawing, "f", png=False).svg
    assert "Elder, w (published)" in svg
    assert "stroke-dasharray: 2" in svg


def test_an_agent_that_asked_no_model_is_not_shown_beside_published_numbers() -> None:
    by_agent = Bars(id="f", title="F", measure=SUCCESS, by=Field.AGENT)
    design = ReportDesign((by_agent,), (reference(SUCCESS.heading, "Elder", 0.25),))
    texts = [made_text(agent="asker", usage=USED), made_text(agent="random")]
    (figure,) = make_figures(by_agent, design, EpisodeColumns(make_family(texts)))
    assert isinstance(figure.drawing, BarChart)
    assert figure.drawing.categories == ("asker", "Elder, w")
    assert "used no model are not shown" in figure.note
    (alone,) = make_figures(by_agent, design, EpisodeColumns(make_family(texts[1:])))
    assert isinstance(alone.drawing, BarChart)
    assert (alone.drawing.categories, alone.drawing.published) == (("random",), 0)


def test_a_profile_has_a_bar_for_each_measure() -> None:
    measures = (mean(metric("refusals")), mean(STEPS))
    profile = Profile(id="f", title="F", measures=measures, axis="an episode")
    figure = shown(profile, made_text(), made_text(seed=8))
    assert isinstance(figure.drawing, BarChart)
    assert figure.drawing.categories == ("refusals", "steps")
    assert [name for name, _ in figure.drawing.series] == ["A seed 7", "B seed 8"]
    assert figure.drawing.series[0][1][0].value == 2
    assert "A: from 2 (refusals) to 12.8 (steps)" in figure.description
    nothing = replace(profile, measures=(mean(metric("unheard of")),))
    assert made(nothing) is None


def test_points_of_runs_are_marked_and_shared_places_told() -> None:
    points = Scatter(id="f", title="F", x=mean(STEPS))
    figure = shown(points, made_text(), made_text(seed=8), made_text(seed=9, wins=lambda *_: True))
    assert isinstance(figure.drawing, PointChart)
    assert figure.drawing.marks == ("A", "B", "C")
    assert ">A, B<" in plotting.draw(figure.drawing, "f", png=False).svg.replace("\n", "")
    groups = shown(replace(points, points=Field.GROUP))
    assert isinstance(groups.drawing, PointChart)
    assert groups.drawing.marks == ()


def test_why_a_figure_is_not_shown_is_told() -> None:
    one, lost = made_text(), made_text(wins=lambda *_: False)
    many = [made_text(f"run-{n}", seed=n) for n in range(9)]
    tree = ActionTree(id="f", title="F")
    for figure, texts, words in (
        (FEEDBACK, [one], "differ in feedback"),
        (
            Scatter(id="f", title="F", x=mean(STEPS)),
            [one],
            "at least two points, each of",
        ),
        (Curve(id="f", title="F"), [lost], "No episode succeeded"),
        (Curve(id="f", title="F"), many, "more than 8 runs"),
        (Confusion(id="f", title="F", truth=Label("a"), predicted=Label("b")), many, "8 runs"),
        (Histogram(id="f", title="F", quantity=metric("unheard of")), [one], "has the numbers"),
        (tree, [one], "No transcript"),
        (replace(tree, only=Only(Field.GROUP, ("nobody",))), [one], "matches its selection"),
    ):
        design = ReportDesign((figure,))
        episodes = EpisodeColumns(make_family(texts))
        assert make_figures(figure, design, episodes) == []
        assert words in why_omitted(figure, design, episodes)


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
    TreeChart(
        (
            Branch(None, 0, (NASTY,), 3, 1),
            Branch(0, 1, (), 2, 1, NASTY),
            Branch(0, 1, (), 1, 0, more=1),
        )
    ),
]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: type(drawing).__name__)
def test_drawings_are_repeatable_and_take_any_text_for_text(drawing: Drawing) -> None:
    first, second = (plotting.draw(drawing, "f", png=True, label=NASTY) for _ in range(2))
    assert first == second
    assert first.png is not None
    assert first.png.startswith(b"\x89PNG")
    texts = [element.text or "" for element in ET.fromstring(first.svg).iter() if element.text]
    assert any("$\\frac{<b>&\"' ��[2J" in text for text in texts)
    assert not any(element.tag.endswith("}b") for element in ET.fromstring(first.svg).iter())
