"""The loop that an agent writes, and how it may end."""

from __future__ import annotations

import _thread
import os
import re
import socket
import sys
import threading
from pathlib import Path

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import (
    Client,
    EpisodeOverError,
    EpisodeStatus,
    Feature,
    Mode,
    RetryPolicy,
    TokenRefusedError,
    Trace,
    UnreachableError,
)

from tests.support.fake_service import TOKEN, FakeService, Script, quick

HASTY = RetryPolicy(connect_patience=0.3, first_wait=0.01)
"""For a service that nobody will ever find."""


def test_an_episode_says_what_there_is_to_know(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path) as service,
        Client("agent", "1.2", model="m", configuration={"t": 0}, options=quick(service)) as client,
    ):
        episode = next(client.episodes())
        assert (episode.suite, episode.mode, episode.language) == ("fake", Mode.STEPWISE, "en")
        assert episode.instruction == "walk 5 steps"
        assert episode.condition == {"feedback": "detailed"}
        assert [skill.name for skill in episode.action_space.skills] == ["forward", "pickup"]
        assert episode.max_steps is None
        assert client.episodes_total == 1
        assert Feature.STREAMING_PLAY in client.features
        introduced = service.hellos[0].client
        assert (introduced.agent_name, introduced.agent_version) == ("agent", "1.2")
        assert introduced.sdk_name == "houseguest-agent"
        assert dict(introduced.configuration) == {"t": "0"}


def test_a_step_brings_outcome_observation_and_budget(tmp_path: Path) -> None:
    with FakeService(tmp_path) as service, Client("agent", options=quick(service)) as client:
        episode = next(client.episodes())
        step = episode.act("pickup", hand="left", object="mug", trace=Trace("it is there"))
        assert step.outcome is not None
        assert step.outcome.feedback == "done"
        assert step.remaining.steps == 4
        assert step.observation is episode.observation
        assert step.observation.text == "1 steps walked"
        # The second picture came as a reference to the first.
        assert step.observation.image.data == bytes(range(6))
        sent = service.executed[0][2].skill
        assert [(each.name, each.value) for each in sent.arguments] == [
            ("object", "mug"),
            ("hand", "left"),
        ]


def test_a_closed_episode_ends_the_loop(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, Script(episodes=2, close_at=2)) as service,
        Client("agent", options=quick(service)) as client,
    ):
        for episode in client.episodes():
            steps = []
            while episode.running:
                steps.append(episode.act("forward"))
            assert [len(step.outcomes) for step in steps] == [1, 1, 0]
            assert len(episode.history) == 2
            assert episode.status is EpisodeStatus.TRUNCATED
            assert episode.observation.text == "2 steps walked"
            with pytest.raises(EpisodeOverError, match="truncated"):
                episode.act("forward")


def test_a_voided_episode_ends_the_loop(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, Script(episodes=2, void_at=1)) as service,
        Client("agent", options=quick(service)) as client,
    ):
        for episode in client.episodes():
            while episode.running:
                episode.act("forward")
            assert episode.status is EpisodeStatus.VOIDED
        assert service.ended == {}


def test_plans_and_texts_travel(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, Script(mode=pb.MODE_PLAN)) as service,
        Client("agent", options=quick(service)) as client,
    ):
        episode = next(client.episodes())
        episode.plan(["forward", "forward"])
        episode.say("go on")
        plan, text = (executed[2] for executed in service.executed)
        assert [step.name for step in plan.plan.steps] == ["forward", "forward"]
        assert text.text == "go on"


def test_ending_an_episode_tells_why(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path, Script(episodes=4)) as service,
        Client("agent", options=quick(service)) as client,
    ):
        episodes = client.episodes()
        assert next(episodes).done("there") is EpisodeStatus.TERMINATED
        next(episodes).give_up("lost")
        next(episodes).fail("no model")
        next(episodes)
        assert list(episodes) == []
        assert service.ended == {
            "episode-0": (pb.END_REASON_AGENT_DONE, "there"),
            "episode-1": (pb.END_REASON_AGENT_GAVE_UP, "lost"),
            "episode-2": (pb.END_REASON_AGENT_ERROR, "no model"),
            "episode-3": (pb.END_REASON_AGENT_GAVE_UP, ""),
        }


def test_an_exception_is_an_agent_error_and_goes_on(tmp_path: Path) -> None:
    with FakeService(tmp_path) as service:
        with pytest.raises(ZeroDivisionError), Client("agent", options=quick(service)) as client:
            for episode in client.episodes():
                episode.act("forward")
                raise ZeroDivisionError("by zero")
        (reason, said) = service.ended.pop("episode-0")
        assert reason == pb.END_REASON_AGENT_ERROR
        assert re.fullmatch(r"ZeroDivisionError: by zero \(test_sdk_client\.py, line \d+\)", said)
        assert service.ended == {}


@pytest.mark.parametrize("inside", [True, False])
def test_leaving_the_loop_gives_up(tmp_path: Path, inside: bool) -> None:
    with FakeService(tmp_path) as service:
        client = Client("agent", options=quick(service))
        if inside:
            with client:
                for _ in client.episodes():
                    break
        else:
            for _ in client.episodes():
                break
            client.close()
        assert service.ended == {"episode-0": (pb.END_REASON_AGENT_GAVE_UP, "")}


@pytest.mark.parametrize(
    ("code", "reason"),
    [(0, pb.END_REASON_AGENT_GAVE_UP), (3, pb.END_REASON_AGENT_ERROR)],
)
def test_an_exit_counts_by_its_code(tmp_path: Path, code: int, reason: int) -> None:
    with FakeService(tmp_path) as service:
        with pytest.raises(SystemExit), Client("agent", options=quick(service)) as client:
            next(client.episodes())
            sys.exit(code)
        assert service.ended["episode-0"][0] == reason


class Interrupting(FakeService):
    """Every step of it begins with Ctrl-C."""

    def _execute(self, request: pb.StepRequest) -> pb.StepResponse:
        _thread.interrupt_main()
        return super()._execute(request)


def test_an_interrupt_in_a_step_ends_the_episode_after_it(tmp_path: Path) -> None:
    with Interrupting(tmp_path, Script(step_seconds=0.5)) as service:
        with pytest.raises(KeyboardInterrupt), Client("agent", options=quick(service)) as client:
            next(client.episodes()).act("forward")
        assert [step[1] for step in service.executed] == [0]
        assert service.ended["episode-0"][0] == pb.END_REASON_AGENT_ERROR


def test_the_environment_says_where_the_service_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeService(tmp_path) as service:
        monkeypatch.setenv("HOUSEGUEST_ADDRESS", service.address)
        monkeypatch.setenv("HOUSEGUEST_TOKEN", TOKEN)
        with Client("agent") as client:
            assert client.session_id == "session"


def test_a_missing_socket_is_named(tmp_path: Path) -> None:
    service = FakeService(tmp_path)
    with pytest.raises(UnreachableError) as caught:
        Client("agent", options=quick(service, retry=HASTY)).connect()
    assert service.address in str(caught.value)
    assert "HOUSEGUEST_ADDRESS" in str(caught.value)


def test_a_socket_without_a_listener_is_named(tmp_path: Path) -> None:
    service = FakeService(tmp_path)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(service.address.removeprefix("unix:"))
    with pytest.raises(UnreachableError, match="nothing listens"):
        Client("agent", options=quick(service, retry=HASTY)).connect()


def test_a_socket_that_may_not_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = FakeService(tmp_path)
    Path(service.address.removeprefix("unix:")).touch()
    # Root may write everywhere, so a bare chmod would prove nothing there.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UnreachableError, match="check its permissions"):
        Client("agent", options=quick(service, retry=HASTY)).connect()


def test_a_service_that_starts_a_little_late_is_found(tmp_path: Path) -> None:
    service = FakeService(tmp_path)
    threading.Timer(0.2, service.start).start()
    with Client("agent", options=quick(service)) as client:
        assert client.session_id == "session"
    service.__exit__()


def test_a_wrong_token_is_refused(tmp_path: Path) -> None:
    with (
        FakeService(tmp_path) as service,
        pytest.raises(TokenRefusedError, match="HOUSEGUEST_TOKEN"),
    ):
        Client("agent", options=quick(service, token="wrong")).connect()


def test_a_feature_of_a_newer_service_is_no_obstacle(tmp_path: Path) -> None:
    unknown = pb.Feature.ValueType(77)
    with (
        FakeService(tmp_path, Script(features=(unknown,))) as service,
        Client("agent", options=quick(service)) as client,
    ):
        assert client.features == {Feature.UNSPECIFIED}
