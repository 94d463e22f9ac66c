"""What every call has: its token, its errors as statuses, and work that outlives it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, NoReturn
from urllib.parse import quote

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from houseguest.agent.v1 import action_pb2, agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.rpc import (
    Malformed,
    bearer,
    checked,
    errors_answered,
    parser,
    shielded,
    trailing_metadata,
)


class Ended(grpc.aio.AbortError):
    """As gRPC ends a handler that aborted its call."""


class Call:
    """A call as its handler sees it."""

    def __init__(self, *metadata: tuple[str, str | bytes]) -> None:
        self.metadata = metadata
        self.ended: tuple[grpc.StatusCode, str, dict[str, Any]] | None = None

    def invocation_metadata(self) -> tuple[tuple[str, str | bytes], ...]:
        return self.metadata

    async def abort(self, code: grpc.StatusCode, details: str, trailing_metadata: Any) -> NoReturn:
        self.ended = (code, details, dict(trailing_metadata))
        raise Ended


async def answer(call: Call, error: BaseException) -> None:
    """Runs a handler that ends with an error."""
    async with errors_answered(call):  # type: ignore[arg-type]
        raise error


def ending(error: Exception) -> tuple[grpc.StatusCode, str, dict[str, Any]]:
    """How a call ends whose handler raises the error."""
    call = Call()
    with pytest.raises(Ended):
        asyncio.run(answer(call, error))
    assert call.ended is not None
    return call.ended


class TestUndisturbed:
    def test_the_work_goes_on_when_the_call_is_cancelled(self) -> None:
        async def scene() -> list[str]:
            log: list[str] = []
            release = asyncio.Event()

            async def work() -> None:
                log.append("begun")
                await release.wait()
                log.append("done")

            call = asyncio.create_task(shielded(work()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            release.set()
            for _ in range(20):
                await asyncio.sleep(0)
            return log

        assert asyncio.run(scene()) == ["begun", "done"]

    def test_an_error_after_the_call_is_gone_disturbs_nobody(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def scene() -> None:
            async def work() -> None:
                await asyncio.sleep(0.01)
                raise LookupError("too late")

            call = asyncio.create_task(shielded(work()))
            await asyncio.sleep(0)
            call.cancel()
            await asyncio.sleep(0.05)

        asyncio.run(scene())
        assert caplog.records == []

    def test_what_the_work_returns_or_raises_reaches_the_call(self) -> None:
        async def fine() -> int:
            return 7

        async def wrong() -> int:
            raise ProtocolError(Reason.STEP_CONFLICT)

        assert asyncio.run(shielded(fine())) == 7
        with pytest.raises(ProtocolError, match="STEP_CONFLICT"):
            asyncio.run(shielded(wrong()))

    def test_a_house_that_cancels_the_work_says_that_it_drains(self) -> None:
        async def scene() -> None:
            async def work() -> None:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                await asyncio.sleep(10)

            await shielded(work())

        with pytest.raises(ProtocolError) as caught:
            asyncio.run(scene())
        assert caught.value.reason is Reason.DRAINING


class TestTokens:
    @pytest.mark.parametrize(
        "value", ["Bearer abc", "bearer abc", "BEARER abc", "Bearer  abc ", "Bearer abc "]
    )
    def test_a_token_follows_the_word_bearer(self, value: str) -> None:
        call = Call(("user-agent", "x"), ("authorization", value))
        assert bearer(call) == "abc"  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "metadata",
        [
            (),
            (("authorization", ""),),
            (("authorization", "abc"),),
            (("authorization", "Bearer"),),
            (("authorization", "Bearer "),),
            (("authorization", "Basic abc"),),
            (("x-authorization", "Bearer abc"),),
        ],
    )
    def test_anything_else_is_no_token(self, metadata: tuple[tuple[str, str], ...]) -> None:
        with pytest.raises(ProtocolError) as caught:
            bearer(Call(*metadata))  # type: ignore[arg-type]
        assert caught.value.reason is Reason.TOKEN_MISSING

    def test_a_call_with_two_of_them_is_refused(self) -> None:
        good = ("authorization", "Bearer good")
        for other in (("authorization", "Bearer wrong"), ("authorization", ""), good):
            for headers in ((good, other), (other, good)):
                with pytest.raises(ProtocolError, match="2 authorization headers") as caught:
                    bearer(Call(*headers))  # type: ignore[arg-type]
                assert caught.value.reason is Reason.TOKEN_INVALID


class TestDetails:
    def status(self, error: ProtocolError) -> status_pb2.Status:
        data = dict(trailing_metadata(error))["grpc-status-details-bin"]
        assert isinstance(data, bytes)
        return status_pb2.Status.FromString(data)

    @pytest.mark.parametrize("reason", Reason)
    def test_the_reason_is_told_in_both_ways(self, reason: Reason) -> None:
        error = ProtocolError(reason, "what was wrong")
        assert dict(trailing_metadata(error))["houseguest-reason"] == reason.name
        status = self.status(error)
        assert (status.code, status.message) == (reason.status.value, "what was wrong")
        (detail,) = status.details
        info = error_details_pb2.ErrorInfo()
        assert detail.Unpack(info)
        assert (info.reason, info.domain) == (reason.name, "houseguest")

    def test_whoever_has_to_wait_is_told_how_long(self) -> None:
        _, detail = self.status(ProtocolError(Reason.RATE_LIMITED, retry_after=0.25)).details
        retry = error_details_pb2.RetryInfo()
        assert detail.Unpack(retry)
        assert retry.retry_delay.nanos == 250_000_000


class TestAnswered:
    def test_a_protocol_error_is_its_status(self) -> None:
        code, details, trailing = ending(ProtocolError(Reason.STEP_OUT_OF_ORDER, "Step 7."))
        assert (code, details) == (grpc.StatusCode.OUT_OF_RANGE, "Step 7.")
        assert trailing["houseguest-reason"] == "STEP_OUT_OF_ORDER"

    @pytest.mark.parametrize("reason", Reason)
    def test_every_reason_has_a_status(self, reason: Reason) -> None:
        code, details, _ = ending(ProtocolError(reason))
        assert code.name == reason.status.name
        assert details == reason.meaning

    def test_a_surprise_is_logged_here_and_told_without_its_cause(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR):
            code, details, trailing = ending(KeyError("secret of the task"))
        assert code is grpc.StatusCode.INTERNAL
        assert trailing["houseguest-reason"] == "INTERNAL"
        told = details + repr(trailing)
        assert "secret" not in told
        assert "Traceback" not in told
        assert "secret of the task" in caplog.text
        assert "Traceback" in caplog.text

    def test_a_cancelled_call_stays_cancelled(self) -> None:
        call = Call()

        async def scene() -> None:
            with pytest.raises(asyncio.CancelledError):
                await answer(call, asyncio.CancelledError())

        asyncio.run(scene())
        assert call.ended is None

    def test_a_call_that_was_ended_is_not_ended_again(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        call = Call()
        with pytest.raises(Ended):
            asyncio.run(answer(call, Ended()))
        assert call.ended is None
        assert caplog.records == []

    def test_a_good_call_is_left_alone(self) -> None:
        async def handler(call: Call) -> int:
            async with errors_answered(call):  # type: ignore[arg-type]
                return 7

        call = Call()
        work: Coroutine[Any, Any, int] = handler(call)
        assert asyncio.run(work) == 7
        assert call.ended is None


def test_what_is_no_message_is_malformed() -> None:
    parse = parser(agent_pb2.HelloRequest)
    good = agent_pb2.HelloRequest(protocol_revision=1)
    assert checked(parse(good.SerializeToString())) == good
    bad = parse(b"\xff\xff\xff")
    assert isinstance(bad, Malformed)
    with pytest.raises(ProtocolError) as caught:
        checked(bad)
    assert caught.value.reason is Reason.MALFORMED_REQUEST


@pytest.mark.parametrize(
    "request_",
    [
        agent_pb2.HelloRequest(
            client=agent_pb2.ClientInfo(configuration={str(n): "" for n in range(50_000)})
        ),
        agent_pb2.StepRequest(trace=agent_pb2.Trace(usage=[agent_pb2.ModelUsage()] * 50_000)),
        agent_pb2.PlayRequest(
            step=agent_pb2.StepRequest(
                action=action_pb2.Action(
                    skill=action_pb2.SkillCall(arguments=[action_pb2.Argument()] * 50_000)
                )
            )
        ),
        agent_pb2.AttachRequest(required_features=[agent_pb2.FEATURE_PLAN] * 100_000),
        control_pb2.CreateRunRequest(tasks=[""] * 50_000),
        control_pb2.CreateRunRequest(condition={str(n): "" for n in range(50_000)}),
    ],
    ids=["configuration", "usage", "arguments", "features", "tasks", "condition"],
)
def test_a_request_of_very_many_fields_is_refused_unparsed(request_: Message) -> None:
    parsed = parser(type(request_))(request_.SerializeToString())

    assert isinstance(parsed, Malformed)
    with pytest.raises(ProtocolError, match=r"has more than 32768 fields") as caught:
        checked(parsed)
    assert caught.value.reason is Reason.MALFORMED_REQUEST


@pytest.mark.parametrize(
    "request_",
    [
        agent_pb2.StepRequest(action=action_pb2.Action(text="x" * 10**6)),
        agent_pb2.StepRequest(
            action=action_pb2.Action(
                plan=action_pb2.Plan(
                    steps=[
                        action_pb2.SkillCall(
                            name="go",
                            arguments=[action_pb2.Argument(name="to", value="y" * 200)] * 10,
                        )
                    ]
                    * 512
                )
            ),
            trace=agent_pb2.Trace(
                thought="\N{SNOWMAN}" * 10**5, usage=[agent_pb2.ModelUsage(cost_usd=0.5)] * 256
            ),
        ),
        control_pb2.CreateRunRequest(tasks=["x" * 1000] * 10_000, condition={"a": "b"}),
    ],
    ids=["text", "plan", "tasks"],
)
def test_a_large_request_of_fewer_fields_is_parsed(request_: Message) -> None:
    assert parser(type(request_))(request_.SerializeToString()) == request_


@pytest.mark.parametrize("data", [b"\xff" * 10**5, b"\x0a\xff\xff\xff\x7f" + b"x" * 10**5])
def test_bytes_that_are_no_message_are_malformed_however_long(data: bytes) -> None:
    assert isinstance(parser(agent_pb2.HelloRequest)(data), Malformed)


@pytest.mark.parametrize("character", ["x", "%", "\n", "\N{SNOWMAN}", "\N{HOUSE BUILDING}"])
def test_an_error_fits_the_metadata_that_a_client_accepts(character: str) -> None:
    error = ProtocolError(Reason.BAD_RUN, character * 5000)

    encoded = quote(error.message, safe=" !\"#$&'()*+,/:;<=>?@[\\]^`{|}").encode()
    details = sum(len(value) for _, value in trailing_metadata(error))
    assert len(encoded) + details < 7500
    assert error.message.endswith("…")
    assert len(error.message) > 200
