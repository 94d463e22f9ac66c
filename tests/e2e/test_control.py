"""What an operator meets: runs opened, watched, stopped and listed over the control socket."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from houseguest.control.v1 import control_pb2

from env_service.gateway import control_service
from tests.support.service import (
    LAB,
    TIMEOUT,
    OpenService,
    RawAgent,
    open_service,
    reason_of,
    skill,
)

PENDING, RUNNING = control_pb2.RUN_STATE_PENDING, control_pb2.RUN_STATE_RUNNING
SUCCEEDED, FAILED = control_pb2.RUN_STATE_SUCCEEDED, control_pb2.RUN_STATE_FAILED
CANCELLED = control_pb2.RUN_STATE_CANCELLED
CODE = grpc.StatusCode
NUMBERS = itertools.count()


class Operator:
    """The control service's stubs, with the operator's token."""

    def __init__(self, service: OpenService) -> None:
        self.service = service
        self.stub = service.control()
        self.options: dict[str, Any] = {"metadata": service.operator, "timeout": TIMEOUT}

    def create(self, request_id: str = "", **changes: Any) -> control_pb2.CreateRunResponse:
        """A run of two laboratory tasks, unlike every other one unless ``agent`` is given."""
        number = next(NUMBERS)
        request: dict[str, Any] = {"suite": LAB, "limit": 2, "agent": f"agent-{number}"} | changes
        request["request_id"] = request_id or f"request-{number}"
        return self.stub.CreateRun(control_pb2.CreateRunRequest(**request), **self.options)

    def get(self, run_id: str) -> control_pb2.Run:
        return self.stub.GetRun(control_pb2.GetRunRequest(run_id=run_id), **self.options).run

    def cancel(self, run_id: str) -> control_pb2.Run:
        request = control_pb2.CancelRunRequest(run_id=run_id)
        return self.stub.CancelRun(request, **self.options).run

    def lease(self, run_id: str, number: int) -> str:
        request = control_pb2.IssueLeaseRequest(run_id=run_id, session_number=number)
        return self.stub.IssueLease(request, **self.options).lease_token

    def list_runs(self, size: int = 0, token: str = "") -> control_pb2.ListRunsResponse:
        request = control_pb2.ListRunsRequest(page_size=size, page_token=token)
        return self.stub.ListRuns(request, **self.options)

    def list_suites(self, size: int = 0, token: str = "") -> control_pb2.ListSuitesResponse:
        request = control_pb2.ListSuitesRequest(page_size=size, page_token=token)
        return self.stub.ListSuites(request, **self.options)

    def watch(self, run_id: str, after: int = 0) -> Any:
        """The events of a run, one after the other, until it is over."""
        request = control_pb2.WatchRunRequest(run_id=run_id, after_cursor=after)
        return self.stub.WatchRun(request, **self.options)

    def agent(self, created: control_pb2.CreateRunResponse, number: int = 0) -> RawAgent:
        """An attached agent with an issued token."""
        agent = RawAgent(self.service.address, created.lease_tokens[number])
        agent.attach()
        return agent


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture
def operator(service: OpenService) -> Iterator[Operator]:
    """Leaves no run open, so that no test's workers stay for the next."""
    operator = Operator(service)
    yield operator
    for run in operator.list_runs().runs:
        if run.state in (PENDING, RUNNING):
            operator.cancel(run.run_id)


def failure(status: grpc.StatusCode, reason: str, call: Callable[[], object]) -> str:
    """What a call that has to fail says."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    assert (caught.value.code(), reason_of(caught.value)) == (status, reason)
    return str(caught.value.details())


class TestListSuites:
    def test_a_suite_is_told_with_all_that_a_run_can_name(self, operator: Operator) -> None:
        suites = {suite.name: suite for suite in operator.list_suites().suites}
        assert list(suites) == sorted(suites)
        babyai = suites["babyai"]
        assert babyai.version
        assert list(babyai.worlds) == ["babyai"]
        evaluation, dataset = babyai.task_sets
        assert (evaluation.name, evaluation.tasks) == ("evaluation", 320)
        assert (dataset.name, dataset.tasks) == ("dataset", 8000)
        assert len({evaluation.digest, dataset.digest}) == 2
        assert all(len(bytes.fromhex(s.digest)) == 32 for s in (evaluation, dataset))
        assert list(babyai.conditions["view"].values) == ["full", "partial"]

    def test_pages_hold_each_suite_once(self, operator: Operator) -> None:
        names, token = [], ""
        while True:
            page = operator.list_suites(1, token)
            names += [suite.name for suite in page.suites]
            token = page.next_page_token
            if not token:
                break
        assert names == [suite.name for suite in operator.list_suites().suites]

    def test_a_page_of_a_negative_size(self, operator: Operator) -> None:
        said = failure(CODE.INVALID_ARGUMENT, "MALFORMED_REQUEST", lambda: operator.list_suites(-1))
        assert "page_size is -1" in said

    @pytest.mark.parametrize("token", ["-1", "next", "1.5"])
    def test_a_token_of_no_page(self, operator: Operator, token: str) -> None:
        def ask() -> None:
            operator.list_suites(1, token)

        assert token in failure(CODE.INVALID_ARGUMENT, "MALFORMED_REQUEST", ask)


class TestCreateRun:
    def test_a_repeat_is_the_same_run_with_tokens_that_open_it(self, operator: Operator) -> None:
        first = operator.create("twice", agent="twice", parallel_sessions=2)
        again = operator.create("twice", agent="twice", parallel_sessions=2)
        assert first.run == again.run
        assert len(first.lease_tokens) == len(again.lease_tokens) == 2
        agent = operator.agent(first)
        other = operator.agent(again, 1)
        assert agent.begin().episode != other.begin().episode
        taken = failure(CODE.FAILED_PRECONDITION, "SEAT_TAKEN", lambda: operator.agent(again))
        assert "lease token" in taken

    def test_repeats_that_come_at_once_open_one_run(self, operator: Operator) -> None:
        request = control_pb2.CreateRunRequest(
            request_id="at once", suite=LAB, limit=1, agent="at once"
        )
        calls = [operator.stub.CreateRun.future(request, **operator.options) for _ in range(4)]
        assert len({call.result().run.run_id for call in calls}) == 1

    def test_the_newest_requests_are_known_again(
        self, operator: Operator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(control_service, "MOST_REQUESTS", 3)
        first = operator.create("complete-0", agent="complete", limit=1)
        assert operator.agent(first).play_out() == 1
        for number in range(1, 6):
            again = operator.create(f"complete-{number}", agent="complete", limit=1)
            assert again.run.run_id == first.run.run_id
        assert operator.create("complete-5", agent="another").run.run_id == first.run.run_id
        assert operator.create("complete-0", agent="another").run.run_id != first.run.run_id

    def test_it_tells_what_will_be_played_and_where(self, operator: Operator) -> None:
        run = operator.create(repeats=3, limit=2).run
        assert (run.state, run.episodes_total, run.episodes_done) == (PENDING, 6, 0)
        assert (Path(run.folder) / "manifest.json").is_file()
        assert len(bytes.fromhex(run.task_set_digest)) == 32

    def test_the_time_budget_reaches_the_agent(self, operator: Operator) -> None:
        created = operator.create(time_budget=Duration(seconds=77))
        assert operator.agent(created).begin().episode.agent_time_budget.seconds == 77

    def test_a_request_without_an_id(self, operator: Operator) -> None:
        request = control_pb2.CreateRunRequest(suite=LAB)

        def create() -> None:
            operator.stub.CreateRun(request, **operator.options)

        assert "request_id" in failure(CODE.INVALID_ARGUMENT, "MALFORMED_REQUEST", create)

    @pytest.mark.parametrize(
        ("changes", "nearest"),
        [
            ({"suite": "babyia"}, "babyai"),
            ({"task_set": "plan"}, "plans"),
            ({"world": "ligth"}, "light"),
            ({"condition": {"fedback": "none"}}, "feedback"),
            ({"condition": {"feedback": "nine"}}, "none"),
            ({"tasks": ["lab/777", "lab/1"]}, "lab/7"),
            ({"tasks": ["grup-1"]}, "group-1"),
        ],
    )
    def test_a_wrong_name_is_answered_with_the_nearest(
        self, operator: Operator, changes: dict[str, Any], nearest: str
    ) -> None:
        def create() -> None:
            operator.create(**changes)

        said = failure(CODE.INVALID_ARGUMENT, "BAD_RUN", create)
        assert f"Did you mean {nearest!r}?" in said

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"repeats": 2**32 - 1}, "repeats is 4294967295; it has to be from 0 to 10000"),
            ({"parallel_sessions": 100_000}, "parallel_sessions is 100000; it has to be from 0 to"),
            ({"agent": "x" * 10_001}, "agent has 10001 characters"),
            ({"tasks": ["lab/1"] * 10_001}, "tasks has 10001 entries"),
            (
                {"suite": "babyai", "task_set": "dataset", "limit": 0, "repeats": 10_000},
                "80000000 episodes; a run may have 1000000",
            ),
        ],
    )
    def test_what_is_beyond_a_bound_is_refused_before_anything_is_made(
        self, operator: Operator, changes: dict[str, Any], said: str
    ) -> None:
        before = operator.list_runs().runs

        def create() -> None:
            operator.create(**changes)

        assert said in failure(CODE.INVALID_ARGUMENT, "BAD_RUN", create)
        assert operator.list_runs().runs == before

    def test_the_largest_run_opens_and_its_tokens_arrive(self, operator: Operator) -> None:
        # A client without options takes no answer above 4 MiB.
        created = operator.create(limit=50, repeats=10_000, parallel_sessions=1024)
        assert created.run.episodes_total == 500_000
        assert len(set(created.lease_tokens)) == 1024
        assert operator.agent(created, 1023).begin().HasField("episode")

    def test_a_corrected_request_may_keep_its_id(self, operator: Operator) -> None:
        def create() -> None:
            operator.create("corrected", suite="babyia")

        failure(CODE.INVALID_ARGUMENT, "BAD_RUN", create)
        assert operator.create("corrected").run.state == PENDING


class TestRuns:
    def test_an_agent_with_an_issued_token_plays_a_run_to_its_end(self, operator: Operator) -> None:
        created = operator.create(limit=3)
        run_id = created.run.run_id
        agent = operator.agent(created)
        assert operator.get(run_id).state == PENDING
        for number, deed in enumerate(("win", "lose", "win")):
            agent.begin()
            run = operator.get(run_id)
            assert (run.state, run.episodes_done) == (RUNNING, number)
            agent.step(skill(deed))
        assert agent.begin().HasField("all_done")
        run = operator.get(run_id)
        assert run.state == SUCCEEDED
        assert (run.episodes_done, run.episodes_total) == (3, 3)
        assert (run.episodes_succeeded, run.episodes_voided, run.episodes_unscored) == (2, 0, 0)

    def test_a_task_that_the_service_cannot_play_is_unscored(self, operator: Operator) -> None:
        created = operator.create(tasks=["lab/0", "lab/1"])
        agent = operator.agent(created)
        while agent.begin().HasField("episode"):
            doomed = agent.episode.observation.text.startswith("lab/0 ")
            agent.step(skill("raise" if doomed else "win"))
        run = operator.get(created.run.run_id)
        assert run.state == FAILED
        assert (run.episodes_done, run.episodes_voided, run.episodes_unscored) == (1, 3, 1)

    def test_the_newest_run_is_listed_first(self, operator: Operator) -> None:
        newest = [operator.create().run.run_id for _ in range(3)][::-1]
        listed, token = [], ""
        while True:
            page = operator.list_runs(2, token)
            assert len(page.runs) <= 2
            listed += [run.run_id for run in page.runs]
            token = page.next_page_token
            if not token:
                break
        assert listed[:3] == newest
        assert len(listed) == len(set(listed))
        assert listed == [run.run_id for run in operator.list_runs().runs]

    def test_a_run_that_nobody_opened(self, operator: Operator) -> None:
        calls: tuple[Callable[[], object], ...] = (
            lambda: operator.get("run-0"),
            lambda: operator.cancel("run-0"),
            lambda: operator.lease("run-0", 0),
            lambda: next(operator.watch("run-0")),
        )
        for call in calls:
            assert "run-0" in failure(CODE.NOT_FOUND, "RUN_NOT_FOUND", call)


class TestWatchRun:
    def kinds(self, events: list[control_pb2.WatchRunResponse]) -> list[str]:
        """Each event in a word or two."""
        told = []
        for event in events:
            match event.WhichOneof("event"):
                case "episode_opened":
                    told.append(f"opened {event.episode_opened.task_id}")
                case "episode_closed":
                    end = event.episode_closed
                    why = "success" if end.success else end.failure_class
                    told.append(f"{'voided' if end.voided else 'closed'} {end.task_id} {why}")
                case _:
                    state = event.run_state_changed.state
                    told.append(control_pb2.RunState.Name(state).removeprefix("RUN_STATE_"))
        return told

    def test_a_run_is_watched_from_its_beginning_to_its_end(self, operator: Operator) -> None:
        created = operator.create()
        watch = operator.watch(created.run.run_id)
        agent = operator.agent(created)
        agent.begin()
        events = [next(watch), next(watch)]
        assert self.kinds(events) == ["RUNNING", "opened lab/0"]
        for deed in ("win", "raise", "lose"):
            agent.step(skill(deed))
            agent.begin()
        events += watch
        assert [event.cursor for event in events] == list(range(1, len(events) + 1))
        assert self.kinds(events[2:]) == [
            "closed lab/0 success",
            "opened lab/1",
            "voided lab/1 service_fault",
            "opened lab/1",
            "closed lab/1 goal_not_reached",
            "SUCCEEDED",
        ]
        assert events[2].episode_closed.steps == 1
        assert events[2].episode_closed.episode_id == events[1].episode_opened.episode_id
        times = [event.time.ToNanoseconds() for event in events]
        assert times == sorted(times)

    def test_a_watcher_that_dropped_out_goes_on_where_it_was(self, operator: Operator) -> None:
        created = operator.create()
        run_id = created.run.run_id
        agent = operator.agent(created)
        agent.begin()
        watch = operator.watch(run_id)
        seen = [next(watch), next(watch)]
        watch.cancel()
        agent.step(skill("win"))
        agent.play_out()
        seen += operator.watch(run_id, after=seen[-1].cursor)
        assert seen == list(operator.watch(run_id))
        assert list(operator.watch(run_id, after=seen[-1].cursor)) == []


class TestCancelRun:
    def test_a_cancelled_run_is_over_for_its_agents(self, operator: Operator) -> None:
        created = operator.create()
        run_id = created.run.run_id
        watch = operator.watch(run_id)
        agent = operator.agent(created)
        agent.begin()
        assert operator.cancel(run_id).state == CANCELLED
        assert operator.get(run_id) == operator.cancel(run_id)
        failure(CODE.UNAVAILABLE, "DRAINING", lambda: agent.step(skill("win")))
        assert [event.revoked.reason for event in agent.events][-1] == "DRAINING"
        assert list(watch)[-1].run_state_changed.state == CANCELLED
        failure(CODE.FAILED_PRECONDITION, "RUN_OVER", lambda: operator.lease(run_id, 0))

    def test_the_same_run_goes_on_later(self, tmp_path: Path) -> None:
        identity: dict[str, Any] = {"agent": "steady", "limit": 3}
        lasting: dict[str, Any] = {"runs": tmp_path / "runs", "key": tmp_path / "key.pem"}
        with open_service(**lasting) as service:
            operator = Operator(service)
            created = operator.create("first", **identity)
            agent = operator.agent(created)
            agent.begin()
            agent.step(skill("win"))
            agent.begin()
            operator.cancel(created.run.run_id)
        with open_service(**lasting) as service:
            operator = Operator(service)
            resumed = operator.create("second", **identity)
            assert resumed.run.run_id == created.run.run_id
            assert (resumed.run.state, resumed.run.episodes_done) == (PENDING, 1)
            assert operator.agent(resumed).play_out() == 2
            assert operator.get(resumed.run.run_id).state == SUCCEEDED
        with open_service(**lasting) as service:
            complete = Operator(service).create("third", **identity)
            assert (complete.run.state, complete.run.episodes_done) == (SUCCEEDED, 3)
            assert list(complete.lease_tokens) == []

    def test_what_is_complete_stays_so(self, operator: Operator) -> None:
        created = operator.create(limit=1)
        operator.agent(created).play_out()
        assert operator.cancel(created.run.run_id).state == SUCCEEDED


class TestIssueLease:
    def test_a_new_lease_opens_the_seat_that_the_old_one_opened(self, operator: Operator) -> None:
        created = operator.create()
        fresh = operator.lease(created.run.run_id, 0)
        failure(CODE.FAILED_PRECONDITION, "SESSION_REPLACED", lambda: operator.agent(created))
        agent = RawAgent(operator.service.address, fresh)
        agent.attach()
        assert agent.play_out() == 2

    def test_a_seat_that_the_run_does_not_have(self, operator: Operator) -> None:
        run_id = operator.create(parallel_sessions=2).run.run_id
        said = failure(CODE.INVALID_ARGUMENT, "BAD_RUN", lambda: operator.lease(run_id, 2))
        assert "0 … 1" in said

    def test_a_run_that_is_over(self, operator: Operator) -> None:
        created = operator.create(limit=1)
        operator.agent(created).play_out()
        run_id = created.run.run_id
        failure(CODE.FAILED_PRECONDITION, "RUN_OVER", lambda: operator.lease(run_id, 0))


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ((), "TOKEN_MISSING"),
        ((("authorization", "Basic abc"),), "TOKEN_MISSING"),
        ((("authorization", "Bearer abc"),), "TOKEN_INVALID"),
    ],
)
def test_every_call_wants_the_operators_token(
    operator: Operator, metadata: tuple[tuple[str, str], ...], reason: str
) -> None:
    stub = operator.stub
    calls: tuple[Callable[[], object], ...] = (
        lambda: stub.ListSuites(control_pb2.ListSuitesRequest(), metadata=metadata),
        lambda: stub.CreateRun(control_pb2.CreateRunRequest(), metadata=metadata),
        lambda: stub.GetRun(control_pb2.GetRunRequest(), metadata=metadata),
        lambda: stub.ListRuns(control_pb2.ListRunsRequest(), metadata=metadata),
        lambda: stub.IssueLease(control_pb2.IssueLeaseRequest(), metadata=metadata),
        lambda: stub.CancelRun(control_pb2.CancelRunRequest(), metadata=metadata),
        lambda: next(stub.WatchRun(control_pb2.WatchRunRequest(), metadata=metadata)),
    )
    for call in calls:
        failure(CODE.UNAUTHENTICATED, reason, call)
