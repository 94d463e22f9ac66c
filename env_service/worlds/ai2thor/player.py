"""A player with all that belongs to it: its folder, its pipes, its display, its process."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from env_service.worlds.ai2thor import folder
from env_service.worlds.ai2thor.displays import Display
from env_service.worlds.ai2thor.pipes import Pipes
from env_service.worlds.ai2thor.process import PlayerProcess
from env_service.worlds.base import WorldUnavailableError

LOG = "player.log"


class Player:
    """What has to be gone after a player, in one place. `stop` it in any case, also while it is
    being made."""

    def __init__(self, stop_seconds: float) -> None:
        """Makes nothing yet. ``stop_seconds``: how long `stop` waits for the process to die."""
        self._owner = os.getpid()
        self._seconds = stop_seconds
        self._folder: Path | None = None
        self._pipes: Pipes | None = None
        self.display: Display | None = None
        self.process: PlayerProcess | None = None

    def prepare(self) -> None:
        """Makes the folder and the pipes, after removing what dead owners left.

        Raises:
            WorldUnavailableError: there is no place for the folder.
        """
        try:
            folder.sweep()
            self._folder = folder.make()
            self._pipes = Pipes(self._folder)
        except OSError as error:
            raise WorldUnavailableError(
                f"no folder for a player's pipes can be made: {error}. Let TMPDIR name one that "
                "can be written to, on a file system that has named pipes"
            ) from error

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], cpus: Sequence[int]
    ) -> PlayerProcess:
        """Starts the process; see `PlayerProcess`. `prepare` comes before."""
        log = self.pipes.from_player.with_name(LOG)
        self.process = PlayerProcess(command, environment, cpus, log)
        self.pipes.attach(self.process)
        return self.process

    @property
    def pipes(self) -> Pipes:
        """The pipes. Raises RuntimeError before `prepare`."""
        if self._pipes is None:
            raise RuntimeError("the player has no pipes yet")
        return self._pipes

    @property
    def running(self) -> PlayerProcess:
        """The process, also when it has ended. Raises RuntimeError before the start."""
        if self.process is None:
            raise RuntimeError("no player was started")
        return self.process

    @property
    def display_name(self) -> str:
        """The X display, "" for none."""
        return "" if self.display is None else self.display.name

    @property
    def runs(self) -> bool:
        """Whether the process is there and has not ended."""
        return self.process is not None and self.process.status() is None

    def stop(self) -> None:
        """Kills the process and everything it started, and removes the rest. A second call does
        nothing; nor does a fork of the owner, whose player it is not."""
        if os.getpid() != self._owner:
            return
        if self.process is not None and not self.process.end(self._seconds):
            logging.getLogger(__name__).warning(
                "player %d was killed and is still there after %g s: it hangs in the kernel, "
                "probably in the graphics driver (see dmesg)",
                self.process.pid,
                self._seconds,
            )
        if self.display is not None:
            self.display.stop()
        if self._pipes is not None:
            self._pipes.close()
        if self._folder is not None:
            folder.remove(self._folder)
