"""How small a difference a comparison can find."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from env_service.results.statistics.checks import check_fraction
from env_service.results.statistics.distributions import binomial_cdf, normal_quantile


@dataclass(frozen=True, slots=True)
class Aim:
    """A test's level, two-sided, and the chance with which a difference is to be found."""

    alpha: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        """Raises ValueError unless 0 < alpha < 1 and alpha < power < 1."""
        check_fraction(self.alpha, "alpha")
        check_fraction(self.power, "power")
        if self.power <= self.alpha:
            raise ValueError(f"power {self.power} is not above alpha {self.alpha}")


@dataclass(frozen=True, slots=True)
class Detectable:
    """The nearest rates below and above ``rate`` that are told from it; None: there is none."""

    rate: float
    below: float | None
    above: float | None


def detectable_rates(rate: float, n: int, other_n: int, aim: Aim | None = None) -> Detectable:
    """What two independent runs can tell apart, one with ``rate`` over ``n`` episodes.

    ``other_n`` are the other run's. The two-sided test of two rates with their pooled variance
    and no continuity correction, in the normal approximation of J. L. Fleiss, B. Levin and
    M. C. Paik, "Statistical Methods for Rates and Proportions" (3rd edition, 2003), chapter
    4. For clustered episodes take their effective number. Raises ValueError unless
    0 <= rate <= 1 and both numbers are at least 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate {rate} is not within 0 … 1")
    if n < 1 or other_n < 1:
        raise ValueError(f"{n} and {other_n} episodes: at least 1 each is needed")
    goal = aim or Aim()
    z = normal_quantile(1 - goal.alpha / 2)
    wanted = normal_quantile(goal.power)

    def found(other: float) -> bool:
        pooled = (n * rate + other_n * other) / (n + other_n)
        under_null = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
        spread = math.sqrt(rate * (1 - rate) / n + other * (1 - other) / other_n)
        return abs(other - rate) - z * under_null >= wanted * spread

    return Detectable(rate, _nearest(found, rate, 0.0), _nearest(found, rate, 1.0))


def detectable_difference(n: int, discordant: float, aim: Aim | None = None) -> float | None:
    """The smallest difference of two rates on the same ``n`` tasks that McNemar's test finds.

    ``discordant`` is the share of tasks that just one of the two runs solves, 0 < … <= 1. The
    power is exact: of ``mcnemar_p_value``, over all outcomes (``mcnemar_power``). None where
    even a difference as large as ``discordant`` is found too seldom. Raises ValueError as
    ``mcnemar_power`` does.
    """
    goal = aim or Aim()
    design = _Design(n, discordant, goal.alpha)
    return _nearest(lambda difference: design.power(difference) >= goal.power, 0.0, discordant)


def mcnemar_power(n: int, discordant: float, difference: float, alpha: float = 0.05) -> float:
    """The chance that the exact McNemar test rejects at level ``alpha``.

    Each of ``n`` independent tasks is solved by one run alone with a chance of ``discordant``,
    split so that the two rates differ by ``difference``: S. W. Duffy, "Asymptotic and exact
    power for the McNemar test and its analogue with R controls per case", Biometrics 40 (1984),
    1005-1015. Outcomes of a total chance below 1e-9 are left out. Raises ValueError unless
    n >= 1, 0 < discordant <= 1, 0 < alpha < 1 and -discordant <= difference <= discordant.
    """
    check_fraction(alpha, "alpha")
    design = _Design(n, discordant, alpha)
    if abs(difference) > discordant:
        raise ValueError(f"a difference of {difference} needs more than {discordant} discordant")
    return design.power(difference)


class _Design:
    """The counts of discordant pairs that come, their chances, and when the test rejects."""

    def __init__(self, n: int, discordant: float, alpha: float) -> None:
        if n < 1:
            raise ValueError(f"{n} tasks: at least 1 is needed")
        if not 0 < discordant <= 1:
            raise ValueError(f"discordant {discordant} is not within 0 … 1, or is 0")
        self._discordant = discordant
        chances = list(_likely_counts(n, discordant))
        self._counts = [
            (count, chance, bound)
            for (count, chance), bound in zip(
                chances, _rejection_bounds([c for c, _ in chances], alpha), strict=True
            )
            if bound >= 0
        ]

    def power(self, difference: float) -> float:
        """The chance of a rejection."""
        better = (1 + difference / self._discordant) / 2
        return math.fsum(
            chance * (binomial_cdf(bound, count, better) + binomial_cdf(bound, count, 1 - better))
            for count, chance, bound in self._counts
        )


def _likely_counts(n: int, share: float) -> Iterator[tuple[int, float]]:
    """The numbers of discordant pairs with their binomial chances, but for the far tails."""
    if share == 1:
        yield n, 1.0
        return
    reach = 7 * math.sqrt(n * share * (1 - share)) + 10
    for count in range(max(0, int(n * share - reach)), min(n, int(n * share + reach)) + 1):
        ways = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
        yield count, math.exp(ways + count * math.log(share) + (n - count) * math.log1p(-share))


def _rejection_bounds(counts: list[int], alpha: float) -> Iterator[int]:
    """The largest smaller count that rejects, for each of consecutive counts; -1: none."""
    bound = -1
    while binomial_cdf(bound + 1, counts[0], 0.5) <= alpha / 2:
        bound += 1
    for count in counts:
        # One pair more moves the bound by one at most.
        if binomial_cdf(bound + 1, count, 0.5) <= alpha / 2:
            bound += 1
        yield bound


def _nearest(found: Callable[[float], bool], start: float, end: float) -> float | None:
    """The value nearest to ``start`` that is found, on the way to ``end``, within 1e-6."""
    if start == end or not found(end):
        return None
    near, far = start, end
    while abs(far - near) > 1e-6:
        middle = (near + far) / 2
        near, far = (near, middle) if found(middle) else (middle, far)
    return far
