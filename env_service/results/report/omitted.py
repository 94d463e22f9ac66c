"""Why a declared figure is not shown."""

from __future__ import annotations

from env_service.domain.english import with_article
from env_service.results.report.episodes import Episodes, heading
from env_service.results.report.figures import MOST_RUNS
from env_service.suites.reporting import (
    ActionTree,
    Bars,
    Confusion,
    Curve,
    Figure,
    Histogram,
    Profile,
    ReportDesign,
    Scatter,
)


def why_omitted(figure: Figure, design: ReportDesign, episodes: Episodes) -> str:
    """What the figure lacks, in words, of one for which nothing could be made."""
    if not len(episodes.only(figure.only)):
        return "No episode is of what it is about."
    many = len(episodes.family.runs) > MOST_RUNS
    match figure:
        case Bars(contrast=True, series=series) if series is not None:
            told = heading(series, design.group)
            return f"It takes two kinds of episodes at least that differ in: {told}."
        case Scatter(points=points):
            kind = with_article(heading(points, design.group))
            return f"It takes two points at least, each of them {kind}."
        case Curve(series=None) | Histogram(series=None) | Profile(series=None) if many:
            return f"More than {MOST_RUNS} runs cannot be told apart in it."
        case Confusion() if many:
            return f"It is shown for at most {MOST_RUNS} runs."
        case Curve():
            return "No episode succeeded."
        case ActionTree():
            return "No transcript of these episodes can be read."
        case _:
            return "No episode has the numbers for it."
