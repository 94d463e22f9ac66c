"""The RPCs of ControlService that open and close practices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import grpc
from houseguest.control.v1 import control_pb2

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway import opening_errors
from env_service.gateway.house import House
from env_service.gateway.practice import Practice
from env_service.gateway.practice_opening import UNUSED_SECONDS, PracticeRequest
from env_service.gateway.rpc import Context, unary
from env_service.wire.durations import seconds


class PracticeControl:
    """CreatePractice and ClosePractice."""

    def __init__(self, house: House, authorize: Callable[[Context], None]) -> None:
        """``authorize`` raises ProtocolError for a caller that is not the operator."""
        self._house = house
        self._authorize = authorize
        self._requests: dict[str, asyncio.Future[Practice]] = {}

    def handlers(self) -> Mapping[str, grpc.RpcMethodHandler[object, object]]:
        """Their part of the method table."""
        return {
            "CreatePractice": unary(self._create, control_pb2.CreatePracticeRequest),
            "ClosePractice": unary(self._close, control_pb2.ClosePracticeRequest),
        }

    async def _create(
        self, request: control_pb2.CreatePracticeRequest, context: Context
    ) -> control_pb2.CreatePracticeResponse:
        self._authorize(context)
        if not request.request_id:
            raise ProtocolError(Reason.MALFORMED_REQUEST, "request_id must not be empty.")
        self._forget_closed()
        opening = self._requests.get(request.request_id)
        if opening is None:
            opening = asyncio.ensure_future(self._open(request))
            self._requests[request.request_id] = opening
        try:
            practice = await asyncio.shield(opening)
        except Exception:
            self._requests.pop(request.request_id, None)
            raise
        tokens = [self._house.lease_token(practice, n) for n in range(practice.sessions)]
        return control_pb2.CreatePracticeResponse(
            practice=control_pb2.Practice(
                practice_id=practice.run_id,
                task_set=practice.task_set,
                world=practice.table.world,
                task_ids=[task.id for task in practice.tasks],
            ),
            lease_tokens=tokens,
        )

    async def _open(self, request: control_pb2.CreatePracticeRequest) -> Practice:
        unused = seconds(request.unused_for) if request.HasField("unused_for") else UNUSED_SECONDS
        with opening_errors.named():
            return await self._house.open_practice(
                PracticeRequest(
                    suite=request.suite,
                    task_set=request.task_set,
                    tasks=tuple(request.tasks),
                    world=request.world,
                    condition=dict(request.condition),
                    seed=request.seed,
                    sessions=request.sessions or 1,
                    unused_seconds=unused,
                )
            )

    async def _close(
        self, request: control_pb2.ClosePracticeRequest, context: Context
    ) -> control_pb2.ClosePracticeResponse:
        self._authorize(context)
        await self._house.practice(request.practice_id).close()
        return control_pb2.ClosePracticeResponse()

    def _forget_closed(self) -> None:
        for request_id, opening in list(self._requests.items()):
            if opening.done() and (opening.exception() or opening.result().closed.is_set()):
                del self._requests[request_id]
