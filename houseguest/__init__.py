"""Evaluate agents and read results from Python.

    import houseguest as hg

    run = hg.evaluate(suite="babyai", agent="random", limit=12)
    print(run.success_rate, run.interval)
    hg.load("runs").episodes.to_pandas()

Importing this package is fast: each name imports what it needs when you first use it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

# The protocol's stubs, houseguest.agent and houseguest.control, are installed separately.
__path__ = extend_path(__path__, __name__)

if TYPE_CHECKING:
    from houseguest.environments import make
    from houseguest.episodes import Episode, Episodes, Step, Steps, render
    from houseguest.errors import HouseguestError, MissingPackageError, UsageError
    from houseguest.evaluation import evaluate, evaluate_async
    from houseguest.results import (
        Comparison,
        Report,
        ReportTable,
        Verification,
        compare,
        report,
        tables,
        verify,
    )
    from houseguest.runs import Run, Runs, load
    from houseguest.sweeps import Sweep, sweep, sweep_async

_PLACES = {
    "environments": ("make",),
    "episodes": ("Episode", "Episodes", "Step", "Steps", "render"),
    "errors": ("HouseguestError", "MissingPackageError", "UsageError"),
    "evaluation": ("evaluate", "evaluate_async"),
    "results": (
        "Comparison",
        "Report",
        "ReportTable",
        "Verification",
        "compare",
        "report",
        "tables",
        "verify",
    ),
    "runs": ("Run", "Runs", "load"),
    "sweeps": ("Sweep", "sweep", "sweep_async"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Comparison",
    "Episode",
    "Episodes",
    "HouseguestError",
    "MissingPackageError",
    "Report",
    "ReportTable",
    "Run",
    "Runs",
    "Step",
    "Steps",
    "Sweep",
    "UsageError",
    "Verification",
    "compare",
    "evaluate",
    "evaluate_async",
    "load",
    "make",
    "render",
    "report",
    "sweep",
    "sweep_async",
    "tables",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
