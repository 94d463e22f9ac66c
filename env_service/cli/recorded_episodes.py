"""Episodes of a run that lies on disk: found by what a user calls them, with what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import Misuse

if TYPE_CHECKING:
    from env_service.domain.action import Action
    from env_service.results.reading import RunText
    from env_service.results.records import EpisodeRecord
    from env_service.suites.base import EpisodeOrder


@dataclass(frozen=True, slots=True)
class Said:
    """What an agent said in an episode, turn by turn, and what it thought beside its first
    words. ``head`` (hex) closes the transcript as it lies there now."""

    order: EpisodeOrder
    actions: tuple[Action, ...]
    thought: str
    head: str


def open_run(path: Path, suite: str, done: str) -> RunText:
    """The run of that folder. ``done``: what is done with its episodes, for errors.

    Raises Misuse where it is no run, or one of another suite.
    """
    from env_service.results.reading import is_run, read_run

    if not is_run(path):
        raise click.UsageError(f"{path} is no run's folder.")
    run = read_run(path)
    if run.manifest.suite != suite:
        raise Misuse(f"{path} is a run of {run.manifest.suite}: only {suite}'s are {done}.")
    return run


def find_episode(run: RunText, name: str, repeat: int) -> EpisodeRecord:
    """The scored episode of that id, or that repeat of the task of that id. Raises
    UnknownNameError."""
    from env_service.domain.names import UnknownNameError

    scored = [record for record in run.episodes if record.fault is None]
    for record in scored:
        if name == record.episode_id or (name == record.task_id and repeat == record.repeat):
            return record
    repeats = [str(record.repeat) for record in scored if record.task_id == name]
    if repeats:
        raise UnknownNameError(f"repeat of {name} in {run.path}", str(repeat), repeats)
    raise UnknownNameError(f"task in {run.path}", name, [record.task_id for record in scored])


def read_said(run: RunText, record: EpisodeRecord) -> Said:
    """What was said, from the episode's transcript. Raises Misuse where that cannot be read."""
    from env_service.results.envelope import read_action, read_order
    from env_service.results.fields import Fields, FormatError
    from env_service.results.layout import TRANSCRIPTS
    from env_service.results.transcript import read_transcript

    file = run.path / TRANSCRIPTS / f"{record.episode_id}.jsonl"
    try:
        text = read_transcript(file)
        lines = [line for _, line in text.lines]
        header = next(line for line in lines if line.get("kind") == "header")
        steps = [line for line in lines if line.get("kind") == "step"]
        actions = tuple(read_action(step["action"]) for step in steps)
        order = read_order(Fields(header["order"], "order"))
    except (OSError, FormatError, KeyError, StopIteration) as error:
        raise Misuse(f"{file} cannot be read: `houseguest verify {run.path}` says more.") from error
    return Said(order, actions, _thought(steps[0]) if steps else "", text.head)


def _thought(step: Mapping[str, Any]) -> str:
    trace = step.get("trace")
    return str(trace.get("thought", "")) if isinstance(trace, dict) else ""
