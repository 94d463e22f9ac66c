"""Which suites there are, and how a process gets hold of one."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from env_service.domain.names import UnknownNameError
from env_service.suites.base import Suite

SUITES = {
    "actplan": "env_service.suites.actplan.suite:ActPlanSuite",
    "alfred": "env_service.suites.alfred.suite:AlfredSuite",
    "asgard": "env_service.suites.asgard.suite:AsgardSuite",
    "babyai": "env_service.suites.babyai.suite:BabyAiSuite",
    "babybench": "env_service.suites.babybench.suite:BabyBenchSuite",
}
"""Built-in suites: name to ``module:class``. Imported only when asked for."""


class SuiteLoadError(ValueError):
    """A ``module:class`` path cannot be followed; the message says where it ends."""


def suite_path(name: str) -> str:
    """The ``module:class`` of a suite, given its name or such a path.

    Raises UnknownNameError for a name that is neither.
    """
    if ":" in name:
        return name
    if name not in SUITES:
        raise UnknownNameError("suite", name, SUITES)
    return SUITES[name]


def load_suite(name: str) -> Suite:
    """Makes the suite of that name, or of that ``module:class`` path.

    Raises UnknownNameError for an unknown name, SuiteLoadError for a path that leads nowhere.
    """
    module, _, attribute = suite_path(name).partition(":")
    try:
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise SuiteLoadError(f"suite {name!r} cannot be loaded: {error}") from error
    return cast(Suite, made())
