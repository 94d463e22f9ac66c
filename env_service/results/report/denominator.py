"""Success where what the house lost counts as failed, beside success over what was scored."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.report.runs import Family, ReportedRun
from env_service.results.report.tables import EMPTY, Cell, Column, Row, TableData
from env_service.results.statistics import rate_interval
from env_service.suites.reporting import SUCCESS, Unit

HEADING = "success, unscored as failed"


def with_unscored(table: TableData, family: Family) -> TableData:
    """A table whose rows are runs, with that success behind the other, where a run has episodes
    that the house lost; else, or where it tells no success, the table as it is."""
    names = [column.id for column in table.columns]
    if SUCCESS.heading not in names or not any(run.summary.unscored for run in family.runs):
        return table
    place = names.index(SUCCESS.heading) + 1
    found = {run.name: _rate(run) for run in family.runs}
    column = Column(HEADING, HEADING, Unit.PERCENT)
    note = (
        f"{HEADING[0].upper()}{HEADING[1:]}: of all episodes that came to an end, with those that"
        " the house lost for good or is still to repeat."
    )
    return replace(
        table,
        columns=(*table.columns[:place], column, *table.columns[place:]),
        rows=tuple(
            Row(
                (
                    *row.cells[:place],
                    found.get(str(row.cells[0].value), EMPTY),
                    *row.cells[place:],
                ),
                row.kind,
                row.source,
            )
            for row in table.rows
        ),
        note=f"{table.note} {note}".strip(),
    )


def _rate(run: ReportedRun) -> Cell:
    """Clusters of tasks that no episode tells of are taken for clusters of their own."""
    scored = [record for record in run.text.episodes if record.fault is None]
    lost = run.summary.unscored
    clusters = {record.task_id: record.cluster for record in run.text.episodes}
    scores = [*(float(record.success) for record in scored), *(0.0 for _ in lost)]
    tasks = [*(record.task_id for record in scored), *(each.task_id for each in lost)]
    if not scores:
        return EMPTY
    low, high = rate_interval(scores, [clusters.get(task, task) for task in tasks], tasks)
    return Cell(sum(scores) / len(scores), low, high, len(scores))
