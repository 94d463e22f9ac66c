"""A guest of the library that cannot go on, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import (
    Client,
    EpisodeStatus,
    Feature,
    ModelUsage,
    Options,
    Trace,
    WithdrawReason,
)

from env_service.gateway.run_state import RunState
from tests.support.fake_service import FakeService, Script, lose_answers, quick
from tests.support.service import open_service

OFFERED = (pb.FEATURE_STREAMING_PLAY, pb.FEATURE_FRAME_REFERENCE, pb.FEATURE_WITHDRAW)
PATIENT = Script(episodes=3, features=OFFERED)


def test_the_loops_end_without_an_exception(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with FakeService(tmp_path, PATIENT) as service:
        options = quick(service, state_file=str(state))
        seen = []
        with Client("agent", options=options) as client:
            assert Feature.WITHDRAW in client.features
            for episode in client.episodes():
                seen.append(episode)
                while episode.running:
                    episode.act("forward")
                    trace = Trace(usage=(ModelUsage("m", 7),))
                    client.withdraw(WithdrawReason.MODEL_REFUSED, "no such model", trace)
            client.withdraw()
            assert list(client.episodes()) == []
        assert [episode.status for episode in seen] == [EpisodeStatus.VOIDED]
        asked = service.withdrawn[0]
        assert asked.reason == pb.WITHDRAW_REASON_MODEL_REFUSED
        assert asked.message == "no such model"
        assert asked.trace.usage[0].input_tokens == 7
        assert service.ended == {}
        assert not state.exists()


def test_before_the_first_episode(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, PATIENT) as service,
        Client("agent", options=quick(service)) as client,
    ):
        client.withdraw(message="no key")
        assert list(client.episodes()) == []
        assert [request.message for request in service.withdrawn] == ["no key"]


@pytest.mark.parametrize("seed", range(4))
def test_an_answer_that_gets_lost_is_no_exception(tmp_path: Path, seed: int) -> None:
    script = Script(features=OFFERED, fault=lose_answers(0.5, seed))
    with (
        FakeService(tmp_path, script) as service,
        Client("agent", options=quick(service)) as client,
    ):
        client.withdraw()
        assert service.withdrawn


def test_a_session_that_is_over_need_not_withdraw(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, PATIENT) as service,
        Client("agent", options=quick(service)) as client,
    ):
        episode = next(client.episodes())
        service.push(pb.AttachResponse(revoked=pb.Revoked(reason="DRAINING")))
        client.withdraw()
        assert not episode.running
        assert not service.ended


def test_a_service_that_does_not_offer_it_gets_a_failed_episode(tmp_path: Path) -> None:
    with FakeService(tmp_path, Script(episodes=3)) as service:
        with Client("agent", options=quick(service)) as client:
            for _ in client.episodes():
                client.withdraw(WithdrawReason.MODEL_UNREACHABLE, "connection refused")
        assert service.ended == {"episode-0": (pb.END_REASON_AGENT_ERROR, "connection refused")}
        assert service.withdrawn == []
        assert service.ordinal == 0


def test_with_a_real_service_the_run_stops_and_can_be_resumed() -> None:
    with open_service() as service:
        run = service.open_run(limit=2)
        options = Options(address=service.address, token=service.token(run))
        with Client("agent", options=options) as client:
            for episode in client.episodes():
                episode.act("noop")
                client.withdraw(WithdrawReason.MODEL_UNREACHABLE, "connection refused")
        service.call(run.wait_until_over())
        assert run.state is RunState.CANCELLED
        assert run.stopped == "the agent withdrew: connection refused"
        again = service.open_run(limit=2)
        options = Options(address=service.address, token=service.token(again))
        with Client("agent", options=options) as client:
            for episode in client.episodes():
                episode.act("win")
        service.call(again.wait_until_over())
        assert again.state is RunState.SUCCEEDED
