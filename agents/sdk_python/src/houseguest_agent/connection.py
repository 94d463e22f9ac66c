"""A connected agent: after Hello and the grant, ready to send requests."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from houseguest.agent.v1 import agent_pb2

from .action import Trace, encode_trace
from .enums import Feature, WithdrawReason
from .episode import Episode
from .errors import DrainingError, HouseguestError, RefusedError, RevokedError, UnreachableError
from .link import AgentInfo, Link
from .observation import Album
from .options import Limits, ObservationRequest, Options
from .session import Session, StateFile
from .transport import PlayTransport, RequestSender, Transport, UnaryTransport

_log = logging.getLogger("houseguest_agent")

_BEYOND_SERVICE_DEADLINE = 10.0
"""Seconds added to the service's own step deadline, so that the service gives up first."""
_STEP_TIMEOUT = 120.0
"""Seconds for one attempt if the service states no deadline."""
_NOT_OFFERED = "OBSERVATION_NOT_OFFERED"
_POLL = 0.25
"""Seconds between polls for a step that an earlier process left running."""


class Connection:
    """Everything between a client and its service. `Client` creates it when it connects."""

    def __init__(self, agent: AgentInfo, options: Options) -> None:
        """Connects and waits for the session, however long the queue.

        Raises SetupError, UnreachableError, TokenRefusedError, or RefusedError with the
        service's reason (SEAT_TAKEN, OBSERVATION_NOT_OFFERED, …).
        """
        self._options = options
        self._session: Session | None = None
        self._transport: Transport | None = None
        self._state_file: StateFile | None = None
        self._left = False
        if options.state_file:
            self._state_file = StateFile(Path(options.state_file))
        self._link = Link(options)
        remember(self)
        try:
            self._connect(agent)
        except BaseException:
            self.close()
            raise

    def _connect(self, agent: AgentInfo) -> None:
        hello = self._link.hello(agent)
        if hello.deprecation_notice:
            _log.warning("%s", hello.deprecation_notice)
        self.protocol_revision = hello.protocol_revision
        self.limits = Limits.from_proto(hello.limits)
        self.features = frozenset(map(Feature, hello.features))
        self.session = self._attach()
        self._ordinal = self.session.granted.next_episode_ordinal
        self._left_open = self.session.granted.open_episode_id
        unary = UnaryTransport(self._link)
        streams = self._options.transport == "play" and Feature.STREAMING_PLAY in self.features
        self._transport = PlayTransport(self._link) if streams else unary
        retry = self._options.retry
        policy = replace(retry, timeout=retry.timeout or self._step_timeout())
        prompts = Feature.PROMPT in self.features
        self._sender = RequestSender(
            self.session, self._transport, unary, policy, stores_prompts=prompts
        )

    @property
    def _may_refer(self) -> bool:
        """Whether the service may send references to earlier pictures."""
        return Feature.FRAME_REFERENCE in self.features

    def _step_timeout(self) -> float:
        deadline = self.limits.environment_step_deadline
        return _STEP_TIMEOUT if deadline is None else deadline + _BEYOND_SERVICE_DEADLINE

    def _attach(self) -> Session:
        token = self._state_file.load() if self._state_file else b""
        if token:
            try:
                return self._attach_with(token)
            except RefusedError as error:
                if error.reason != "RESUME_REFUSED" and not error.reason.startswith("SESSION_"):
                    raise
                _log.warning("the saved session is over, starting a new one: %s", error)
        return self._attach_with(b"")

    def _attach_with(self, resume_token: bytes) -> Session:
        """A session with the first observation request that the run's condition offers."""
        *richer, last = self._options.observations
        for observation in richer:
            try:
                return self._open(observation, resume_token)
            except RefusedError as error:
                if error.reason != _NOT_OFFERED:
                    raise
        return self._open(last, resume_token)

    def _open(self, observation: ObservationRequest, resume_token: bytes) -> Session:
        request = agent_pb2.AttachRequest(
            observation=observation.to_proto(), resume_token=resume_token
        )
        # A process that resumes lacks the earlier pictures that a reference could name.
        if self._may_refer and not resume_token:
            request.required_features.append(agent_pb2.FEATURE_FRAME_REFERENCE)
        self._session = Session(self._link, request, self._options.retry, self._state_file)
        self._session.open()
        return self._session

    def episodes(self) -> Iterator[Episode]:
        """The episode that an earlier process left open, then each new one, until none is left."""
        if self._left_open:
            episode = self._rebuild(self._left_open)
            self._left_open = ""
            if episode.running:
                yield episode
        while not self._left and (opening := self._begin()) is not None:
            yield Episode(opening, self._sender, Album(keep=self._may_refer))

    def reset(self, seed: int | None) -> Episode:
        """Starts the task of a practice lease again. Raises what RequestSender raises."""
        request = agent_pb2.PracticeReset(seed=seed)
        opening = self._sender.begin_episode(self._ordinal, request).episode
        self._ordinal += 1
        self._left_open = ""
        return Episode(opening, self._sender, Album(keep=self._may_refer))

    def withdraw(self, reason: WithdrawReason, message: str, trace: Trace | str | None) -> None:
        """Leaves the run if the service offers Feature.WITHDRAW. Raises what RequestSender raises.

        A session that the service has already ended cannot withdraw, and need not.
        """
        request = agent_pb2.WithdrawRequest(
            reason=agent_pb2.WithdrawReason.ValueType(reason),
            message=message,
            trace=encode_trace(trace, prompts=self._sender.stores_prompts),
        )
        try:
            self._sender.withdraw(request)
        except HouseguestError as error:
            over = isinstance(error, DrainingError | RevokedError)
            # An answer was lost: the service had received the first request.
            if not over and error.reason != "SESSION_WITHDRAWN":
                raise
        self.leave()

    def leave(self) -> None:
        """Starts no other episode."""
        self._left = True
        if self._state_file is not None:
            self._state_file.remove()

    def _begin(self) -> agent_pb2.Episode | None:
        try:
            response = self._sender.begin_episode(self._ordinal)
        except (DrainingError, UnreachableError) as error:
            if isinstance(error, UnreachableError) and not self.session.draining:
                raise
            _log.warning("no new episode: %s", error)
            return None
        if response.WhichOneof("next") != "episode":
            if self._state_file is not None:
                self._state_file.remove()
            return None
        self._ordinal += 1
        return response.episode

    def _rebuild(self, episode_id: str) -> Episode:
        found = self._sender.get_episode(episode_id)
        while found.step_in_flight:
            time.sleep(_POLL)
            found = self._sender.get_episode(episode_id)
        episode = Episode(found.episode, self._sender, Album(keep=self._may_refer))
        episode.restore(found)
        return episode

    def close(self) -> None:
        """Disconnects. The session remains at the service until its lease ends.

        Afterwards no call and no thread of this session is left. You may call this again, also
        after an exception interrupted it. When the program exits, it closes what is still open.
        """
        if self._transport is not None:
            self._transport.close()
        if self._session is not None:
            self._session.close()
        self._link.close()
        forget(self)


# --- Closes what is still open when the program exits


class _Closable(Protocol):
    def close(self) -> None: ...


_open: dict[_Closable, int] = {}
"""The open objects, and the process that opened each: a forked child has none of its threads."""


def remember(thing: _Closable) -> None:
    """Registers ``thing`` to be closed when the interpreter exits, unless `forget` comes first."""
    _open[thing] = os.getpid()


def forget(thing: _Closable) -> None:
    """Removes ``thing``, which is closed."""
    _open.pop(thing, None)


@atexit.register
def _close_all() -> None:
    """Runs while all threads still exist: the last chance to end gRPC's (see ``Stream``)."""
    left = [thing for thing, process in _open.items() if process == os.getpid()]
    if left and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # A user who presses Ctrl-C again wants the process to end, whatever is left undone.
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    for thing in left:
        thing.close()
