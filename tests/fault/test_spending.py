"""What models cost: counted, kept through crashes, bounded, and never a way to break a run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from houseguest.agent.v1 import action_pb2, agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain.usage import Usage
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.results.records import Cause
from env_service.results.verification import verify
from tests.support.service import LAB, OpenService, RawAgent, open_service, reason_of, skill

CALL = {"model": "m", "input_tokens": 60, "output_tokens": 40, "cost_usd": 0.25}


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def trace(**changes: Any) -> agent_pb2.Trace:
    return agent_pb2.Trace(usage=[agent_pb2.ModelUsage(**(CALL | changes))])


def act(
    agent: RawAgent, action: action_pb2.Action, claim: agent_pb2.Trace | None = None
) -> agent_pb2.StepResponse:
    """A step that a model was called for."""
    request = agent.step_request(action, agent.index)
    request.trace.CopyFrom(claim or trace())
    answer = agent.stub.Step(request, metadata=agent.metadata, timeout=60)
    agent.index += 1
    return answer


def told(run: Run) -> dict[str, Any]:
    assert run.summary is not None
    return run.summary.to_json()


def over(service: OpenService, run: Run, state: RunState) -> None:
    service.call(run.wait_until_over())
    assert run.state is state


class TestSums:
    def test_every_step_and_every_ending_counts_once(self, service: OpenService) -> None:
        run = service.open_run(limit=2, fresh=True)
        agent = service.agent(run)
        agent.begin()
        act(agent, skill("noop"))
        repeat = agent.step_request(skill("noop"), 0)
        repeat.trace.CopyFrom(trace())
        agent.stub.Step(repeat, metadata=agent.metadata)
        act(agent, skill("win"))
        agent.begin()
        agent.step(skill("noop"))
        request = agent_pb2.EndEpisodeRequest(
            **agent.who, episode_id=agent.episode.episode_id, trace=trace()
        )
        agent.stub.EndEpisode(request, metadata=agent.metadata)
        over(service, run, RunState.SUCCEEDED)
        first, second = run.context.folder.finished()
        assert (first.usage.calls, first.usage.tokens, first.usage.cost_usd) == (2, 200, 0.5)
        assert second.usage == Usage(calls=1, input_tokens=60, output_tokens=40, cost_usd=0.25)
        assert told(run)["usage"]["calls"] == 3
        assert "uncounted_usage" not in told(run)
        assert verify(run.context.folder.path, suite=LAB).problems == ()

    def test_what_did_not_count_was_paid_for_too(self, service: OpenService) -> None:
        run = service.open_run(limit=3, fresh=True)
        agent = service.agent(run)
        agent.begin()
        act(agent, skill("noop"))
        assert act(agent, skill("crash")).status == agent_pb2.EPISODE_STATUS_VOIDED
        agent.begin()
        act(agent, skill("win"))
        agent.begin()
        act(agent, skill("noop"))
        agent.withdraw(trace=trace())
        over(service, run, RunState.CANCELLED)
        assert [void.usage.calls for void in run.context.folder.voids()] == [2]
        assert [left.usage.calls for left in run.context.folder.uncounted()] == [2]
        assert told(run)["usage"]["calls"] == 1
        assert told(run)["uncounted_usage"]["cost_usd"] == 1.0
        assert run.counts().usage.cost_usd == 1.25
        assert verify(run.context.folder.path, suite=LAB).problems == ()

    def test_an_abandoned_episode_keeps_its_bill(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        act(agent, skill("noop"))
        service.call(run.drain())
        (left,) = run.context.folder.uncounted()
        assert (left.cause, left.steps, left.usage.calls) == (Cause.CLOSED, 1, 1)
        assert told(run)["uncounted_usage"]["calls"] == 1
        report = verify(run.context.folder.path, suite=LAB)
        assert report.problems == ()
        assert any("abandoned" in note for note in report.notes)

    def test_a_killed_service_finds_its_bill_in_the_transcripts(self, tmp_path: Path) -> None:
        runs, key = tmp_path / "runs", tmp_path / "key.pem"
        with open_service(runs=runs, key=key) as service:
            run = service.open_run(limit=2)
            agent = service.agent(run)
            agent.begin()
            act(agent, skill("win"))
            agent.begin()
            act(agent, skill("noop"))
            copied = tmp_path / "killed"
            copied.mkdir()
            folder = run.context.folder.path
            # As a kill leaves it: what was written up to now, and a line that was not.
            _copy(folder, copied / folder.name)
        torn = copied / folder.name / "transcripts" / f"{agent.episode.episode_id}.jsonl"
        with torn.open("ab") as file:
            file.write(b'{"kind":"step","usage":{"cal')
        with open_service(runs=copied, key=key) as service:
            run = service.open_run(limit=2)
            assert run.counts().usage.cost_usd == 0.5
            (left,) = run.context.folder.uncounted()
            assert (left.cause, left.task_id, left.steps) == (Cause.KILLED, "lab/1", 1)
            assert service.agent(run).play_out() == 1
            over(service, run, RunState.SUCCEEDED)
            assert told(run)["uncounted_usage"]["calls"] == 1
            assert verify(run.context.folder.path, suite=LAB).problems == ()


def _copy(folder: Path, target: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.name != ".lock":
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())


class TestClaimsThatCannotBe:
    @pytest.mark.parametrize(
        ("claim", "counted"),
        [
            ({"cost_usd": math.nan}, {"cost_usd": 0.0}),
            ({"cost_usd": math.inf}, {"cost_usd": 1e6}),
            ({"cost_usd": -5.0}, {"cost_usd": 0.0}),
            ({"input_tokens": 2**64 - 1}, {"input_tokens": 10**9}),
            ({"cached_input_tokens": 2**63}, {"cached_input_tokens": 60}),
            ({"latency": {"seconds": -(10**15)}}, {"seconds": 0.0}),
            ({"latency": {"seconds": 10**15}}, {"seconds": 2_592_000.0}),
            ({"images": 2**32 - 1}, {"images": 10**6}),
        ],
    )
    def test_they_are_cut_and_harm_nothing(
        self, service: OpenService, claim: dict[str, Any], counted: dict[str, Any]
    ) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        act(agent, skill("noop"), trace(**claim))
        act(agent, skill("win"), trace(**claim))
        over(service, run, RunState.SUCCEEDED)
        usage = run.context.folder.finished()[0].usage.to_json()
        assert {name: usage[name] for name in counted} == {
            name: 2 * value for name, value in counted.items()
        }
        assert verify(run.context.folder.path, suite=LAB).problems == ()

    def test_of_ten_thousand_calls_in_one_trace_256_count(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        many = agent_pb2.Trace(usage=[agent_pb2.ModelUsage()] * 10_000)
        act(agent, skill("win"), many)
        over(service, run, RunState.SUCCEEDED)
        assert run.context.folder.finished()[0].usage.calls == 256

    def test_a_million_calls_in_one_trace_are_refused(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        many = agent_pb2.Trace(usage=[agent_pb2.ModelUsage()] * 1_000_000)
        with pytest.raises(grpc.RpcError) as refused:
            act(agent, skill("win"), many)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        act(agent, skill("win"), agent_pb2.Trace(usage=[agent_pb2.ModelUsage()]))
        over(service, run, RunState.SUCCEEDED)
        assert run.context.folder.finished()[0].usage.calls == 1

    def test_a_trace_that_is_stored_cut_is_still_summed(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        long = trace()
        long.thought = "hm " * 200_000
        act(agent, skill("win"), long)
        over(service, run, RunState.SUCCEEDED)
        assert run.context.folder.finished()[0].usage.cost_usd == 0.25
        assert verify(run.context.folder.path, suite=LAB).problems == ()


class TestBudgets:
    def test_a_spent_budget_begins_nothing_and_a_higher_one_goes_on(self, tmp_path: Path) -> None:
        with open_service(runs=tmp_path / "runs", key=tmp_path / "key.pem") as service:
            run = service.open_run(limit=4, sessions=2, max_cost_usd=0.75)
            agent, other = service.agent(run, 0), service.agent(run, 1)
            other.begin()
            other.step(skill("noop"))
            for _ in range(3):
                agent.begin()
                act(agent, skill("win"))
            over(service, run, RunState.CANCELLED)
            assert run.stopped.startswith("the budget of $0.75 is spent")
            assert "repeat the command with a higher budget" in run.stopped
            with pytest.raises(grpc.RpcError) as caught:
                agent.begin()
            assert reason_of(caught.value) == "DRAINING"
            assert len(run.context.folder.finished()) == 3
            assert [left.cause for left in run.context.folder.uncounted()] == [Cause.CLOSED]

            spent = service.open_run(limit=4, sessions=2, max_cost_usd=0.75)
            assert (spent.over, spent.state) == (True, RunState.CANCELLED)
            assert spent.stopped == run.stopped
            more = service.open_run(limit=4, sessions=2, max_cost_usd=5.0)
            assert service.agent(more).play_out() == 1
            over(service, more, RunState.SUCCEEDED)
            assert more.stopped == ""
            assert service.open_run(limit=4, sessions=2, max_cost_usd=0.01).stopped == ""

    def test_steps_that_run_are_brought_to_their_end(self, service: OpenService) -> None:
        run = service.open_run(limit=2, sessions=2, max_tokens=100, fresh=True)
        agent, other = service.agent(run, 0), service.agent(run, 1)
        agent.begin()
        other.begin()
        slow = other.step_request(skill("slow", seconds="1"), 0)
        running = other.stub.Step.future(slow, metadata=other.metadata)
        while not other.get_episode().step_in_flight:
            pass
        assert act(agent, skill("win")).status == agent_pb2.EPISODE_STATUS_TERMINATED
        assert running.result().observation.text.endswith("step 1")
        over(service, run, RunState.CANCELLED)
        assert run.stopped.startswith("the budget of 100 tokens is spent")
        assert len(run.context.folder.finished()) == 1
        assert [left.steps for left in run.context.folder.uncounted()] == [1]

    def test_over_the_control_service(self, service: OpenService) -> None:
        def create(name: str, **budget: float) -> control_pb2.CreateRunResponse:
            request = control_pb2.CreateRunRequest(request_id=name, suite=LAB, limit=2, agent="pay")
            for key, value in budget.items():
                setattr(request, key, value)
            return service.control().CreateRun(request, metadata=service.operator)

        created = create("one", max_tokens=100)
        agent = RawAgent(service.address, created.lease_tokens[0])
        agent.attach()
        agent.begin()
        act(agent, skill("win"))
        get = control_pb2.GetRunRequest(run_id=created.run.run_id)
        run = service.server.environment.run(created.run.run_id)
        over(service, run, RunState.CANCELLED)
        shown = service.control().GetRun(get, metadata=service.operator).run
        assert (shown.usage.calls, shown.usage.input_tokens, shown.usage.cost_usd) == (1, 60, 0.25)
        assert shown.stopped.startswith("the budget of 100 tokens")
        assert not create("two", max_cost_usd=0.25).lease_tokens
        assert create("three", max_cost_usd=1.0).lease_tokens
        service.call(service.server.environment.run(created.run.run_id).drain())
        for budget in ({"max_cost_usd": 0.0}, {"max_cost_usd": math.nan}, {"max_tokens": 0}):
            with pytest.raises(grpc.RpcError) as caught:
                create(json.dumps(budget), **budget)
            assert reason_of(caught.value) == "BAD_RUN"
