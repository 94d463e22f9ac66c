"""Finds defects in published files: in each definition, and between the two of an activity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from env_service.suites.actplan.overlay.circumstances import same_goal
from env_service.suites.actplan.overlay.corrections import mended
from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.finding import Check, Finding
from env_service.worlds.activity.bddl.lint import lint
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.reading import read_problem
from env_service.worlds.activity.bddl.writing import write_problem

_FILE = re.compile(r"problem(\d+)\.bddl")
_DOMAIN = re.compile(r"domain_")
_NORMAL, _COUNTERFACTUAL = "problem0.bddl", "problem1.bddl"
_UNREADABLE = "save it as text in UTF-8"


def definitions(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files among the paths, and all ``*.bddl`` in the folders among them but those that define
    domains, in order."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*.bddl")) if path.is_dir() else [path]
        found.extend(each for each in inside if each == path or not _DOMAIN.match(each.name))
    return tuple(dict.fromkeys(found))


def lint_files(files: Sequence[Path], *, corrected: bool = False) -> tuple[Finding, ...]:
    """What is wrong with definitions, file by file.

    A file "ACTIVITY/problemK.bddl" is also held to the name "ACTIVITY_K", and a counterfactual one
    to the normal one and to the descriptions beside it.

    Args:
        corrected: whether the overlay's corrections are made first; places in findings are then
            those in a text that is written anew, where a correction was made.

    Raises:
        OSError: a file cannot be read.
    """
    found: list[Finding] = []
    for path in files:
        found.extend(_lint_file(path, corrected=corrected))
        if path.name == _COUNTERFACTUAL:
            found.extend(_lint_pair(path))
    return tuple(found)


def _lint_file(path: Path, *, corrected: bool) -> tuple[Finding, ...]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is no text in UTF-8"
        return (Finding(Check.UNREADABLE, str(path), 0, 0, what, _UNREADABLE),)
    match = _FILE.fullmatch(path.name)
    if match is None:
        return lint(text, str(path))
    activity, number = path.parent.name, int(match[1])
    if corrected:
        text = _corrected(text, activity, number)
    return lint(text, str(path), f"{activity}_{number}")


def _corrected(text: str, activity: str, number: int) -> str:
    try:
        problem = read_problem(text, activity)
    except BddlError:
        return text
    changed = mended(problem, activity, number)
    return text if changed == problem else write_problem(changed)


def _lint_pair(path: Path) -> Iterator[Finding]:
    pair = _read(path.with_name(_NORMAL)), _read(path)
    if pair[0] is not None and pair[1] is not None:
        yield from _compare(pair[0], pair[1], str(path))
    texts = [_words(path.with_name(f"task_description_{number}.txt")) for number in (0, 1)]
    if not texts[1]:
        what, mend = "there is no description beside it", "describe it, or leave it unused"
        yield Finding(Check.NO_DESCRIPTION, str(path), 0, 0, what, mend)
    elif texts[0] == texts[1]:
        what = "its description is that of the normal task"
        mend = "tell what is different"
        yield Finding(Check.SAME_DESCRIPTION, str(path), 0, 0, what, mend)


def _compare(normal: Problem, counterfactual: Problem, source: str) -> Iterator[Finding]:
    if not same_goal(normal, counterfactual):
        return
    if set(normal.init) == set(counterfactual.init):
        what, mend = "it is defined as the normal task is", "define what is different"
        yield Finding(Check.SAME_DEFINITION, source, 0, 0, what, mend)
    else:
        what = "its goal is that of the normal task"
        mend = "ask for what the circumstance changes, or assert it"
        yield Finding(Check.SAME_GOAL, source, 0, 0, what, mend)


def _read(path: Path) -> Problem | None:
    try:
        return read_problem(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError, BddlError):
        return None


def _words(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return ()
