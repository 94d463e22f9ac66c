"""Probabilities that mean what they say, and what asking costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.chat.completion import Usage
from env_service.suites.actplan.judges.agreement import count_verdicts
from env_service.suites.actplan.judges.calibration import (
    Calibration,
    CalibrationError,
    brier,
    fit,
)
from env_service.suites.actplan.judges.model_judge import Prices


def overconfident(factor: float, count: int = 3000) -> tuple[list[float], list[bool]]:
    """Probabilities whose logits are so many times too far from 0, and labels."""
    rng = np.random.default_rng(1)
    true = rng.uniform(0.1, 0.9, count)
    labels = rng.random(count) < true
    said = 1 / (1 + np.exp(-factor * np.log(true / (1 - true))))
    return np.round(said, 2).tolist(), labels.tolist()


def test_an_overconfident_model_is_cooled() -> None:
    said, labels = overconfident(2.0)
    found = fit(said, labels)
    assert found.temperature == pytest.approx(2.0, rel=0.15)
    better = [found.probability(each) for each in said]
    assert brier(better, labels) < brier(said, labels)


def test_the_threshold_has_the_best_coefficient() -> None:
    said = [0.1] * 20 + [0.2] * 20 + [0.3] * 20
    labels = [False] * 40 + [True] * 20
    found = fit(said, labels)
    verdicts = [found.verdict(each) for each in said]
    assert count_verdicts(labels, verdicts).mcc == 1.0
    assert found.verdict(0.9)


def test_a_model_that_knows_nothing_keeps_the_middle() -> None:
    found = fit([0.5] * 40, [True, False] * 20)
    assert found.threshold == 0.5


def test_no_calibration_changes_nothing() -> None:
    assert Calibration().probability(0.3) == pytest.approx(0.3)
    assert [Calibration().verdict(each) for each in (0.49, 0.51)] == [False, True]
    assert math.isfinite(Calibration().probability(1.0))


@pytest.mark.parametrize("labels", [[], [True] * 40, [True] * 9 + [False] * 31])
def test_too_little_to_fit_on_is_told(labels: list[bool]) -> None:
    with pytest.raises(CalibrationError, match="10 plans of each label"):
        fit([0.5] * len(labels), labels)


def test_tokens_cost_what_the_prices_say() -> None:
    prices = Prices(read=2.0, written=10.0)
    assert prices.of(Usage(2, 1_000_000, 100_000, 2)) == pytest.approx(3.0)
    assert prices.of(Usage(2, 1_000_000, 100_000, 1)) is None
