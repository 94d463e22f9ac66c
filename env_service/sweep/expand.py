"""From a plan to its runs: agents × suites × every value of an option that has several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.sweep.plan import Override, Plan, PlanTable, RunOptionTable
from env_service.sweep.plan_text import Problem

MOST_RUNS = 10_000
"""The largest number of runs in a sweep."""

_OF_SUITE = (
    *("suite", "task-set", "tasks", "limit", "world", "condition", "set"),
    *("step-budget", "episode-budget"),
)
"""Options that decide what is played: their values make columns of the table."""
_REPEATED = "seed"
"""Runs that differ in this option alone are repeats: they share a cell of the table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of a plan.

    ``id`` is the same as long as names and varied values are. ``agent`` and ``suite`` are its row
    and column of the table. ``options`` are those of ``houseguest run``, ``lines`` where the plan
    gives each; ``agent_line`` and ``suite_line`` are those of its entries there.
    """

    id: str
    agent: str
    suite: str
    options: Mapping[str, Any]
    lines: Mapping[str, int]
    agent_line: int
    suite_line: int

    def matches(self, patterns: Sequence[str]) -> bool:
        """Whether a name or shell pattern names the run, its agent or its suite."""
        names = (self.id, self.agent, self.suite)
        return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def expand(plan: Plan, table: RunOptionTable) -> tuple[list[Entry], list[Problem]]:
    """The runs of a plan, the first seed of each before the second, and what is wrong with it."""
    found: list[tuple[int, Entry]] = []
    for agent in plan.agents:
        for suite in plan.suites:
            for each in _combined(plan, agent, suite, table):
                found.append(each)
                if len(found) > MOST_RUNS:
                    text = f"the plan has more than {MOST_RUNS} runs: split it"
                    return [], [Problem(0, text)]
    # An interrupted sweep then has whole passes rather than whole agents.
    found.sort(key=lambda each: each[0])
    entries = [entry for _, entry in found]
    problems = _check_overrides(plan)
    names = {entry.agent for entry in entries}
    if plan.baseline and entries and plan.baseline not in names:
        error = UnknownNameError("agent of this plan", plan.baseline, sorted(names))
        problems.append(Problem(plan.baseline_line, str(error)))
    if not entries and not problems and plan.agents and plan.suites:
        problems.append(Problem(0, "the overrides skip every run"))
    return entries, problems


def choose(entries: Sequence[Entry], only: Sequence[str], shard: tuple[int, int]) -> list[Entry]:
    """The entries that ``only`` names (empty: all), and of these part i of n, from 1.

    Raises UnknownNameError for a pattern that names nothing.
    """
    for pattern in only:
        if not any(entry.matches([pattern]) for entry in entries):
            names = dict.fromkeys(
                name for entry in entries for name in (entry.agent, entry.suite, entry.id)
            )
            raise UnknownNameError("run of this plan", pattern, names)
    chosen = [entry for entry in entries if not only or entry.matches(only)]
    part, parts = shard
    return chosen[part - 1 :: parts]


def _combined(
    plan: Plan, agent: PlanTable, suite: PlanTable, table: RunOptionTable
) -> Iterator[tuple[int, Entry]]:
    """Each run of an agent on a suite, with the position of its seed."""
    overrides = [each for each in plan.overrides if _applies(each, agent.name, suite.name)]
    if any(each.skip for each in overrides):
        return
    options: dict[str, Any] = {}
    lines: dict[str, int] = {}
    keys = table.keys(str(agent.options.get("agent", "")))
    for source in (plan.defaults, suite, agent, *(each.table for each in overrides)):
        for key, value in source.options.items():
            # Defaults may have options that only some of the agents take.
            if key not in keys:
                continue
            settings = options.get(key)
            if isinstance(settings, dict) and isinstance(value, dict):
                options[key] = {**settings, **value}
            else:
                options[key] = value
            lines[key] = source.lines[key]
    yield from _products(options, lines, agent, suite, table)


def _products(
    options: Mapping[str, Any],
    lines: Mapping[str, int],
    agent: PlanTable,
    suite: PlanTable,
    table: RunOptionTable,
) -> Iterator[tuple[int, Entry]]:
    axes = list(_axes(options, table))
    for values in product(*(axis for _, _, axis in axes)):
        chosen = dict(options)
        row, column, repeat, place = [agent.name], [suite.name], [], 0
        for (key, setting, axis), value in zip(axes, values, strict=True):
            if setting:
                chosen[key] = {**chosen[key], setting: value}
            else:
                chosen[key] = value
            word = f"{setting or key}={value}"
            if key == _REPEATED:
                repeat.append(word)
                place = axis.index(value)
            else:
                (column if key in _OF_SUITE else row).append(word)
        names = " ".join(row), " ".join(column)
        entry = "/".join([*names, *repeat])
        yield place, Entry(entry, *names, chosen, lines, agent.line, suite.line)


def _axes(
    options: Mapping[str, Any], table: RunOptionTable
) -> Iterator[tuple[str, str, list[Any]]]:
    """The options with several values: key, setting (of ``set``, else empty), values."""
    agent = str(options.get("agent", ""))
    for key, value in options.items():
        if isinstance(value, list) and not table.takes_list(key, agent):
            yield key, "", value
        elif isinstance(value, dict):
            for setting, values in value.items():
                if isinstance(values, list):
                    yield key, setting, values


def _applies(override: Override, agent: str, suite: str) -> bool:
    return all(
        not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
        for patterns, name in ((override.agents, agent), (override.suites, suite))
    )


def _check_overrides(plan: Plan) -> list[Problem]:
    """A pattern of an override that names nothing is a mistake."""
    problems = []
    for override in plan.overrides:
        for kind, patterns, tables in (
            ("agent", override.agents, plan.agents),
            ("suite", override.suites, plan.suites),
        ):
            names = [table.name for table in tables]
            for pattern in patterns:
                if names and not any(fnmatchcase(name, pattern) for name in names):
                    error = UnknownNameError(f"{kind} of this plan", pattern, names)
                    problems.append(Problem(override.table.line, str(error)))
    return problems
