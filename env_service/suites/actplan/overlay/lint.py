"""Finds defects in published files: in each definition, and between the two of an activity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from env_service.suites.actplan.activity import MARK, assertions_in
from env_service.suites.actplan.overlay.understand import mended, same_goal
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.syntax import MAX_TEXT, BddlError
from env_service.worlds.activity.bddl.writer import write_problem
from env_service.worlds.activity.lint import lint
from env_service.worlds.activity.lint_findings import Check, Finding

_FILE = re.compile(r"problem(\d+)\.bddl")
_DOMAIN = re.compile(r"domain_")
_NORMAL, _COUNTERFACTUAL = "problem0.bddl", "problem1.bddl"
_MAX_BYTES = 4 * MAX_TEXT
"""As many as the longest text has in UTF-8."""
_ASSERTION = re.compile(r";\s*assertions?\s*:", re.IGNORECASE)
_FORM = f'write a line {MARK}{{"kind": "never", "text": "…", "first": {{"verbs": ["…"]}}}}'


def definitions(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The files among the paths, and all ``*.bddl`` in the folders among them but those that define
    domains, in order. Pipes and devices are taken where they are named themselves."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.bddl"))
            inside = [each for each in inside if each.is_file() or not each.exists()]
            found.extend(each for each in inside if not _DOMAIN.match(each.name))
        else:
            found.append(path)
    return tuple(dict.fromkeys(found))


def lint_files(files: Sequence[Path], *, corrected: bool = False) -> tuple[Finding, ...]:
    """What is wrong with definitions, file by file.

    A file "ACTIVITY/problemK.bddl" must also have the name "ACTIVITY_K", and a counterfactual one
    is compared with the normal one and with the descriptions next to it.

    Args:
        corrected: whether the overlay's corrections are made first; places in findings are then
            those in a text that is written anew, where a correction was made.
    """
    found: list[Finding] = []
    for path in files:
        found.extend(_lint_file(path, corrected=corrected))
        if path.name == _COUNTERFACTUAL:
            found.extend(_lint_pair(path))
    return tuple(found)


def lint_text(text: str, source: str, name: str = "") -> tuple[Finding, ...]:
    """What is wrong with a definition, and with the constraints that its comments state (see
    `builtin.assertions`).

    Args:
        source: what findings call it: the file's path.
        name: what the problem should be called; empty: anything.
    """
    return *lint(text, source, name), *_assertions(text, source)


def _assertions(text: str, source: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), 1):
        comment = _ASSERTION.search(line)
        if comment is None:
            continue
        try:
            if assertions_in(line):
                continue
            why = f'it is not on a separate line that begins with "{MARK.strip()} "'
        except ValueError as error:
            why = str(error)
        what = f"this comment states no assertion: {why}"
        place = number, comment.start() + 1
        yield Finding(Check.UNREADABLE_ASSERTION, source, *place, what, _FORM)


def _lint_file(path: Path, *, corrected: bool) -> tuple[Finding, ...]:
    text, fault = _text(path)
    if fault is not None:
        return (fault,)
    match = _FILE.fullmatch(path.name)
    if match is None:
        return lint_text(text, str(path))
    activity, number = path.parent.name, int(match[1])
    if corrected:
        text = _corrected(text, activity, number)
    return lint_text(text, str(path), f"{activity}_{number}")


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
        what, mend = "its description is missing", "describe it, or leave it unused"
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


def _text(path: Path) -> tuple[str, Finding | None]:
    """What a file holds, or why it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) <= _MAX_BYTES:
            return data.decode("utf-8-sig"), None
        what = f"it has more than {_MAX_BYTES} bytes"
        mend = "make sure that it is one activity's definition"
    except UnicodeDecodeError as error:
        what, mend = f"byte {error.start} is not UTF-8 text", "save it as UTF-8 text"
    except OSError as error:
        what, mend = f"it cannot be read: {error.strerror}", "see to it that it can be"
    return "", Finding(Check.UNREADABLE, str(path), 0, 0, what, mend)


def _read(path: Path) -> Problem | None:
    text, fault = _text(path)
    try:
        return read_problem(text, str(path)) if fault is None else None
    except BddlError:
        return None


def _words(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return ()
