"""Which tasks the subsets hold. They are drawn from names alone, so that a task whose file cannot
be read changes nothing for the others (spec: alfred.md sections 2 and 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from env_service.suites.alfred.dataset.splits import Entry
from env_service.suites.alfred.task import TaskType

HALF_SEED = 1
"""Of the stratified half. Which half the paper took is not known: this one is ours."""

SAMPLE_SEED, SAMPLE_PERCENT = 1, 30
"""LoTa-Bench's ``random_seed_for_eval_subset``, and the portion that the paper's logs are of
(spec section 2)."""

_LEFT_OUT = TaskType.TWO.value


def lota_tasks(folders: Sequence[str]) -> tuple[str, ...]:
    """Those that LoTa-Bench plays: not the tasks with two objects. A folder is "NAME/TRIAL"."""
    return tuple(folder for folder in folders if _LEFT_OUT not in folder)


def half_of(folders: Sequence[str], seed: int = HALF_SEED) -> frozenset[str]:
    """Half of some tasks, rounded down, with each task type's share: types in ALFRED's order
    (`TaskType`) get half of theirs rounded down, and the first with an odd number one more until
    the half is full. Each type's are drawn from its folders in alphabetical order."""
    generator = Random(seed)  # noqa: S311 - no secret
    strata = {kind: _of_type(folders, kind) for kind in TaskType}
    return frozenset(
        folder
        for kind, share in _shares(strata).items()
        for folder in generator.sample(strata[kind], share)
    )


def lota_sample(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The draw of LoTa-Bench's evaluation: 30 %, rounded down, of the annotations of its tasks, in
    the order in which they are drawn. The same as ``random.seed(1); random.sample(entries, n)``."""
    listed = [entry for entry in entries if _LEFT_OUT not in entry.name]
    number = len(listed) * SAMPLE_PERCENT // 100
    generator = Random(SAMPLE_SEED)  # noqa: S311 - no secret
    return tuple(generator.sample(listed, number))


def _of_type(folders: Sequence[str], kind: TaskType) -> list[str]:
    return sorted(folder for folder in folders if folder.startswith(f"{kind.value}-"))


def _shares(strata: Mapping[TaskType, Sequence[str]]) -> dict[TaskType, int]:
    shares = {kind: len(stratum) // 2 for kind, stratum in strata.items()}
    left = sum(map(len, strata.values())) // 2 - sum(shares.values())
    odd = [kind for kind, stratum in strata.items() if len(stratum) % 2]
    return {kind: share + (kind in odd[:left]) for kind, share in shares.items()}
