"""Guests that leave a run: nothing is scored that they did not play, and nothing re-rolled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain.reasons import ProtocolError
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.results.records import Cause, UncountedRecord
from env_service.results.run_folder import RunFolder
from env_service.results.summary import Summary
from env_service.results.verification import verify
from tests.support.command_line import until
from tests.support.service import LAB, OpenService, RawAgent, open_service, reason_of, skill


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def opened(service: OpenService, **request: object) -> tuple[Run, RawAgent]:
    run = service.open_run(fresh=True, **request)
    return run, service.agent(run)


def ends(service: OpenService, run: Run, state: RunState = RunState.CANCELLED) -> None:
    service.call(run.wait_until_over())
    assert run.state is state


def refused(reason: str, call: object, *args: object) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call(*args)  # type: ignore[operator]
    assert reason_of(caught.value) == reason


def test_a_guest_that_never_began_stops_the_run_with_its_words(service: OpenService) -> None:
    run, agent = opened(service, limit=2)
    hello = agent.stub.Hello(agent_pb2.HelloRequest(), metadata=agent.metadata)
    assert agent_pb2.FEATURE_WITHDRAW in hello.features
    agent.withdraw()
    ends(service, run)
    assert run.stopped == "the agent withdrew: connection refused"
    (left,) = run.context.folder.uncounted()
    assert (left.cause, left.episode_id, left.reason) == (
        Cause.WITHDRAWN,
        "",
        "model_unreachable",
    )
    assert run.context.folder.finished() == run.context.folder.voids() == ()
    refused("SESSION_WITHDRAWN", agent.begin)
    assert [event.revoked.reason for event in agent.events] == ["SESSION_WITHDRAWN"]


def test_the_open_episode_is_neither_scored_nor_lost(service: OpenService) -> None:
    run, agent = opened(service, limit=2)
    agent.begin()
    agent.step(skill("win"))
    agent.begin()
    agent.step(skill("noop"))
    agent.withdraw()
    ends(service, run)
    assert [record.task_id for record in run.context.folder.finished()] == ["lab/0"]
    (left,) = run.context.folder.uncounted()
    assert (left.task_id, left.steps, left.exchanges) == ("lab/1", 1, 3)
    assert run.context.folder.voids() == ()
    assert run.schedule.voids == 0
    assert run.summary is not None
    told = run.summary.to_json()
    assert told["withdrawn"] == {"external": {"episodes": 1, "acted": 1}}
    assert (told["unplayed"], told["unscored"], told["overall"]["n"]) == (1, [], 1)
    for call in (agent.get_episode, agent.end, agent.begin):
        refused("SESSION_WITHDRAWN", call)


def test_between_two_episodes(service: OpenService) -> None:
    run, agent = opened(service, limit=2)
    agent.begin()
    agent.step(skill("win"))
    agent.withdraw()
    ends(service, run)
    assert run.counts().withdrawn == 0
    assert len(run.context.folder.finished()) == 1


def test_withdrawing_twice_is_withdrawing_once(service: OpenService) -> None:
    run, agent = opened(service, limit=1)
    agent.begin()
    agent.withdraw()
    assert agent.withdraw(message="another one") == agent_pb2.WithdrawResponse()
    ends(service, run)
    assert len(run.context.folder.uncounted()) == 1
    assert run.stopped.endswith("connection refused")


def test_an_old_epoch_changes_nothing(service: OpenService) -> None:
    run, agent = opened(service, limit=1)
    agent.begin()
    old = agent.grant
    agent.attach(resume_token=old.resume_token)
    new, agent.grant = agent.grant, old
    refused("SESSION_SUPERSEDED", agent.withdraw)
    agent.grant = new
    agent.step(skill("win"))
    ends(service, run, RunState.SUCCEEDED)


def test_not_while_a_step_runs(service: OpenService) -> None:
    run, agent = opened(service, limit=1)
    agent.begin()
    slow = agent.step_request(skill("slow", seconds="2"), 0)
    running = agent.stub.Step.future(slow, metadata=agent.metadata)
    until(lambda: agent.get_episode().step_in_flight)
    refused("STEP_IN_FLIGHT", agent.withdraw)
    running.result()
    agent.withdraw()
    ends(service, run)
    assert run.context.folder.uncounted()[0].steps == 1


def test_a_begin_that_waits_for_others_is_cancelled(service: OpenService) -> None:
    run, playing = opened(service, limit=1, sessions=2)
    playing.begin()
    waiting = service.agent(run, 1)
    begin = agent_pb2.BeginEpisodeRequest(**waiting.who)
    asked = waiting.stub.BeginEpisode.future(begin, metadata=waiting.metadata)
    waiting.withdraw()
    with pytest.raises(grpc.RpcError) as caught:
        asked.result(60)
    assert reason_of(caught.value) == "SESSION_WITHDRAWN"
    playing.step(skill("win"))
    ends(service, run, RunState.SUCCEEDED)
    assert run.stopped == ""


def test_the_others_play_on_but_not_what_was_left(service: OpenService) -> None:
    run, leaver = opened(service, limit=4, sessions=2)
    stayer = service.agent(run, 1)
    leaver.begin()
    leaver.withdraw(agent_pb2.WITHDRAW_REASON_BUDGET_SPENT, "")
    assert stayer.play_out() == 3
    ends(service, run)
    assert run.stopped == "the agent withdrew: its budget is spent"
    assert "lab/0" not in {record.task_id for record in run.context.folder.finished()}


def test_the_same_words_of_several_guests_are_said_once(service: OpenService) -> None:
    run = service.open_run(limit=6, sessions=3, fresh=True)
    agents = [service.agent(run, number) for number in range(3)]
    for agent, words in zip(agents, ("no\tkey\x07", "no key", "no key"), strict=True):
        agent.begin()
        agent.withdraw(agent_pb2.WITHDRAW_REASON_MODEL_REFUSED, words)
    ends(service, run)
    assert run.stopped == "the agent withdrew: no key\N{REPLACEMENT CHARACTER}; no key"
    assert run.counts().withdrawn == 3


def test_its_seat_is_given_to_nobody_else(service: OpenService) -> None:
    run, agent = opened(service, limit=2, sessions=2)
    agent.begin()
    agent.withdraw()
    refused("SESSION_WITHDRAWN", agent.attach)
    request = control_pb2.IssueLeaseRequest(run_id=run.run_id, session_number=0)
    with pytest.raises(grpc.RpcError) as caught:
        service.control().IssueLease(request, metadata=service.operator)
    assert reason_of(caught.value) == "SESSION_WITHDRAWN"
    assert run.satisfied(0)
    service.call(run.drain())
    with pytest.raises(ProtocolError):
        run.check_vacant(0)


def test_operators_see_who_left_and_why(service: OpenService) -> None:
    request = control_pb2.CreateRunRequest(request_id="leave", suite=LAB, limit=1, agent="leaver")
    created = service.control().CreateRun(request, metadata=service.operator)
    agent = RawAgent(service.address, created.lease_tokens[0])
    agent.attach()
    agent.begin()
    agent.withdraw(agent_pb2.WITHDRAW_REASON_MODEL_REFUSED, "no such model")
    watch = control_pb2.WatchRunRequest(run_id=created.run.run_id)
    events = list(service.control().WatchRun(watch, metadata=service.operator))
    closed = [e.episode_closed for e in events if e.HasField("episode_closed")]
    assert [(e.voided, e.success, e.failure_class) for e in closed] == [(True, False, "withdrawn")]
    left = [e.session_withdrawn for e in events if e.HasField("session_withdrawn")]
    assert [(e.session_number, e.reason, e.message) for e in left] == [
        (0, "model_refused", "no such model")
    ]
    assert events[-1].run_state_changed.state == control_pb2.RUN_STATE_CANCELLED
    get = control_pb2.GetRunRequest(run_id=created.run.run_id)
    run = service.control().GetRun(get, metadata=service.operator).run
    assert (run.state, run.episodes_withdrawn) == (control_pb2.RUN_STATE_CANCELLED, 1)
    assert run.stopped == "the agent withdrew: no such model"
    again = control_pb2.CreateRunRequest(request_id="again", suite=LAB, limit=1, agent="leaver")
    token = service.control().CreateRun(again, metadata=service.operator).lease_tokens[0]
    back = RawAgent(service.address, token)
    back.attach()
    assert back.play_out() == 1


def test_the_same_request_plays_what_was_left_and_the_folder_verifies(tmp_path: Path) -> None:
    for wins in (0, 1, 0, 2):
        with open_service(runs=tmp_path / "runs", key=tmp_path / "key.pem") as service:
            run = service.open_run(limit=4)
            agent = service.agent(run)
            for _ in range(wins):
                agent.begin()
                agent.step(skill("win"))
            agent.begin()
            if wins == 2:
                agent.step(skill("win"))
                continue
            agent.withdraw()
            ends(service, run)
    (folder,) = (path.parent for path in tmp_path.glob("runs/*/manifest.json"))
    report = verify(folder, suite=LAB)
    assert report.problems == ()
    assert (report.episodes, report.replayed) == (4, 4)
    assert any("The agent withdrew from 3 episodes, 0" in note for note in report.notes)


def test_a_run_ends_once_every_withdrawal_is_recorded(
    service: OpenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording, summed_up, go_on = (threading.Event() for _ in range(3))
    record, sum_up = RunFolder.record_uncounted, RunFolder.write_summary

    def slowly(folder: RunFolder, left: UncountedRecord) -> None:
        recording.set()
        assert go_on.wait(60)
        record(folder, left)

    def noted(folder: RunFolder) -> Summary:
        summary = sum_up(folder)
        summed_up.set()
        return summary

    monkeypatch.setattr(RunFolder, "record_uncounted", slowly)
    monkeypatch.setattr(RunFolder, "write_summary", noted)
    run, playing = opened(service, limit=1, sessions=2)
    leaver = service.agent(run, 1)
    playing.begin()
    used = agent_pb2.Trace(usage=[agent_pb2.ModelUsage(input_tokens=60)])
    leaving = threading.Thread(target=leaver.withdraw, kwargs={"trace": used})
    leaving.start()
    assert recording.wait(60)
    playing.step(skill("win"))
    assert summed_up.wait(60)
    service.call(turns(50))
    assert not run.over
    go_on.set()
    leaving.join(60)
    ends(service, run, RunState.SUCCEEDED)
    assert len(run.context.folder.uncounted()) == 1
    assert run.summary is not None
    assert run.summary.uncounted_usage.input_tokens == 60
    assert verify(run.context.folder.path, suite=LAB).problems == ()


async def turns(number: int) -> None:
    """Lets the service's loop go round."""
    for _ in range(number):
        await asyncio.sleep(0)


def test_a_run_that_is_over_stays_as_it_is(service: OpenService) -> None:
    run, agent = opened(service, limit=1)
    assert agent.play_out() == 1
    ends(service, run, RunState.SUCCEEDED)
    late = agent_pb2.Trace(usage=[agent_pb2.ModelUsage(input_tokens=60, cost_usd=0.25)])
    agent.withdraw(trace=late)
    agent.withdraw()
    assert not run.counts().usage, "it stands in no file"
    assert (run.context.folder.path / "summary.json").exists()
    assert run.context.folder.uncounted() == ()
    assert run.stopped == ""
    assert verify(run.context.folder.path, suite=LAB).problems == ()


def test_a_long_message_is_cut(service: OpenService) -> None:
    run, agent = opened(service, limit=1)
    agent.withdraw(message="x" * 5_000_000)
    ends(service, run)
    assert len(run.stopped) < 1100


def test_all_of_many_leave_at_once(service: OpenService) -> None:
    run = service.open_run(limit=20, sessions=8, fresh=True)
    agents = [service.agent(run, number) for number in range(8)]
    for agent in agents:
        agent.begin()
    threads = [threading.Thread(target=agent.withdraw) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ends(service, run)
    assert len({record.task_id for record in run.context.folder.uncounted()}) == 8
