"""The game: one thread plays the session, and any number of windows show it and send commands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any

from houseguest_agent import (
    Client,
    EndReason,
    Episode,
    HouseguestError,
    RefusedError,
    WithdrawReason,
)

from .view import (
    ENDINGS,
    Action,
    Close,
    Deadlines,
    Phase,
    View,
    clean,
    view_episode,
    view_history,
    view_scene,
)

LEFT = "the person left; the same command continues"
_LOOK_SECONDS = 1.0
"""How often to check, while waiting for a person, whether the service is closing."""
_CLOSING = "The service is closing: it starts no other episode."


@dataclass(frozen=True, slots=True)
class Act:
    """Takes an action: a skill, a text, or a plan."""

    action: Action


@dataclass(frozen=True, slots=True)
class End:
    """Ends the episode: ``done`` claims that the goal is reached; otherwise it is given up."""

    done: bool


@dataclass(frozen=True, slots=True)
class Next:
    """Asks for the next episode."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leaves the session; an open episode does not count, and can be played again."""


Command = Act | End | Next | Leave


class NotNowError(Exception):
    """A command that answers no open turn; the message says why."""


class Player:
    """One person's session in a run. Every method may be called from any thread."""

    def __init__(self, connect: Callable[[], Client]) -> None:
        """``connect`` opens the session; the player calls it on a separate thread."""
        self._connect = connect
        self._view = View()
        self._changed = threading.Condition()
        self._commands: SimpleQueue[Command] = SimpleQueue()
        self._refused = ""
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)

    def start(self) -> None:
        """Starts to play."""
        self._thread.start()

    @property
    def view(self) -> View:
        """The current view."""
        return self._view

    def wait(self, after: int, timeout: float | None = None) -> View:
        """The view as soon as its version is above ``after``, or after ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._view.version > after, timeout)
            return self._view

    def settled(self, timeout: float | None = None) -> View:
        """The view as soon as the service is idle, or after ``timeout`` seconds."""
        busy = (Phase.CONNECTING, Phase.WAITING)
        with self._changed:
            self._changed.wait_for(lambda: self._view.phase not in busy, timeout)
            return self._view

    def send(self, command: Command, turn: int) -> None:
        """Sends the command of one turn.

        Raises NotNowError if that turn is over, or asks for something else; leaving is always
        possible, and needs no turn.
        """
        with self._changed:
            if isinstance(command, Leave):
                if self._view.phase.final:
                    return
            else:
                self._check(command, turn)
            self._set(phase=Phase.WAITING, turn=self._view.turn + 1, notice="")
            self._commands.put(command)

    def _check(self, command: Command, turn: int) -> None:
        wanted = Phase.ENDED if isinstance(command, Next) else Phase.DECIDING
        if turn != self._view.turn:
            raise NotNowError("This was already decided, perhaps in another window.")
        if self._view.phase is not wanted:
            raise NotNowError(
                "No episode is open." if wanted is Phase.DECIDING else "The episode is still open."
            )

    # --- on the player's thread

    def _run(self) -> None:
        phase, notice = Phase.FAILED, "The agent failed; its output says why."
        try:
            with self._connect() as client:
                phase, notice = self._play_all(client), ""
        except HouseguestError as error:
            notice = clean(str(error))
        finally:
            self._show(phase=phase, notice=notice)

    def _play_all(self, client: Client) -> Phase:
        """Plays every episode; returns OVER, or LEFT if the person left before the last."""
        try:
            for number, episode in enumerate(client.episodes(), start=1):
                if not self._play(client, episode, number):
                    client.withdraw(WithdrawReason.OTHER, LEFT)
                    return Phase.LEFT
        except HouseguestError:
            raise
        except Exception as error:
            # A fault of this program is not the person's failure: the task can be played again.
            client.withdraw(WithdrawReason.OTHER, f"the agent failed: {error!r}")
            raise
        return Phase.LEFT if client.draining else Phase.OVER

    def _play(self, client: Client, episode: Episode, number: int) -> bool:
        """Plays one episode to its end and waits for the next command; false to leave."""
        clock = _Clock(client, episode)
        self._show(
            episode=view_episode(episode, number, client.episodes_total), scene=None, close=None
        )
        while episode.running:
            self._ask(Phase.DECIDING, episode, clock.answered())
            command = self._next_command(client)
            clock.acting()
            if isinstance(command, Leave):
                return False
            self._carry_out(command, episode)
        title, detail = ENDINGS.get(episode.status, ("This episode is over", ""))
        deadlines = Deadlines(step=clock.answered().step)
        self._ask(Phase.ENDED, episode, deadlines, close=Close(title, detail))
        return not isinstance(self._next_command(client), Leave)

    def _carry_out(self, command: Command, episode: Episode) -> None:
        self._refused = ""
        try:
            if isinstance(command, Act):
                episode.act(command.action)
            elif isinstance(command, End):
                episode.end(EndReason.AGENT_DONE if command.done else EndReason.AGENT_GAVE_UP)
        except RefusedError as error:
            # Nothing was executed, and only time was used.
            self._refused = clean(str(error))

    def _ask(self, phase: Phase, episode: Episode, deadlines: Deadlines, **more: Any) -> None:
        """Shows the state of the episode, and asks for the next command."""
        notice, self._refused = self._refused, ""
        self._show(
            phase=phase,
            turn=self._view.turn + 1,
            scene=view_scene(episode.observation, self._view.scene),
            history=view_history(episode.history),
            steps_left=_steps_left(episode),
            deadlines=deadlines,
            notice=notice,
            **more,
        )

    def _next_command(self, client: Client) -> Command:
        while True:
            try:
                return self._commands.get(timeout=_LOOK_SECONDS)
            except Empty:
                if client.draining and self._view.notice != _CLOSING:
                    self._show(notice=_CLOSING)

    def _show(self, **changes: Any) -> None:
        with self._changed:
            self._set(**changes)

    def _set(self, **changes: Any) -> None:
        self._view = replace(self._view, version=self._view.version + 1, **changes)
        self._changed.notify_all()


def _steps_left(episode: Episode) -> int | None:
    if episode.history and episode.remaining.steps is not None:
        return episode.remaining.steps
    return episode.max_steps if not episode.history else None


class _Clock:
    """The person's time in one episode, as the service counts it."""

    def __init__(self, client: Client, episode: Episode) -> None:
        self._step = client.limits.agent_step_budget
        left = episode.remaining.agent_time
        self._left = client.limits.agent_episode_budget if left is None else left
        self._since = time.monotonic()

    def answered(self) -> Deadlines:
        """Call this when the service has answered: the person's time runs, up to these times."""
        self._since = now = time.monotonic()
        step = None if self._step is None else now + self._step
        return Deadlines(step, None if self._left is None else now + self._left)

    def acting(self) -> None:
        """Call this when the person has decided: their time stops."""
        if self._left is not None:
            self._left -= time.monotonic() - self._since
