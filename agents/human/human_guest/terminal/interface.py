"""Plays in a terminal: shows the view, and asks what to do."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from ..player import Leave, Next, NotNowError, Player
from ..view import Phase, View
from .display import Console, EpisodeDisplay
from .prompt import LeaveNow, TurnPrompt

_PATIENCE = 30.0
"""Seconds for an orderly end of the session."""
_TICK = 0.5
"""Seconds between checks while the service is busy, so that Ctrl-C is noticed."""
_SLOW_TICKS = 3
"""The number of checks after which to show that the service is busy."""


class TerminalInterface:
    """The interface on standard input and output."""

    def __init__(self, player: Player, *, pictures: bool) -> None:
        self._player, self._pictures = player, pictures
        self._console = Console()
        self._shown_episode = ""
        self._shown_steps = 0

    def run(self) -> int:
        """Plays until nothing is left or the person leaves; returns the exit status."""
        self._player.start()
        with tempfile.TemporaryDirectory(prefix="houseguest-pictures-") as folder:
            self._stage = EpisodeDisplay(self._console, Path(folder), pictures=self._pictures)
            self._asker = TurnPrompt(self._console, self._stage)
            try:
                view = self._play()
            except (LeaveNow, EOFError, KeyboardInterrupt):
                view = self._leave()
        return self._say_goodbye(view)

    def _play(self) -> View:
        while not (view := self._settled()).phase.final:
            try:
                self._decide(view)
            except NotNowError as error:
                self._console.say(str(error))
        return view

    def _settled(self) -> View:
        """The next view that asks for something."""
        looks = 0
        asked = False
        while True:
            try:
                view = self._player.settled(_TICK)
            except KeyboardInterrupt:
                if asked:
                    raise
                asked = True
                self._console.say("\nThe service is at work. Once more to leave.")
                continue
            if view.phase not in (Phase.CONNECTING, Phase.WAITING):
                return view
            looks += 1
            if looks == _SLOW_TICKS and self._console.is_terminal:
                self._console.aside("… the service is at work")

    def _decide(self, view: View) -> None:
        self._show(view)
        if view.phase is Phase.ENDED:
            line = self._console.ask("Enter for the next episode, or quit: ").strip().lower()
            if line.lstrip("/") in ("quit", "q", "exit"):
                raise LeaveNow
            self._player.send(Next(), view.turn)
        else:
            self._player.send(self._asker.command(view), view.turn)

    def _show(self, view: View) -> None:
        episode, scene = view.episode, view.scene
        if episode is None or scene is None:
            return
        if episode.id != self._shown_episode:
            self._shown_episode, self._shown_steps = episode.id, 0
            self._stage.opening(episode)
        for number in range(self._shown_steps, len(view.history)):
            self._stage.past(number + 1, view.history[number])
        if view.notice:
            self._console.say(view.notice)
        if view.phase is Phase.ENDED and view.close is not None:
            self._console.raw("")
            self._console.heading(view.close.title)
            self._console.say(view.close.detail)
        elif not view.history or len(view.history) > self._shown_steps:
            self._stage.scene(episode, scene)
        self._shown_steps = len(view.history)

    def _leave(self) -> View:
        self._player.send(Leave(), 0)
        with suppress(KeyboardInterrupt):
            self._player.settled(_PATIENCE)
        return self._player.view

    def _say_goodbye(self, view: View) -> int:
        self._console.raw("")
        if view.phase is Phase.OVER:
            self._console.say("Everything is played. Thank you!")
        elif view.phase is Phase.LEFT:
            self._console.say(
                "You left. Finished episodes are kept; an open episode does not count, and starts"
                " again with the same command."
            )
        else:
            self._console.say(
                view.notice or "The service does not answer; the session ended without it."
            )
            return 1
        return 0
