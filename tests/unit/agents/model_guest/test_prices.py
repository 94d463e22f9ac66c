"""What calls cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from houseguest_model_client.completion import CallUsage
from model_guest.budget import SpendingAccount
from model_guest.options import SpendingBudget
from model_guest.prices import Price, Prices, PricesError, load_prices

USAGE = CallUsage(
    "m", input_tokens=1_000_000, output_tokens=500_000, cached_input_tokens=400_000, images=2
)


def test_cost() -> None:
    assert Price(2.0, 8.0, 0.5, 0.01).cost(USAGE) == pytest.approx(1.2 + 0.2 + 4.0 + 0.02)
    assert Price(2.0, 8.0).cost(USAGE) == pytest.approx(2.0 + 4.0)


def test_the_more_exact_pattern_goes_first() -> None:
    prices = Prices({"*": Price(1.0), "gpt-5*": Price(2.0), "gpt-5-mini": Price(3.0)})
    assert prices.find("GPT-5-mini") == Price(3.0)
    assert prices.find("gpt-5-nano") == Price(2.0)
    assert prices.find("other") == Price(1.0)
    assert Prices().find("other") is None


def test_a_cost_that_the_server_told_stands() -> None:
    prices = Prices({"m": Price(1.0)})
    told = CallUsage("m", input_tokens=10, cost_usd=0.5)
    assert prices.charge(told, "m").cost_usd == 0.5
    assert prices.charge(USAGE, "m").cost_usd == pytest.approx(1.0)
    assert prices.charge(USAGE, "n").cost_usd == 0.0


def test_load(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["gpt-5*"]\ninput = 1.25\noutput = 10\n', encoding="utf-8")
    assert load_prices(file).find("gpt-5") == Price(1.25, 10.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[m]\ninputs = 1", "unknown key 'inputs'"),
        ("[m]\ninput = -1", "number from 0"),
        ("m = 1", "table"),
        ("[", "cannot read"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PricesError, match=words) as caught:
        load_prices(file)
    assert "prices.toml" in str(caught.value)


def test_budgets() -> None:
    accounts = SpendingAccount(SpendingBudget(cost_usd=1.0, tokens=100))
    accounts.add([CallUsage("m", input_tokens=50, cost_usd=0.5)])
    assert accounts.spent == ""
    accounts.add([CallUsage("m", output_tokens=50)])
    assert "100 tokens of 100" in accounts.spent
    accounts.add([CallUsage("m", cost_usd=0.5)])
    assert "--max-cost" in accounts.spent


def test_calls_that_belong_to_no_step_are_told_once() -> None:
    accounts = SpendingAccount(SpendingBudget())
    accounts.hold([USAGE])
    assert accounts.calls == 1
    assert accounts.release() == [USAGE]
    assert accounts.release() == []
