"""The inputs of this package's functions, checked once, with errors in words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Labels = Sequence[str] | Sequence[int] | NDArray[np.generic]


def read_numbers(values: ArrayLike, what: str) -> Floats:
    """A copy of ``values`` as float64 [N], N at least 1.

    Raises ValueError, naming ``what``, unless they are a list of finite numbers.
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: not a list of numbers ({error})") from error
    if numbers.ndim != 1:
        raise ValueError(f"{what}: one dimension is needed, not the shape {numbers.shape}")
    if not numbers.size:
        raise ValueError(f"{what}: empty, so there is nothing to estimate from")
    unusable = np.flatnonzero(~np.isfinite(numbers))
    if unusable.size:
        raise ValueError(f"{what}: entry {unusable[0]} is {numbers[unusable[0]]}")
    return numbers


def read_scores(values: ArrayLike, what: str) -> Floats:
    """The same for scores: each is a success (1), a failure (0) or a fraction between."""
    scores = read_numbers(values, what)
    outside = np.flatnonzero((scores < 0) | (scores > 1))
    if outside.size:
        raise ValueError(f"{what}: entry {outside[0]} is {scores[outside[0]]}, not within 0 … 1")
    return scores


def read_labels(labels: Labels, n: int, what: str) -> Codes:
    """The index of each label among the sorted distinct labels, from 0: intp [n].

    Raises ValueError, naming ``what``, unless there are ``n`` of them.
    """
    names = np.asarray(labels)
    if names.shape != (n,):
        raise ValueError(f"{what}: {n} labels are needed, one an entry, not {names.shape}")
    return np.unique(names, return_inverse=True)[1].astype(np.intp, copy=False)


def check_fraction(value: float, what: str) -> None:
    """Raises ValueError unless 0 < value < 1."""
    if not 0 < value < 1:
        raise ValueError(f"{what} {value} is not between 0 and 1")


# --- The episode that a score belongs to, for comparisons and repeats


@dataclass(frozen=True, slots=True)
class EpisodeIndex:
    """One run's scored episodes: four columns of one length, in any order.

    ``scores`` are 1, 0 or fractions between. ``clusters`` name what tasks share (a scene, a level),
    or the tasks themselves if they share nothing. Raises ValueError if the columns differ in length
    or are empty, a (task, repeat) occurs twice, or one task has two clusters.
    """

    tasks: Sequence[str]
    repeats: Sequence[int]
    scores: Sequence[float]
    clusters: Sequence[str]

    def __post_init__(self) -> None:
        """Checks the columns."""
        columns = (self.tasks, self.repeats, self.scores, self.clusters)
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1:
            raise ValueError(f"tasks, repeats, scores and clusters differ in length: {lengths}")
        read_scores(self.scores, "scores")
        seen: set[tuple[str, int]] = set()
        for episode in zip(self.tasks, self.repeats, strict=True):
            if episode in seen:
                raise ValueError(f"repeat {episode[1]} of task {episode[0]!r} comes twice")
            seen.add(episode)
        homes: dict[str, str] = {}
        for task, cluster in zip(self.tasks, self.clusters, strict=True):
            if homes.setdefault(task, cluster) != cluster:
                both = f"{homes[task]!r} and {cluster!r}"
                raise ValueError(f"task {task!r} is in two clusters, {both}")

    def by_episode(self) -> dict[tuple[str, int], float]:
        """The score of each (task, repeat)."""
        keys = zip(self.tasks, self.repeats, strict=True)
        return dict(zip(keys, map(float, self.scores), strict=True))

    def by_task(self) -> dict[str, Floats]:
        """The scores of each task, by repeat; tasks in alphabetical order."""
        found: dict[str, list[tuple[int, float]]] = {}
        for task, repeat, score in zip(self.tasks, self.repeats, self.scores, strict=True):
            found.setdefault(task, []).append((repeat, float(score)))
        return {task: np.array([s for _, s in sorted(found[task])]) for task in sorted(found)}

    def cluster_of(self) -> dict[str, str]:
        """The cluster of each task."""
        return dict(zip(self.tasks, self.clusters, strict=True))
