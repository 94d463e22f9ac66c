"""Agents that attack the service by its own socket: each costs itself, and its neighbour plays
on."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeResult
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run import Run
from env_service.gateway.violations import MOST_VIOLATIONS
from tests.support.service import (
    TIMEOUT,
    OpenService,
    RawAgent,
    bearer,
    open_service,
    reason_of,
    skill,
)

TASKS = 50
SERVICE = "/houseguest.agent.v1.AgentService/"
METHODS = (
    "Hello",
    "Attach",
    "BeginEpisode",
    "Step",
    "EndEpisode",
    "GetEpisode",
    "Withdraw",
    "Play",
)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MIB = 2**20


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service(replace(ServiceLimits(), calls_per_second=500)) as opened:
        yield opened


@dataclass
class Pair:
    """Two seats of a run: a hostile guest's, with an episode begun, and its neighbour's."""

    service: OpenService
    run: Run
    hostile: RawAgent
    neighbour: RawAgent

    def plays_on(self) -> None:
        """The neighbour plays two episodes, as if nothing were."""
        before = len(self._won())
        for _ in range(2):
            assert self.neighbour.begin().HasField("episode")
            assert self.neighbour.step(skill("win")).outcomes
        assert len(self._won()) == before + 2
        assert not list(self.run.context.folder.voids())

    def _won(self) -> list[EpisodeResult]:
        return [each for each in self.run.context.folder.finished() if each.success]

    def refusal(self, call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
        """The status and the reason with which a call is refused."""
        with pytest.raises(grpc.RpcError) as caught:
            call()
        return caught.value.code(), reason_of(caught.value)  # type: ignore[attr-defined]


@contextmanager
def seated(service: OpenService, tasks: int) -> Iterator[Pair]:
    """A hostile guest in an episode, and its neighbour."""
    run = service.open_run(limit=tasks, sessions=2, workers=1, fresh=True)
    hostile, neighbour = (service.agent(run, number) for number in range(2))
    hostile.begin()
    yield Pair(service, run, hostile, neighbour)
    hostile.close()
    neighbour.close()


@pytest.fixture(scope="module")
def pair(service: OpenService) -> Iterator[Pair]:
    """Shared: whatever the hostile guest has done before, it has not hurt."""
    with seated(service, TASKS) as both:
        yield both


@pytest.fixture
def fresh_pair(service: OpenService) -> Iterator[Pair]:
    """For a hostile guest that does not survive its deed."""
    with seated(service, 3) as both:
        yield both


def connect(service: OpenService) -> socket.socket:
    """A bare connection to the agents' socket."""
    there = socket.socket(socket.AF_UNIX)
    there.settimeout(TIMEOUT)
    there.connect(service.address.removeprefix("unix:"))
    return there


def raw_call(agent: RawAgent, method: str, data: bytes) -> object:
    """Calls a method with bytes of one's choice."""
    call = agent.channel.unary_unary(SERVICE + method)
    return call(data, metadata=agent.metadata, timeout=TIMEOUT)


def test_a_guest_that_never_answers(pair: Pair) -> None:
    pair.plays_on()


@pytest.mark.parametrize("start", [b"", PREFACE, b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01"])
def test_garbage_in_place_of_a_connection(pair: Pair, start: bytes) -> None:
    noise = random.Random(1).randbytes(64 * 1024)
    for _ in range(8):
        with connect(pair.service) as there, suppress(OSError):
            there.sendall(start + noise)
    pair.plays_on()


def test_connections_on_which_nothing_comes(pair: Pair) -> None:
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connect(pair.service)).sendall(PREFACE[:5])
        pair.plays_on()


@pytest.mark.parametrize("method", METHODS)
def test_messages_that_are_none(pair: Pair, method: str) -> None:
    noise = random.Random(2).randbytes(300)
    for size in (1, 7, 300):
        answers: list[bytes] = []
        try:
            answers += raw_stream(pair.hostile, method, b"\xff" + noise[:size])
        except grpc.RpcError as error:
            answers.append(f"{reason_of(error)} {error}".encode())
        # On a stream that goes on, a refusal is a message.
        said = b"".join(answers)
        assert b"MALFORMED_REQUEST" in said
        assert b"Traceback" not in said
    pair.plays_on()


def raw_stream(agent: RawAgent, method: str, data: bytes) -> Iterator[bytes]:
    """Calls any method, whether it streams or not, with one message."""
    call = agent.channel.stream_stream(SERVICE + method)
    return call(iter([data]), metadata=agent.metadata, timeout=TIMEOUT)


def test_methods_that_are_none(pair: Pair) -> None:
    for method in ("Score", "../ControlService/CancelRun", ""):
        status, _ = pair.refusal(lambda name=method: raw_call(pair.hostile, name, b""))
        assert status == grpc.StatusCode.UNIMPLEMENTED
    control = pair.hostile.channel.unary_unary("/houseguest.control.v1.ControlService/ListRuns")
    status, _ = pair.refusal(lambda: control(b"", metadata=pair.hostile.metadata, timeout=TIMEOUT))
    assert status == grpc.StatusCode.UNIMPLEMENTED
    pair.plays_on()


def test_another_seats_session_with_ones_own_token(pair: Pair) -> None:
    impostor = RawAgent(pair.service.address, pair.service.token(pair.run, 0))
    impostor.grant.CopyFrom(pair.neighbour.grant)
    impostor.episode.CopyFrom(pair.neighbour.episode)
    for call in (
        impostor.begin,
        lambda: impostor.step(skill("fail")),
        impostor.end,
        impostor.get_episode,
        impostor.withdraw,
    ):
        assert pair.refusal(call) == (grpc.StatusCode.PERMISSION_DENIED, "SESSION_FOREIGN")
    impostor.close()
    pair.plays_on()


def test_tokens_that_were_guessed(pair: Pair) -> None:
    mine = pair.service.token(pair.run, 0)
    parts = mine.split(".")
    forged = ["", "x", mine[:-4] + "AAAA", mine + "A", ".".join(reversed(parts)), "é", "A" * 5000]
    for token in forged:
        with pytest.raises((grpc.RpcError, ValueError, UnicodeError)) as caught:
            request = agent_pb2.GetEpisodeRequest(**pair.hostile.who)
            pair.hostile.stub.GetEpisode(request, metadata=bearer(token), timeout=TIMEOUT)
        if isinstance(caught.value, grpc.RpcError):
            assert caught.value.code() in (  # type: ignore[attr-defined]
                grpc.StatusCode.UNAUTHENTICATED,
                grpc.StatusCode.INTERNAL,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                grpc.StatusCode.INVALID_ARGUMENT,
            )
    pair.plays_on()


def test_a_message_that_is_too_large(pair: Pair) -> None:
    huge = b"\x0a" + b"\xff" * (20 * MIB)
    status, _ = pair.refusal(lambda: raw_call(pair.hostile, "Step", huge))
    assert status == grpc.StatusCode.RESOURCE_EXHAUSTED
    pair.plays_on()


def test_words_without_end(pair: Pair) -> None:
    name = "x" * MIB
    answer = pair.hostile.step(skill(name, **{f"argument{number}": name for number in range(5)}))
    assert len(answer.SerializeToString()) < MIB
    pair.plays_on()


def test_a_guest_that_never_gets_a_call_right_is_dismissed(fresh_pair: Pair) -> None:
    for _ in range(MOST_VIOLATIONS + 1):
        with suppress(grpc.RpcError):
            fresh_pair.hostile.repeat(skill("win"), 77)
    fresh_pair.plays_on()
    fresh_pair.service.call(fresh_pair.run.wait_until_over())


def test_a_flood_of_calls(pair: Pair) -> None:
    def flood() -> None:
        requests = [
            pair.hostile.stub.Step.future(
                pair.hostile.step_request(skill("fail"), 5), metadata=pair.hostile.metadata
            )
            for _ in range(1500)
        ]
        for request in requests:
            request.exception()

    flooding = threading.Thread(target=flood)
    flooding.start()
    pair.plays_on()
    flooding.join()


def test_a_flood_of_streams(pair: Pair) -> None:
    request = agent_pb2.AttachRequest()
    streams = [
        pair.hostile.stub.Attach(request, metadata=pair.hostile.metadata) for _ in range(200)
    ]
    pair.plays_on()
    for stream in streams:
        stream.cancel()


def test_a_guest_that_goes_without_a_word_in_the_middle(fresh_pair: Pair) -> None:
    hostile = fresh_pair.hostile
    hostile.stub.Step.future(hostile.step_request(skill("fail"), 0), metadata=hostile.metadata)
    hostile.close()
    fresh_pair.plays_on()


def test_the_service_is_no_worse_for_it(service: OpenService) -> None:
    run = service.open_run(limit=2, fresh=True)
    agent = service.agent(run)
    assert agent.play_out() == 2
    agent.close()
