"""What every RPC needs: errors as statuses, malformed requests, credentials."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any, NoReturn, Protocol, TypeVar

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2

from env_service.domain.reasons import ProtocolError, Reason
from env_service.wire import bounds
from env_service.wire.episodes import duration
from env_service.wire.field_count import MOST_FIELDS, has_too_many_fields
from env_service.wire.zero_copy import StepAnswer

T = TypeVar("T")
LOG = logging.getLogger(__name__)
DOMAIN = "houseguest"
REASON_KEY = "houseguest-reason"
"""Trailing metadata that repeats the reason, for clients without google.rpc."""

_CODES = {code.value[0]: code for code in grpc.StatusCode}


class Context(Protocol):
    """The part of grpc.aio.ServicerContext that we use."""

    def invocation_metadata(self) -> Any:
        """The client's metadata."""

    def peer(self) -> str:
        """Who calls: ``ipv4:host:port``, ``ipv6:[host]:port`` percent-encoded, or ``unix:``."""

    async def abort(self, code: grpc.StatusCode, details: str, trailing_metadata: Any) -> NoReturn:
        """Ends the call with a status."""

    async def read(self) -> Any:
        """The next message of a client stream."""

    async def write(self, message: Any) -> None:
        """Sends a message of a server stream."""


def trailing_metadata(error: ProtocolError) -> tuple[tuple[str, str | bytes], ...]:
    """The google.rpc details of an error: ErrorInfo, and RetryInfo where waiting helps."""
    return _trailing_metadata(error.reason, error.message, error.retry_after)


@lru_cache(maxsize=256)
def _trailing_metadata(
    reason: Reason, message: str, retry_after: float | None
) -> tuple[tuple[str, str | bytes], ...]:
    details: list[Message] = [error_details_pb2.ErrorInfo(reason=reason.name, domain=DOMAIN)]
    if retry_after is not None:
        details.append(error_details_pb2.RetryInfo(retry_delay=duration(retry_after)))
    status = status_pb2.Status(code=reason.status.value, message=message)
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return (
        ("grpc-status-details-bin", status.SerializeToString()),
        (REASON_KEY, reason.name),
    )


async def abort(context: Context, error: ProtocolError) -> NoReturn:
    """Answers a call with an error."""
    code = _CODES[error.reason.status.value]
    await context.abort(code, error.message, trailing_metadata(error))


Method = Callable[[Any, Context], Coroutine[Any, Any, T]]
"""Carries out a request. Raises ProtocolError for one that is refused."""

Refused = Callable[[Context, ProtocolError], None]
"""Is given a refusal before the caller is."""


@contextmanager
def refusals_reported(context: Context, refused: Refused) -> Iterator[None]:
    """Around the work of one request, whatever it came on: ``refused`` is given every refusal.

    Leaves the block with ProtocolError alone: what the service did not foresee is INTERNAL, and
    its cause is logged.
    """
    try:
        yield
    except ProtocolError as error:
        refused(context, error)
        raise
    except Exception:
        LOG.exception("a call failed")
        raise ProtocolError(Reason.INTERNAL) from None


@asynccontextmanager
async def errors_answered(context: Context) -> AsyncIterator[None]:
    """Answers every exception of the block with a status; no stack trace reaches a caller."""
    try:
        yield
    except ProtocolError as error:
        await abort(context, error)
    except grpc.aio.AbortError:
        raise
    except Exception:
        LOG.exception("a call failed")
        await abort(context, ProtocolError(Reason.INTERNAL))


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Runs ``work`` to its end, also when the call that asked for it is cancelled.

    Raises what ``work`` raises, and ProtocolError DRAINING when the service cancelled it.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_retrieve)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if task.cancelled():
            raise ProtocolError(Reason.DRAINING) from None
        raise


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Marks an error as seen: the client that would have got it may have left."""
    if not task.cancelled():
        task.exception()


class Malformed:
    """A request that is not a message of the protocol, or not parsed. ``problem`` says why; empty
    where it is not a message."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem


def parser(message: Any) -> Callable[[bytes], Any]:
    """A deserializer that never raises: bytes that are not a ``message``, or that hold too many
    fields to parse them on the event loop, become a Malformed."""
    descriptor: Descriptor = message.DESCRIPTOR

    def parse(data: bytes) -> Any:
        if has_too_many_fields(data, descriptor):
            return Malformed(
                f"{descriptor.name} has more than {MOST_FIELDS} fields, entries of lists and"
                " fields of messages in it included."
            )
        try:
            return message.FromString(data)
        except DecodeError:
            return Malformed()

    return parse


def unary(
    method: Method[Any], request: Any, refused: Refused = lambda _context, _error: None
) -> grpc.RpcMethodHandler[Any, Any]:
    """A unary handler whose errors are answered and whose request may be malformed."""

    async def carry_out(message: Any, context: Context) -> Any:
        with refusals_reported(context, refused):
            return await method(checked(message), context)

    async def handle(message: Any, context: Context) -> Any:
        async with errors_answered(context):
            return await shielded(carry_out(message, context))

    return grpc.unary_unary_rpc_method_handler(handle, parser(request), _serialize)


def _serialize(answer: Any) -> bytes:
    """The bytes of an answer: a StepAnswer or a protobuf message."""
    data: bytes = (
        answer.to_bytes() if isinstance(answer, StepAnswer) else answer.SerializeToString()
    )
    return data


def checked(message: Any) -> Any:
    """The message. Raises ProtocolError MALFORMED_REQUEST for one that is malformed, and as
    ``wire.bounds.check`` for one with a value beyond its bound."""
    if isinstance(message, Malformed):
        raise ProtocolError(Reason.MALFORMED_REQUEST, message.problem)
    bounds.check(message)
    return message


def bearer(context: Context) -> str:
    """The token of a call. Raises ProtocolError TOKEN_MISSING, and TOKEN_INVALID for a call with
    more than one authorization header: a proxy before us might have judged another one."""
    metadata = context.invocation_metadata() or ()
    values = [str(value) for key, value in metadata if key == "authorization"]
    if len(values) > 1:
        raise ProtocolError(
            Reason.TOKEN_INVALID,
            f"The call carries {len(values)} authorization headers; send exactly one.",
        )
    scheme, _, token = "".join(values).partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise ProtocolError(Reason.TOKEN_MISSING)
    return token.strip()
