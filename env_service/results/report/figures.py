"""From a declared figure to its drawing, its description in words, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from env_service.domain.text import counted, with_article
from env_service.results.report.action_trees import make_tree
from env_service.results.report.content import (
    EMPTY,
    Axis,
    BarChart,
    Cell,
    Column,
    FigureData,
    Line,
    LineChart,
    Matrix,
    PointChart,
    Row,
    RowKind,
    StackChart,
    TableData,
)
from env_service.results.report.declared_tables import (
    ORIGIN_COLUMNS,
    Origin,
    PublishedBar,
    apart,
    figure_series,
    numbers_table,
    origin_of,
    published_bars,
)
from env_service.results.report.episode_columns import (
    EpisodeColumns,
    Floats,
    Ints,
    Part,
    heading,
    within,
)
from env_service.results.report.measures import (
    CORRELATION_DRAWING,
    answers,
    evaluate,
    evaluate_share,
)
from env_service.results.report.number_format import bounded, one
from env_service.results.statistics import (
    Answers,
    ConfusionCounts,
    class_scores,
    count_answers,
    majority_baseline,
    matthews_interval,
    rate_interval,
)
from env_service.suites.reporting import (
    SUCCESS_FLAG,
    ActionTree,
    Bars,
    Confusion,
    Curve,
    Field,
    Figure,
    Histogram,
    Profile,
    Quantity,
    ReportDesign,
    Scatter,
    Stacked,
    Unit,
)
from env_service.suites.reporting import Confusion as Design

MOST_PARTS = 8
"""How many parts of a stacked bar have colours."""
MOST_RUNS = 8
"""How many runs a figure shows side by side, at most, so that readers can distinguish them."""


def make_figures(
    figure: Figure, design: ReportDesign, episodes: EpisodeColumns
) -> list[FigureData]:
    """The figure, or one for each run if runs cannot share one; empty without data.

    A figure that pools several runs says so in its note.
    """
    runs = episodes.family.runs
    if isinstance(figure, Confusion) and len(runs) > 1:
        return _confusions(figure, design, episodes) if len(runs) <= MOST_RUNS else []
    made = make_figure(figure, design, episodes)
    if made is None:
        return []
    if _pools(figure, episodes):
        note = f"{made.note} All {len(runs)} runs together.".strip()
        return [replace(made, note=note)]
    return [made]


def _confusions(
    figure: Confusion, design: ReportDesign, episodes: EpisodeColumns
) -> list[FigureData]:
    """A matrix for each run, because a pooled one would describe no agent."""
    found = []
    for name, members in within(episodes.parts(Field.RUN), episodes.only(figure.only)):
        mark = episodes.mark(name)
        own = replace(figure, id=f"{figure.id}-run-{mark.lower()}", title=f"{figure.title}: {name}")
        made = make_confusion(own, design, episodes, members)
        found += [] if made is None else [made]
    return found


def _pools(figure: Figure, episodes: EpisodeColumns) -> bool:
    """Whether the figure shows several runs as one."""
    match figure:
        case Bars(by=by, series=series) if series is not None:
            return apart(episodes, by, series) is not None
        case Curve(series=series) | Histogram(series=series) | Profile(series=series) if (
            series is not None
        ):
            return apart(episodes, series) is not None
        case Scatter(points=points):
            return apart(episodes, points) is not None
        case ActionTree():
            return len(episodes.family.runs) > 1
        case _:
            return False


def make_figure(
    figure: Figure, design: ReportDesign, episodes: EpisodeColumns
) -> FigureData | None:
    """The figure's numbers; None if the episodes have no data for it."""
    chosen = episodes.only(figure.only)
    if not len(chosen):
        return None
    match _legible(figure, episodes):
        case None:
            return None
        case Bars() as figure:
            return make_bars(figure, design, episodes, chosen)
        case Profile() as figure:
            return make_profile(figure, episodes, chosen)
        case Stacked() as figure:
            return _stacked(figure, design, episodes, chosen)
        case Histogram() as figure:
            return make_histogram(figure, episodes, chosen)
        case Curve() as figure:
            return make_curve(figure, episodes, chosen)
        case Scatter() as figure:
            return _scatter(figure, design, episodes, chosen)
        case Confusion() as figure:
            return make_confusion(figure, design, episodes, chosen)
        case ActionTree() as figure:
            return make_tree(figure, episodes, chosen)


def _legible(figure: Figure, episodes: EpisodeColumns) -> Figure | None:
    """The figure in a form that stays legible; None if there is none.

    With more than MOST_RUNS runs, bars are of runs instead of the parts of each.
    """
    if len(episodes.family.runs) <= MOST_RUNS:
        return figure
    match figure:
        case Bars(series=None, by=by) if apart(episodes, by) is Field.RUN:
            return replace(figure, by=Field.RUN)
        case Stacked(by=by, parts=parts) if apart(episodes, by, parts) is Field.RUN:
            return replace(figure, by=Field.RUN)
        case Curve(series=None) | Histogram(series=None) | Profile(series=None):
            return None
        case _:
            return figure


def _stacked(
    figure: Stacked, design: ReportDesign, episodes: EpisodeColumns, chosen: Ints
) -> FigureData | None:
    parts = within(episodes.parts(figure.parts), chosen)
    bars = within(episodes.parts(figure.by), chosen)
    field = apart(episodes, figure.by, figure.parts)
    if field is not None:
        bars = [
            (f"{name} · {episodes.mark(run)}", own)
            for name, members in bars
            for run, own in within(episodes.parts(field), members)
        ]
    if not parts or not bars:
        return None
    parts = _limited_parts(parts)
    counts = tuple(
        tuple(len(np.intersect1d(own, members, assume_unique=True)) for _, members in parts)
        for _, own in bars
    )
    words, kinds = heading(figure.by, design.group), heading(figure.parts, design.group)
    names = tuple(name for name, _ in parts)
    columns = [Column("key", words)] + [Column(name, name, Unit.NUMBER, kinds) for name in names]
    rows = [
        Row((Cell(name), *map(Cell, line))) for (name, _), line in zip(bars, counts, strict=True)
    ]
    totals = ", ".join(f"{name} {len(members)}" for name, members in parts)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=StackChart(tuple(name for name, _ in bars), names, counts, figure.counted),
        description=f"Stacked bars: {figure.counted} of each {words} by {kinds}; in all {totals}.",
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _limited_parts(parts: list[Part]) -> list[Part]:
    """The most frequent parts; the others are merged if there are more parts than colours."""
    if len(parts) <= MOST_PARTS:
        return parts
    commonest = sorted(parts, key=lambda part: -len(part[1]))[: MOST_PARTS - 1]
    kept = {name for name, _ in commonest}
    rest = [members for name, members in parts if name not in kept]
    others = (counted(len(rest), "other"), np.unique(np.concatenate(rest)))
    return [*(part for part in parts if part[0] in kept), others]


def _scatter(
    figure: Scatter, design: ReportDesign, episodes: EpisodeColumns, chosen: Ints
) -> FigureData | None:
    points = tuple(
        (name, x, y)
        for name, members in within(episodes.parts(figure.points), chosen)
        if (x := evaluate(figure.x, episodes, members)) != EMPTY
        and (y := evaluate(figure.y, episodes, members)) != EMPTY
    )
    if len(points) < 2:
        return None
    words = heading(figure.points, design.group)
    columns = [
        Column("key", words),
        Column(figure.x.heading, figure.x.heading, figure.x.unit),
        Column(figure.y.heading, figure.y.heading, figure.y.unit),
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=PointChart(
            points,
            Axis(figure.x.heading, figure.x.unit),
            Axis(figure.y.heading, figure.y.unit),
            _marks(episodes, [name for name, _, _ in points]),
        ),
        description=f"Points: {figure.y.heading} against {figure.x.heading}, one for each {words}.",
        table=numbers_table(figure, columns, [Row((Cell(name), x, y)) for name, x, y in points]),
        note=figure.note,
    )


def _marks(episodes: EpisodeColumns, names: Sequence[str]) -> tuple[str, ...]:
    """The letters of runs; empty if the points are not runs."""
    marks = tuple(episodes.mark(name) for name in names)
    return marks if all(mark != name for mark, name in zip(marks, names, strict=True)) else ()


# --- Bar figures: a measure by a key's values, or several measures side by side

Series = tuple[str, tuple[Cell, ...]]
"""The name of a series, and a cell for each category."""


def make_bars(
    figure: Bars, design: ReportDesign, episodes: EpisodeColumns, chosen: Ints
) -> FigureData | None:
    """The measure for each value, with published ones below; None if no episode has it.

    Published numbers are of models, so agents that used none are left out next to them.
    """
    others, chosen, left_out = _beside_published(figure, design, episodes, chosen)
    parts = within(episodes.parts(figure.by), chosen)
    series = figure_series(episodes, figure.series, chosen, figure.by)
    if figure.contrast and len(series) < 2:
        return None
    ours = tuple(
        (
            name,
            tuple(
                evaluate(figure.measure, episodes, np.intersect1d(members, own, assume_unique=True))
                for _, members in parts
            ),
        )
        for name, own in series
    )
    if all(cell.value is None for _, cells in ours for cell in cells):
        return None
    names = tuple(name for name, _ in parts)
    words, unit = heading(figure.by, design.group), figure.measure.unit
    named = [name or figure.measure.heading for name, _ in ours]
    columns = [Column("key", words), *(Column(name, name, unit) for name in named)]
    rows = _bar_rows(names, ours)
    if others:
        origins = [origin_of(episodes.runs_of(members), design) for _, members in parts]
        columns, rows = _with_origins(columns, rows, origins, others)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=BarChart(
            (*names, *(f"{each.agent}, {each.origin[0]}" for each in others)),
            _with_published(ours, others),
            Axis(figure.measure.heading, unit),
            published=len(others),
        ),
        description=_bars_in_words(
            f"{figure.measure.heading} by {words}", unit, names, _marked(episodes, ours)
        )
        + _published_in_words(others),
        table=numbers_table(figure, columns, rows),
        note=" ".join(filter(None, (figure.note, left_out))),
    )


def _beside_published(
    figure: Bars, design: ReportDesign, episodes: EpisodeColumns, chosen: Ints
) -> tuple[list[PublishedBar], Ints, str]:
    """The published bars of the figure, the episodes to show with them, and a note on episodes left
    out."""
    asked = np.intersect1d(chosen, episodes.of_models(), assume_unique=True)
    if not len(asked):
        return [], chosen, ""
    series = figure_series(episodes, figure.series, asked, figure.by)
    world = episodes.family.manifest.world
    others = published_bars(figure, [name for name, _ in series], design, world)
    if not others or (figure.contrast and len(series) < 2):
        return [], chosen, ""
    left_out = "Agents that used no model are not shown next to published numbers."
    return others, asked, left_out if len(asked) < len(chosen) else ""


def make_profile(figure: Profile, episodes: EpisodeColumns, chosen: Ints) -> FigureData | None:
    """A bar for each measure and series; None if no episode has any."""
    ours = tuple(
        (name, tuple(evaluate(measure, episodes, own) for measure in figure.measures))
        for name, own in figure_series(episodes, figure.series, chosen)
    )
    if all(cell.value is None for _, cells in ours for cell in cells):
        return None
    names = tuple(measure.heading for measure in figure.measures)
    unit = figure.measures[0].unit
    columns = [Column("key", "what")]
    columns += [Column(name or "all", name or "all", unit) for name, _ in ours]
    words = _bars_in_words(figure.axis, unit, names, _marked(episodes, ours))
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=BarChart(names, ours, Axis(figure.axis, unit)),
        description=words,
        table=numbers_table(figure, columns, _bar_rows(names, ours)),
        note=figure.note,
    )


def _bar_rows(names: Sequence[str], series: Sequence[Series]) -> list[Row]:
    return [
        Row((Cell(name), *(cells[place] for _, cells in series)))
        for place, name in enumerate(names)
    ]


def _with_origins(
    columns: Sequence[Column],
    rows: Sequence[Row],
    origins: Sequence[Origin],
    others: Sequence[PublishedBar],
) -> tuple[list[Column], list[Row]]:
    """Our rows and the published ones, each with its world and rules after its name."""
    rows = [
        Row((row.cells[0], *map(Cell, origin), *row.cells[1:]))
        for row, origin in zip(rows, origins, strict=True)
    ]
    rows += [
        Row(
            (Cell(each.agent), *map(Cell, each.origin), *each.cells),
            RowKind.PUBLISHED,
            each.source,
        )
        for each in others
    ]
    return [columns[0], *ORIGIN_COLUMNS, *columns[1:]], rows


def _with_published(ours: Sequence[Series], others: Sequence[PublishedBar]) -> tuple[Series, ...]:
    return tuple(
        (name, (*cells, *(each.cells[number] for each in others)))
        for number, (name, cells) in enumerate(ours)
    )


def _marked(episodes: EpisodeColumns, series: Sequence[Series]) -> list[Series]:
    """The series, under their marks if they are runs."""
    return [(episodes.mark(name), cells) for name, cells in series]


def _bars_in_words(what: str, unit: Unit, names: tuple[str, ...], series: Sequence[Series]) -> str:
    said = []
    for name, cells in series:
        known = [
            (float(cell.value), category)
            for cell, category in zip(cells, names, strict=True)
            if isinstance(cell.value, float | int)
        ]
        if not known:
            continue
        (low, worst), (high, best) = min(known), max(known)
        extremes = f"from {one(low, unit)} ({worst}) to {one(high, unit)} ({best})"
        if low == high:
            extremes = f"{one(low, unit)} throughout"
        said.append(f"{name}: {extremes}" if name else extremes)
    return f"Bars: {what}, {'; '.join(said)}."


def _published_in_words(others: Sequence[PublishedBar]) -> str:
    if not others:
        return ""
    sources = ". ".join(dict.fromkeys(each.source for each in others))
    return f" Hollow bars are published numbers, none of these runs. {sources}."


# --- Line figures: histograms, and success within a limit of a quantity

MOST_POINTS = 60
"""How many lines a figure of curves has at most, so that readers can distinguish them."""


def make_histogram(figure: Histogram, episodes: EpisodeColumns, chosen: Ints) -> FigureData | None:
    """How often the quantity falls into each range; None if no episode has it."""
    values = episodes.numbers(figure.quantity)
    known = values[chosen][~np.isnan(values[chosen])]
    if not len(known):
        return None
    edges = np.histogram_bin_edges(known, bins=figure.bins)
    lines, histograms = [], []
    for name, own in figure_series(episodes, figure.series, chosen):
        counts = np.histogram(values[own][~np.isnan(values[own])], bins=edges)[0]
        histograms.append((name or "episodes", counts))
        outline = (float(edges[0]), *_floats(edges)), (0.0, *_floats(counts), 0.0)
        lines.append(Line(name, *outline))
    unit = figure.quantity.unit
    columns = [Column("from", "from", unit), Column("to", "to", unit)]
    columns += [Column(name, name, Unit.NUMBER) for name, _ in histograms]
    rows = [
        Row((Cell(float(low)), Cell(float(high)), *(Cell(int(each[n])) for _, each in histograms)))
        for n, (low, high) in enumerate(pairwise(edges))
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=LineChart(tuple(lines), _axis(figure.quantity), Axis("episodes")),
        description=(
            f"Histogram of {figure.quantity.heading} over {counted(len(known), 'episode')}:"
            f" median {one(float(np.median(known)), unit)},"
            f" from {one(float(known.min()), unit)} to {one(float(known.max()), unit)}."
        ),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def make_curve(figure: Curve, episodes: EpisodeColumns, chosen: Ints) -> FigureData | None:
    """The rising share of successes; None if there is none."""
    values, won = episodes.numbers(figure.quantity), episodes.numbers(SUCCESS_FLAG)
    series = figure_series(episodes, figure.series, chosen)
    reached = values[chosen][(won[chosen] == 1) & ~np.isnan(values[chosen])]
    if not len(reached):
        return None
    grid = _grid(reached, float(np.nanmax(values[chosen])), counted=figure.counted)
    lines, columns, cells = [], [Column("key", figure.quantity.heading, figure.quantity.unit)], []
    for name, own in series:
        column = [
            evaluate_share(episodes, own, ((won == 1) & (values <= limit)).astype(np.float64))
            for limit in grid
        ]
        cells.append(column)
        heading_ = name or "success"
        columns.append(Column(heading_, heading_, Unit.PERCENT))
        lines.append(_line(name, grid, column))
    rows = [
        Row((Cell(float(limit)), *(column[place] for column in cells)))
        for place, limit in enumerate(grid)
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=LineChart(
            tuple(lines),
            Axis(figure.quantity.heading, figure.quantity.unit, whole=figure.counted),
            Axis("success", Unit.PERCENT),
        ),
        description=_curve_in_words(figure, reached),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _curve_in_words(figure: Curve, reached: Floats) -> str:
    middle = one(float(np.median(reached)), figure.quantity.unit)
    return (
        f"Curve: share of episodes that succeeded within so many {figure.quantity.heading};"
        f" half of those that succeeded needed at most {middle}."
    )


def _grid(reached: Floats, largest: float, *, counted: bool) -> Floats:
    """0, the values at which the curve rises (at most MOST_POINTS), and its end.

    For a quantity that counts: 0, 1, 2, …, unless that gives more points.
    """
    if counted and largest < MOST_POINTS:
        return np.arange(int(largest) + 1, dtype=np.float64)
    rises = np.unique(reached)
    if len(rises) > MOST_POINTS:
        rises = np.unique(np.quantile(rises, np.linspace(0, 1, MOST_POINTS), method="nearest"))
    return np.unique(np.concatenate([[min(0.0, rises[0])], rises, [largest]]))


def _line(name: str, x: Floats, cells: Sequence[Cell]) -> Line:
    def column(values: Sequence[object]) -> tuple[float, ...]:
        return tuple(value if isinstance(value, float) else 0.0 for value in values)

    bounded = all(cell.interval is not None for cell in cells)
    return Line(
        name,
        _floats(x),
        column([cell.value for cell in cells]),
        column([cell.low for cell in cells]) if bounded else (),
        column([cell.high for cell in cells]) if bounded else (),
    )


def _axis(quantity: Quantity) -> Axis:
    return Axis(quantity.heading, quantity.unit)


def _floats(values: object) -> tuple[float, ...]:
    return tuple(map(float, np.asarray(values)))


# --- A confusion matrix of two labels, with accuracy and correlation


def make_confusion(
    figure: Design, design: ReportDesign, episodes: EpisodeColumns, chosen: Ints
) -> FigureData | None:
    """The matrix over the episodes that have both labels; None without any."""
    given = answers(figure.truth, figure.predicted, episodes, chosen)
    if given is None:
        return None
    tally = count_answers(given.truth, given.answers, given.labels)
    words = heading(figure.truth, design.group), heading(figure.predicted, design.group)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=Matrix(*words, given.labels, tuple(tuple(row) for row in tally.counts.tolist())),
        description=_confusion_in_words(tally, given),
        table=_confusion_table(figure, words, tally),
        note=figure.note,
    )


def _confusion_in_words(tally: ConfusionCounts, given: Answers) -> str:
    right = np.equal(given.truth, given.answers).astype(np.float64)
    low, high = rate_interval(right, given.clusters, given.clusters)
    matthews = matthews_interval(given, np.random.default_rng(0), CORRELATION_DRAWING)
    baseline = majority_baseline(tally)
    reached = bounded(Cell(float(right.mean()), low, high), Unit.PERCENT)
    agreement = bounded(Cell(matthews.mcc, matthews.low, matthews.high), Unit.NUMBER)
    return (
        f"Over {counted(tally.n, 'episode')}: accuracy {reached}, where always saying"
        f" “{baseline.label}” would reach {one(baseline.accuracy, Unit.PERCENT)};"
        f" Matthews correlation {agreement}."
    )


def _confusion_table(figure: Design, words: tuple[str, str], tally: ConfusionCounts) -> TableData:
    """A row for each true class: predictions of each class, precision, recall and F1."""
    columns = (
        Column("key", words[0]),
        *(Column(f"said {name}", name, Unit.NUMBER, words[1]) for name in tally.labels),
        Column("precision", "precision", Unit.PERCENT),
        Column("recall", "recall", Unit.PERCENT),
        Column("f1", "F1", Unit.NUMBER),
    )
    rows = [
        Row(
            (
                Cell(score.label),
                *(Cell(count) for count in line),
                Cell(score.precision, n=score.answers),
                Cell(score.recall, n=score.truths),
                Cell(score.f1),
            )
        )
        for score, line in zip(class_scores(tally), tally.counts.tolist(), strict=True)
    ]
    return TableData(id=figure.id, title=figure.title, columns=columns, rows=tuple(rows))


# --- Why a declared figure is not shown


def why_omitted(figure: Figure, design: ReportDesign, episodes: EpisodeColumns) -> str:
    """Explains why nothing could be made of a figure."""
    if not len(episodes.only(figure.only)):
        return "No episode matches its selection."
    many = len(episodes.family.runs) > MOST_RUNS
    match figure:
        case Bars(contrast=True, series=series) if series is not None:
            difference = heading(series, design.group)
            return f"It needs at least two kinds of episodes that differ in {difference}."
        case Scatter(points=points):
            kind = with_article(heading(points, design.group))
            return f"It needs at least two points, each of them {kind}."
        case Curve(series=None) | Histogram(series=None) | Profile(series=None) if many:
            return f"It cannot show more than {MOST_RUNS} runs."
        case Confusion() if many:
            return f"It is shown for at most {MOST_RUNS} runs."
        case Curve():
            return "No episode succeeded."
        case ActionTree():
            return "No transcript of these episodes can be read."
        case _:
            return "No episode has the numbers for it."
