"""A model's server on a Unix socket: one that answers, and what is said of one that does not."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig, Waiting
from model_guest.endpoint.model import EndpointModel
from model_guest.model import Message, Request, Role, UnreachableError

from tests.support.model_server import MODEL, ModelServer, says

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "agents/vlm/agent.py"
QUESTION = Request((Message(Role.USER, ("hello",)),))


def connect(url: str, patience: float) -> EndpointModel:
    waiting = Waiting(60.0, patience, first=0.01, longest=0.05, rng=random.Random(0))
    return EndpointModel(EndpointConfig(read_address(url), MODEL, waiting=waiting), lambda _: None)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "model.sock"


@pytest.fixture
def server(place: Path) -> Iterator[ModelServer]:
    with ModelServer(says("at last"), place=place) as running:
        yield running


def failure(url: str) -> str:
    """What is said of a server that cannot be reached."""
    with pytest.raises(UnreachableError) as caught:
        connect(url, 0.1).reply(QUESTION)
    return str(caught.value)


def test_a_model_replies_over_a_socket_and_is_declared(server: ModelServer) -> None:
    model = connect(server.url, 20.0)
    assert model.reply(QUESTION).text == "at last"
    assert server.asked[0].path == "/v1/chat/completions"
    assert model.models() == [MODEL]
    assert model.configuration()["base_url"] == f"{server.url}:/v1"


def test_another_path_on_the_socket_can_be_named(server: ModelServer) -> None:
    assert connect(f"{server.url}:/api/v2", 20.0).reply(QUESTION).text == "at last"
    assert server.asked[0].path == "/api/v2/chat/completions"


def test_proxies_are_not_asked(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert connect(server.url, 20.0).reply(QUESTION).text == "at last"


def test_a_server_that_goes_away_is_waited_for(server: ModelServer) -> None:
    model = connect(server.url, 20.0)
    model.reply(QUESTION)
    server.stop()
    server.start()
    assert model.reply(QUESTION).text == "at last"


def test_a_socket_that_is_not_there_is_told(place: Path) -> None:
    assert f"the socket {place} does not exist: either the server has not started" in failure(
        f"unix:{place}"
    )


def test_a_socket_on_which_nobody_listens_is_told(server: ModelServer, place: Path) -> None:
    server.stop()
    assert f"nothing listens on the socket {place}" in failure(server.url)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every socket")
def test_a_socket_that_is_somebody_elses_is_told(server: ModelServer, place: Path) -> None:
    place.chmod(0o400)
    assert f"user {os.geteuid()} may not connect to the socket {place}" in failure(server.url)


def test_the_check_asks_over_the_socket(place: Path) -> None:
    with ModelServer(place=place) as server:
        done = subprocess.run(
            [sys.executable, str(AGENT), "--model", MODEL, "--check"],
            env={**os.environ, "HOUSEGUEST_BASE_URL": server.url},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    checks = {each["name"]: each for each in json.loads(done.stdout)["checks"]}
    assert checks["endpoint"]["found"] == f"{server.url}:/v1 answers, and accepts the key"
    assert checks["pictures"]["state"] == "ok"
