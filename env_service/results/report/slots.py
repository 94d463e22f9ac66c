"""The columns of a declared table that hold numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from env_service.results.report.episodes import Episodes, Ints, heading
from env_service.results.report.tables import Column
from env_service.suites.reporting import Field, Measure, ReportDesign, Statistic, Table, Unit


@dataclass(frozen=True, slots=True)
class Slot:
    """A column of numbers: a measure, over ``members`` only (None: over all).

    ``across`` is the value of the table's ``across`` that it stands under.
    """

    column: Column
    measure: Measure
    across: str = ""
    members: Ints | None = None

    def narrow(self, chosen: Ints) -> Ints:
        """The episodes of ``chosen`` that belong to this column."""
        if self.members is None:
            return chosen
        return np.intersect1d(chosen, self.members, assume_unique=True)


def make_slots(table: Table, design: ReportDesign, episodes: Episodes) -> Iterator[Slot]:
    """The columns of numbers of a declared table."""
    if table.across is None:
        for measure in table.columns:
            yield Slot(Column(measure.heading, measure.heading, _unit(measure)), measure)
        return
    words = heading(table.across, design.group)
    single = len(table.columns) == 1
    for value, members in episodes.parts(table.across):
        name = episodes.mark(value) if table.across is Field.RUN else value
        for measure in table.columns:
            column = Column(
                id=f"{name} {measure.heading}",
                heading=name if single else measure.heading,
                unit=_unit(measure),
                above=words if single else f"{words} {name}",
            )
            yield Slot(column, measure, name, members)


def _unit(measure: Measure) -> Unit:
    return Unit.NUMBER if measure.statistic is Statistic.EPISODES else measure.unit
