"""What a user hears where the engine could not do something."""

from __future__ import annotations

import pytest
from docker.errors import APIError, DockerException, ImageNotFound

from env_service.sandbox.docker.container import exit_code, start_error
from env_service.sandbox.docker.engine import connect
from env_service.sandbox.errors import AgentStartError, ImageMissingError


@pytest.mark.parametrize(
    ("told", "remedy"),
    [
        (
            'could not select device driver "" with capabilities: [[gpu]]',
            "nvidia-container-toolkit",
        ),
        ("No command specified", "--agent-args"),
        ("invalid mount config: bind source path does not exist: /x", "on this machine"),
        ('exec: "x": executable file not found in $PATH: unknown', "entry point does not exist"),
        ("Minimum memory limit allowed is 6MB", "--guest-memory"),
    ],
)
def test_a_known_problem_has_a_remedy(told: str, remedy: str) -> None:
    message = str(start_error("my-agent", APIError("400", explanation=told)))
    assert "my-agent" in message
    assert remedy in message
    assert told in message


def test_an_unknown_problem_is_told_in_the_engine_s_words() -> None:
    message = str(start_error("my-agent", DockerException("it is\nFriday")))
    assert message == "cannot start an agent of the image my-agent: it is Friday"


def test_an_image_that_went_meanwhile_is_missing() -> None:
    error = start_error("my-agent", ImageNotFound("gone"))
    assert isinstance(error, ImageMissingError)


def test_no_engine_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/docker.sock")
    with pytest.raises(AgentStartError, match=r"unix:///no/such/docker\.sock does not answer"):
        connect()


def test_nonsense_for_an_engine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "nonsense://x")
    with pytest.raises(AgentStartError, match="cannot be used"):
        connect()


@pytest.mark.parametrize(
    ("status", "code"), [(0, 0), (3, 3), (125, 125), (128, 128), (137, -9), (143, -15), (255, 255)]
)
def test_a_signal_is_told_from_a_status(status: int, code: int) -> None:
    assert exit_code(status) == code
