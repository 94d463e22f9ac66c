"""Whatever becomes of the link, every step is executed once, in order, and its answer arrives."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import Client, RefusedError, RetryPolicy, UnreachableError
from houseguest_agent.options import Transport

from tests.support.command_line import until
from tests.support.fake_service import FakeService, Script, lose_answers, quick

TRANSPORTS: tuple[Transport, ...] = ("play", "unary")


def play_all(client: Client) -> list[str]:
    """Plays everything forward; the feedback of every step."""
    told = []
    for episode in client.episodes():
        while episode.running:
            step = episode.act("forward")
            told += [outcome.feedback for outcome in step.outcomes]
    return told


def each_step_once(episodes: int, steps: int) -> list[tuple[str, int]]:
    return [(f"episode-{number}", step) for number in range(episodes) for step in range(steps)]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_lost_answers_repeat_nothing(tmp_path: Path, transport: Transport) -> None:
    script = Script(episodes=5, steps=40, fault=lose_answers(0.1, seed=7))
    with FakeService(tmp_path, script) as service:
        with Client("agent", options=quick(service, transport=transport)) as client:
            told = play_all(client)
        assert [step[:2] for step in service.executed] == each_step_once(5, 40)
        assert len(told) == 200
        assert len(service.received) > 205, "answers were lost on the way"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_step_that_outlasts_the_deadline_is_joined(tmp_path: Path, transport: Transport) -> None:
    retry = RetryPolicy(timeout=0.2, first_wait=0.01, longest_wait=0.02)
    with FakeService(tmp_path, Script(steps=2, step_seconds=0.7)) as service:
        with Client("agent", options=quick(service, transport=transport, retry=retry)) as client:
            told = play_all(client)
        assert told == ["done", "done"]
        assert [step[:2] for step in service.executed] == each_step_once(1, 2)
        assert len(service.received) > 2, "the deadline passed before the step was over"


def test_waiting_for_an_episode_has_no_end(tmp_path: Path) -> None:
    retry = RetryPolicy(timeout=0.1, patience=0.2, first_wait=0.01)
    with (
        FakeService(tmp_path, Script(steps=1, begin_seconds=0.8)) as service,
        Client("agent", options=quick(service, retry=retry)) as client,
    ):
        assert next(client.episodes()).running


class Restarting(FakeService):
    """Goes away in the middle of the third step, and comes back a little later. Its last step
    takes until the session is resumed."""

    def __init__(self, folder: Path, script: Script) -> None:
        super().__init__(folder, script)
        self.gone = threading.Event()
        self.restarting = threading.Thread(target=self.restart)

    def restart(self) -> None:
        self.stop()
        self.gone.set()
        time.sleep(0.2)
        self.start()

    def _execute(self, request: pb.StepRequest) -> pb.StepResponse:
        if request.step_index == 2:
            self.restarting.start()
            assert self.gone.wait(60)
        if request.step_index == self.script.steps - 1:
            until(lambda: self.epoch > 1)
        return super()._execute(request)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_restarted_service_finds_its_agent_again(tmp_path: Path, transport: Transport) -> None:
    with Restarting(tmp_path, Script(steps=6)) as service:
        with Client("agent", options=quick(service, transport=transport)) as client:
            told = play_all(client)
        service.restarting.join()
        assert told == ["done"] * 6
        assert [step[:2] for step in service.executed] == each_step_once(1, 6)
        assert service.epoch == 2, "the session was resumed, once"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_rate_limit_slows_the_agent_down(tmp_path: Path, transport: Transport) -> None:
    with (
        FakeService(tmp_path, Script(steps=3)) as service,
        Client("agent", options=quick(service, transport=transport)) as client,
    ):
        episode = next(client.episodes())
        service.rate_limited = 4
        started = time.monotonic()
        episode.act("forward")
        assert time.monotonic() - started >= (0.01 + 0.02 + 0.04 + 0.05) / 2, "it backed off"
        assert [step[1] for step in service.executed] == [0]


def test_other_refusals_are_raised_at_once_and_the_stream_goes_on(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path) as service,
        Client("agent", options=quick(service)) as client,
    ):
        episode = next(client.episodes())
        episode.act("forward")
        right, episode.id = episode.id, "episode-of-nobody"
        with pytest.raises(RefusedError) as caught:
            episode.act("forward")
        assert caught.value.reason == "EPISODE_NOT_OPEN"
        episode.id = right
        assert episode.act("forward").outcomes


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_patience_ends(tmp_path: Path, transport: Transport) -> None:
    retry = RetryPolicy(patience=0.5, first_wait=0.01, longest_wait=0.05, timeout=1.0)
    with FakeService(tmp_path) as service:
        client = Client("agent", options=quick(service, transport=transport, retry=retry))
        with pytest.raises(UnreachableError) as caught, client:
            episode = next(client.episodes())
            service.stop()
            episode.act("forward")
        waited = re.search(r"did not answer for (\d+\.\d) s", str(caught.value))
        assert waited
        assert float(waited[1]) >= 0.5


def test_without_the_streaming_feature_calls_are_unary(tmp_path: Path) -> None:
    with FakeService(tmp_path, Script(features=())) as service:
        service.Play = None  # type: ignore[method-assign, assignment]
        with Client("agent", options=quick(service)) as client:
            assert play_all(client) == ["done"] * 5
