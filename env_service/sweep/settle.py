"""Turns the entries of a plan into runs with an identity and a folder, and lists every problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from env_service.datasets.errors import DataPackError
from env_service.domain.names import UnknownNameError
from env_service.gateway.environment_service import RunRequest, planned_manifest
from env_service.results.manifest import Manifest, changed_parts, read_manifest
from env_service.results.run_folder import earlier_run
from env_service.results.run_layout import EPISODES
from env_service.suites.base import Suite
from env_service.suites.drafts import Draft, Selection, draft_run
from env_service.suites.registry import SuiteLoadError, load_suite
from env_service.suites.selection import (
    named_first,
    pick_task_set,
    pick_tasks,
    pick_world,
    settle_condition,
)
from env_service.sweep.expand import Entry
from env_service.sweep.plan import AskedRun, Endpoint, OptionError, Plan, RunOptionTable
from env_service.sweep.plan_text import Problem
from env_service.sweep.servers import check_models

_KEYS = (
    ("suite ", "suite"),
    ("task set", "task-set"),
    ("task or group", "tasks"),
    ("world", "world"),
    ("setting", "set"),
    ("value of setting", "set"),
    ("condition", "condition"),
)
"""The option that an unknown name is the value of, by how messages call the name."""


@dataclass(frozen=True, slots=True)
class SweepRun:
    """A run of a sweep. ``manifest`` is what it would begin with; ``asked`` are its options."""

    entry: Entry
    asked: AskedRun
    manifest: Manifest

    @property
    def request(self) -> RunRequest:
        """What the service is asked to play."""
        return self.asked.request

    @property
    def endpoint(self) -> Endpoint | None:
        """The model server that the agent calls."""
        return self.asked.endpoint

    @property
    def planned(self) -> int:
        """How many episodes the run has."""
        return len(self.manifest.episodes())

    def folder(self, out: Path) -> Path | None:
        """The run's folder; None if it was not started."""
        return earlier_run(out, self.manifest)


@dataclass(frozen=True, slots=True)
class Settled:
    """The runs of a plan, its problems, and why each server that does not answer fails."""

    runs: tuple[SweepRun, ...]
    problems: tuple[Problem, ...]
    away: Mapping[str, str]


def settle(plan: Plan, entries: Sequence[Entry], table: RunOptionTable) -> Settled:
    """Checks every entry against what is installed, and asks every model server once."""
    settler = _Settler(plan, table)
    asked = [(entry, settler.ask(entry)) for entry in entries]
    endpoints = {run.endpoint for _, run in asked if run is not None and run.endpoint is not None}
    wrong, away = check_models(sorted(endpoints, key=lambda each: (each.url, each.model)))
    runs = []
    for entry, run in asked:
        if run is None:
            continue
        if run.endpoint in wrong:
            settler.add(entry, wrong[run.endpoint], "model")
        elif (found := settler.settle(entry, run)) is not None:
            runs.append(found)
    return Settled(tuple(runs), tuple(settler.problems), away)


class _Settler:
    """Settles entries one by one; each selection of tasks once."""

    def __init__(self, plan: Plan, table: RunOptionTable) -> None:
        self.problems: list[Problem] = []
        self._plan, self._table = plan, table
        self._drafts: dict[str, Draft | Problem] = {}
        self._same: dict[str, Entry] = {}

    def add(self, entry: Entry, text: str, key: str = "") -> None:
        """Adds a problem, at the line of the option if the plan gives it."""
        line = entry.lines.get(key, entry.suite_line)
        self.problems.append(Problem(line, text))

    def ask(self, entry: Entry) -> AskedRun | None:
        """The entry as a run, if its options and its tasks can be used."""
        try:
            # Apart from the agent, so that a problem of each is found.
            selection = self._table.selection(entry.options)
        except OptionError as error:
            self.add(entry, str(error), error.key)
            selection = None
        drafted = selection is not None and self._draft(entry, selection) is not None
        try:
            run = self._table.asked(entry.options)
        except OptionError as error:
            self.add(entry, str(error), error.key or "agent")
            return None
        return run if drafted else None

    def settle(self, entry: Entry, run: AskedRun) -> SweepRun | None:
        """The run, unless another entry is the same or its folder belongs to another agent."""
        draft = self._draft(entry, run.request)
        if draft is None:
            return None
        manifest = planned_manifest(run.request, draft, run.step_budget)
        identity = manifest.plan_identity()
        if identity in self._same:
            self.problems.append(_twice(self._same[identity], entry))
            return None
        self._same[identity] = entry
        if changes := _edited(self._plan.out, manifest):
            self.add(entry, changes, "agent")
            return None
        return SweepRun(entry, run, manifest)

    def _draft(self, entry: Entry, request: RunRequest) -> Draft | None:
        """The tasks of a request, drawn once for all runs that play them."""
        selection = Selection(
            suite=request.suite,
            task_set=request.task_set,
            world=request.world,
            condition=dict(request.condition),
            tasks=tuple(request.tasks),
            limit=request.limit,
            repeats=request.repeats,
        )
        name = repr(selection)
        if name not in self._drafts:
            self._drafts[name] = self._drawn(entry, selection)
        found = self._drafts[name]
        return None if isinstance(found, Problem) else found

    def _drawn(self, entry: Entry, selection: Selection) -> Draft | Problem:
        try:
            return draft_run(selection).unpack()
        except _FOR_USERS as error:
            errors = [error, *_further(selection)]
        for each in errors:
            self.add(entry, str(each), _key_of(each))
        return self.problems[-1]


def _key_of(error: Exception) -> str:
    """The option that an error is about."""
    kind = f"{error.kind} " if isinstance(error, UnknownNameError) else ""
    if "nor task" in kind:
        return "tasks"
    return next((key for start, key in _KEYS if kind.startswith(start)), "suite")


_FOR_USERS = (UnknownNameError, DataPackError, SuiteLoadError, ValueError, OSError)
"""What a suite raises for a selection that it cannot play."""


def _further(selection: Selection) -> list[Exception]:
    """The errors in each setting, the world and the tasks, which a first error may hide."""
    errors: list[Exception] = []
    try:
        suite = load_suite(selection.suite)
    except _FOR_USERS:
        return errors
    for check in _checks(suite, selection):
        try:
            check()
        except _FOR_USERS as error:
            errors.append(error)
    return errors


def _checks(suite: Suite, selection: Selection) -> Iterator[Callable[[], object]]:
    """Each part of a selection alone; tasks without the settings, which may be wrong."""
    for given in (selection.condition, *({name: v} for name, v in selection.condition.items())):
        yield partial(settle_condition, suite, given)

    def tasks() -> object:
        usual = settle_condition(suite, {})
        return pick_tasks(suite, selection.task_set, selection.tasks, selection.limit, usual)

    def world() -> object:
        name, _ = named_first(suite, selection.task_set, selection.tasks)
        return pick_world(suite, pick_task_set(suite, name).name, selection.world)

    yield tasks
    yield world


def _twice(first: Entry, second: Entry) -> Problem:
    """Two entries that are one run: the line is that of the part in which they differ."""
    same_suite = first.suite_line == second.suite_line
    lines = [(each.agent_line if same_suite else each.suite_line) for each in (first, second)]
    return Problem(
        max(lines),
        f"{second.id!r} is the same run as {first.id!r} (line {min(lines)}): remove one of them",
    )


def _edited(out: Path, manifest: Manifest) -> str:
    """Why a run cannot resume its folder: its agent was edited since; empty if it can."""
    folder = earlier_run(out, manifest)
    if folder is None:
        return ""
    try:
        before = read_manifest(folder)
        begun = (folder / EPISODES).stat().st_size > 0
    except (OSError, ValueError):
        return ""
    if not begun or before.is_played_by(manifest):
        return ""
    now: dict[str, Any] = {"agent": manifest.agent, **manifest.agents[0]}
    changes = changed_parts({"agent": before.agent, **before.agents[-1]}, now)
    return (
        f"the agent changed since {folder} was played: {', '.join(changes)}. Choose another folder"
        " with --out, or move that run away"
    )
