"""AI2-THOR's own controller, under supervision, and its dialogue with a player. Imports the
package `ai2thor`.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import ai2thor.build
import ai2thor.platform
from ai2thor.controller import Controller
from ai2thor.server import Event, NumpyAwareEncoder, Server

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity import messages
from env_service.worlds.ai2thor_unity.build import InstalledBuild, base_folder
from env_service.worlds.ai2thor_unity.launch_plan import LaunchPlan, environment
from env_service.worlds.ai2thor_unity.messages import END, HEADER, PlayerAnswer
from env_service.worlds.ai2thor_unity.player import Attempt, NonsenseError, Player, TransportError
from env_service.worlds.ai2thor_unity.settings import Platform

CALLERS_MISTAKES = frozenset(
    {"AmbiguousAction", "InvalidAction", "InvalidArgument", "MissingArguments"}
)
"""Error codes that raise ValueError (docs/ai2thor.md, "Player lifetime and deadlines")."""

RENAMED = {
    "renderClassImage": "renderSemanticSegmentation",
    "renderObjectImage": "renderInstanceSegmentation",
}
"""Old names of parameters, which the package repeats under the new ones."""


class PinnedBuild(ai2thor.build.Build):  # type: ignore[misc]  # the package has no types
    """An installed build. Nothing is ever downloaded for it, nor written next to it."""

    def __init__(self, found: InstalledBuild) -> None:
        platform = {
            Platform.CLOUD_RENDERING: ai2thor.platform.CloudRendering,
            Platform.LINUX64: ai2thor.platform.Linux64,
        }[found.platform]
        super().__init__(platform, found.commit, False, str(found.folder.parent))  # noqa: FBT003 - the package's
        self._executable = found.executable

    @property
    def executable_path(self) -> str:
        """As a shell reads it, which is how the package takes it apart."""
        return shlex.quote(str(self._executable))

    def download(self) -> None:
        """There is nothing to be had that is not there."""

    def lock_sh(self) -> None:
        """Keeps the package's other users from pruning the build, while this process lives."""
        _keep(self.base_dir)

    def unlock(self) -> None:
        """It stays locked: a process cannot give back one of two locks that it has on a file."""


@cache
def _keep(folder: str) -> int | None:
    """Takes the package's lock on a build; None if it cannot be had, as on a file
    system that cannot be written, where no build can be pruned either."""
    try:
        lock = os.open(f"{folder}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None
    try:
        fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # somebody prunes it or installs it at this moment
        os.close(lock)
        return None
    return lock


class SupervisedController(Controller):  # type: ignore[misc]  # the package has no types
    """A controller whose calls all end: with an answer, an error of the caller's, or a
    TransportError, after which only `stop` is of use."""

    def __init__(self, scene: str, start: ThorStart, launch: LaunchPlan, player: Player) -> None:
        """Starts a player and resets it to a scene. Whoever made it stops it if that fails."""
        self.server: Any = None  # a PlayerServer once it is built
        self._launch, self._player = launch, player
        self._deadlines = launch.settings.deadlines
        super().__init__(
            scene=scene,
            width=start.width,
            height=start.height,
            quality=start.quality,
            local_executable_path=None if launch.build else launch.settings.executable,
            x_display=player.display_name or None,
            **start.initialization,
        )

    @property
    def commit(self) -> str:
        """The commit of the running build; "" for an executable, whose commit is unknown."""
        return str(getattr(self._build, "commit_id", ""))

    @property
    def executable(self) -> str:
        """What was started."""
        return str(self._build.executable_path)

    def find_build(self, *_: object) -> PinnedBuild:
        """The build that was found."""
        if self._launch.build is None:
            raise ValueError("neither a build nor an executable is named")
        return PinnedBuild(self._launch.build)

    def prune_releases(self) -> None:
        """Whose builds are old is the user's to say."""

    def robothor_scenes(self, *arguments: Any, **named: Any) -> Any:
        """The package's, without its cache, which keeps controllers alive."""
        return Controller.robothor_scenes.__wrapped__(self, *arguments, **named)

    def ithor_scenes(self, *arguments: Any, **named: Any) -> Any:
        """See `robothor_scenes`."""
        return Controller.ithor_scenes.__wrapped__(self, *arguments, **named)

    @property
    def base_dir(self) -> str:
        """Where builds lie."""
        return str(base_folder(self._launch.settings.home))

    def start(self, **arguments: Any) -> Any:
        """The package's, within the deadline."""
        self._build_server("", 0, arguments["width"], arguments["height"])
        with self.server.under("start", self._deadlines.start):
            return super().start(**arguments)

    def reset(self, scene: str | dict[str, Any] | None = None, **parameters: Any) -> Any:
        """The package's, within the deadline."""
        with self.server.under("reset", self._deadlines.reset):
            return super().reset(scene, **parameters)

    def step(self, action: str | Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """The package's meaning, without its restart of a broken player and its variable of the
        environment that changes actions.

        Raises:
            ValueError: the action or an argument does not exist, or cannot be sent.
            RuntimeError: it was refused, and ``raise_for_failure`` was true.
            TransportError: see `PlayerServer`.
        """
        every = arguments.pop("raise_for_failure", False)
        with self.server.under("step", self._deadlines.step):
            self.server.send(written(action, arguments))
            self.last_event = self.server.receive()
        metadata = self.last_event.metadata
        if not metadata["lastActionSuccess"]:
            if metadata["errorCode"] in CALLERS_MISTAKES:
                raise ValueError(metadata["errorMessage"])
            if every:
                raise RuntimeError(metadata["errorMessage"])
        return self.last_event

    def unity_command(self, width: int, height: int, headless: bool) -> list[str]:  # noqa: FBT001 - the package's
        """The package's, with the Vulkan device that was chosen."""
        self.gpu_device = None  # the package takes one from CUDA_VISIBLE_DEVICES
        command: list[str] = super().unity_command(width, height, headless)
        if self._launch.device is not None:
            command += ["-force-device-index", str(self._launch.device)]
        return command

    def stop(self) -> None:
        """Ends the player; a second call does nothing."""
        self._player.stop()

    def _build_server(self, host: str, port: int, width: int, height: int) -> None:  # noqa: ARG002 - the package's
        if self.server is None:
            self.server = PlayerServer(
                self._player,
                width=width,
                height=height,
                depth_format=self.depth_format,
                add_depth_noise=self.add_depth_noise,
            )

    def _start_unity_thread(
        self, _env: object, width: int, height: int, server_params: Mapping[str, str], _: object
    ) -> None:
        server, settings = self.server, self._launch.settings
        server.client_token = str(uuid.uuid4())
        protocol = {
            "client_token": server.client_token,
            "server_type": server.server_type,
            "server_side_screenshot": "True",
            **server_params,
        }
        server.unity_proc = self._player.start(
            self.unity_command(width, height, headless=False),
            environment(
                os.environ, protocol, home=settings.home, display=self._player.display_name
            ),
            settings.cpus,
        )
        self.unity_pid = server.unity_proc.pid


def written(action: str | Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """An action in its form on the wire."""
    named: dict[str, Any] = dict(action) if isinstance(action, Mapping) else {"action": action}
    named.update(arguments)
    rotation = named.get("rotation")
    if rotation is not None and not isinstance(rotation, dict):
        named["rotation"] = {"y": rotation}
    for old, new in RENAMED.items():
        if old in named:
            named[new] = named[old]
    return named


# --- The dialogue with a player, as the package `ai2thor` wants a server to be

ACTION = 2
_END = HEADER.pack(END, 0)

PASSING = frozenset({"", "ChangeQuality", "ChangeResolution", "GetScenesInBuild", "Reset"})
"""The messages before Initialize, "" being the player's first. A missing picture, or one of another
size, is ignored until then."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the controller, under one deadline for all its messages.

    ``name`` is that of its deadline: start, reset or step. ``until`` is by time.monotonic.
    """

    name: str
    seconds: float
    until: float


class PlayerServer(Server):  # type: ignore[misc]  # the package has no types
    """One player's dialogue."""

    server_type = "FIFO"

    def __init__(self, player: Player, **parameters: Any) -> None:
        """``parameters``: those of the package's Server."""
        super().__init__(timeout=None, **parameters)
        self.sequence_id: int = 0
        self._player = player
        self._before: PlayerAnswer | None = None
        self._draws = True
        self.call: Call | None = None
        self._action: Mapping[str, Any] = {}
        self.owed = True
        """Whether the player owes an answer: what breaks off then cannot be resumed."""

    @contextmanager
    def under(self, name: str, seconds: float) -> Iterator[None]:
        """A call with its deadline. Calls within calls are part of the outermost."""
        if self.call is not None:
            yield
            return
        self.call = Call(name, seconds, time.monotonic() + seconds)
        try:
            yield
        finally:
            self.call = None

    @property
    def pictures(self) -> object:
        """The same object as long as the pictures are the same."""
        return None if self._before is None else self._before.files

    def start(self) -> None:
        """Does nothing but note the start, as the pipes already exist."""
        self.started = True

    def stop(self) -> None:
        """Stops the player; a second call does nothing."""
        self._player.stop()
        self._before = None

    def unity_params(self) -> dict[str, str]:
        """The player's parameters for its pipes."""
        pipes = self._player.pipes
        return {
            "fifo_server_pipe_path": str(pipes.from_player),
            "fifo_client_pipe_path": str(pipes.to_player),
        }

    def send(self, action: dict[str, Any]) -> None:
        """Sends an action.

        Raises:
            ValueError: it cannot be written as JSON; nothing was sent.
            TransportError: the player does not take it.
        """
        sequence = action.get("sequenceId", self.sequence_id + 1)
        try:
            text = json.dumps({**action, "sequenceId": sequence}, cls=NumpyAwareEncoder)
        except (TypeError, ValueError, RecursionError) as error:
            name = action.get("action")
            raise ValueError(f"action {name!r} cannot be written as JSON: {error}") from error
        body = text.encode()
        self._action, self.sequence_id, self.owed = action, sequence, True
        message = HEADER.pack(ACTION, len(body)) + body + _END
        with self._telling() as until:
            self._player.pipes.write(memoryview(message), until=until)

    def receive(self, timeout: float | None = None) -> Any:  # noqa: ARG002 - the package's
        """The player's answer as the package's event; the deadline is the call's.

        Raises:
            TransportError: there is none, or it is none.
        """
        with self._telling() as until:
            shown = self._name() not in PASSING
            pipes, before = self._player.pipes, self._before
            answer = messages.read(pipes, before, self.sequence_id, until, shown=shown)
            self._before = answer
            if shown:
                self._check_picture(answer)
            event = self._event(answer)
        self.owed = False
        if self._player.process is not None:
            self._player.process.trim_log()
        return event

    def _event(self, answer: PlayerAnswer) -> Any:
        try:
            event = self.create_event(answer.metadata, answer.files)
        except Exception as error:
            raise NonsenseError(f"what ai2thor cannot read: {error!r}") from error
        if isinstance(event, Event):
            event.events = []  # itself: a circle keeps all its pictures until somebody collects
        return event

    def _check_picture(self, answer: PlayerAnswer) -> None:
        wanted = self._action.get("renderImage", True)
        if self._name() == "Initialize":
            self._draws = wanted
        if wanted and self._draws and not answer.patched and "image" not in answer.files:
            raise NonsenseError("an answer without a picture")

    def _name(self) -> str:
        """What was asked for, "" before anything was."""
        return str(self._action.get("action", ""))

    @contextmanager
    def _telling(self) -> Iterator[float]:
        """Gives the deadline. An error inside is extended by the request that it was about."""
        if self.call is None:
            raise RuntimeError("a message outside of any call")
        try:
            yield self.call.until
        except TransportError as error:
            error.during = Attempt(self.call.name, self.call.seconds, self._action)
            raise
