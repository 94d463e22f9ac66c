"""What the index answers about runs, episodes and tasks, and how leaderboards keep apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.index.episode_queries import EpisodeFilter, EpisodeSort, Outcome
from env_service.index.reading import Page
from env_service.index.run_queries import RunFilter, RunSort
from env_service.index.store import FILE, Index
from env_service.results.run_reader import read_run
from env_service.results.summary import Rate
from tests.support.indexed import new_index
from tests.support.made_run import USED, made_text, with_condition, write_run
from tests.support.played_run import lab_manifest

MODEL = {"agent_name": "talker", "model": "m-7"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Nine runs: two agents with several seeds, and runs that differ in one thing each."""
    runs = tmp_path_factory.mktemp("runs")
    other = with_condition(lab_manifest(), feedback="detailed")
    for text in (
        made_text("a-0", repeats=2, agent="alpha", created="2026-01-01T00:00:00+00:00"),
        made_text("a-1", agent="alpha", seed=8, created="2026-02-01T00:00:00+00:00"),
        made_text("b-0", agent="beta", declared=(MODEL,), usage=USED, wins=lambda n, _r: n < 15),
        made_text("world", agent="alpha", world="dark"),
        made_text("rules", agent="alpha", suite_version="99"),
        made_text("tasks", agent="alpha", task_set_digest="f" * 64),
        made_text("few", agent="alpha", tasks=5),
        made_text("condition", agent="alpha", condition=other),
    ):
        write_run(runs, text)
    broken = made_text("stopped", agent="gamma%_")
    write_run(runs, broken, broken.episodes[:7])
    with new_index(runs, runs / FILE) as opened:
        assert opened.sync().runs == 9
        yield opened


def paths(index: Index, chosen: RunFilter) -> set[str]:
    with index.read() as read:
        return {run.path for run in read.runs(chosen).rows}


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (RunFilter(agents=["beta", "gamma%_"]), {"b-0", "stopped"}),
        (RunFilter(models=["m-7"]), {"b-0"}),
        (RunFilter(worlds=["dark"]), {"world"}),
        (RunFilter(statuses=["stopped"]), {"stopped"}),
        (RunFilter(search="TALK"), {"b-0"}),
        (RunFilter(search="%_"), {"stopped"}),
        (RunFilter(search="a-", agents=["alpha"]), {"a-0", "a-1"}),
        (RunFilter(created_from="2026-01", created_to="2026-02"), {"a-0"}),
        (RunFilter(created_from="2026-02"), {"a-1"}),
        (RunFilter(search="'; DROP TABLE runs --"), set()),
    ],
)
def test_runs_are_chosen(index: Index, chosen: RunFilter, expected: set[str]) -> None:
    assert paths(index, chosen) == expected


def test_runs_are_sorted_and_paged(index: Index) -> None:
    with index.read() as read:
        for sort in RunSort:
            both = [
                [run.path for run in read.runs(sort=sort, descending=way).rows]
                for way in (False, True)
            ]
            assert set(both[0]) == set(both[1])
            assert len(both[0]) == 9
        rates = [run.rate for run in read.runs(sort=RunSort.RATE).rows]
        assert rates == sorted(rates, key=lambda rate: -(rate or 0))
        assert read.runs(sort=RunSort.COST).rows[0].path == "b-0"
        pages = [
            read.runs(sort=RunSort.PATH, descending=False, page=Page(start, 4))
            for start in (0, 4, 8, 12)
        ]
    assert [len(page.rows) for page in pages] == [4, 4, 1, 0]
    assert {page.total for page in pages} == {9}
    found = [run.path for page in pages for run in page.rows]
    assert found == sorted(found)


def test_facets_count_the_runs(index: Index) -> None:
    with index.read() as read:
        facets = read.facets()
        assert facets.agents == {"alpha": 7, "beta": 1, "gamma%_": 1}
        assert next(iter(facets.agents)) == "alpha"
        assert facets.statuses == {"complete": 8, "stopped": 1}
        assert read.facets(RunFilter(agents=["beta"])).models == {"m-7": 1}


@pytest.mark.parametrize(
    "chosen",
    [
        EpisodeFilter(),
        EpisodeFilter(runs=["b-0", "a-1"], outcomes=[Outcome.FAILURE]),
        EpisodeFilter(failures=["gave_up"], labels=[("said", "no")]),
    ],
)
def test_each_value_of_episodes_chooses_as_many_as_it_counts(
    index: Index, chosen: EpisodeFilter
) -> None:
    with index.read() as read:
        facets = read.episode_facets(chosen)
        assert "gave_up" in facets.failures
        assert list(facets.labels) == ["said", "true"]
        # What faults ended has a failure too, and is none of the agent's.
        failed = replace(chosen, outcomes=[Outcome.FAILURE])
        for failure, count in facets.failures.items():
            assert read.episodes(replace(failed, failures=[failure])).total == count
        for group, count in facets.groups.items():
            assert read.episodes(replace(chosen, groups=[group])).total == count
        for name, values in facets.labels.items():
            others = [each for each in chosen.labels if each[0] != name]
            for value, count in values.items():
                labels = [*others, (name, value)]
                assert read.episodes(replace(chosen, labels=labels)).total == count


def test_groups_and_labels_have_the_rates_of_their_episodes(index: Index) -> None:
    run = read_run(index.folder / "a-0")
    with index.read() as read:
        groups, said = read.groups("a-0"), read.labels("a-0", "said")
        assert read.label_names("a-0") == ("said", "true")
        assert read.groups("no such run") == ()
    for group in groups:
        rate = Rate.of([record for record in run.episodes if record.group == group.name])
        assert (group.scored, group.successes, group.rate) == (rate.n, rate.successes, rate.rate)
        assert (group.low, group.high) == (rate.low, rate.high)
    assert {row.name: row.rate for row in said} == {"no": 0.0, "yes": 1.0}


@pytest.mark.parametrize(
    ("chosen", "total"),
    [
        (EpisodeFilter(), 40 + 20 * 6 + 5 + 7),
        (EpisodeFilter(runs=["a-0"]), 40),
        (EpisodeFilter(runs=["b-0"], outcomes=[Outcome.SUCCESS]), 15),
        (EpisodeFilter(runs=["b-0"], outcomes=[Outcome.FAILURE, Outcome.UNSCORED]), 5),
        (EpisodeFilter(runs=["b-0"], failures=["gave_up"]), 2),
        (EpisodeFilter(runs=["b-0"], labels=[("said", "yes"), ("true", "no")]), 5),
        (EpisodeFilter(runs=["b-0"], labels=[("said", "yes"), ("said", "no")]), 20),
        (EpisodeFilter(runs=["b-0"], steps_from=15), 5),
        (EpisodeFilter(runs=["b-0"], steps_from=5, steps_to=5), 3),
        (EpisodeFilter(tasks=["lab/3"]), 10),
        (EpisodeFilter(search="LAB/19"), 8),
        (EpisodeFilter(of_runs=RunFilter(agents=["beta"])), 20),
    ],
)
def test_episodes_are_chosen(index: Index, chosen: EpisodeFilter, total: int) -> None:
    with index.read() as read:
        found = read.episodes(chosen, page=Page(0, 1000))
    assert (found.total, len(found.rows)) == (total, total)


def test_episodes_are_sorted(index: Index) -> None:
    with index.read() as read:
        for sort in EpisodeSort:
            found = read.episodes(EpisodeFilter(runs=["b-0"]), sort=sort, page=Page(0, 5))
            assert (found.total, len(found.rows)) == (20, 5)
        longest = read.episodes(sort=EpisodeSort.STEPS, descending=True, page=Page(0, 1))
        assert longest.rows[0].steps == 21
        assert read.episode("b-0", "ep-3-0") is not None
        assert read.episode("b-0", "ep-99-0") is None


def test_the_hardest_tasks_come_first(index: Index) -> None:
    with index.read() as read:
        tasks = read.tasks(RunFilter(agents=["alpha"]), page=Page(0, 1000))
    assert [task.rate for task in tasks.rows] == sorted(task.rate for task in tasks.rows)
    same = [task for task in tasks.rows if task.task_id == "lab/0"]
    # One by other rules, one of another task set, one in another world.
    assert len(same) == 4
    assert {task.runs for task in same} == {1, 4}
    assert max(task.scored for task in same) == 5


def test_leaderboards_never_mix_what_cannot_be_compared(index: Index) -> None:
    with index.read() as read:
        boards = read.leaderboards()
    assert [len(board.standings) for board in boards] == [2, 1, 1, 1, 1, 1]
    first = boards[0]
    assert [standing.agent for standing in first.standings] == ["beta", "alpha"]
    beta, alpha = first.standings
    assert (beta.rate, beta.median, beta.best, beta.model) == (0.75, 0.75, 0.75, "m-7")
    assert beta.cost_usd == pytest.approx(0.2)
    assert alpha.cost_usd is None
    assert alpha.runs == ("a-0", "a-1")
    assert (len(alpha.rates), alpha.scored) == (3, 60)
    assert alpha.best == max(alpha.rates)
    records = [r for name in alpha.runs for r in read_run(index.folder / name).episodes]
    rate = Rate.of(records)
    assert (alpha.rate, alpha.low, alpha.high) == (rate.rate, rate.low, rate.high)


def test_mixtures_and_incomplete_runs_are_on_no_leaderboard(tmp_path: Path) -> None:
    versions = [{"agent_name": "x", "agent_version": str(number)} for number in range(2)]
    write_run(tmp_path, made_text("mixed", declared=tuple(versions)))
    part = made_text("part")
    write_run(tmp_path, part, part.episodes[:5])
    with new_index(tmp_path, tmp_path / FILE) as index:
        index.sync()
        with index.read() as read:
            assert read.leaderboards() == ()
            assert [run.path for run in read.runs(RunFilter(mixtures=False)).rows] == ["part"]
