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
from tests.support.fake_house import FakeHouse, Script, lose_answers, quick
from tests.support.house import open_house

OFFERED = (pb.FEATURE_STREAMING_PLAY, pb.FEATURE_FRAME_REFERENCE, pb.FEATURE_WITHDRAW)
PATIENT = Script(episodes=3, features=OFFERED)


def test_the_loops_end_without_an_exception(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with FakeHouse(tmp_path, PATIENT) as house:
        options = quick(house, state_file=str(state))
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
        asked = house.withdrawn[0]
        assert asked.reason == pb.WITHDRAW_REASON_MODEL_REFUSED
        assert asked.message == "no such model"
        assert asked.trace.usage[0].input_tokens == 7
        assert house.ended == {}
        assert not state.exists()


def test_before_the_first_episode(tmp_path: Path) -> None:
    with FakeHouse(tmp_path, PATIENT) as house, Client("agent", options=quick(house)) as client:
        client.withdraw(message="no key")
        assert list(client.episodes()) == []
        assert [request.message for request in house.withdrawn] == ["no key"]


@pytest.mark.parametrize("seed", range(4))
def test_an_answer_that_gets_lost_is_no_exception(tmp_path: Path, seed: int) -> None:
    script = Script(features=OFFERED, fault=lose_answers(0.5, seed))
    with FakeHouse(tmp_path, script) as house, Client("agent", options=quick(house)) as client:
        client.withdraw()
        assert house.withdrawn


def test_a_session_that_is_over_need_not_withdraw(tmp_path: Path) -> None:
    with FakeHouse(tmp_path, PATIENT) as house, Client("agent", options=quick(house)) as client:
        episode = next(client.episodes())
        house.push(pb.AttachResponse(revoked=pb.Revoked(reason="DRAINING")))
        client.withdraw()
        assert not episode.running
        assert not house.ended


def test_a_house_that_does_not_offer_it_gets_a_failed_episode(tmp_path: Path) -> None:
    with FakeHouse(tmp_path, Script(episodes=3)) as house:
        with Client("agent", options=quick(house)) as client:
            for _ in client.episodes():
                client.withdraw(WithdrawReason.MODEL_UNREACHABLE, "connection refused")
        assert house.ended == {"episode-0": (pb.END_REASON_AGENT_ERROR, "connection refused")}
        assert house.withdrawn == []
        assert house.ordinal == 0


def test_with_a_real_house_the_run_stops_and_can_be_resumed() -> None:
    with open_house() as house:
        run = house.open_run(limit=2)
        options = Options(address=house.address, token=house.token(run))
        with Client("agent", options=options) as client:
            for episode in client.episodes():
                episode.act("noop")
                client.withdraw(WithdrawReason.MODEL_UNREACHABLE, "connection refused")
        house.call(run.wait_until_over())
        assert run.state is RunState.CANCELLED
        assert run.stopped == "the agent withdrew: connection refused"
        again = house.open_run(limit=2)
        options = Options(address=house.address, token=house.token(again))
        with Client("agent", options=options) as client:
            for episode in client.episodes():
                episode.act("win")
        house.call(again.wait_until_over())
        assert again.state is RunState.SUCCEEDED
