"""The distributions that intervals and tests need, without scipy."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_TERMS = 10_000
# Student's t with more degrees of freedom differs from the normal by less than 1e-6.
_NORMAL_FROM = 1e7


def normal_quantile(probability: float) -> float:
    """The standard normal's quantile, for 0 < probability < 1."""
    return NormalDist().inv_cdf(probability)


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's t, for 0 < probability < 1 and ``degrees`` > 0.

    The degrees of freedom may be fractional; ``math.inf`` is the normal distribution. Found
    by bisection to a relative 1e-12, from P(\\|T\\| > t) = I_{v/(v+t²)}(v/2, 1/2), equation
    26.5.27 of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), or from its
    complement, whichever is smaller, because a number near one has fewer significant digits.
    """
    if degrees > _NORMAL_FROM:
        return normal_quantile(probability)
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    centre, tails = 2 * probability - 1, 2 * (1 - probability)

    def is_below(t: float) -> bool:
        if centre < tails:
            return _t_centre(t, degrees) < centre
        return t_tails(t, degrees) > tails

    low, high = 0.0, 1.0
    while is_below(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if is_below(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def binomial_cdf(successes: int, n: int, probability: float) -> float:
    """P(X <= successes) for X binomial: equation 26.5.24 of the same handbook."""
    if successes < 0:
        return 0.0
    if successes >= n:
        return 1.0
    return incomplete_beta(1 - probability, n - successes, successes + 1)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for 0 <= x <= 1 and a, b > 0.

    By the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions,
    evaluated as in W. J. Lentz, "Generating Bessel functions in Mie scattering calculations
    using continued fractions", Applied Optics 15 (1976), 668-671.
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    return _beta(x, 1 - x, a, b)


def t_tails(t: float, degrees: float) -> float:
    """P(\\|T\\| > t) for Student's t, t >= 0; ``math.inf`` degrees are the normal distribution."""
    if degrees > _NORMAL_FROM:
        return math.erfc(t / math.sqrt(2))
    square = degrees + t * t
    return _beta(degrees / square, t * t / square, degrees / 2, 0.5)


def _t_centre(t: float, degrees: float) -> float:
    """P(\\|T\\| <= t), precise where t is small, as 1 - t_tails(t) is not."""
    square = degrees + t * t
    return _beta(t * t / square, degrees / square, 0.5, degrees / 2)


def _beta(x: float, y: float, a: float, b: float) -> float:
    """I_x(a, b) for y = 1 - x, which the caller may have more precisely than 1 - x would be."""
    if x <= 0 or y <= 0:
        return float(y <= 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(y, x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return front / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + …)), with the coefficients of DLMF 8.17.23."""
    value, upper, lower = 1.0, 1.0, 0.0
    for term in range(1, _MOST_TERMS):
        m = term // 2
        if term % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1 / _not_zero(1 + step * lower)
        upper = _not_zero(1 + step / upper)
        value *= upper * lower
        if abs(upper * lower - 1) < _PRECISION:
            break
    return value


def _not_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
