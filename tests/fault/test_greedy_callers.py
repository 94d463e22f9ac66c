"""Guests that would have the service hold what nobody reads: it takes no more than their turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.gateway.admission import STREAMS
from env_service.gateway.agent_service import MAX_DECLARATIONS
from env_service.results.manifest import read_manifest
from tests.support.http2 import HttpTwo
from tests.support.service import TIMEOUT, OpenService, open_service, reason_of, skill

MIB = 2**20
CONNECTIONS, CALLS = 2, 60


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def resident() -> int:
    """Bytes of memory of this process, which the service runs in."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def grown(since: int, seconds: float = 2.0) -> int:
    """The most that the process has grown by in a while."""
    end, most = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        most = max(most, resident() - since)
        time.sleep(0.05)
    return most


def test_answers_that_nobody_reads(service: OpenService) -> None:
    run = service.open_run(limit=1, fresh=True)
    agent = service.agent(run)
    agent.begin()
    size = agent.step(skill("big")).ByteSize()
    assert size > MIB
    request = agent_pb2.GetEpisodeRequest(**agent.who, episode_id=agent.episode.episode_id)
    before = resident()
    streams = [HttpTwo(service.address, service.token(run), window=0) for _ in range(CONNECTIONS)]
    try:
        for stream in streams:
            stream.call("GetEpisode", request.SerializeToString(), times=CALLS)
        assert grown(before) < CONNECTIONS * CALLS * size // 2
    finally:
        for stream in streams:
            stream.close()
    assert agent.step(skill("win")).outcomes
    agent.close()


def test_requests_that_never_end(service: OpenService) -> None:
    run = service.open_run(limit=1, fresh=True)
    before = resident()
    streams = [HttpTwo(service.address, service.token(run)) for _ in range(CONNECTIONS)]
    try:
        sent = sum(stream.begin("Step", CALLS, 8 * MIB, seconds=2.0) for stream in streams)
        # Some are read, at once; the others have to wait, and so has what they would send.
        assert sent < CONNECTIONS * CALLS * 8 * MIB // 2
        assert grown(before, 0.5) < CONNECTIONS * CALLS * 8 * MIB // 2
    finally:
        for stream in streams:
            stream.close()
    agent = service.agent(run)
    assert agent.play_out() == 1
    agent.close()


def test_packed_messages_are_not_unpacked(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1, fresh=True))
    with pytest.raises(grpc.RpcError) as caught:
        agent.stub.Hello(
            agent_pb2.HelloRequest(), metadata=agent.metadata, compression=grpc.Compression.Gzip
        )
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED  # type: ignore[attr-defined]
    assert agent.play_out() == 1
    agent.close()


def test_a_guest_with_ever_new_names_is_heard_a_few_times(service: OpenService) -> None:
    run = service.open_run(limit=1, fresh=True)
    agent = service.agent(run)
    for number in range(3 * MAX_DECLARATIONS):
        client = agent_pb2.ClientInfo(agent_name=f"guest {number}")
        agent.stub.Hello(agent_pb2.HelloRequest(client=client), metadata=agent.metadata)
    declared = read_manifest(run.context.folder.path).declared
    assert [each["agent_name"] for each in declared] == [
        f"guest {number}" for number in range(MAX_DECLARATIONS)
    ]
    agent.close()


def test_streams_on_which_nothing_is_asked(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1, fresh=True))
    over = threading.Event()

    def nothing() -> Iterator[agent_pb2.PlayRequest]:
        over.wait()
        yield from ()

    open_ones = [agent.stub.Play(nothing(), metadata=agent.metadata) for _ in range(STREAMS)]
    time.sleep(0.2)
    with pytest.raises(grpc.RpcError) as caught:
        next(agent.stub.Play(nothing(), metadata=agent.metadata, timeout=TIMEOUT))
    assert reason_of(caught.value) == "RATE_LIMITED"
    over.set()
    for each in open_ones:
        assert list(each) == []
    assert agent.play_out() == 1
    agent.close()


def test_a_caller_without_a_good_token_is_refused_unread(service: OpenService) -> None:
    stream = HttpTwo(service.address, "no token")
    try:
        # The answer comes although the request never does.
        stream.begin("Step", 1, MIB, seconds=0.2)
        assert b"TOKEN_INVALID" in stream.received(b"TOKEN_INVALID")
    finally:
        stream.close()
