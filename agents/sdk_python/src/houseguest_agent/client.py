"""The agent's side of a run."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from .action import Trace
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
from .link import AgentInfo
from .options import Limits, ObservationRequest, Options

_log = logging.getLogger("houseguest_agent")

_NOBODY_TO_TELL = (
    DrainingError,
    RevokedError,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
"""Errors after which no call can reach the session."""


class Client:
    """One agent process and its session in a run::

        with Client("my-agent") as client:
            for episode in client.episodes():
                while episode.running:
                    episode.act("forward")

    Use it from one thread; a background thread renews the lease. Leaving the ``with`` block while
    an episode is open gives the episode up, or reports an agent error if an exception left the
    block.
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
        """Creates the client without connecting.

        ``name``, ``version``, ``model`` and ``configuration`` (prompt version, temperature,
        seed, …) introduce the agent and are stored with the run.
        """
        words = {key: str(value) for key, value in (configuration or {}).items()}
        self._agent = AgentInfo(name, version, model, words)
        self._options = options if options is not None else Options()
        self._connection: Connection | None = None
        self._episode: Episode | None = None

    def connect(self) -> Connection:
        """Opens the session if it is not open yet. Raises what Session raises."""
        if self._connection is None:
            self._connection = Connection(self._agent, self._options)
        return self._connection

    def episodes(self) -> Iterator[Episode]:
        """Yields each episode, ready for its first action, until none is left.

        After a restart, the first one may already have some steps. An episode that is still
        running when the loop asks for the next one is given up; one that is still running when
        you leave the loop ends with the ``with`` block, or with ``close``.
        """
        connection = self.connect()
        self._give_up()
        # A generator cannot distinguish a break from an exception in the loop; only __exit__ can,
        # so it ends the episode.
        for episode in connection.episodes():
            self._episode = episode
            yield episode
            self._give_up()

    def reset(self, seed: int | None = None) -> Episode:
        """Starts the task of a practice lease again and drops an open episode.

        Equal seeds (0 … 2**64 - 1) and equal actions give equal observations; without a seed, the
        service uses its next one. Raises SetupError on a lease whose episodes are scored: they
        cannot be restarted.
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
        """Leaves the run because the agent cannot continue, for example without its model server.

        ``message`` should say what is wrong and how the operator can fix it. The open episode does
        not count, no other one starts (``episodes`` ends), and the run continues when the operator
        resumes it. An orderly withdrawal raises nothing; to exit with an error, do so yourself.
        On a service that does not offer Feature.WITHDRAW, the open episode ends with an agent
        error. Idempotent. Raises SupersededError and UnreachableError.
        """
        connection = self.connect()
        episode, self._episode = self._episode, None
        if Feature.WITHDRAW in connection.features:
            connection.withdraw(reason, message, trace)
        else:
            _log.warning("this service does not support withdrawal: the open episode fails")
            if episode is not None:
                episode.fail(trace if trace is not None else message)
            connection.leave()
        if episode is not None:
            episode.forget()

    @property
    def session_id(self) -> str:
        """The session's id at the service; opaque."""
        return self.connect().session.granted.session_id

    @property
    def episodes_total(self) -> int:
        """The number of episodes in the run: only a hint, since other sessions take some."""
        return self.connect().session.granted.episodes_total

    @property
    def observation(self) -> ObservationRequest:
        """The part of the request that was granted, with one encoding per channel."""
        return ObservationRequest.from_proto(self.connect().session.granted.observation)

    @property
    def limits(self) -> Limits:
        """The limits that the service enforces."""
        return self.connect().limits

    @property
    def features(self) -> frozenset[Feature]:
        """The features that the service offers in this run."""
        return self.connect().features

    @property
    def protocol_revision(self) -> int:
        """The revision of houseguest.agent.v1 that the service implements, 1 or more."""
        return self.connect().protocol_revision

    @property
    def draining(self) -> bool:
        """Whether the service is closing; you may finish the open episode."""
        return self.connect().session.draining

    @property
    def attached(self) -> bool:
        """Whether the client holds the session now: it is connected, and the stream is open."""
        return self._connection is not None and self._connection.session.attached

    def close(self) -> None:
        """Gives up an open episode and closes the connection. Idempotent."""
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
            # Let the user see the agent's own exception.
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
    """The line that raised it, with only the file's name: its folder stays private to the agent."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
