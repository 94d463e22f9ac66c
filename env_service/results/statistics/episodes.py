"""Which episode a score belongs to: what comparisons and repeats are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from env_service.results.statistics.checks import Floats, read_scores


@dataclass(frozen=True, slots=True)
class Episodes:
    """One run's scored episodes: four columns of one length, in any order.

    ``scores`` are 1, 0 or fractions between; ``clusters`` name what tasks share (a scene, a
    level), and are the tasks themselves where they share nothing. Raises ValueError where the
    columns differ in length or are empty, a (task, repeat) comes twice, or one task has two
    clusters.
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
