"""What happened in the episodes that did not succeed, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from env_service.domain.english import counted
from env_service.results.guest_failures import read_guest_failures
from env_service.results.happened import Happened, what_happened
from env_service.results.layout import LOGS, TRANSCRIPTS
from env_service.results.reading import RunText
from env_service.results.records import EpisodeRecord
from env_service.results.scoreboard import printable

MOST_TOLD = 20
"""Episodes that are told in full; of more the list and the transcripts remain."""


def failures_json(run: RunText, records: Sequence[EpisodeRecord]) -> list[dict[str, Any]]:
    """The records, each with what happened."""
    lost = list(read_guest_failures(run.path / LOGS))
    return [
        {**record.to_json(), "happened": what_happened(run.path, record, lost).to_json()}
        for record in records
    ]


def print_failures(console: Console, run: RunText, records: Sequence[EpisodeRecord]) -> None:
    """Prints what happened in the first MOST_TOLD of them, and where the rest can be read."""
    lost = list(read_guest_failures(run.path / LOGS))
    for record in records[:MOST_TOLD]:
        console.print()
        for line in _told(record, what_happened(run.path, record, lost)):
            console.print(printable(line), soft_wrap=True)
    console.print()
    if len(records) > MOST_TOLD:
        more = f"The first {MOST_TOLD} of {len(records)} are told; --json tells all."
        console.print(printable(more), soft_wrap=True)
    place = f"Every exchange: {run.path / TRANSCRIPTS}/EPISODE.jsonl"
    console.print(printable(place), soft_wrap=True)


def _told(record: EpisodeRecord, happened: Happened) -> Iterator[str]:
    ended = f"unscored: {record.fault}" if record.fault else record.failure
    repeat = f", repeat {record.repeat}" if record.repeat else ""
    steps = f"{record.steps} step{'' if record.steps == 1 else 's'}"
    yield f"{record.task_id}{repeat}: {ended} after {steps} ({record.episode_id})"
    if why := record.labels.get("explanation"):
        yield f"  why: {why}"
    if happened.instruction:
        yield f"  task: {happened.instruction}"
    if happened.open_goals:
        yield f"  still open: {'; '.join(happened.open_goals)}"
    yield from _actions(happened)
    if happened.last_words:
        yield f"  the agent's last words: {happened.last_words}"
    if happened.log_tail:
        yield "  the agent's process wrote at last:"
        yield from (f"    | {line}" for line in happened.log_tail)


def _actions(happened: Happened) -> Iterator[str]:
    if not happened.actions:
        yield "  the agent did nothing"
        return
    before = f", after {counted(happened.earlier, 'other')}" if happened.earlier else ""
    yield f"  last actions{before}:"
    yield from (f"    {action}" for action in happened.actions)
