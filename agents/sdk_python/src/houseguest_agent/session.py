"""The leased session: keeps Attach open on a background thread, and resumes after a break."""

from __future__ import annotations

import json
import logging
import os
import threading
from pathlib import Path

import grpc
from houseguest.agent.v1 import agent_pb2

from .errors import (
    DrainingError,
    HouseguestError,
    RevokedError,
    SetupError,
    SupersededError,
    UnreachableError,
)
from .link import CLOSED, Link, Stream
from .options import RetryPolicy
from .retry import Backoff, TransientError, classify_rpc

_log = logging.getLogger("houseguest_agent")


class Session:
    """One session. Safe to use from any thread.

    Before the first grant, a broken connection counts against the patience. After it, the session
    is resumed until it is closed, since only a call that needs an answer can set a time
    limit.
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
        """Waits for the session, however long the queue.

        Raises UnreachableError, or the error with which the service refused the session.
        """
        self._link.start_thread(self._hold, "houseguest-attach")
        with self._lock:
            self._changed.wait_for(lambda: self._granted or self._failure)
        self.check()
        return self.granted

    @property
    def granted(self) -> agent_pb2.Granted:
        """The newest grant. Call ``open`` first."""
        assert self._granted is not None  # noqa: S101 - a fault of this library, not a caller's
        return self._granted

    @property
    def attached(self) -> bool:
        """Whether Attach is open now."""
        return self._attached

    def check(self) -> None:
        """Raises the error that ended the session, if any."""
        if self._failure is not None:
            raise self._failure

    def rose_above(self, epoch: int) -> bool:
        """Whether this session's own resume replaced ``epoch``; waits for one in progress."""
        with self._lock:
            self._changed.wait_for(
                lambda: self._attached or self._failure, timeout=self._policy.patience
            )
            return self._attached and self.granted.session_epoch > epoch

    def close(self) -> None:
        """Closes the stream. The session remains at the service until its lease ends."""
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
                # A broken attempt missed the grant: the holder is most likely this session.
                problem = TransientError(str(problem))
            if backoff is None or (self._granted and self._granted.session_epoch > epoch):
                backoff = Backoff(self._policy, None if self._granted else self._policy.patience)
            if not self._may_resume(problem, backoff):
                return

    def _follow(self) -> TransientError | HouseguestError:
        """Reads one Attach stream to its end and returns what ended it."""
        try:
            self._listen()
            return TransientError("the service closed the Attach stream")
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
            _log.info("place %d in the queue for a session", response.queued.position)
        elif event == "draining":
            self.draining = True
            _log.warning("the service is closing; it starts no new episode")
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
        """Waits before the next attempt; false if there must not be one."""
        if isinstance(problem, HouseguestError):
            self._fail(problem)
            return False
        try:
            wait = backoff.next(problem)
        except UnreachableError as error:
            self._fail(error)
            return False
        _log.warning("the link to the service broke, resuming: %s", problem)
        return not self._closing.wait(wait)

    def _fail(self, error: HouseguestError) -> None:
        if error.reason == "RESUME_REFUSED" and self._granted:
            error = SupersededError(
                f"{error} The session can no longer be resumed: another process took it over,"
                " or the lease ran out while the connection was down.",
                error.reason,
            )
        with self._lock:
            self._failure = self._failure or error
            self._changed.notify_all()


def _revoked(reason: str) -> HouseguestError:
    kind = DrainingError if reason == "DRAINING" else RevokedError
    return kind(f"The service ended this session [{reason}].", reason)


# --- The newest resume token, on disk: with it, a session outlives its process


class StateFile:
    """The resume token of one session. Only the file's owner can read it.

    The token is valid once, and every grant brings a new one, so ``save`` replaces the file
    atomically: a process that dies at any moment leaves an old or a new one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes:
        """The saved token; empty if there is none.

        Raises SetupError for a file that is not a state file.
        """
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
            return bytes.fromhex(state["resume_token"])
        except FileNotFoundError:
            return b""
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SetupError(
                f"State file {self._path} cannot be read: {error!r}. Delete it to start"
                " a new session, or name another one in HOUSEGUEST_STATE_FILE."
            ) from error

    def save(self, session_id: str, resume_token: bytes) -> None:
        """Saves the token of the newest grant. Raises SetupError if that fails."""
        state = {"session": session_id, "resume_token": resume_token.hex()}
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(state, file)
            draft.replace(self._path)
        except OSError as error:
            raise SetupError(
                f"State file {self._path} cannot be written: {error.strerror}. Name a writable"
                " path in HOUSEGUEST_STATE_FILE, or none."
            ) from error

    def remove(self) -> None:
        """Deletes the file: the session is over, or cannot be resumed."""
        self._path.unlink(missing_ok=True)
