"""Repeats of the same tasks."""

from dataclasses import dataclass
from statistics import median

import numpy as np

from env_service.results.statistics.inputs import EpisodeIndex, Floats
from env_service.results.statistics.intervals import ClusterRate, cluster_rate


@dataclass(frozen=True, slots=True)
class RepeatSummary:
    """The results of several repeats.

    ``rates`` are those of each repeat, in order of ``repeats``; ``median``, ``lowest`` and
    ``highest`` are theirs, as papers report them (they say how far repeats differ, not how far
    other tasks would). ``overall`` is the rate over all episodes, by clusters of tasks.

    ``agreement`` is the chance that two repeats of a task have the same score: the mean over
    tasks of the share of equal pairs, J. L. Fleiss, "Measuring nominal scale agreement among
    many raters", Psychological Bulletin 76 (1971), 378-382. None where no task was repeated.

    ``task_share`` is the share of the scores' variance that lies between tasks: the intraclass
    correlation of ``intraclass_correlation``. None where that is undefined.
    """

    repeats: tuple[int, ...]
    rates: tuple[float, ...]
    median: float
    lowest: float
    highest: float
    overall: ClusterRate
    agreement: float | None
    task_share: float | None


def summarize_repeats(episodes: EpisodeIndex, confidence: float = 0.95) -> RepeatSummary:
    """The summary. Raises ValueError for a confidence outside 0 … 1."""
    by_repeat: dict[int, list[float]] = {}
    for repeat, score in zip(episodes.repeats, episodes.scores, strict=True):
        by_repeat.setdefault(repeat, []).append(float(score))
    repeats = tuple(sorted(by_repeat))
    rates = tuple(float(np.mean(by_repeat[repeat])) for repeat in repeats)
    tasks = list(episodes.by_task().values())
    return RepeatSummary(
        repeats=repeats,
        rates=rates,
        median=median(rates),
        lowest=min(rates),
        highest=max(rates),
        overall=cluster_rate(episodes.scores, episodes.clusters, confidence),
        agreement=_agreement(tasks),
        task_share=intraclass_correlation(tasks),
    )


def intraclass_correlation(tasks: list[Floats]) -> float | None:
    """The one-way intraclass correlation of scores, a list of each task's.

    ICC(1) of P. E. Shrout and J. L. Fleiss, "Intraclass correlations: uses in assessing rater
    reliability", Psychological Bulletin 86 (1979), 420-428; with the mean size of A. Donner, "A
    review of inference procedures for the intraclass correlation coefficient in the one-way
    random effects model", International Statistical Review 54 (1986), 67-82, where tasks have
    unequal numbers of repeats. 1: each task always has the same result; 0: tasks do not matter;
    slightly negative by chance. None with one task, without repeats, or where all scores are equal.
    """
    sizes = np.array([len(scores) for scores in tasks], dtype=np.float64)
    n, groups = float(sizes.sum()), len(tasks)
    if groups < 2 or n == groups:
        return None
    means = np.array([scores.mean() for scores in tasks])
    grand = float(np.sum(sizes * means)) / n
    between = float(np.sum(sizes * (means - grand) ** 2)) / (groups - 1)
    within = sum(float(np.sum((scores - scores.mean()) ** 2)) for scores in tasks) / (n - groups)
    size = (n - float(np.sum(sizes**2)) / n) / (groups - 1)
    total = between + (size - 1) * within
    # All scores equal, up to rounding of their mean.
    return (between - within) / total if total > 1e-20 else None


def pass_at_k(episodes: EpisodeIndex, k: int, confidence: float = 0.95) -> ClusterRate:
    """The chance that at least one of ``k`` attempts at a task succeeds, over tasks.

    A task with c successes in n attempts gives the unbiased estimate 1 - C(n-c, k) / C(n, k):
    M. Chen et al., "Evaluating large language models trained on code", arXiv:2107.03374
    (2021), section 2.1. Raises ValueError where k is less than 1, a task has fewer than k
    attempts, or a score is neither 0 nor 1.
    """
    return _over_tasks(episodes, k, confidence, any_success=True)


def pass_all_k(episodes: EpisodeIndex, k: int, confidence: float = 0.95) -> ClusterRate:
    """The chance that all of ``k`` attempts at a task succeed ("pass^k"), over tasks.

    The unbiased estimate is C(c, k) / C(n, k): S. Yao et al., "τ-bench: a benchmark for
    tool-agent-user interaction in real-world domains", arXiv:2406.12045 (2024), section 3.
    Raises ValueError as ``pass_at_k`` does.
    """
    return _over_tasks(episodes, k, confidence, any_success=False)


def _over_tasks(
    episodes: EpisodeIndex, k: int, confidence: float, *, any_success: bool
) -> ClusterRate:
    if k < 1:
        raise ValueError(f"k is {k}: at least 1 is needed")
    homes, scores, clusters = episodes.cluster_of(), [], []
    for task, results in episodes.by_task().items():
        if len(results) < k:
            raise ValueError(f"task {task!r} has {len(results)} scored repeats, k is {k}")
        if not np.isin(results, (0.0, 1.0)).all():
            raise ValueError(f"task {task!r} has scores that are neither 0 nor 1")
        successes = int(results.sum())
        if any_success:
            scores.append(1 - _share(len(results) - successes, len(results), k))
        else:
            scores.append(_share(successes, len(results), k))
        clusters.append(homes[task])
    return cluster_rate(scores, clusters, confidence)


def _share(some: int, n: int, k: int) -> float:
    """C(some, k) / C(n, k): that k of n, drawn without replacement, are all of ``some``."""
    share = 1.0
    for drawn in range(k):
        share *= max(0, some - drawn) / (n - drawn)
    return share


def _agreement(tasks: list[Floats]) -> float | None:
    shares = []
    for scores in tasks:
        n = len(scores)
        if n > 1:
            counts = np.unique(scores, return_counts=True)[1]
            shares.append(float(np.sum(counts * (counts - 1))) / (n * (n - 1)))
    return sum(shares) / len(shares) if shares else None
