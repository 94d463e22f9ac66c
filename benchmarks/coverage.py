"""How often the 95 % intervals of ``env_service.results.statistics`` cover the truth.

Data are drawn from populations whose rate is known, and the share of intervals that enclose it
is counted. The grid was fixed before anything was measured; every cell of it is shown, those
outside 93 … 97 % with a star. ``python -m benchmarks.coverage`` takes a few minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from env_service.results.statistics import (
    Answers,
    Drawing,
    bootstrap_mean,
    cluster_difference,
    cluster_rate,
    matthews_interval,
    wilson_intervals,
)

SIZES = (40, 108, 250, 500)
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
CLUSTERS = (10, 20, 30)
CORRELATION = 0.1
REPEATS = 3

Floats = NDArray[np.float64]
Cell = Callable[[int, float], float]
"""The coverage, 0 … 1, at a size and a rate."""


@dataclass(frozen=True, slots=True)
class Lot:
    """How much is simulated: data sets a cell, and where the random numbers come from."""

    simulations: int
    generator: np.random.Generator


def main() -> None:
    """Prints every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=4000, help="data sets a cell")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    lot = Lot(options.simulations, np.random.default_rng(options.seed))
    show_grid("One rate, Wilson, exactly", wilson_cell)
    for groups in CLUSTERS:
        title = f"A rate in {groups} clusters"
        show_grid(f"{title}, cluster_rate", clustered_cell(groups, lot))
        show_grid(f"{title}, percentile bootstrap (not ours)", percentile_cell(groups, lot))
    title = "A rate in 10 clusters, correlation 0.3 (beyond the grid), cluster_rate"
    show_grid(title, clustered_cell(10, lot, 0.3))
    show_grid("A difference, independent tasks, cluster_difference", paired_cell(0, lot))
    for groups in CLUSTERS:
        title = f"A difference in {groups} clusters, cluster_difference"
        show_grid(title, paired_cell(groups, lot))
    title = f"A rate over {REPEATS} repeats of n tasks"
    show_grid(f"{title}, independent tasks, cluster_rate", repeats_cell(0, lot))
    show_grid(f"{title} in 20 clusters, cluster_rate", repeats_cell(20, lot))
    show_lines("A skewed mean, bootstrap_mean (and the percentile bootstrap)", skewed_lines(lot))
    show_lines("Matthews' correlation, matthews_interval", matthews_lines(lot))


def show_grid(title: str, cell: Cell) -> None:
    """Prints a table of sizes by rates, and a summary."""
    print(f"\n{title}\n\n| n | " + " | ".join(f"p = {rate}" for rate in RATES) + " |")
    print("| ---: |" + " ---: |" * len(RATES))
    found = []
    for n in SIZES:
        row = [round(100 * cell(n, rate), 1) for rate in RATES]
        found += row
        print(f"| {n} | " + " | ".join(map(percent, row)) + " |", flush=True)
    inside = sum(93 <= value <= 97 for value in found)
    print(f"\n{inside} of {len(found)} within 93 … 97 %; {min(found):.1f} … {max(found):.1f} %")


def show_lines(title: str, lines: Iterator[str]) -> None:
    """Prints a list."""
    print(f"\n{title}\n")
    for line in lines:
        print(line, flush=True)


def percent(value: float) -> str:
    """A coverage in per cent, with a star where it is not within 93 … 97."""
    return f"{value:.1f}" + ("" if 93 <= value <= 97 else " *")


def wilson_cell(n: int, rate: float) -> float:
    """The exact coverage: the binomial chances of the counts whose interval holds the rate."""
    counts = np.arange(n + 1)
    low, high = wilson_intervals(counts, np.full(n + 1, n))
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - counts[:-1]) / (counts[:-1] + 1)))])
    chances = np.exp(ways + counts * np.log(rate) + (n - counts) * np.log1p(-rate))
    return float(chances[(low <= rate) & (rate <= high)].sum())


def clustered_cell(groups: int, lot: Lot, correlation: float = CORRELATION) -> Cell:
    """Successes of episodes in clusters of uneven size, whose rates are beta distributed."""

    def cell(n: int, rate: float) -> float:
        homes = draw_homes(n, groups, lot)
        hits = 0
        for _ in range(lot.simulations):
            own = draw_rates(groups, rate, correlation, lot)
            success = lot.generator.random(n) < own[homes]
            found = cluster_rate(success, homes)
            hits += found.low <= rate <= found.high
        return hits / lot.simulations

    return cell


def percentile_cell(groups: int, lot: Lot, replicates: int = 999) -> Cell:
    """The same data, and the quantiles of the mean over draws of whole clusters."""

    def cell(n: int, rate: float) -> float:
        sizes = np.bincount(draw_homes(n, groups, lot)).astype(np.float64)
        drawn = lot.generator.multinomial(groups, [1 / groups] * groups, replicates).astype(float)
        hits = 0
        for _ in range(lot.simulations):
            own = draw_rates(groups, rate, CORRELATION, lot)
            sums = lot.generator.binomial(sizes.astype(int), own)
            low, high = np.quantile((drawn @ sums) / (drawn @ sizes), [0.025, 0.975])
            hits += low <= rate <= high
        return hits / lot.simulations

    return cell


def paired_cell(groups: int, lot: Lot) -> Cell:
    """Two runs: the first's rate is p, the second's is 0.1 more, or less where p is over 0.5.

    A task succeeds if a normal sum is below a threshold: what the task is worth to both
    runs (0.4 of the variance), the cluster to both (0.05) and to each (0.1), and chance.
    """
    shared, own = (0.05, 0.1) if groups else (0.0, 0.0)

    def cell(n: int, rate: float) -> float:
        other = rate + 0.1 if rate <= 0.5 else rate - 0.1
        homes = draw_homes(n, groups, lot) if groups else np.arange(n)
        normal = lot.generator.standard_normal
        hits = 0
        for _ in range(lot.simulations):
            common = shared**0.5 * normal(homes.max() + 1)[homes] + 0.4**0.5 * normal(n)
            runs = []
            for target in (rate, other):
                cluster = own**0.5 * normal(homes.max() + 1)[homes]
                chance = (0.6 - shared - own) ** 0.5 * normal(n)
                runs.append(common + cluster + chance < NormalDist().inv_cdf(target))
            found = cluster_difference(runs[0], runs[1], homes)
            hits += found.low <= other - rate <= found.high
        return hits / lot.simulations

    return cell


def repeats_cell(groups: int, lot: Lot) -> Cell:
    """Every task is played several times. Half of the variance is the task's (and 0.1 of all
    the cluster's, where there are any)."""
    cluster_share = 0.1 if groups else 0.0

    def cell(n: int, rate: float) -> float:
        homes = draw_homes(n, groups, lot) if groups else np.arange(n)
        labels = np.repeat(homes, REPEATS)
        normal = lot.generator.standard_normal
        threshold = NormalDist().inv_cdf(rate)
        hits = 0
        for _ in range(lot.simulations):
            cluster = cluster_share**0.5 * normal(homes.max() + 1)[homes]
            task = cluster + (0.5 - cluster_share) ** 0.5 * normal(n)
            success = np.repeat(task, REPEATS) + 0.5**0.5 * normal(n * REPEATS) < threshold
            found = cluster_rate(success, labels)
            hits += found.low <= rate <= found.high
        return hits / lot.simulations

    return cell


def skewed_lines(lot: Lot) -> Iterator[str]:
    """Lognormal values, with a tenth of the logarithms' variance between clusters."""
    simulations = max(1, lot.simulations // 2)
    plan = Drawing(replicates=999)
    normal = lot.generator.standard_normal
    for groups, n in ((5, 50), (10, 100), (20, 200), (30, 300), (108, 108)):
        for sigma in (0.5, 1.0):
            homes = draw_homes(n, groups, lot)
            truth = np.exp(sigma**2 / 2)
            hits = plain = 0
            for _ in range(simulations):
                deviation = CORRELATION**0.5 * normal(groups)[homes]
                values = np.exp(sigma * (deviation + (1 - CORRELATION) ** 0.5 * normal(n)))
                found = bootstrap_mean(values, homes, lot.generator, plan)
                assert found.low is not None
                assert found.high is not None
                hits += found.low <= truth <= found.high
                low, high = percentile_interval(values, homes, lot, plan.replicates)
                plain += low <= truth <= high
            ours, theirs = 100 * hits / simulations, 100 * plain / simulations
            setting = f"{groups} clusters, {n} values, sigma {sigma}"
            yield f"- {setting}: {percent(ours)} ({percent(theirs)})"


def percentile_interval(
    values: Floats, homes: NDArray[np.intp], lot: Lot, replicates: int
) -> tuple[float, float]:
    """The quantiles of the mean over draws of whole clusters."""
    groups = int(homes.max()) + 1
    drawn = lot.generator.multinomial(groups, [1 / groups] * groups, replicates)
    means = (drawn @ np.bincount(homes, weights=values)) / (drawn @ np.bincount(homes))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def matthews_lines(lot: Lot) -> Iterator[str]:
    """Answers as often given as true, of classes as unequal as named, with a known correlation.

    In clusters the chances of the cells are Dirichlet distributed.
    """
    simulations = max(1, lot.simulations // 4)
    plan = Drawing(replicates=999)
    for groups in (0, 20):
        for shares in ((0.2, 0.8), (0.5, 0.5), (0.25, 0.25, 0.5)):
            for n in (100, 402):
                row = []
                for mcc in (0.0, 0.3, 0.6, 0.9):
                    hits = 0
                    for _ in range(simulations):
                        given = draw_answers((n, groups), shares, mcc, lot)
                        found = matthews_interval(given, lot.generator, plan)
                        hits += found.low <= mcc <= found.high
                    row.append(percent(100 * hits / simulations))
                setting = f"{groups or 'no'} clusters, classes {shares}, n = {n}"
                yield f"- {setting}, MCC 0, 0.3, 0.6, 0.9: " + ", ".join(row)


def draw_answers(size: tuple[int, int], shares: Sequence[float], mcc: float, lot: Lot) -> Answers:
    """Answers whose chances mix independent ones, 1 - mcc, and right ones, mcc."""
    n, groups = size
    classes = len(shares)
    margin = np.array(shares)
    chances = ((1 - mcc) * np.outer(margin, margin) + mcc * np.diag(margin)).reshape(-1)
    homes = draw_homes(n, groups, lot) if groups else np.arange(n)
    spread = (1 - CORRELATION) / CORRELATION
    if groups:
        own = lot.generator.dirichlet(np.maximum(chances * spread, 1e-9), groups)
        reached = own.cumsum(axis=1)[homes]
    else:
        reached = np.broadcast_to(chances.cumsum(), (n, classes**2))
    cells = (lot.generator.random((n, 1)) > reached[:, :-1]).sum(axis=1)
    names = [str(label) for label in range(classes)]
    truth = [names[cell // classes] for cell in cells]
    answers = [names[cell % classes] for cell in cells]
    return Answers(truth, answers, homes, tuple(names))


def draw_homes(n: int, groups: int, lot: Lot) -> NDArray[np.intp]:
    """The cluster of each of n episodes: one each first, the others at random."""
    others = lot.generator.integers(0, groups, max(0, n - groups))
    return np.concatenate([np.arange(groups), others])[:n].astype(np.intp)


def draw_rates(groups: int, rate: float, correlation: float, lot: Lot) -> Floats:
    """A rate for each cluster, so that two episodes of one correlate as said."""
    spread = (1 - correlation) / correlation
    return lot.generator.beta(rate * spread, (1 - rate) * spread, groups)


if __name__ == "__main__":
    main()
