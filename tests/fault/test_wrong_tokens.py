"""A flood of wrong tokens: refused unread, slowed down, cut off; and nobody else notices."""

from __future__ import annotations

import time
from collections.abc import Iterator

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2, agent_pb2_grpc
from houseguest.control.v1 import control_pb2, control_pb2_grpc

from env_service.gateway import admission
from tests.support.http2 import HttpTwo
from tests.support.service import TIMEOUT, OpenService, bearer, open_service, reason_of, skill

AT_ONCE = 10
FLOODS, CALLS = 24, 100
"""Connections, and calls of each: more than gRPC lets wait of itself."""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenService]:
    """A service that answers ten wrong tokens, and has the others wait for longer than a test."""
    monkeypatch.setattr(admission, "REFUSALS_A_SECOND", 0.001)
    monkeypatch.setattr(admission, "BURST_SECONDS", 1000.0 * AT_ONCE)
    monkeypatch.setattr(admission, "MOST_IN_A_ROW", 2 * AT_ONCE)
    monkeypatch.setattr(admission, "WAIT_SECONDS", 3600.0)
    with open_service() as opened:
        yield opened


def tcp(service: OpenService) -> grpc.Channel:
    """A connection of its own to the agents' port."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    return grpc.insecure_channel(service.server.agent_addresses[1], options=options)


def refusal(stub: agent_pb2_grpc.AgentServiceStub, timeout: float = TIMEOUT) -> str:
    """What a wrong token gets: a reason, or the name of the status."""
    with pytest.raises(grpc.RpcError) as caught:
        stub.Hello(agent_pb2.HelloRequest(), metadata=bearer("wrong"), timeout=timeout)
    code: grpc.StatusCode = caught.value.code()  # type: ignore[attr-defined]
    return reason_of(caught.value) or code.name


def test_further_ones_wait_and_good_tokens_do_not(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1))
    agent.begin()
    stub = agent_pb2_grpc.AgentServiceStub(agent.channel)
    assert [refusal(stub) for _ in range(AT_ONCE)] == ["TOKEN_INVALID"] * AT_ONCE
    assert refusal(stub, timeout=0.5) == "DEADLINE_EXCEEDED"
    # On the same connection, too.
    assert agent.step(skill("win")).outcomes
    agent.close()


def test_a_flood_over_many_connections_waits_as_well(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1))
    agent.begin()
    floods = [HttpTwo(service.address, "wrong") for _ in range(FLOODS)]
    try:
        for each in floods:
            each.call("Hello", b"", CALLS)
        time.sleep(3.0)
        assert sum(each.ended for each in floods) == AT_ONCE
        assert agent.step(skill("win")).outcomes
    finally:
        for each in floods:
            each.close()
    agent.close()


def test_a_tcp_connection_with_too_many_in_a_row_is_closed(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1))
    agent.begin()
    with tcp(service) as bad, tcp(service) as good:
        told = agent_pb2_grpc.AgentServiceStub(good)
        assert told.Hello(agent_pb2.HelloRequest(), metadata=agent.metadata, timeout=TIMEOUT)
        stub = agent_pb2_grpc.AgentServiceStub(bad)
        calls = [
            stub.Hello.future(agent_pb2.HelloRequest(), metadata=bearer("wrong"), timeout=TIMEOUT)
            for _ in range(2 * AT_ONCE + 1)
        ]
        codes = [call.code() for call in calls]
        assert codes.count(grpc.StatusCode.UNAVAILABLE) == AT_ONCE + 1
        assert told.Hello(agent_pb2.HelloRequest(), metadata=agent.metadata, timeout=TIMEOUT)
    assert agent.step(skill("win")).outcomes
    agent.close()


def test_the_operators_listener_does_the_same(service: OpenService) -> None:
    with grpc.insecure_channel(service.server.control_addresses[0]) as channel:
        stub = control_pb2_grpc.ControlServiceStub(channel)

        def wrong(timeout: float) -> str:
            with pytest.raises(grpc.RpcError) as caught:
                request = control_pb2.ListRunsRequest()
                stub.ListRuns(request, metadata=bearer("wrong"), timeout=timeout)
            code: grpc.StatusCode = caught.value.code()  # type: ignore[attr-defined]
            return reason_of(caught.value) or code.name

        assert [wrong(TIMEOUT) for _ in range(AT_ONCE)] == ["TOKEN_INVALID"] * AT_ONCE
        assert wrong(0.5) == "DEADLINE_EXCEEDED"
        assert not stub.ListRuns(
            control_pb2.ListRunsRequest(), metadata=service.operator, timeout=TIMEOUT
        ).runs


def test_methods_that_do_not_exist_are_slowed_down_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(admission, "OPEN_CALLS_A_SECOND", 0.001)
    monkeypatch.setattr(admission, "BURST_SECONDS", 1000.0 * AT_ONCE)
    monkeypatch.setattr(admission, "WAIT_SECONDS", 3600.0)
    with open_service() as service, tcp(service) as channel:
        method = channel.unary_unary("/houseguest.agent.v1.AgentService/Cheat")

        def ask(timeout: float) -> str:
            with pytest.raises(grpc.RpcError) as caught:
                method(b"", timeout=timeout)
            code: grpc.StatusCode = caught.value.code()  # type: ignore[attr-defined]
            return code.name

        assert [ask(TIMEOUT) for _ in range(AT_ONCE)] == ["UNIMPLEMENTED"] * AT_ONCE
        assert ask(0.5) == "DEADLINE_EXCEEDED"


def test_two_authorization_headers_are_refused(service: OpenService) -> None:
    agent = service.agent(service.open_run(limit=1))
    with pytest.raises(grpc.RpcError) as caught:
        agent.stub.Hello(
            agent_pb2.HelloRequest(), metadata=(*agent.metadata, *bearer("other")), timeout=TIMEOUT
        )
    assert reason_of(caught.value) == "TOKEN_INVALID"
    assert "exactly one" in str(caught.value)
    assert agent.play_out() == 1
    agent.close()
