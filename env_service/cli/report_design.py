"""Finds the report design of a run's suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from env_service.cli.task_selection import load_named_suite
from env_service.suites.registry import SuiteLoadError, load_suite, suite_names
from env_service.suites.reporting import COMMON_DESIGN, GOALS_MET, GoalsMet

if TYPE_CHECKING:
    from env_service.results.manifest import Manifest
    from env_service.results.report.run_report import Designed


def design_finder(chosen: str | None) -> Callable[[str], Designed]:
    """Returns a function that finds the design of a suite by its name in a manifest.

    ``chosen`` is the suite that the user named. Other suites are loaded only if they are installed,
    and get the common design otherwise: a run folder cannot make this process import code. Raises
    what ``load_named_suite`` raises for ``chosen``.
    """
    from env_service.results.report.run_report import Designed

    own = load_named_suite(chosen) if chosen else None

    def find(name: str) -> Designed:
        if own is not None and name in (chosen, own.name):
            return Designed(own.report, own)
        if name not in suite_names():
            reason = "The suite is not installed: name it with --suite to see its tables."
            return Designed(COMMON_DESIGN, None, reason)
        try:
            suite = load_suite(name)
        except SuiteLoadError as error:
            return Designed(COMMON_DESIGN, None, f"The suite's own tables are missing: {error}.")
        return Designed(suite.report, suite)

    return find


def goals_of(manifest: Manifest) -> GoalsMet:
    """The goal figure of the paper of a run's suite."""
    return goals_in((manifest.suite, manifest.world, manifest.task_set))


def goals_in(*played: tuple[str, str, str]) -> GoalsMet:
    """The goal figure of the papers of some (suite, world, task set).

    GOALS_MET if the papers have different figures, or if a suite is not installed or cannot be
    loaded.
    """
    found = {_goals(*each) for each in played}
    return found.pop() if len(found) == 1 else GOALS_MET


def _goals(suite: str, world: str, task_set: str) -> GoalsMet:
    if suite not in suite_names():
        return GOALS_MET
    try:
        return load_suite(suite).report.in_world(world).of_task_set(task_set).goals
    except SuiteLoadError:
        return GOALS_MET
