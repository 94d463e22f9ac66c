"""The agent's side of a run."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from .connection import Connection
from .enums import Feature, WithdrawReason
from .episode import Episode
from .errors import (
    DrainingError,
    HouseguestError,
    RevokedError,
    SetupError,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
from .limits import Limits
from .link import AgentInfo
from .options import ObservationRequest, Options
from .trace import Trace

_log = logging.getLogger("houseguest_agent")

_NOBODY_TO_TELL = (
    DrainingError,
    RevokedError,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
"""Errors after which no call would reach the session."""


class Client:
    """One agent process and its session in a run::

        with Client("my-agent") as client:
            for episode in client.episodes():
                while episode.running:
                    episode.act("forward")

    Use it from one thread; a thread of its own keeps the lease. Leaving the ``with`` block
    while an episode is open gives it up, or reports an agent error when an exception left
    the block.
    """

    def __init__(
        self,
        name: str,
        version: str = "",
        *,
        model: str = "",
        configuration: Mapping[str, object] | None = None,
        options: Options | None = None,
    ) -> None:
        """Connects to nothing yet.

        ``name``, ``version``, ``model`` and ``configuration`` (prompt version, temperature,
        seed, …) introduce the agent and are stored with the run.
        """
        words = {key: str(value) for key, value in (configuration or {}).items()}
        self._agent = AgentInfo(name, version, model, words)
        self._options = options if options is not None else Options()
        self._connection: Connection | None = None
        self._episode: Episode | None = None

    def connect(self) -> Connection:
        """Opens the session, unless it has been taken. Raises what Session raises."""
        if self._connection is None:
            self._connection = Connection(self._agent, self._options)
        return self._connection

    def episodes(self) -> Iterator[Episode]:
        """Plays until nothing is left: each episode in turn, ready for its first action.

        After a restart the first one may be half played. An episode still running when the
        loop asks for the next one is given up; one still running when the loop is left ends
        with the ``with`` block, or with ``close``.
        """
        connection = self.connect()
        self._give_up()
        # Leaving a loop looks the same to a generator whether by break or by an exception;
        # only __exit__ can tell, so it ends the episode.
        for episode in connection.episodes():
            self._episode = episode
            yield episode
            self._give_up()

    def reset(self, seed: int | None = None) -> Episode:
        """Begins the task of a practice lease anew; an episode that is open is dropped.

        Equal seeds (0 … 2**64 - 1) and equal actions give equal observations; without one the
        service takes the next of its own. Raises SetupError on a lease whose episodes are
        scored: those cannot be begun again.
        """
        connection = self.connect()
        if Feature.PRACTICE not in connection.features:
            raise SetupError(
                "This lease is not for practice: its episodes are scored, and are played once."
                " `houseguest practice SUITE` opens leases that can be reset."
            )
        if self._episode is not None:
            self._episode.forget()
        self._episode = connection.reset(seed)
        return self._episode

    def withdraw(
        self,
        reason: WithdrawReason = WithdrawReason.OTHER,
        message: str = "",
        trace: Trace | str | None = None,
    ) -> None:
        """Leaves the run because the agent cannot go on: its model's server is gone, say.

        ``message`` tells the operator what is wrong and how to mend it. The open episode does
        not count, no other one begins (``episodes`` ends), and the run goes on when the
        operator starts it again. Nothing is raised for an orderly leave: whoever wants to
        exit with an error does so. A service that does not offer Feature.WITHDRAW gets the open
        episode as an agent error. May be called twice. Raises SupersededError and
        UnreachableError.
        """
        connection = self.connect()
        episode, self._episode = self._episode, None
        if Feature.WITHDRAW in connection.features:
            connection.withdraw(reason, message, trace)
        else:
            _log.warning("this service lets nobody withdraw: the open episode ends as a failure")
            if episode is not None:
                episode.fail(trace if trace is not None else message)
            connection.leave()
        if episode is not None:
            episode.forget()

    @property
    def session_id(self) -> str:
        """The session's name at the service. Opaque."""
        return self.connect().session.granted.session_id

    @property
    def episodes_total(self) -> int:
        """How many episodes the run holds: a hint, since other sessions take some."""
        return self.connect().session.granted.episodes_total

    @property
    def observation(self) -> ObservationRequest:
        """What was granted of the request: one encoding a channel."""
        return ObservationRequest.from_proto(self.connect().session.granted.observation)

    @property
    def limits(self) -> Limits:
        """What the service enforces."""
        return self.connect().limits

    @property
    def features(self) -> frozenset[Feature]:
        """What the service offers in this run."""
        return self.connect().features

    @property
    def protocol_revision(self) -> int:
        """The revision of houseguest.agent.v1 that the service speaks, 1 or more."""
        return self.connect().protocol_revision

    @property
    def draining(self) -> bool:
        """Whether the service is closing; the open episode may be finished."""
        return self.connect().session.draining

    @property
    def attached(self) -> bool:
        """Whether it holds the session at this moment: connected, and the link is up."""
        return self._connection is not None and self._connection.session.attached

    def close(self) -> None:
        """Gives up an open episode and lets the service go. May be called twice."""
        try:
            self._give_up()
        finally:
            self._hang_up()

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or (isinstance(error, SystemExit) and not error.code):
            self.close()
            return
        try:
            if self._episode is not None and not isinstance(error, _NOBODY_TO_TELL):
                self._episode.fail(f"{type(error).__name__}: {error}{_place(error)}")
        except HouseguestError as problem:
            # The agent's own exception is the one to see.
            _log.warning("the open episode could not be ended: %s", problem)
        finally:
            self._hang_up()

    def _give_up(self) -> None:
        if self._episode is not None:
            self._episode.give_up()
            self._episode = None

    def _hang_up(self) -> None:
        self._episode = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _place(error: BaseException) -> str:
    """The line that raised it. The file's name alone: where it lies is the agent's own affair."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
