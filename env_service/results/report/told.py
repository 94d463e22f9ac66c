"""Declared tables whose rows are episodes or facts: what a person reads rather than compares."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.task import TaskSet
from env_service.results.report.episodes import Episodes, heading
from env_service.results.report.listings import in_order
from env_service.results.report.runs import Family
from env_service.results.report.tables import Cell, Column, Row, RowKind, TableData
from env_service.suites.base import Suite
from env_service.suites.reporting import Listing, ReportDesign, TaskFacts
from env_service.suites.selection import find_task_set

_SHOWN = 6
"""Episodes that a terminal gets of a listing."""


class NoFactsError(Exception):
    """Facts about tasks cannot be told; the message says why."""


def list_episodes(listing: Listing, design: ReportDesign, episodes: Episodes) -> TableData | None:
    """A row an episode, run by run in the order of their tasks; None without any."""
    runs = episodes.family.runs
    orders = [in_order(run.manifest.task_ids) for run in runs]
    chosen = sorted(
        map(int, episodes.only(listing.only)),
        key=lambda number: (
            episodes.runs[number],
            orders[episodes.runs[number]](episodes.records[number]),
        ),
    )
    if not chosen:
        return None
    names = [Column("task", "task")]
    names += [Column("run", "run")] if len(runs) > 1 else []
    names += [Column("repeat", "repeat")] if any(r.manifest.repeats > 1 for r in runs) else []
    own = [heading(each, design.group) for each in listing.columns]
    kinds = [column.id for column in names]
    rows = [
        Row(
            (
                *_names(episodes, number, kinds),
                *(Cell(episodes.records[number].labels.get(e.name)) for e in listing.columns),
            )
        )
        for number in chosen
    ]
    return TableData(
        id=listing.id,
        title=listing.title,
        columns=(*names, *(Column(name, name) for name in own)),
        rows=tuple(rows),
        note=listing.note,
        folded=True,
        shown=_SHOWN,
        told=True,
    )


def _names(episodes: Episodes, number: int, kinds: Sequence[str]) -> list[Cell]:
    record, run = episodes.records[number], episodes.family.runs[int(episodes.runs[number])]
    told = {"task": record.task_id, "run": run.mark, "repeat": str(record.repeat)}
    return [Cell(told[kind]) for kind in kinds]


def tell_facts(facts: TaskFacts, family: Family, suite: Suite | None) -> TableData:
    """What the suite has to tell of the task set that these runs have played.

    Raises NoFactsError where its tasks cannot be had here, or it has nothing of them.
    """
    rows = facts.rows(_task_set(family, suite))
    if not rows:
        raise NoFactsError("The task set has nothing for it.")
    return TableData(
        id=facts.id,
        title=facts.title,
        columns=tuple(Column(name, name, unit) for name, unit in facts.columns),
        rows=tuple(
            Row(
                tuple(Cell(value) for value in row.cells),
                RowKind.PUBLISHED if row.source else RowKind.OURS,
                f"Published in {row.source}" if row.source else "",
            )
            for row in rows
        ),
        note=facts.note,
    )


def _task_set(family: Family, suite: Suite | None) -> TaskSet:
    """The task set of these runs as it is without any condition."""
    if suite is None:
        raise NoFactsError("The suite is not here, and so its tasks are not.")
    name = family.manifest.task_set
    played = {run.manifest.task_set_digest: run.manifest.condition for run in family.runs}
    for digest, condition in played.items():
        found = find_task_set(suite, name, condition)
        if found.task_set is None:
            raise NoFactsError(f"It is about the tasks themselves, and {found.problem}.")
        if found.task_set.digest(suite.name, suite.version) != digest:
            raise NoFactsError("The tasks that are here are not those that were played.")
    return suite.task_sets()[name]
