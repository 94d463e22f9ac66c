"""What models used: added up, stored, and said."""

from __future__ import annotations

import json

import pytest

from env_service.domain.data_node import FormatError
from env_service.domain.usage import MOST, Usage, amount, dollars, spent_text, usage_text

ONE = Usage(calls=1, input_tokens=60, output_tokens=40, seconds=0.5, cost_usd=0.1)


def test_usage_adds_up_and_comes_back_from_a_file() -> None:
    total = Usage.total([ONE, ONE, ONE])
    assert (total.calls, total.tokens, total.seconds) == (3, 300, 1.5)
    assert Usage.from_json(json.loads(json.dumps(total.to_json()))).cost_usd == 0.3
    assert not Usage.total([])


def test_no_sum_outgrows_what_a_file_can_hold() -> None:
    most = Usage(calls=1, input_tokens=MOST)
    assert (most + most).input_tokens == MOST


def test_files_add_up_to_what_was_summed_in_play_however_large_the_claims() -> None:
    """Where they did not, a guest's claims would make its run's verification fail."""
    play, told = Usage(), []
    for number in range(60):
        calls = [ONE, Usage(calls=1, seconds=2e6 / (number + 3), cost_usd=1e6 / (number + 7))]
        step = Usage.total(calls)
        play += step
        told.append(json.loads(json.dumps(step.to_json())))
    assert Usage.total(map(Usage.from_json, told)).to_json() == play.to_json()


def test_a_file_without_a_number_is_refused() -> None:
    with pytest.raises(FormatError, match="cost_usd"):
        Usage.from_json({**ONE.to_json(), "cost_usd": "much"})


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0 k"),
        (45_123, "45 k"),
        (999_499, "999 k"),
        (999_600, "1.0 M"),
        (1_200_000, "1.2 M"),
        (3 * 10**9, "3.0 G"),
    ],
)
def test_an_amount(count: int, text: str) -> None:
    assert amount(count) == text


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (0.0, "$0.00"),
        (1e-7, "under $0.0001"),
        (0.0123, "$0.0123"),
        (0.01, "$0.01"),
        (0.43, "$0.43"),
    ],
)
def test_dollars(cost: float, text: str) -> None:
    assert dollars(cost) == text


def test_usage_in_a_line() -> None:
    usage = Usage(
        calls=1234,
        input_tokens=1_200_000,
        cached_input_tokens=960_000,
        output_tokens=45_000,
        cost_usd=0.43,
    )
    line = "1,234 calls, 1.2 M tokens in (80 % cached), 45 k out, $0.43"
    assert usage_text(usage) == line
    assert spent_text(usage) == "$0.43, 1.2 M tokens"


def test_what_was_not_told_is_not_said() -> None:
    assert usage_text(Usage(calls=1, images=1)) == "1 call, 1 picture"
    assert spent_text(Usage(calls=1)) == ""
