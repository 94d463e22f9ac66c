"""houseguest.control.v1.ControlService, on top of the environment service."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from houseguest.control.v1 import control_pb2

from env_service.datasets.errors import DataPackError
from env_service.domain.data_node import FormatError
from env_service.domain.episode import FinishReason
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.usage import Usage
from env_service.engine.base import EngineError
from env_service.gateway.background import HelperProcesses
from env_service.gateway.environment_service import EnvironmentService, RunRequest
from env_service.gateway.practice import UNUSED_SECONDS, Practice, PracticeRequest
from env_service.gateway.rpc import Context, bearer, checked, errors_answered, parser, unary
from env_service.gateway.run import Run
from env_service.gateway.run_state import KnownRun, RunEvent
from env_service.results.run_folder import RunFolderBusyError, RunFolderMismatchError
from env_service.storage.signed_journal import CorruptFileError
from env_service.suites.drafts import ListedSuite, list_suites
from env_service.suites.registry import suite_names
from env_service.wire.bounds import PAGE, PAGE_TOKEN
from env_service.wire.episodes import duration, seconds
from env_service.worlds.base import WorldUnavailableError

SERVICE = "houseguest.control.v1.ControlService"
_LONGEST = 315_576_000_000.0
"""Seconds: the longest google.protobuf.Duration."""
MOST_REQUESTS = 2000
"""CreateRun calls whose repeat is recognized, the newest ones: twice as many as ended runs are
known. A longer list would take the loop more than a millisecond to look through."""
T = TypeVar("T")


class ControlService:
    """The RPCs of ControlService. Register ``handlers()`` with a grpc.aio server."""

    def __init__(self, service: EnvironmentService, operator_token: str) -> None:
        self._service = service
        self._token = operator_token
        self._requests: dict[str, asyncio.Future[str]] = {}
        self._practice = PracticeMethods(service, self._authorize)
        self._catalogue = SuiteCatalogue(service.helpers)
        # Read before anybody calls: entry points are files, and calls are answered on the loop.
        self._suite_names = suite_names()

    def caller(self, context: Context) -> str:
        """Who calls. Raises ProtocolError for a call without the operator's token."""
        self._authorize(context)
        return "operator"

    def handlers(self) -> grpc.GenericRpcHandler:
        """The method table."""
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "ListSuites": unary(self._list_suites, control_pb2.ListSuitesRequest),
                "CreateRun": unary(self._create_run, control_pb2.CreateRunRequest),
                "GetRun": unary(self._get_run, control_pb2.GetRunRequest),
                "ListRuns": unary(self._list_runs, control_pb2.ListRunsRequest),
                "IssueLease": unary(self._issue_lease, control_pb2.IssueLeaseRequest),
                "CancelRun": unary(self._cancel_run, control_pb2.CancelRunRequest),
                "WatchRun": grpc.unary_stream_rpc_method_handler(
                    self._watch_run,
                    parser(control_pb2.WatchRunRequest),
                    lambda answer: answer.SerializeToString(),
                ),
                **self._practice.handlers(),
            },
        )

    async def _list_suites(
        self, request: control_pb2.ListSuitesRequest, context: Context
    ) -> control_pb2.ListSuitesResponse:
        self._authorize(context)
        names, following = page(self._suite_names, request.page_size, request.page_token)
        suites = map(_suite, await self._catalogue.list(names))
        return control_pb2.ListSuitesResponse(suites=suites, next_page_token=following)

    async def _create_run(
        self, request: control_pb2.CreateRunRequest, context: Context
    ) -> control_pb2.CreateRunResponse:
        self._authorize(context)
        if not request.request_id:
            raise ProtocolError(Reason.MALFORMED_REQUEST, "request_id must not be empty.")
        self._forget_requests()
        opening = self._requests.get(request.request_id)
        if opening is None:
            opening = asyncio.ensure_future(self._open(request))
            self._requests[request.request_id] = opening
        try:
            run = self._service.run(await asyncio.shield(opening))
        except Exception:
            self._requests.pop(request.request_id, None)
            raise
        tokens = []
        if isinstance(run, Run) and not run.over:
            tokens = [self._service.lease_token(run, number) for number in range(run.session_count)]
        return control_pb2.CreateRunResponse(run=_run(run), lease_tokens=tokens)

    def _forget_requests(self) -> None:
        """Drops requests that failed or whose runs this service has dropped, and the oldest ones if
        there are too many."""
        for request_id, opening in list(self._requests.items()):
            failed = opening.done() and (opening.cancelled() or opening.exception() is not None)
            if failed or (opening.done() and not self._service.knows(opening.result())):
                del self._requests[request_id]
        answered = [each for each, opening in self._requests.items() if opening.done()]
        for request_id in answered[: -MOST_REQUESTS + 1]:
            del self._requests[request_id]

    async def _open(self, request: control_pb2.CreateRunRequest) -> str:
        """Returns the run's id."""
        budget = seconds(request.time_budget) if request.HasField("time_budget") else None
        with opening_errors_named():
            run = await self._service.open_run(
                RunRequest(
                    suite=request.suite,
                    task_set=request.task_set,
                    world=request.world,
                    condition=dict(request.condition),
                    tasks=tuple(request.tasks),
                    limit=request.limit,
                    seed=request.seed,
                    repeats=request.repeats or 1,
                    sessions=request.parallel_sessions or 1,
                    agent=request.agent or "external",
                    episode_budget=budget,
                    max_cost_usd=request.max_cost_usd if request.HasField("max_cost_usd") else None,
                    max_tokens=request.max_tokens if request.HasField("max_tokens") else None,
                    workers=request.workers,
                )
            )
        return run.run_id

    async def _get_run(
        self, request: control_pb2.GetRunRequest, context: Context
    ) -> control_pb2.GetRunResponse:
        self._authorize(context)
        return control_pb2.GetRunResponse(run=_run(self._service.run(request.run_id)))

    async def _list_runs(
        self, request: control_pb2.ListRunsRequest, context: Context
    ) -> control_pb2.ListRunsResponse:
        self._authorize(context)
        runs, following = page(self._service.runs(), request.page_size, request.page_token)
        return control_pb2.ListRunsResponse(runs=map(_run, runs), next_page_token=following)

    async def _issue_lease(
        self, request: control_pb2.IssueLeaseRequest, context: Context
    ) -> control_pb2.IssueLeaseResponse:
        self._authorize(context)
        run = self._service.run(request.run_id)
        if run.over or not isinstance(run, Run):
            raise ProtocolError(Reason.RUN_OVER)
        if run.withdrawn(request.session_number):
            raise ProtocolError(Reason.SESSION_WITHDRAWN)
        token = await self._service.renew_lease(
            run, request.session_number, FinishReason.AGENT_LOST
        )
        return control_pb2.IssueLeaseResponse(lease_token=token)

    async def _cancel_run(
        self, request: control_pb2.CancelRunRequest, context: Context
    ) -> control_pb2.CancelRunResponse:
        self._authorize(context)
        run = self._service.run(request.run_id)
        await run.drain()
        return control_pb2.CancelRunResponse(run=_run(run))

    async def _watch_run(
        self, message: Any, context: Context
    ) -> AsyncIterator[control_pb2.WatchRunResponse]:
        async with errors_answered(context):
            self._authorize(context)
            request: control_pb2.WatchRunRequest = checked(message)
            run = self._service.run(request.run_id)
            cursor = request.after_cursor
            while events := await run.events_after(cursor):
                for event in events:
                    cursor += 1
                    yield _event(cursor, event)

    def _authorize(self, context: Context) -> None:
        if not hmac.compare_digest(bearer(context).encode(), self._token.encode()):
            raise ProtocolError(Reason.TOKEN_INVALID)


def page(items: Sequence[T], size: int, token: str) -> tuple[Sequence[T], str]:
    """A page of ``items`` and the next page's token, which is the offset it starts at.

    Raises ProtocolError MALFORMED_REQUEST for a token that no page gave.
    """
    if token and not (token.isdecimal() and len(token) <= PAGE_TOKEN):
        raise ProtocolError(Reason.MALFORMED_REQUEST, f"page_token {token!r} is invalid.")
    start = int(token or 0)
    stop = start + min(size if size > 0 else PAGE, PAGE)
    return items[start:stop], str(stop) if stop < len(items) else ""


def _suite(suite: ListedSuite) -> control_pb2.Suite:
    return control_pb2.Suite(
        name=suite.name,
        version=suite.version,
        worlds=suite.worlds,
        task_sets=[
            control_pb2.TaskSet(name=each.name, digest=each.digest, tasks=each.tasks)
            for each in suite.task_sets
        ],
        conditions={
            name: control_pb2.Choices(values=values) for name, values in suite.settings.items()
        },
    )


def _run(run: KnownRun) -> control_pb2.Run:
    counts = run.counts()
    return control_pb2.Run(
        run_id=run.run_id,
        task_set_digest=run.task_set_digest,
        state=run.state.value,  # type: ignore[arg-type]
        episodes_done=counts.done,
        episodes_total=counts.total,
        create_time=_timestamp(run.created),
        episodes_succeeded=counts.succeeded,
        episodes_unscored=counts.unscored,
        episodes_voided=counts.voided,
        folder=str(run.path),
        stopped=run.stopped,
        episodes_withdrawn=counts.withdrawn,
        usage=_usage(counts.usage),
        sessions_waiting=counts.waiting,
    )


def _usage(usage: Usage) -> control_pb2.ModelUsage:
    return control_pb2.ModelUsage(
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        images=usage.images,
        latency=duration(min(usage.seconds, _LONGEST)),
        cost_usd=usage.cost_usd,
    )


def _event(cursor: int, event: RunEvent) -> control_pb2.WatchRunResponse:
    response = control_pb2.WatchRunResponse(cursor=cursor, time=_timestamp(event.time))
    if event.state is not None:
        response.run_state_changed.state = event.state.value  # type: ignore[assignment]
    elif event.kind == "left":
        response.session_withdrawn.CopyFrom(
            control_pb2.SessionWithdrawn(
                session_number=event.session, reason=event.failure, message=event.message
            )
        )
    elif event.kind == "opened":
        response.episode_opened.CopyFrom(
            control_pb2.EpisodeOpened(
                episode_id=event.episode_id, task_id=event.task_id, repeat=event.repeat
            )
        )
    else:
        response.episode_closed.CopyFrom(
            control_pb2.EpisodeClosed(
                episode_id=event.episode_id,
                task_id=event.task_id,
                repeat=event.repeat,
                voided=event.kind in ("voided", "withdrawn"),
                success=event.success,
                failure_class=event.failure,
                steps=event.steps,
            )
        )
    return response


def _timestamp(seconds_since_epoch: float) -> Timestamp:
    whole = int(seconds_since_epoch)
    return Timestamp(seconds=whole, nanos=int((seconds_since_epoch - whole) * 1e9))


# --- Why a run or a practice cannot be opened

_NOT_RESUMED = (RunFolderBusyError, RunFolderMismatchError)
_NOT_OPENED = (
    CorruptFileError,
    FormatError,
    EngineError,
    DataPackError,
    WorldUnavailableError,
    OSError,
)


@contextmanager
def opening_errors_named() -> Iterator[None]:
    """Gives the errors of ``open_run`` and ``open_practice`` of EnvironmentService their reasons:
    BAD_RUN for a wrong request, RUN_NOT_OPENED if something that it needs is missing."""
    try:
        yield
    except _NOT_RESUMED as error:
        # These errors advise an option of the command line.
        other = "`houseguest run` has that option; here, another agent or seed makes another run."
        raise ProtocolError(Reason.RUN_NOT_OPENED, f"{error} {other}") from error
    except _NOT_OPENED as error:
        raise ProtocolError(Reason.RUN_NOT_OPENED, str(error)) from error
    except ValueError as error:
        raise ProtocolError(Reason.BAD_RUN, str(error)) from error


# --- The RPCs of ControlService that open and close practices


class PracticeMethods:
    """CreatePractice and ClosePractice."""

    def __init__(self, service: EnvironmentService, authorize: Callable[[Context], None]) -> None:
        """``authorize`` raises ProtocolError for a caller that is not the operator."""
        self._service = service
        self._authorize = authorize
        self._requests: dict[str, asyncio.Future[Practice]] = {}

    def handlers(self) -> Mapping[str, grpc.RpcMethodHandler[object, object]]:
        """The part of the method table for practice."""
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
        tokens = [self._service.lease_token(practice, n) for n in range(practice.session_count)]
        return control_pb2.CreatePracticeResponse(
            practice=control_pb2.Practice(
                practice_id=practice.run_id,
                task_set=practice.task_set,
                world=practice.context.world,
                task_ids=[task.id for task in practice.tasks],
            ),
            lease_tokens=tokens,
        )

    async def _open(self, request: control_pb2.CreatePracticeRequest) -> Practice:
        unused = seconds(request.unused_for) if request.HasField("unused_for") else UNUSED_SECONDS
        with opening_errors_named():
            return await self._service.open_practice(
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
        await self._service.practice(request.practice_id).close()
        return control_pb2.ClosePracticeResponse()

    def _forget_closed(self) -> None:
        for request_id, opening in list(self._requests.items()):
            if opening.done() and (opening.exception() or opening.result().closed.is_set()):
                del self._requests[request_id]


# --- The suites that a service can run, as it lists them


class SuiteCatalogue:
    """Lists suites, and keeps each list until one of its data packs changes."""

    def __init__(self, helpers: HelperProcesses) -> None:
        """``helpers`` runs the long work."""
        self._helpers = helpers
        self._known: dict[str, tuple[str, ListedSuite]] = {}
        # Simultaneous calls wait for one list instead of each making one.
        self._listing = asyncio.Lock()

    async def list(self, names: Sequence[str]) -> list[ListedSuite]:
        """The suites of these names, in this order. Raises as ``load_suite`` does."""
        async with self._listing:
            known = {name: self._known[name][0] for name in names if name in self._known}
            found = await self._helpers.call(list_suites, names, known)
            for name, (state, listed) in found.items():
                if listed is not None:
                    self._known[name] = state, listed
            return [self._known[name][1] for name in names]
