"""What figures of every kind share."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.results.report.episodes import Episodes, Ints, Part, within
from env_service.results.report.tables import Column, Row, TableData
from env_service.results.report.tabulate import apart
from env_service.suites.reporting import Figure, Key


def figure_series(episodes: Episodes, key: Key | None, chosen: Ints, *others: Key) -> list[Part]:
    """The series of a figure: what it declares, else what tells several runs apart."""
    key = key or apart(episodes, *others)
    if key is None:
        return [("", chosen)]
    return within(episodes.parts(key), chosen)


def numbers_table(figure: Figure, columns: Sequence[Column], rows: Sequence[Row]) -> TableData:
    """The numbers that a figure draws."""
    return TableData(
        id=figure.id, title=figure.title, columns=tuple(columns), rows=tuple(rows), folded=True
    )
