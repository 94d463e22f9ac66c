"""The text of a plan: TOML or YAML, with the line of each key."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from env_service.storage.plain_files import read_plain_text

Place = tuple[str | int, ...]
"""Where a value is in a document: keys, and positions in lists."""

YAML_SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 2**20
_MAY_END = re.compile(r"""(\]|\}|\"{3}|'{3})\s*(#.*)?$""")
"""The end of a statement of several lines: of a list, a table or a text."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a plan: its line, from 1 (0: the file as a whole), and what to change."""

    line: int
    text: str


class PlanError(Exception):
    """A plan that cannot be used. ``problems`` are all that were found, by line."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=lambda each: (each.line, each.text)))
        lines = [_sentence(path, each) for each in self.problems]
        count = len(lines)
        if count > 1:
            lines.insert(0, f"{count} problems in {path}; nothing was started.")
        super().__init__("\n".join(lines))


def _sentence(path: Path, problem: Problem) -> str:
    place = f"{path}, line {problem.line}" if problem.line else str(path)
    return f"{place}: {problem.text}"


@dataclass(frozen=True, slots=True)
class PlanText:
    """A parsed plan. ``lines`` has the line of each table, list entry and key."""

    path: Path
    value: Mapping[str, Any]
    lines: Mapping[Place, int] = field(default_factory=dict)

    def line(self, *place: str | int) -> int:
        """The line of a value, or of the nearest table around it; 0 if neither has one."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)


def read_plan_text(path: Path) -> PlanText:
    """Reads a file: YAML if its name ends so, else TOML.

    Raises PlanError with the line of a syntax error, and OSError.
    """
    try:
        text = read_plain_text(path, _MOST_BYTES)
    except UnicodeDecodeError as error:
        problem = Problem(0, f"not UTF-8 at byte {error.start}: save it as UTF-8")
        raise PlanError(path, [problem]) from error
    if path.suffix.lower() in YAML_SUFFIXES:
        return _read_yaml(path, text)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        words = str(error)[: found.start()].rstrip() if found else str(error)
        raise PlanError(path, [Problem(int(found[1]) if found else 0, words)]) from error
    return PlanText(path, value, _toml_lines(text))


# --- TOML. The standard library's parser gives no lines, so each statement is parsed again alone


def _toml_lines(text: str) -> dict[Place, int]:
    """The line of each table and key of a valid document."""
    lines: dict[Place, int] = {}
    entries: Counter[Place] = Counter()
    table: Place = ()
    for first, statement in _statements(text):
        parsed = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _header(parsed, entries, several=statement.lstrip().startswith("[["))
            lines.setdefault(table, first)
        else:
            _add_keys(parsed, table, first, lines)
    return lines


def _statements(text: str) -> list[tuple[int, str]]:
    """Each statement with its first line."""
    found = []
    pending, first = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        several = bool(pending)
        first = first if several else number
        pending += line + "\n"
        if several and not _MAY_END.search(line):
            continue
        try:
            tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        if pending.strip():
            found.append((first, pending))
        pending = ""
    return found


def _header(parsed: Mapping[str, Any], entries: Counter[Place], *, several: bool) -> Place:
    """The place of the table that a header begins; counts the entries of lists of tables."""
    place: Place = ()
    inner: Any = parsed
    while isinstance(inner, dict) and inner:
        ((key, inner),) = inner.items()
        place = (*place, key)
        last = isinstance(inner, list)
        if last:
            (inner,) = inner
        if last and several and not inner:
            entries[place] += 1
        if entries[place]:
            place = (*place, entries[place] - 1)
    return place


def _add_keys(value: Any, place: Place, line: int, lines: dict[Place, int]) -> None:
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    for key, inner in pairs:
        lines.setdefault((*place, key), line)
        if isinstance(inner, dict | list):
            _add_keys(inner, (*place, key), line, lines)


# --- YAML


def _read_yaml(path: Path, text: str) -> PlanText:
    lines: dict[Place, int] = {}
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 0
                raise PlanError(path, [Problem(line, "aliases are not allowed")])
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        problems: list[Problem] = []
        if node is not None:
            _add_nodes(node, (), lines, problems)
        if problems:
            raise PlanError(path, problems)
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        words = " ".join(f"{getattr(error, 'problem', None) or error}".split())
        raise PlanError(path, [Problem(mark.line + 1 if mark else 0, words)]) from error
    if not isinstance(value, dict):
        raise PlanError(path, [Problem(1, "must be a mapping with keys such as agents and suites")])
    return PlanText(path, value, lines)


def _add_nodes(
    node: yaml.Node, place: Place, lines: dict[Place, int], problems: list[Problem]
) -> None:
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for number, inner in enumerate(node.value):
            _add_nodes(inner, (*place, number), lines, problems)
    elif isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key.value, str) or (*place, key.value) in lines:
                problems.append(Problem(line, f"the key {key.value!r:.60} is given twice"))
                continue
            lines[(*place, key.value)] = line
            _add_nodes(inner, (*place, key.value), lines, problems)
