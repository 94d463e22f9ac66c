"""How a run's suite is found, which says what to report."""

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
    """Finds the design of a suite as a manifest names it.

    ``chosen`` is the suite that the user named. Code is never loaded because a run's folder
    says so: of others only built-in suites are, and the rest get the common design. Raises
    what ``load_named_suite`` raises for ``chosen``.
    """
    from env_service.results.report.run_report import Designed

    own = load_named_suite(chosen) if chosen else None

    def find(name: str) -> Designed:
        if own is not None and name in (chosen, own.name):
            return Designed(own.report, own)
        if name not in suite_names():
            reason = "The suite is not built in: name it with --suite to see its own tables."
            return Designed(COMMON_DESIGN, None, reason)
        try:
            suite = load_suite(name)
        except SuiteLoadError as error:
            return Designed(COMMON_DESIGN, None, f"Its own tables are missing: {error}.")
        return Designed(suite.report, suite)

    return find


def goals_of(manifest: Manifest) -> GoalsMet:
    """What the paper of a run's suite calls its figure of goal conditions."""
    return goals_in((manifest.suite, manifest.world, manifest.task_set))


def goals_in(*played: tuple[str, str, str]) -> GoalsMet:
    """What the papers of some (suite, world, task set) call their figure of goal conditions; our
    own name where they call it differently, or a suite is not built in or cannot be loaded."""
    found = {_goals(*each) for each in played}
    return found.pop() if len(found) == 1 else GOALS_MET


def _goals(suite: str, world: str, task_set: str) -> GoalsMet:
    if suite not in suite_names():
        return GOALS_MET
    try:
        return load_suite(suite).report.in_world(world).of_task_set(task_set).goals
    except SuiteLoadError:
        return GOALS_MET
