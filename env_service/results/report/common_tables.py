"""Tables that every report has in addition to its suite's.

They list failures, lost episodes, agreement between repeats and model settings, and give success
with lost episodes counted as failed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from env_service.domain.text import safe
from env_service.results.manifest import configured
from env_service.results.records import EpisodeRecord
from env_service.results.report.content import (
    EMPTY,
    Cell,
    Column,
    Row,
    RowKind,
    TableData,
    episode_link,
    words_table,
)
from env_service.results.report.runs import BY_TASK, Family, ReportedRun, agent_name
from env_service.results.statistics import rate_interval, summarize_repeats
from env_service.suites.reporting import (
    GOALS_GAINED,
    INFERENCE,
    SUCCESS,
    GoalsMet,
    ReportDesign,
    Unit,
)

_GAINED = f"#{GOALS_GAINED.heading}"
_SHOWN = 10
"""How many rows of a list of tasks the terminal shows."""


def lost_table(family: Family, goals: GoalsMet) -> TableData | None:
    """Every scored episode that did not succeed.

    ``goals`` is the suite's measure of goal conditions, under the name its paper uses.
    """
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
                Cell(
                    record.episode_id,
                    link=episode_link(run.contents.path.name, record.episode_id),
                ),
            )
        )
        for run in family.runs
        for record in sorted(run.contents.episodes, key=in_order(run.manifest.task_ids))
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
        note="Transcripts are in the run's folder: transcripts/EPISODE.jsonl.",
    )


def unscored_table(family: Family) -> TableData | None:
    """Every planned episode that the service lost; None if there is none."""
    rows = [
        (item.task_id, run.mark, item.repeat, item.fault.replace("_", " "), item.voids)
        for run in family.runs
        for item in run.summary.unscored
    ]
    if not rows:
        return None
    headings = ("task", "run", "#repeat", "lost to", "#attempts")
    table = words_table("unscored", "Unscored: lost by the service", headings, rows)
    return replace(table, shown=_SHOWN)


def repeat_table(family: Family) -> TableData | None:
    """How much the repeats of a run agree."""
    rows = []
    for run in family.runs:
        if run.manifest.repeats < 2 or not run.summary.overall.n:
            continue
        found = summarize_repeats(BY_TASK.scores(run.contents))
        # The same interval as in the overview, to the last digit.
        rate = run.summary.overall
        overall = Cell(rate.rate, rate.low, rate.high, rate.n)
        numbers = (found.median, found.lowest, found.highest, found.agreement, found.task_share)
        rows.append(Row((Cell(run.name), Cell(len(found.repeats)), overall, *map(Cell, numbers))))
    if not rows:
        return None
    return TableData(
        id="repeatability",
        title="Agreement between repeats",
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
            "Two repeats agree: the chance that two repeats of a task have the same result."
            " Variance between tasks: the intraclass correlation; at 100 % each task always has the"
            " same result."
        ),
    )


def _met(record: EpisodeRecord) -> int:
    return sum(condition.met for condition in record.goal_conditions)


def in_order(task_ids: Sequence[str]) -> Callable[[EpisodeRecord], tuple[int, int]]:
    """A key that sorts episodes by the order of these tasks."""
    places = {task_id: place for place, task_id in enumerate(task_ids)}
    return lambda record: (places.get(record.task_id, len(places)), record.repeat)


# --- Success with lost episodes counted as failed, next to success over scored episodes

HEADING = "success, unscored as failed"


def with_unscored(table: TableData, family: Family) -> TableData:
    """Adds success with lost episodes counted as failed to a table of runs.

    Returns the table unchanged if no run lost an episode, or if it has no column of success.
    """
    names = [column.id for column in table.columns]
    if SUCCESS.heading not in names or not any(run.summary.unscored for run in family.runs):
        return table
    place = names.index(SUCCESS.heading) + 1
    found = {run.name: _rate(run) for run in family.runs}
    column = Column(HEADING, HEADING, Unit.PERCENT)
    note = (
        f"{HEADING[0].upper()}{HEADING[1:]}: over all finished episodes, and those that the"
        " service lost for good or still has to repeat."
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
    """A task without a scored episode counts as a cluster by itself."""
    scored = [record for record in run.contents.episodes if record.fault is None]
    lost = run.summary.unscored
    clusters = {record.task_id: record.cluster for record in run.contents.episodes}
    scores = [*(float(record.success) for record in scored), *(0.0 for _ in lost)]
    tasks = [*(record.task_id for record in scored), *(each.task_id for each in lost)]
    if not scores:
        return EMPTY
    low, high = rate_interval(scores, [clusters.get(task, task) for task in tasks], tasks)
    return Cell(sum(scores) / len(scores), low, high, len(scores))


# --- Model settings: what agents declared, and what publications state

ID = "inference"
_DIGEST = re.compile(r"\b(sha256:[0-9a-f]{12})[0-9a-f]{52}\b")


def inference_table(family: Family, design: ReportDesign) -> TableData | None:
    """A row for each agent with a model and each of its settings; None without any."""
    ours: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    suite = family.manifest.suite
    for run in family.runs:
        for item in run.manifest.declared:
            settings = _settings(item, suite)
            if item.get("model") and any(settings):
                ours.setdefault((agent_name(run.manifest), settings), []).append(run.mark)
    if not ours:
        return None
    rows = [_ours(name, settings, marks, family) for (name, settings), marks in ours.items()]
    rows += [
        Row(
            (Cell(each.agent), Cell(""), *(Cell(dict(each.settings).get(n)) for n in INFERENCE)),
            RowKind.PUBLISHED,
            each.source,
        )
        for each in design.agents
    ]
    columns = (Column("key", "agent"), Column("runs", "runs"), *(Column(n, n) for n in INFERENCE))
    return _without_empty_columns(
        TableData(
            id=ID,
            title="Model settings",
            columns=columns,
            rows=tuple(rows),
            note="As the agents declared them; for published agents, as the source states them."
            " Agents see images and answer in a schema only if settings and prompts ask for it.",
        )
    )


def _ours(name: str, settings: Sequence[str], marks: Sequence[str], family: Family) -> Row:
    runs = ", ".join(dict.fromkeys(marks)) if len(family.runs) > 1 else ""
    return Row((Cell(name), Cell(runs), *(Cell(_brief(value) or None) for value in settings)))


def _brief(value: str) -> str:
    """Shortens digests to 12 digits, because whole ones would squeeze the other columns."""
    return _DIGEST.sub(r"\1", value)


def _settings(declaration: Mapping[str, Any], suite: str) -> tuple[str, ...]:
    """The value of each of INFERENCE, empty where the agent declares none."""
    said = configured(declaration)
    return tuple(
        safe(next((str(said[name]) for name in _names(names, suite) if said.get(name)), ""))
        for names in INFERENCE.values()
    )


def _names(names: Sequence[str], suite: str) -> tuple[str, ...]:
    """The names to look up: an agent may declare prompts of several suites by suite."""
    return (*names, *(f"{name}.{suite}" for name in names))


def _without_empty_columns(table: TableData) -> TableData:
    """Leaves out the columns that are empty in every row."""
    kept = [
        place
        for place in range(len(table.columns))
        if place == 0 or any(row.cells[place].value for row in table.rows)
    ]
    return TableData(
        id=table.id,
        title=table.title,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(
            Row(tuple(row.cells[place] for place in kept), row.kind, row.source)
            for row in table.rows
        ),
        note=table.note,
    )
