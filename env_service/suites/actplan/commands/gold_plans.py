"""Pairs a user's plans with the gold plans of their instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from env_service.cli.errors import Misuse

if TYPE_CHECKING:
    from env_service.suites.actplan.judges.plan_files import GivenPlan
    from env_service.suites.actplan.lcs.plan_pairs import GivenCases

_SHOWN = 5


def gold_cases(paths: Sequence[Path], name: str) -> GivenCases:
    """The cases of all plans in files and folders, a model each; ``name``: of the only one.

    Raises Misuse, and DataPackMissingError if the data pack has no gold plans.
    """
    from env_service.suites.actplan.lcs.plan_pairs import GivenCases, given_cases, load_instances

    check_name(paths, name)
    instances = load_instances()
    found = [
        given_cases(_read(path, name), model, instances)
        for path, model in zip(paths, _names(paths, name), strict=True)
    ]
    return GivenCases(
        tuple(case for each in found for case in each.cases),
        tuple(task for each in found for task in each.without),
    )


def check_name(paths: Sequence[Path], name: str) -> None:
    """One name is of one model. Raises Misuse."""
    if name and len(paths) != 1:
        raise Misuse("--name names the model of one PLANS; leave it out for several, or for none")


def no_gold(without: Sequence[str]) -> str:
    """Why nothing is compared."""
    more = " …" if len(without) > _SHOWN else ""
    return (
        f"none of these plans has a gold plan here: {', '.join(without[:_SHOWN])}{more}. Gold"
        " plans come with the data pack: houseguest data fetch actplan"
    )


def _names(paths: Sequence[Path], name: str) -> Sequence[str]:
    """What results call the models: the name that was given, else their files' names."""
    stems = [name or path.resolve().stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def _read(path: Path, name: str) -> Sequence[GivenPlan]:
    from env_service.datasets.pack import open_pack
    from env_service.suites.actplan.dataset.published_files import PACK, load_problems
    from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans

    try:
        return read_plans(path, load_problems(open_pack(PACK)), name)
    except PlanFileError as error:
        raise Misuse(str(error), kind="PlanFileError") from error
