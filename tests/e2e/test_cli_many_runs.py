"""Commands over many runs: patterns of paths, and comparisons across suites."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Ask
from tests.support.made_run import made_text, write_run


@pytest.fixture
def runs(place: Path) -> Path:
    """Two agents in two worlds, one of them with two seeds."""
    root = place / "runs"
    for agent, wins in (("base", 4), ("good", 10)):
        for seed, world in ((0, "light"), (1, "light"), (0, "heavy")):
            name = f"{agent}-{world}-{seed}"
            found = made_text(
                name,
                wins=lambda task, _, most=wins: task < most,
                agent=agent,
                seed=seed,
                world=world,
            )
            write_run(root, found)
    return root


@pytest.mark.usefixtures("runs")
def test_agents_are_compared_across_worlds_without_pooling_them(ask: Ask) -> None:
    out, _ = ask("compare", "runs", "--json")
    success, differences, _ = json.loads(out)["sections"][0]["tables"]
    (light,) = [name for name in success["rows"][0] if "light" in name]
    (heavy,) = [name for name in success["rows"][0] if "heavy" in name]
    by_agent = {row["agent"]: row for row in success["rows"]}
    assert (by_agent["good"][light]["value"], by_agent["good"][light]["n"]) == (0.5, 40)
    assert (by_agent["base"][heavy]["value"], by_agent["base"][heavy]["n"]) == (0.2, 20)
    assert [row["agent"] for row in differences["rows"]] == ["good", "good"]
    # 6 tasks of 6 in each world, and two tests.
    assert [row["p_holm"] for row in differences["rows"]] == pytest.approx([0.0625, 0.0625])


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("command", ["show", "report", "verify"])
def test_a_pattern_stands_for_the_runs_that_it_matches(ask: Ask, command: str) -> None:
    more = {"report": ["--format", "text"], "verify": ["--no-replay"]}.get(command, [])
    code = 1 if command == "verify" else 0  # Made-up runs have no transcripts.
    out, _ = ask(command, "runs/*-light-?", "--json", *more, code=code)
    assert "good-light-1" in out
    assert "heavy" not in out.replace("light, heavy", "")
    _, err = ask(command, "runs/nix*", *more, code=2)
    assert "matches no run" in err
