"""Finds runs and episodes by the names that a user gives on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.errors import Misuse

if TYPE_CHECKING:
    from env_service.domain.action import Action
    from env_service.results.records import EpisodeRecord
    from env_service.results.run_reader import RunContents
    from env_service.suites.base import EpisodeOrder


F = TypeVar("F", bound=Callable[..., Any])

RUNS = "RUN|RUNS_DIR..."
"""How ``--help`` shows the argument."""


def run_arguments(
    metavar: str = RUNS, *, default: Path | None = None, files: bool = False
) -> Callable[[F], F]:
    """Adds the runs; the command's parameter is ``paths: tuple[Path, ...]``, not empty.

    ``default`` is the path if none is given. ``files`` also accepts files. A pattern such as
    ``runs/*-seed-?`` that no shell has expanded stands for all the runs that it matches.
    """
    return click.argument(
        "paths",
        nargs=-1,
        required=default is None,
        default=None if default is None else (default,),
        metavar=metavar if default is None else f"[{metavar}]",
        type=_RunPath(exists=True, file_okay=files, path_type=Path),
        callback=lambda _context, _parameter, given: tuple(path for each in given for path in each),
    )


class _RunPath(click.Path):
    """A path, or a pattern of paths; gives a list of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path or paths. Fails for a pattern that matches nothing."""
        text = os.fspath(value)
        if not has_magic(text) or os.path.lexists(text):
            return [super().convert(value, param, ctx)]
        # The pattern may be absolute, which Path.glob does not accept.
        matched = map(Path, sorted(glob(text)))  # noqa: PTH207
        found = [each for each in matched if (self.file_okay and each.is_file()) or _has_runs(each)]
        if not found:
            self.fail(f"{text!r} matches no run.", param, ctx)
        convert = super().convert
        return [convert(path, param, ctx) for path in found]


def _has_runs(path: Path) -> bool:
    from env_service.results.run_reader import find_runs, is_run

    return path.is_dir() and (is_run(path) or bool(find_runs(path)))


def run_folders(paths: Sequence[Path]) -> list[Path]:
    """The run folders at these paths or directly below them, each once, named as given.

    Raises click.UsageError for a path without runs.
    """
    from env_service.results.run_reader import find_runs, is_run

    found: dict[Path, Path] = {}
    for path in paths:
        runs = [path] if is_run(path) else find_runs(path)
        if not runs:
            raise click.UsageError(f"{path} is not a run folder and contains none.")
        for run in runs:
            found.setdefault(run.resolve(), run)
    return list(found.values())


def is_one_run(paths: Sequence[Path]) -> bool:
    """Whether the paths name a single run, not several runs or a folder of runs."""
    from env_service.results.run_reader import is_run

    return len(paths) == 1 and is_run(paths[0])


# --- Recorded episodes, and what the agent said in them


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """What an agent said in an episode, turn by turn.

    ``head`` (hex) is the last hash of the transcript's chain when it was read.
    """

    order: EpisodeOrder
    actions: tuple[Action, ...]
    head: str


def open_run(path: Path, suite: str, done: str) -> RunContents:
    """Reads the run in a folder. ``done`` is what the command does to episodes, for the error.

    Raises Misuse if the folder is not a run, or is a run of another suite.
    """
    from env_service.results.run_reader import is_run, read_run

    if not is_run(path):
        raise click.UsageError(f"{path} is not a run folder.")
    run = read_run(path)
    if run.manifest.suite != suite:
        raise Misuse(f"{path} is a run of {run.manifest.suite}: only runs of {suite} are {done}.")
    return run


def find_episode(run: RunContents, name: str, repeat: int) -> EpisodeRecord:
    """Finds a scored episode by its id, or by its task's id and its repeat.

    Raises UnknownNameError.
    """
    from env_service.domain.names import UnknownNameError

    scored = [record for record in run.episodes if record.fault is None]
    for record in scored:
        if name == record.episode_id or (name == record.task_id and repeat == record.repeat):
            return record
    repeats = [str(record.repeat) for record in scored if record.task_id == name]
    if repeats:
        raise UnknownNameError(f"repeat of {name} in {run.path}", str(repeat), repeats)
    raise UnknownNameError(f"task in {run.path}", name, [record.task_id for record in scored])


def read_replies(run: RunContents, record: EpisodeRecord) -> RecordedReply:
    """Reads what the agent said from the episode's transcript. Raises Misuse if it cannot."""
    from env_service.domain.data_node import DataNode, FormatError
    from env_service.results.domain_json import read_action, read_order
    from env_service.results.run_layout import TRANSCRIPTS
    from env_service.results.transcript import read_transcript

    file = run.path / TRANSCRIPTS / f"{record.episode_id}.jsonl"
    try:
        text = read_transcript(file)
        lines = [line for _, line in text.lines]
        header = next(line for line in lines if line.get("kind") == "header")
        steps = [line for line in lines if line.get("kind") == "step"]
        actions = tuple(read_action(step["action"]) for step in steps)
        order = read_order(DataNode(header["order"], "order"))
    except (OSError, FormatError, KeyError, StopIteration) as error:
        raise Misuse(f"{file} cannot be read. Run `houseguest verify {run.path}`.") from error
    return RecordedReply(order, actions, text.head)
