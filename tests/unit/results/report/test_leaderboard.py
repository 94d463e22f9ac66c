"""The leaderboard: hand-computed rates, tests and corrections; nothing pooled that differs."""

from __future__ import annotations

import pytest

from env_service.domain.usage import Usage
from env_service.results.report.comparison import compare_any
from env_service.results.report.designs import design_finder
from env_service.results.report.leaderboard import (
    Played,
    leaderboard_document,
    make_leaderboard,
    name_runs,
)
from env_service.results.report.runs import NotComparableError
from env_service.results.run_reader import RunContents
from env_service.results.statistics import rate_interval
from tests.support.made_run import made_text

AGENTS = (("base", 4), ("good", 10))


def run(agent: str, wins: int, *, seed: int = 0, world: str = "light") -> RunContents:
    """A run that solves the first tasks of 20."""
    return made_text(
        f"{agent}-{wins}-{seed}-{world}",
        wins=lambda task, _: task < wins,
        usage=Usage(calls=1, input_tokens=90, output_tokens=10, cost_usd=0.5),
        agent=agent,
        seed=seed,
        world=world,
    )


def two_suites() -> list[Played]:
    """``good`` against ``base``: 6 more of 20 tasks in one suite, 1 more in the other."""
    return [
        *(Played("base", "one", run("base", 4, seed=seed)) for seed in (0, 1)),
        *(Played("good", "one", run("good", 10, seed=seed)) for seed in (0, 1)),
        Played("base", "two", run("base", 2, world="heavy")),
        Played("good", "two", run("good", 3, world="heavy")),
    ]


def test_rates_and_intervals_are_over_seeds() -> None:
    board = make_leaderboard(two_suites(), "base")
    assert board.rows == ("good", "base")
    assert board.columns == ("one", "two")
    cell = board.rate("good", "one")
    assert (cell.value, cell.n) == (0.5, 40)
    scores = board.scores["good", "one"]
    assert cell.interval == rate_interval(scores.scores, scores.clusters, scores.tasks)
    assert board.rate("good", "two").value == pytest.approx(3 / 20)


def test_differences_are_paired_and_corrected_by_hand() -> None:
    first, second = make_leaderboard(two_suites(), "base").differences
    assert (first.agent, first.suite) == ("good", "one")
    assert first.found.difference.difference == pytest.approx(0.3)
    # 6 tasks of 6 in favour of one agent: twice 1/2 to the power of 6.
    assert first.found.p_value == pytest.approx(0.03125)
    assert second.found.p_value == 1.0
    assert [first.adjusted_p, second.adjusted_p] == pytest.approx([0.0625, 1.0])


def test_cost_is_summed_by_agent() -> None:
    document = leaderboard_document(two_suites(), "base")
    cost = document.sections[0].tables()[-1].to_json()["rows"]
    assert [(row["agent"], row["runs"], row["episodes"]) for row in cost] == [
        ("good", 3, 60),
        ("base", 3, 60),
    ]
    assert [row["tokens"] for row in cost] == [6000, 6000]
    assert [row["usd"] for row in cost] == pytest.approx([30.0, 30.0])


def test_the_first_table_has_means_cost_and_stars_after_the_correction() -> None:
    played = [
        *two_suites(),
        *(Played("best", "one", run("best", 16, seed=seed)) for seed in (0, 1)),
    ]
    table = leaderboard_document(played, "base").sections[0].tables()[0]
    rows = {row["agent"]: row for row in table.to_json()["rows"]}
    assert rows["good"]["mean"] == pytest.approx((0.5 + 0.15) / 2)
    assert rows["best"]["mean"] is None
    assert rows["base"]["usd"] == pytest.approx(30.0)
    # 12 tasks of 12 in favour: p = 2 ** -11, times 3 tests. 6 of 6: p = 2 ** -5, times 2.
    marks = {row.cells[0].value: row.cells[1].mark for row in table.rows}
    assert marks == {"best": "*", "good": "", "base": ""}
    assert "differs from base, p < 0.05" in table.note


def test_another_world_is_another_column_even_under_one_name() -> None:
    mixed = [Played("a", "lab", run("a", 5)), Played("b", "lab", run("b", 7, world="heavy"))]
    board = make_leaderboard(mixed, "a")
    assert board.columns == ("lab", "lab #2")
    assert board.rate("a", "lab #2").value is None
    assert board.differences == ()


def test_runs_without_a_plan_are_named_by_what_they_played() -> None:
    runs = [each.run for each in two_suites()]
    names = {(each.agent, each.suite) for each in name_runs(runs)}
    assert {agent for agent, _ in names} == {"base", "good"}
    assert {suite for _, suite in names} == {"LabSuite/lab in light", "LabSuite/lab in heavy"}


def test_runs_that_differ_in_the_seed_alone_are_pooled_and_compared_by_agent() -> None:
    seeds = [run(agent, wins, seed=seed) for agent, wins in AGENTS for seed in (0, 1, 2)]
    document = compare_any(seeds, design_finder())
    success, differences, *_ = document.to_json()["sections"][0]["tables"]
    assert [row["agent"] for row in success["rows"]] == ["good", "base"]
    assert [row["agent"] for row in differences["rows"]] == ["good"]
    pairs = compare_any(seeds, design_finder(), all_pairs=True).to_json()["pairs"]
    assert len(pairs) == 6 * 5 / 2
    # One run of each agent, and the seeds of one agent alone, are compared run by run.
    assert len(compare_any(seeds[2:4], design_finder()).to_json()["pairs"]) == 1
    assert len(compare_any(seeds[:3], design_finder()).to_json()["pairs"]) == 2


def test_missing_episodes_are_mentioned() -> None:
    whole = run("a", 5)
    part = RunContents(whole.path, whole.manifest, whole.episodes[:15], ())
    document = leaderboard_document([Played("a", "lab", part)], "")
    assert "5 of 20 episodes" in document.sections[0].notices[0].text
    empty = RunContents(whole.path, whole.manifest, (), ())
    with pytest.raises(NotComparableError):
        leaderboard_document([Played("a", "lab", empty)], "")
