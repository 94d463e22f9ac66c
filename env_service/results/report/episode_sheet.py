"""Every episode of a report's runs as one CSV file, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields

from env_service.results.reading import RunText
from env_service.results.records import EpisodeRecord
from env_service.results.report.listings import in_order
from env_service.results.report.runs import agent_name
from env_service.results.report.sheets import plain
from env_service.results.usage import Usage

FILE = "episodes.csv"

Value = str | float | None


def _open_at_start(record: EpisodeRecord) -> int | None:
    held = [each.held_at_start for each in record.goal_conditions]
    return None if None in held else held.count(False)


_RUN: Mapping[str, Callable[[RunText], Value]] = {
    "run": lambda text: text.path.name,
    "run_id": lambda text: text.manifest.run_id,
    "suite": lambda text: text.manifest.suite,
    "suite_version": lambda text: text.manifest.suite_version,
    "task_set": lambda text: text.manifest.task_set,
    "world": lambda text: text.manifest.world,
    "agent": lambda text: agent_name(text.manifest),
}
_EPISODE: Mapping[str, Callable[[EpisodeRecord], Value]] = {
    "episode_id": lambda record: record.episode_id,
    "task_id": lambda record: record.task_id,
    "group": lambda record: record.group,
    "cluster": lambda record: record.cluster,
    "repeat": lambda record: record.repeat,
    "seed": lambda record: record.seed,
    "unscored": lambda record: record.fault,
    "success": lambda record: None if record.fault else int(record.success),
    "failure": lambda record: record.failure,
    "goal_conditions_gained": lambda record: record.goals_gained,
    "goal_conditions_met": lambda record: sum(each.met for each in record.goal_conditions),
    "goal_conditions": lambda record: len(record.goal_conditions),
    "goal_conditions_open_at_start": _open_at_start,
    "steps": lambda record: record.steps,
    "agent_seconds": lambda record: record.agent_seconds,
    "environment_seconds": lambda record: record.environment_seconds,
    "session": lambda record: record.session,
    "guest": lambda record: record.guest,
    "exchanges": lambda record: record.exchanges,
    "transcript_head": lambda record: record.transcript_head,
}


def episodes_csv(texts: Iterable[RunText], label: str = "") -> str:
    """A row for each recorded episode, by run and then in playing order: ids, what came of it, and
    a column for each setting, usage, label and metric that any of them has.

    Numbers are not rounded, shares are fractions of 1, and what an episode lacks is empty. An
    episode that the service lost for good names the fault under ``unscored``. ``label`` stands
    in a column of its own. A text that a spreadsheet would take for a formula gets a ' in front.
    """
    rows = [
        _row(text, record)
        for text in texts
        for record in sorted(text.episodes, key=in_order(text.manifest.task_ids))
    ]
    first = [*_RUN, *_EPISODE]
    others = sorted({name for row in rows for name in row} - set(first), key=_place)
    names = [*first, *others, *(["label"] if label else [])]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([plain(name) for name in names])
    for row in rows:
        told = {**row, "label": label} if label else row
        writer.writerow([_written(told.get(name)) for name in names])
    return file.getvalue()


_PARTS = ("setting", "usage", "label", "metric")
"""What the columns behind the first ones begin with, in their order."""


def _place(name: str) -> tuple[int, str]:
    return _PARTS.index(name.partition(" ")[0]), name


def _row(text: RunText, record: EpisodeRecord) -> dict[str, Value]:
    usage = {each.name: getattr(record.usage, each.name) for each in fields(Usage)}
    return {
        **{name: read(text) for name, read in _RUN.items()},
        **{name: read(record) for name, read in _EPISODE.items()},
        **_named("setting", text.manifest.condition),
        **_named("usage", usage if record.usage else {}),
        **_named("label", record.labels),
        **_named("metric", record.metrics),
    }


def _named(part: str, values: Mapping[str, Value]) -> dict[str, Value]:
    return {f"{part} {name}": value for name, value in values.items()}


def _written(value: Value) -> Value:
    return plain(value) if isinstance(value, str) else value
