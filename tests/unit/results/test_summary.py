"""A summary's numbers, computed by hand."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from env_service.domain.data_node import FormatError
from env_service.domain.episode import GoalCondition
from env_service.domain.usage import Usage
from env_service.results.records import Cause, EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.statistics import wilson_interval
from env_service.results.summary import Summary, Unscored, Withdrawn, summarize
from env_service.results.summary_text import summary_text
from env_service.suites.reporting import GoalsMet
from tests.support.played_run import lab_manifest


def record(
    task: int,
    met: tuple[bool, ...],
    *,
    repeat: int = 0,
    group: str = "a",
    failure: str | None = "max_steps",
    fault: str | None = None,
) -> EpisodeRecord:
    success = bool(met) and all(met)
    return EpisodeRecord(
        episode_id=f"e{task}-{repeat}",
        task_id=f"lab/{task}",
        group=group,
        cluster="c",
        repeat=repeat,
        seed=0,
        success=success,
        failure=None if success else failure,
        goal_conditions=tuple(GoalCondition(str(i), m) for i, m in enumerate(met)),
        steps=10 * (task + 1),
        agent_seconds=1.5,
        environment_seconds=0.25,
        session="s",
        guest="g",
        transcript_head="",
        exchanges=0,
        fault=fault,
    )


def void(task: int, fault: str, *, collateral: bool = False, guest: str = "g") -> VoidRecord:
    return VoidRecord(
        episode_id=f"v{task}",
        task_id=f"lab/{task}",
        repeat=0,
        attempt=1,
        fault=fault,
        detail="",
        collateral=collateral,
        session="s",
        guest=guest,
    )


def test_a_run_of_six_planned_episodes() -> None:
    manifest = lab_manifest(tasks=6)
    records = [
        record(0, (True, True)),
        record(1, (True, False), group="b"),
        record(2, (False, False, False, True), failure="gave_up"),
    ]
    voids = [
        void(2, "simulator_crash"),
        void(3, "simulator_crash"),
        void(3, "simulator_hang"),
        void(4, "service_fault", collateral=True, guest="h"),
    ]

    summary = summarize(manifest, records, voids, [])

    assert (summary.planned, summary.complete) == (6, False)
    assert (summary.overall.n, summary.overall.successes) == (3, 1)
    assert summary.overall.rate == pytest.approx(1 / 3)
    assert (summary.overall.low, summary.overall.high) == wilson_interval(1, 3)
    assert summary.overall.goal_conditions == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    assert {name: (rate.successes, rate.n) for name, rate in summary.groups.items()} == {
        "a": (1, 2),
        "b": (0, 1),
    }
    assert summary.groups["a"].goal_conditions == pytest.approx((1 + 1 / 4) / 2)
    assert summary.failures == {"gave_up": 1, "max_steps": 1}
    assert summary.unscored == (
        Unscored("lab/3", 0, 2, "simulator_hang"),
        Unscored("lab/4", 0, 1, "service_fault"),
    )
    assert summary.unplayed == 1
    assert summary.voids == {"g": 3}
    assert summary.steps_mean == 20
    assert (summary.agent_seconds, summary.environment_seconds) == (4.5, 0.75)
    assert summary.repeats == ()


def test_a_task_given_up_for_faults_counts_nowhere() -> None:
    records = [record(0, (True,)), record(1, (), fault="data_fault", failure=None)]

    summary = summarize(lab_manifest(tasks=2), records, [], [])

    assert (summary.overall.n, summary.overall.rate) == (1, 1.0)
    assert summary.unscored == (Unscored("lab/1", 0, 0, "data_fault"),)
    assert (summary.unplayed, summary.failures) == (0, {})


def test_repeats_have_a_rate_each_and_a_median() -> None:
    records = [
        *(record(task, (True,), repeat=0) for task in range(4)),
        *(record(task, (task < 1,), repeat=1) for task in range(4)),
        *(record(task, (task < 2,), repeat=2) for task in range(4)),
    ]

    summary = summarize(lab_manifest(tasks=4, repeats=3), records, [], [])

    assert [rate.rate for rate in summary.repeats] == [1.0, 0.25, 0.5]
    assert summary.median_rate == 0.5
    assert summary.complete


def test_nothing_played_has_no_rate() -> None:
    summary = summarize(lab_manifest(), [], [], [])

    assert summary.to_json()["overall"] == {
        "n": 0,
        "successes": 0,
        "success_rate": None,
        "interval_95": None,
        "goal_condition_rate": None,
    }
    assert (summary.steps_mean, summary.unplayed) == (None, 4)


def test_an_episode_without_goal_conditions_counts_by_its_success() -> None:
    summary = summarize(lab_manifest(), [record(0, ())], [], [])

    assert summary.overall.goal_conditions == 0.0


def test_usage_is_told_apart_by_whether_it_counted() -> None:
    manifest = lab_manifest(tasks=3)
    one = Usage(calls=1, cost_usd=0.25)
    records = [
        replace(record(0, (True,)), usage=one),
        replace(record(1, (), fault="data_fault", failure=None), usage=one),
    ]
    voids = [replace(void(2, "service_fault"), usage=one)]
    left = [
        uncounted(Cause.WITHDRAWN, steps=2, usage=one),
        uncounted(Cause.WITHDRAWN, usage=one),
        uncounted(Cause.CLOSED, steps=5, usage=one),
    ]

    summary = summarize(manifest, records, voids, left)

    assert summary.usage == one
    assert (summary.uncounted_usage.calls, summary.uncounted_usage.cost_usd) == (5, 1.25)
    assert summary.withdrawn == {"g": Withdrawn(episodes=2, acted=1)}
    board = Console(file=io.StringIO(), width=120)
    board.print(summary_text(summary, manifest))
    text = board.file.getvalue()  # type: ignore[attr-defined]
    assert "model                   1 call, $0.25" in text
    assert "model, uncounted        5 calls, $1.25" in text
    assert "withdrawn by g: 2 episodes (1 after the agent had acted)" in text


def uncounted(cause: Cause, *, steps: int = 0, usage: Usage) -> UncountedRecord:
    return UncountedRecord(
        cause=cause, session="s", guest="g", episode_id="e", steps=steps, usage=usage
    )


def test_a_run_without_a_model_says_nothing_of_one() -> None:
    told = summarize(lab_manifest(), [record(0, (True,))], [], []).to_json()

    assert not {"usage", "uncounted_usage", "withdrawn"} & told.keys()


def started(task: int, *ends: tuple[bool, bool]) -> EpisodeRecord:
    """An episode whose goal conditions (held at the start, hold at the end)."""
    conditions = tuple(
        GoalCondition(str(i), met, held_at_start=held) for i, (held, met) in enumerate(ends)
    )
    success = all(met for _, met in ends)
    return replace(
        record(task, (True,)),
        goal_conditions=conditions,
        success=success,
        failure=None if success else "max_steps",
    )


def test_what_held_from_the_start_is_no_gain_and_what_was_lost_counts() -> None:
    records = [
        started(0, (True, True), (True, True), (True, True), (False, False)),
        started(1, (True, True), (False, True), (False, False)),
        started(2, (True, False), (True, True), (False, False)),
        started(3, (True, True)),
    ]

    summary = summarize(lab_manifest(tasks=4), records, [], [])

    # Of the last one nothing was open at the start: it tells nothing of gains.
    assert summary.overall.goals_gained == pytest.approx((0 + 1 / 2 - 1 / 2) / 3)
    assert summary.overall.goal_conditions == pytest.approx((3 / 4 + 2 / 3 + 1 / 3 + 1) / 4)
    told = list(summary.to_json()["overall"])
    assert told.index("goal_conditions_gained") < told.index("goal_condition_rate")


def test_a_run_from_before_the_start_was_recorded_has_a_summary_as_it_was() -> None:
    summary = summarize(lab_manifest(), [record(0, (True, False))], [], [])

    assert summary.overall.goals_gained is None
    assert "goal_conditions_gained" not in summary.to_json()["overall"]
    board = Console(file=io.StringIO(), width=80)
    board.print(summary_text(summary, lab_manifest()))
    text = board.file.getvalue()  # type: ignore[attr-defined]
    assert "goal conditions gained  –   " in text
    assert "not recorded" in text


def test_goal_conditions_gained_stand_first_and_both_are_explained_in_a_line() -> None:
    manifest = lab_manifest()
    summary = summarize(manifest, [started(0, (True, True), (False, False))], [], [])
    board = Console(file=io.StringIO(), width=80)
    board.print(summary_text(summary, manifest, goals=GoalsMet("goal-condition success", "ALFRED")))
    lines = board.file.getvalue().splitlines()  # type: ignore[attr-defined]
    first = next(n for n, line in enumerate(lines) if line.startswith("goal conditions gained"))
    assert lines[first].split()[3:5] == ["0.0", "%"]
    assert lines[first].rstrip().endswith("(newly met - undone) / unmet at the start")
    assert lines[first + 1].split()[:4] == ["goal-condition", "success", "50.0", "%"]
    assert lines[first + 1].rstrip().endswith("ALFRED: met at the end, of all conditions")


@pytest.mark.parametrize("played", [True, False])
def test_a_summary_is_read_back_from_json_as_it_was(played: bool) -> None:
    records = [
        record(0, (True,)),
        record(0, (True, False), repeat=1, group="b", failure="gave_up"),
        started(1, (True, True), (False, True), (False, False)),
    ]
    usage = Usage(calls=3, input_tokens=7, seconds=0.1 + 0.2, cost_usd=1e-9)
    lost = [uncounted(Cause.WITHDRAWN, steps=2, usage=usage)]
    voids = [void(2, "simulator_hang"), void(3, "service_fault", guest="h")]
    given = (records, voids, lost) if played else ([], [], [])

    summary = summarize(lab_manifest(tasks=6, repeats=2), *given)

    assert Summary.from_json(json.loads(json.dumps(summary.to_json()))) == summary


def test_what_is_no_summary_is_told() -> None:
    told = summarize(lab_manifest(), [record(0, (True,))], [], []).to_json()
    told["overall"]["interval_95"] = [0.5]

    with pytest.raises(FormatError, match=r"overall\.interval_95: has to be a list of two numbers"):
        Summary.from_json(told)
