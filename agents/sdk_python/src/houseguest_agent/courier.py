"""Delivers the requests of one session exactly once, over whatever link there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from houseguest.agent.v1 import agent_pb2

from .errors import SupersededError
from .options import RetryPolicy
from .retry import Backoff, TransientError
from .session import Session
from .transport import Transport, UnaryTransport
from .unpack import StepAnswer


class _SessionRequest(Protocol):
    session_id: str
    session_epoch: int


_Request = TypeVar("_Request", bound=_SessionRequest)
_Response = TypeVar("_Response")


class Courier:
    """Sends a request again and again until it is answered.

    The house keys every request that changes state, so a repeat joins the running step
    or gets its answer again; nothing is ever executed twice. Every method raises
    UnreachableError when the policy's patience runs out, and the HouseguestError that
    the house answered with where a repeat changes nothing.
    """

    def __init__(
        self, session: Session, transport: Transport, unary: UnaryTransport, policy: RetryPolicy
    ) -> None:
        """``policy.timeout`` must be set."""
        self._session, self._transport, self._unary = session, transport, unary
        self._policy = policy
        self._timeout = policy.timeout or 0.0

    def step(self, request: agent_pb2.StepRequest) -> StepAnswer:
        """Delivers one action."""
        return self._deliver(self._transport.step, request)

    def begin_episode(
        self, ordinal: int, practice: agent_pb2.PracticeReset | None = None
    ) -> agent_pb2.BeginEpisodeResponse:
        """Asks for the next episode; waits as long as the house lets it."""
        request = agent_pb2.BeginEpisodeRequest(episode_ordinal=ordinal, practice=practice)
        return self._deliver(self._transport.begin_episode, request, may_be_late=True)

    def end_episode(self, request: agent_pb2.EndEpisodeRequest) -> agent_pb2.EndEpisodeResponse:
        """Ends the open episode."""
        return self._deliver(self._transport.end_episode, request)

    def withdraw(self, request: agent_pb2.WithdrawRequest) -> agent_pb2.WithdrawResponse:
        """Leaves the run."""
        return self._deliver(self._unary.withdraw, request)

    def get_episode(self, episode_id: str) -> agent_pb2.GetEpisodeResponse:
        """Asks what is known of the session's latest episode."""
        request = agent_pb2.GetEpisodeRequest(episode_id=episode_id)
        return self._deliver(self._unary.get_episode, request)

    def _deliver(
        self,
        send: Callable[[_Request, float], _Response],
        request: _Request,
        *,
        may_be_late: bool = False,
    ) -> _Response:
        backoff: Backoff | None = None
        request.session_id = self._session.granted.session_id
        while True:
            self._session.check()
            epoch = request.session_epoch = self._session.granted.session_epoch
            try:
                return send(request, self._timeout)
            except TransientError as problem:
                if backoff is None or (may_be_late and problem.timed_out):
                    backoff = Backoff(self._policy, self._policy.patience)
                time.sleep(backoff.next(problem))
            except SupersededError:
                if not self._session.rose_above(epoch):
                    raise
