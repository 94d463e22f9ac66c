"""The Attach streams of one scene: the queue, the grant, and what is pushed after it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
from houseguest.agent.v1 import agent_pb2 as pb

from env_service.conformance.agent.journal import Call
from env_service.conformance.agent.script import Moment
from env_service.conformance.agent.strange import UNKNOWN_EVENT, outgoing
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.rpc import Context
from env_service.wire.durations import duration

if TYPE_CHECKING:
    from env_service.conformance.agent.house import House

_QUEUE_SECONDS = 0.15
_UNAVAILABLE = "unavailable"

Event = bytes | Reason | str
"""A message to send, a reason to end the stream with, or _UNAVAILABLE."""


class Attachments:
    """All Attach streams. At most one is the newest holder's."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._streams: set[asyncio.Queue[Event]] = set()
        self._ever = False
        self._forgiven = False
        self.closed_at: float | None = None
        """When the guest let its last stream go; None while one is open, or none ever was."""

    @property
    def open(self) -> bool:
        """Whether the guest holds a stream."""
        return bool(self._streams)

    @property
    def let_go(self) -> bool:
        """Whether the guest held a stream, and let it go though nobody broke it."""
        return self._ever and not self._streams and not self._forgiven

    async def serve(self, request: pb.AttachRequest, context: Context) -> None:
        """One Attach call, until somebody ends it. Raises ProtocolError."""
        journal = self._house.journal
        call = journal.note("Attach", (request.resume_token.hex(),))
        try:
            events = await self._grant(request, context)
        except ProtocolError as error:
            call.answer = error.reason.name
            raise
        call.ok, call.answer = True, "a grant"
        try:
            await self._push(events, context)
        finally:
            self._streams.discard(events)
            if not self._streams:
                self.closed_at = journal.clock()

    async def _grant(self, request: pb.AttachRequest, context: Context) -> asyncio.Queue[Event]:
        house = self._house
        if not request.resume_token:
            for position in range(house.script.queue, 0, -1):
                await self._write(context, pb.AttachResponse(queued=pb.Queued(position=position)))
                await asyncio.sleep(_QUEUE_SECONDS)
        grant = house.seat.attach(request)
        if request.resume_token:
            house.journal.mark("resumed")
            fault = house.faults.take(Moment.RESUME, (request.resume_token.hex(),))
            if fault is not None and fault.lost:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())
        events: asyncio.Queue[Event] = asyncio.Queue()
        self._streams.add(events)
        self._ever, self.closed_at = True, None
        self._forgiven = False
        try:
            await self._write(context, pb.AttachResponse(granted=grant))
        except BaseException:
            self._streams.discard(events)
            raise
        return events

    async def _push(self, events: asyncio.Queue[Event], context: Context) -> None:
        while True:
            event = await events.get()
            if isinstance(event, bytes):
                await context.write(event)
            elif isinstance(event, Reason):
                if event is Reason.SESSION_SUPERSEDED:
                    raise ProtocolError(event)
                revoked = pb.AttachResponse(revoked=pb.Revoked(reason=event.name))
                await self._write(context, revoked)
                return
            else:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())

    async def _write(self, context: Context, message: pb.AttachResponse) -> None:
        await context.write(outgoing(message, strange=self._house.script.strange))

    def check_open(self, call: Call) -> None:
        """Notes a step that comes while the guest holds no stream, though none was broken."""
        if call.method == "Step" and self.let_go:
            self._house.journal.violate(
                "keeps-attached",
                "a grant, on a stream that nobody broke",
                "that the stream is still open when a Step comes",
                "a Step without an open Attach stream",
            )

    def forgive(self) -> None:
        """Until the next grant the streams may be broken through no fault of the guest."""
        self._forgiven = True

    def drop(self) -> None:
        """Breaks every stream."""
        self.forgive()
        self._all(_UNAVAILABLE)

    def drain(self, seconds: float) -> None:
        """Tells that the house drains."""
        draining = pb.AttachResponse(draining=pb.Draining(time_left=duration(seconds)))
        self._all(draining.SerializeToString())

    def revoke(self, reason: Reason) -> None:
        """Tells that the session is over, and ends the streams."""
        self.forgive()
        self._all(reason)

    def supersede(self) -> None:
        """Ends the streams as those of an older holder."""
        self.forgive()
        self._all(Reason.SESSION_SUPERSEDED)

    def tell_news(self) -> None:
        """Sends an event that this revision does not know, an empty one, and a renewal."""
        renewed = pb.AttachResponse(renewed=pb.Renewed(lease_time_left=duration(60.0)))
        for data in (UNKNOWN_EVENT, b"", renewed.SerializeToString()):
            self._all(data)

    def close(self) -> None:
        """Forgets the streams; the server ends them."""
        self.forgive()

    def _all(self, event: Event) -> None:
        for events in self._streams:
            events.put_nowait(event)
