"""A lease outlives links and processes, and has one holder."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import (
    Client,
    RefusedError,
    RevokedError,
    SkillCall,
    SupersededError,
)
from houseguest_agent.options import Transport

from tests.support.fake_service import TOKEN, FakeService, Script, quick


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


AGENT = """
import os, signal, sys
from houseguest_agent import Client

client = Client("doomed")
for episode in client.episodes():
    for skill in sys.argv[1:]:
        episode.act(skill)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def start_doomed_agent(
    service: FakeService, state_file: Path, *skills: str
) -> subprocess.Popen[bytes]:
    """A process of its own that uses these skills and is killed in the middle of an episode."""
    settings = {
        "HOUSEGUEST_ADDRESS": service.address,
        "HOUSEGUEST_TOKEN": TOKEN,
        "HOUSEGUEST_STATE_FILE": str(state_file),
    }
    return subprocess.Popen([sys.executable, "-c", AGENT, *skills], env={**os.environ, **settings})


def run_doomed_agent(service: FakeService, state_file: Path, *skills: str) -> None:
    assert start_doomed_agent(service, state_file, *skills).wait(timeout=60) == -signal.SIGKILL


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_a_dropped_attach_is_resumed_under_the_open_episode(
    tmp_path: Path, transport: Transport
) -> None:
    with (
        FakeService(tmp_path, Script(steps=4)) as service,
        Client("agent", options=quick(service, transport=transport)) as client,
    ):
        episode = next(client.episodes())
        episode.act("forward")
        service.drop_attach()
        wait_for(lambda: service.epoch == 2)
        while episode.running:
            episode.act("forward")
        assert service.attached[1].resume_token == b"resume-1"
        assert [step[1] for step in service.executed] == [0, 1, 2, 3]


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_an_attach_that_breaks_all_the_time_costs_no_step(
    tmp_path: Path, transport: Transport
) -> None:
    with FakeService(tmp_path, Script(steps=60, step_seconds=0.01)) as service:
        client = Client("agent", options=quick(service, transport=transport))
        with client:
            episode = next(client.episodes())
            while episode.running:
                if len(service.executed) % 3 == 0:
                    service.drop_attach()
                episode.act("forward")
        assert [step[1] for step in service.executed] == list(range(60))
        assert service.epoch > 5


def test_a_new_process_resumes_the_open_episode(tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    with FakeService(tmp_path, Script(episodes=2, steps=4)) as service:
        run_doomed_agent(service, state_file, "forward", "pickup")
        with Client("agent", options=quick(service, state_file=state_file)) as client:
            episodes = client.episodes()
            resumed = next(episodes)
            assert not service.attached[1].required_features, "it has no pictures to refer to"
            actions = [past.action for past in resumed.history]
            assert actions == [SkillCall("forward"), SkillCall("pickup")]
            assert resumed.observation.text == "2 steps walked"
            assert resumed.observation.image.data == bytes(range(6))
            while resumed.running:
                resumed.act("forward")
            assert next(episodes).id == "episode-1"
        assert [step[1] for step in service.executed] == [0, 1, 2, 3]
        assert service.ended == {"episode-1": (pb.END_REASON_AGENT_GAVE_UP, "")}


def test_a_step_in_flight_is_waited_for_before_the_episode_goes_on(tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    with FakeService(tmp_path, Script(steps=2, step_seconds=0.6)) as service:
        doomed = start_doomed_agent(service, state_file, "forward")
        wait_for(lambda: service.received == [("episode-0", 0)])
        doomed.kill()
        doomed.wait()
        with Client("agent", options=quick(service, state_file=state_file)) as client:
            resumed = next(client.episodes())
            assert len(resumed.history) == 1
            resumed.act("forward")
        assert [step[1] for step in service.executed] == [0, 1]


def test_the_state_file_is_private_and_gone_when_all_is_done(tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    with FakeService(tmp_path, Script(steps=1)) as service:
        with Client("agent", options=quick(service, state_file=state_file)) as client:
            for episode in client.episodes():
                assert state_file.stat().st_mode & 0o777 == 0o600
                assert json.loads(state_file.read_text())["session"] == "session"
                assert "lease-token" not in state_file.read_text()
                episode.act("forward")
        assert not state_file.exists()


def test_a_state_file_of_a_session_that_is_over_is_set_aside(tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    with FakeService(old) as service:
        run_doomed_agent(service, state_file)
    with (
        FakeService(new, Script(steps=1)) as service,
        Client("agent", options=quick(service, state_file=state_file)) as client,
    ):
        assert [episode.id for episode in client.episodes()] == ["episode-0"]


def test_without_a_state_file_the_seat_stays_taken(tmp_path: Path) -> None:
    with FakeService(tmp_path) as service:
        Client("agent", options=quick(service)).connect().close()
        with pytest.raises(RefusedError) as caught:
            Client("agent", options=quick(service)).connect()
        assert caught.value.reason == "SEAT_TAKEN"


@pytest.mark.parametrize("transport", ["play", "unary"])
def test_a_superseded_agent_stops(tmp_path: Path, transport: Transport) -> None:
    with FakeService(tmp_path) as service:
        client = Client("agent", options=quick(service, transport=transport))
        with pytest.raises(SupersededError), client:
            episode = next(client.episodes())
            service.take_over()
            episode.act("forward")
        assert service.received == []
        assert service.ended == {}, "the episode belongs to the other process now"


def test_an_agent_whose_resume_token_was_used_stops(tmp_path: Path) -> None:
    with FakeService(tmp_path) as service:
        client = Client("agent", options=quick(service))
        with pytest.raises(SupersededError), client:
            episode = next(client.episodes())
            service.take_over()
            service.drop_attach()
            episode.act("forward")


def test_a_revoked_session_raises_its_reason(tmp_path: Path) -> None:
    with FakeService(tmp_path, Script(steps=10_000)) as service:
        client = Client("agent", options=quick(service))
        with pytest.raises(RevokedError) as caught, client:
            episode = next(client.episodes())
            service.push(pb.AttachResponse(revoked=pb.Revoked(reason="RUN_STOPPED")))
            with contextlib.suppress(AssertionError):
                wait_for(lambda: not episode.act("forward").outcomes)
        assert caught.value.reason == "RUN_STOPPED"


def test_a_draining_service_lets_the_open_episode_end(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, Script(episodes=3, steps=2)) as service,
        Client("agent", options=quick(service)) as client,
    ):
        played = []
        for episode in client.episodes():
            played.append(episode.id)
            service.draining = True
            service.push(pb.AttachResponse(draining=pb.Draining()))
            wait_for(lambda: client.draining)
            while episode.running:
                assert episode.act("forward").outcomes
        assert played == ["episode-0"]
