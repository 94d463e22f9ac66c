"""Numbers that episodes were given after they were played, and what is told where none are."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from env_service.results.added import AddedScores
from env_service.results.report.episodes import Episodes
from env_service.results.report.model import Commands
from env_service.results.report.tables import TableData
from env_service.results.report.tabulate import tabulate
from env_service.results.report.told import NoFactsError
from env_service.suites.reporting import Afterwards, ReportDesign, Table


def tabulate_added(
    table: Table, after: Afterwards, design: ReportDesign, episodes: Episodes
) -> TableData | Commands | None:
    """A table of such numbers, and how they were made; where no run has any, why, and the command
    that makes them. Beside others a run without them has dashes.

    Raises NoFactsError where the task set has nothing for it.
    """
    task_set = episodes.family.manifest.task_set
    if not any(fnmatchcase(task_set, like) for like in after.task_sets):
        raise NoFactsError("The task set has nothing for it.")
    found = episodes.added(after.name)
    lacking = " ".join(_lacking(found, episodes))
    command = _command(after, found, episodes)
    if all(isinstance(each, str) for each in found):
        return Commands(table.title, (command,), lacking)
    shown = tabulate(table, design, episodes)
    if shown is None:
        return None
    missing = (lacking, f"Get them: `{command}`.") if lacking else ()
    notes = (*_made(found, episodes), *missing, shown.note)
    return replace(shown, note=" ".join(filter(None, notes)))


def _made(found: Sequence[AddedScores | str], episodes: Episodes) -> Iterator[str]:
    ways = [each.told if isinstance(each, AddedScores) else "" for each in found]
    different = list(filter(None, dict.fromkeys(ways)))
    for told in different:
        yield f"{_whose(ways, told, episodes)}{_sentence(told)}."
    if len(different) > 1:
        yield "These runs were not scored alike: do not compare them."


def _lacking(found: Sequence[AddedScores | str], episodes: Episodes) -> Iterator[str]:
    """Why there are no scores."""
    whys = [each if isinstance(each, str) else "" for each in found]
    for why in filter(None, dict.fromkeys(whys)):
        yield f"{_whose(whys, why, episodes)}{_sentence(why)}."


def _command(after: Afterwards, found: Sequence[AddedScores | str], episodes: Episodes) -> str:
    """What makes all scores that are lacking."""
    runs = zip(episodes.family.runs, found, strict=True)
    paths = (_typed(run.text.path) for run, each in runs if isinstance(each, str))
    return " ".join((after.command, *paths))


def _whose(texts: Sequence[str], text: str, episodes: Episodes) -> str:
    """The marks of the runs that it is said of; empty of the only one."""
    runs = episodes.family.runs
    marks = [run.mark for run, each in zip(runs, texts, strict=True) if each == text]
    return f"{', '.join(marks)}: " if len(runs) > 1 else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _typed(path: Path) -> str:
    """As it is typed where we are."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))
