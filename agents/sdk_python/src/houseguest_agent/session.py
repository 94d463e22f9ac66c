"""The leased seat: holds Attach open on a thread of its own, and resumes after a break."""

from __future__ import annotations

import logging
import threading

import grpc
from houseguest.agent.v1 import agent_pb2

from .errors import (
    DrainingError,
    HouseguestError,
    RevokedError,
    SupersededError,
    UnreachableError,
)
from .link import CLOSED, Link
from .options import RetryPolicy
from .retry import Backoff, TransientError, classify_rpc
from .state_file import StateFile
from .stream import Stream

_log = logging.getLogger("houseguest_agent")


class Session:
    """One seat. Safe to use from any thread.

    Before the first grant a broken link counts against the patience; after it the seat is
    resumed for as long as the session is open, since only a call that needs an answer can
    say how long to wait for one.
    """

    def __init__(
        self,
        link: Link,
        request: agent_pb2.AttachRequest,
        policy: RetryPolicy,
        state_file: StateFile | None,
    ) -> None:
        self._link, self._request, self._policy = link, request, policy
        self._state_file = state_file
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._closing = threading.Event()
        self._stream: Stream[agent_pb2.AttachResponse] | None = None
        self._granted: agent_pb2.Granted | None = None
        self._attached = False
        self._failure: HouseguestError | None = None
        self.draining = False

    def open(self) -> agent_pb2.Granted:
        """Waits for the seat, however long the queue.

        Raises UnreachableError, or what the house refused the seat with.
        """
        self._link.start_thread(self._hold, "houseguest-attach")
        with self._lock:
            self._changed.wait_for(lambda: self._granted or self._failure)
        self.check()
        return self.granted

    @property
    def granted(self) -> agent_pb2.Granted:
        """The newest grant. To be asked for only after ``open``."""
        assert self._granted is not None  # noqa: S101 - a mistake of ours, not of a caller's
        return self._granted

    @property
    def attached(self) -> bool:
        """Whether Attach is open at this moment."""
        return self._attached

    def check(self) -> None:
        """Raises what ended the session, if something did."""
        if self._failure is not None:
            raise self._failure

    def rose_above(self, epoch: int) -> bool:
        """Whether a resume of our own left ``epoch`` behind; waits for one under way."""
        with self._lock:
            self._changed.wait_for(
                lambda: self._attached or self._failure, timeout=self._policy.patience
            )
            return self._attached and self.granted.session_epoch > epoch

    def close(self) -> None:
        """Lets the stream go. The session itself lives on at the house until its lease ends."""
        self._closing.set()
        self._link.do(self._cancel)
        self._fail(HouseguestError(CLOSED))

    def _cancel(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    def _hold(self) -> None:
        backoff: Backoff | None = None
        while True:
            epoch = self._granted.session_epoch if self._granted else 0
            problem = self._follow()
            if self._closing.is_set():
                return
            with self._lock:
                self._attached = False
            if problem.reason == "SEAT_TAKEN" and backoff and not self._granted:
                # The grant that a broken attempt missed: the taker is most likely us.
                problem = TransientError(str(problem))
            if backoff is None or (self._granted and self._granted.session_epoch > epoch):
                backoff = Backoff(self._policy, None if self._granted else self._policy.patience)
            if not self._may_resume(problem, backoff):
                return

    def _follow(self) -> TransientError | HouseguestError:
        """Follows one Attach stream; says what ended it."""
        try:
            self._listen()
            return TransientError("the house closed the Attach stream")
        except grpc.RpcError as error:
            return classify_rpc(error)
        except HouseguestError as error:
            return error

    def _listen(self) -> None:
        stream = self._stream = self._link.attach(self._request)
        try:
            if self._closing.is_set():
                stream.cancel()
            for response in stream.answers:
                self._hear(response)
        finally:
            self._link.end(stream)

    def _hear(self, response: agent_pb2.AttachResponse) -> None:
        event = response.WhichOneof("event")
        if event == "granted":
            self._accept(response.granted)
        elif event == "queued":
            _log.info("place %d in the queue for a seat", response.queued.position)
        elif event == "draining":
            self.draining = True
            _log.warning("the house is closing; it begins no new episode")
        elif event == "revoked":
            raise _revoked(response.revoked.reason)

    def _accept(self, granted: agent_pb2.Granted) -> None:
        if self._state_file is not None:
            self._state_file.save(granted.session_id, granted.resume_token)
        self._request.resume_token = granted.resume_token
        with self._lock:
            self._granted = granted
            self._attached = True
            self._changed.notify_all()

    def _may_resume(self, problem: TransientError | HouseguestError, backoff: Backoff) -> bool:
        """Waits before the next attempt; false when there is to be none."""
        if isinstance(problem, HouseguestError):
            self._fail(problem)
            return False
        try:
            wait = backoff.next(problem)
        except UnreachableError as error:
            self._fail(error)
            return False
        _log.warning("the link to the house broke, resuming: %s", problem)
        return not self._closing.wait(wait)

    def _fail(self, error: HouseguestError) -> None:
        if error.reason == "RESUME_REFUSED" and self._granted:
            error = SupersededError(
                f"{error} The session can no longer be resumed: another process took it over,"
                " or the lease ran out while the link was down.",
                error.reason,
            )
        with self._lock:
            self._failure = self._failure or error
            self._changed.notify_all()


def _revoked(reason: str) -> HouseguestError:
    kind = DrainingError if reason == "DRAINING" else RevokedError
    return kind(f"The house ended this session [{reason}].", reason)
