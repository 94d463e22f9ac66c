"""Finds the report design of a run's suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from env_service.suites.registry import SuiteLoadError, load_suite, suite_names
from env_service.suites.reporting import COMMON_DESIGN, GOALS_MET, GoalsMet

if TYPE_CHECKING:
    from env_service.results.manifest import Manifest
    from env_service.results.report.run_report import Designed
    from env_service.suites.base import Suite


def design_finder(named: Mapping[str, Suite] | None = None) -> Callable[[str], Designed]:
    """Returns a function that finds the design of a suite by its name in a manifest.

    ``named`` are suites that the user chose, by that name. Other suites are loaded only if they are
    installed, and get the common design otherwise: a run folder cannot make this process import
    code.
    """
    from env_service.results.report.run_report import (  # noqa: PLC0415 - slow, and few need it
        Designed,
    )

    def find(name: str) -> Designed:
        if named and name in named:
            own = named[name]
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
