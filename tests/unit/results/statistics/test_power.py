"""The smallest differences that are found, against the tests that have to find them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.results.statistics import (
    Aim,
    detectable_difference,
    detectable_rates,
    mcnemar_p_value,
    mcnemar_power,
)
from tests.support.late import Late

stats = Late("scipy.stats")


def pooled_power(rate: float, other: float, n: int, other_n: int) -> float:
    """The exact power of the pooled two-sided test, over all pairs of counts."""
    x, y = np.arange(n + 1)[:, None], np.arange(other_n + 1)[None, :]
    pooled = (x + y) / (n + other_n)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    rejected = np.abs(x / n - y / other_n) > 1.959964 * error
    chances = stats.binom.pmf(x, n, rate) * stats.binom.pmf(y, other_n, other)
    return float(chances[rejected].sum())


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("n", "other_n"), [(108, 108), (250, 500)])
def test_independent_runs_are_told_apart_as_often_as_said(
    rate: float, n: int, other_n: int
) -> None:
    found = detectable_rates(rate, n, other_n)

    for other in (found.below, found.above):
        if other is not None:
            assert pooled_power(rate, other, n, other_n) == pytest.approx(0.8, abs=0.05)


def test_a_known_sample_size() -> None:
    """0.25 against 0.40 at 5 % and 80 % takes 152 episodes each, by the formula cited."""
    above = detectable_rates(0.25, 152, 152).above

    assert above == pytest.approx(0.40, abs=0.0005)


@given(st.floats(0, 1), st.integers(2, 2000), st.integers(2, 2000))
def test_what_is_found_lies_on_either_side_and_mirrors(rate: float, n: int, other_n: int) -> None:
    found, mirrored = detectable_rates(rate, n, other_n), detectable_rates(1 - rate, n, other_n)

    assert found.below is None or 0 <= found.below < rate
    assert found.above is None or rate < found.above <= 1
    if found.above is not None and mirrored.below is not None:
        assert 1 - mirrored.below == pytest.approx(found.above, abs=1e-5)


def test_more_episodes_find_less() -> None:
    gaps = [(detectable_rates(0.4, n, n).above or 1) - 0.4 for n in (20, 100, 500, 2500)]

    assert gaps == sorted(gaps, reverse=True)
    assert detectable_rates(0.99, 30, 30).above is None


@pytest.mark.parametrize(
    ("n", "discordant", "difference"), [(12, 0.5, 0.4), (20, 0.3, 0.1), (30, 0.4, -0.3), (9, 1, 1)]
)
def test_the_power_of_mcnemars_test_is_exact(n: int, discordant: float, difference: float) -> None:
    """Every table of counts, each with its chance and our own p-value."""
    one, other = (discordant + difference) / 2, (discordant - difference) / 2
    cells = stats.multinomial(n, [one, other, 1 - discordant])
    power = sum(
        cells.pmf([a, b, n - a - b])
        for a in range(n + 1)
        for b in range(n + 1 - a)
        if mcnemar_p_value(a, b) <= 0.05
    )

    assert mcnemar_power(n, discordant, difference) == pytest.approx(power, abs=1e-8)


@pytest.mark.parametrize(("n", "discordant"), [(108, 0.3), (250, 0.15), (500, 0.4)])
def test_paired_runs_are_told_apart_as_often_as_said(n: int, discordant: float) -> None:
    difference = detectable_difference(n, discordant)
    assert difference is not None
    chances = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]

    drawn = np.random.default_rng(0).multinomial(n, chances, size=4000)

    found = np.mean([mcnemar_p_value(a, b) <= 0.05 for a, b, _ in drawn.tolist()])
    assert found == pytest.approx(0.8, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.floats(0.02, 1))
def test_what_is_found_is_possible_and_strong_enough(n: int, discordant: float) -> None:
    difference = detectable_difference(n, discordant)

    if difference is None:
        assert mcnemar_power(n, discordant, discordant) < 0.8
    else:
        assert 0 < difference <= discordant
        assert mcnemar_power(n, discordant, difference) == pytest.approx(0.8, abs=1e-3) or (
            difference == discordant
        )


def test_few_tasks_find_nothing() -> None:
    assert detectable_difference(5, 1.0) is None
    assert mcnemar_power(5, 1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: detectable_rates(1.2, 10, 10), "rate 1.2"),
        (lambda: detectable_rates(0.2, 0, 10), "0 and 10 episodes"),
        (lambda: detectable_difference(0, 0.3), "0 tasks"),
        (lambda: detectable_difference(10, 0), "discordant 0"),
        (lambda: mcnemar_power(10, 0.2, 0.3), "a difference of 0.3 needs more than 0.2"),
        (lambda: mcnemar_power(10, 0.2, 0.1, 5), "alpha 5"),
        (lambda: Aim(power=0.01), "power 0.01 is not above alpha"),
    ],
)
def test_what_cannot_be_is_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()
