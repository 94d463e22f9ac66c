"""Tables that every report has beside its suite's: what failed, what was lost, repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from env_service.results.records import EpisodeRecord
from env_service.results.report.pairing import BY_TASK
from env_service.results.report.runs import Family
from env_service.results.report.tables import Cell, Column, Row, TableData, words_table
from env_service.results.statistics import summarize_repeats
from env_service.suites.reporting import GOALS_GAINED, GoalsMet, Unit

_GAINED = f"#{GOALS_GAINED.heading}"
_SHOWN = 10
"""Rows that a terminal gets of a list of tasks."""


def lost_table(family: Family, goals: GoalsMet) -> TableData | None:
    """Every scored episode that did not succeed. ``goals`` is what the suite's paper calls its
    figure of goal conditions."""
    rows = [
        Row(
            (
                Cell(record.task_id),
                Cell(run.mark),
                Cell(record.repeat),
                Cell((record.failure or "").replace("_", " ")),
                Cell(record.steps),
                Cell(record.goals_gained),
                Cell(f"{_met(record)} of {len(record.goal_conditions)}"),
                Cell(record.episode_id),
            )
        )
        for run in family.runs
        for record in sorted(run.text.episodes, key=in_order(run.manifest.task_ids))
        if record.fault is None and not record.success
    ]
    if not rows:
        return None
    empty = words_table(
        "lost",
        "Episodes that did not succeed",
        ("task", "run", "#repeat", "why", "#steps", _GAINED, goals.name, "episode"),
        (),
    )
    return replace(
        empty,
        columns=tuple(
            replace(column, unit=Unit.PERCENT) if f"#{column.heading}" == _GAINED else column
            for column in empty.columns
        ),
        rows=tuple(rows),
        folded=True,
        shown=_SHOWN,
        note="Each has its transcript in the run's folder: transcripts/EPISODE.jsonl.",
    )


def unscored_table(family: Family) -> TableData | None:
    """Every planned episode that the house lost; None where there is none."""
    rows = [
        (item.task_id, run.mark, item.repeat, item.fault.replace("_", " "), item.voids)
        for run in family.runs
        for item in run.summary.unscored
    ]
    if not rows:
        return None
    headings = ("task", "run", "#repeat", "lost to", "#attempts")
    table = words_table("unscored", "Unscored: lost by the house", headings, rows)
    return replace(table, shown=_SHOWN)


def repeat_table(family: Family) -> TableData | None:
    """How far repeats of a run agree."""
    rows = []
    for run in family.runs:
        if run.manifest.repeats < 2 or not run.summary.overall.n:
            continue
        found = summarize_repeats(BY_TASK.scores(run.text))
        # As in the overview, to the last digit.
        rate = run.summary.overall
        overall = Cell(rate.rate, rate.low, rate.high, rate.n)
        numbers = (found.median, found.lowest, found.highest, found.agreement, found.task_share)
        rows.append(Row((Cell(run.name), Cell(len(found.repeats)), overall, *map(Cell, numbers))))
    if not rows:
        return None
    return TableData(
        id="repeatability",
        title="How far repeats agree",
        columns=(
            Column("key", "run"),
            Column("repeats", "repeats", Unit.NUMBER),
            Column("success", "success over all", Unit.PERCENT),
            Column("median", "median repeat", Unit.PERCENT),
            Column("lowest", "lowest", Unit.PERCENT),
            Column("highest", "highest", Unit.PERCENT),
            Column("agreement", "two repeats agree", Unit.PERCENT),
            Column("task_share", "variance between tasks", Unit.PERCENT),
        ),
        rows=tuple(rows),
        note=(
            "Two repeats agree: the chance that a task ends alike twice. Variance between tasks:"
            " the intraclass correlation; at 100 % each task always ends alike."
        ),
    )


def _met(record: EpisodeRecord) -> int:
    return sum(condition.met for condition in record.goal_conditions)


def in_order(task_ids: Sequence[str]) -> Callable[[EpisodeRecord], tuple[int, int]]:
    """A key that sorts episodes by the order of these tasks."""
    places = {task_id: place for place, task_id in enumerate(task_ids)}
    return lambda record: (places.get(record.task_id, len(places)), record.repeat)
