"""The problems that are tasks: those with a definition and a description (spec: actplan.md section
1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.datasets.pack import Pack
from env_service.suites.actplan.dataset.layout import (
    DESCRIPTIONS,
    PROBLEMS,
    SPLIT_FILE,
    description_file,
    problem_file,
    problem_id,
)
from env_service.suites.actplan.dataset.reading import PublishedError, damaged, read_text
from env_service.suites.actplan.dataset.splits import read_splits
from env_service.suites.actplan.task import Variant


@dataclass(frozen=True, slots=True)
class PublishedProblem:
    """One problem: ``problem`` is its BDDL as the file has it, ``description`` without blanks
    around it, ``split`` of its activity."""

    activity: str
    variant: Variant
    problem: str
    description: str
    split: str

    @property
    def id(self) -> str:
        """ "ACTIVITY/0"."""
        return problem_id(self.activity, self.variant)


def load_problems(pack: Pack) -> Mapping[str, PublishedProblem]:
    """All problems by id, activities in the order of their names, the normal variant first: 153.

    Raises:
        DataPackMissingError: a definition or a description is not here.
        DataPackCorruptError: a file is damaged, or an activity is in no split; names the file.
    """
    descriptions = pack.require([DESCRIPTIONS])
    pack.require([PROBLEMS])
    try:
        splits = read_splits(read_text(pack, SPLIT_FILE), SPLIT_FILE)
        found = [_load(pack, path, splits) for path in descriptions]
    except PublishedError as error:
        raise damaged(error) from error
    found.sort(key=lambda each: (each.activity, each.variant.number))
    return {each.id: each for each in found}


def _load(pack: Pack, path: str, splits: Mapping[str, str]) -> PublishedProblem:
    activity, file = path.split("/")[-2:]
    variant = next(each for each in Variant if description_file(activity, each).endswith(file))
    if activity not in splits:
        raise PublishedError(SPLIT_FILE, "", f"does not have activity {activity!r}")
    problem = read_text(pack, problem_file(activity, variant))
    return PublishedProblem(
        activity, variant, problem, read_text(pack, path).strip(), splits[activity]
    )
