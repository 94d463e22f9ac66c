"""AI2-THOR as a `ThorController`: the package's controller and Unity player, supervised.

This module can be imported without the package `ai2thor`; a controller needs the package.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_api.controller import PLAYER_PARAMETERS, ThorStart
from env_service.worlds.ai2thor_unity import faults
from env_service.worlds.ai2thor_unity.event import Ai2ThorEvent, Pictures
from env_service.worlds.ai2thor_unity.launch_plan import display_of, plan_launch
from env_service.worlds.ai2thor_unity.player import Player, TransportError
from env_service.worlds.ai2thor_unity.settings import (
    COMMIT_ID,
    PACKAGE_VERSION,
    Platform,
    ThorSettings,
)
from env_service.worlds.base import WorldUnavailableError

_MISTAKES = (ValueError, TypeError, RuntimeError)
"""What the caller may have brought about, if the player owes no answer then."""


class Ai2ThorController:
    """A player of AI2-THOR, from its start to `stop`. Use it from one thread at a time.

    After a WorldFault, or an interruption in the middle of a call, the player has ended: every
    method but `stop` raises the same fault. An unreferenced controller stops by itself.

    Traps of the engine that a deadline catches (docs/ai2thor.md, "Faults"): opening and
    closing blinds hangs in 5.0.0, and so does ``agentCount=2`` in procedural houses. Both are
    SIMULATOR_HANG, each time anew. Known and not mended: the contents of a receptacle are missing
    from the metadata while the agent carries the receptacle.
    """

    def __init__(self, scene: str, start: ThorStart, settings: ThorSettings) -> None:
        """Starts a player and resets it to a scene, initialised as the start says.

        Raises:
            ValueError: an unknown scene, or parameters that make no sense.
            WorldUnavailableError: this machine lacks something; with how to mend it.
            WorldFault: the player did not start, broke, or did not answer in time.
        """
        driver = import_driver()
        check_initialization(start.initialization)
        self._launch, self._quality = plan_launch(settings, start), start.quality
        self._fault: WorldFault | None = None
        self._thor: Any = None
        self._raw: Any = None
        self._shown: Ai2ThorEvent | None = None
        self._source: object = None
        self._pictures: Pictures | None = None
        self._player = Player(settings.deadlines.stop)
        self._end = weakref.finalize(self, self._player.stop)
        try:
            self._player.prepare()
            self._player.display = display_of(self._launch, start)
            with self._supervised(), _refusals():
                self._thor = driver.SupervisedController(scene, start, self._launch, self._player)
            self._check_commit()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def last_event(self) -> Ai2ThorEvent:
        """The event of the last reset or step; also of one that raised ValueError or
        RuntimeError because the engine refused it."""
        raw = self._thor.last_event
        if self._shown is None or raw is not self._raw:
            self._shown, self._raw = self._seen(raw), raw
        return self._shown

    @property
    def alive(self) -> bool:
        """Whether it is fit for another episode: its player runs, and no call failed."""
        return self._fault is None and self._end.alive and self._player.runs

    @property
    def pid(self) -> int:
        """The player's process, which leads a process group."""
        return self._player.running.pid

    @property
    def facts(self) -> Mapping[str, str]:
        """What could change a picture, and where to look: "platform", "quality", "player", its
        executable, and, where they apply, "commit", "display", "gpu" by CUDA's count and
        "device" by Vulkan's."""
        launch = self._launch
        gpu = None if launch.platform is Platform.EXECUTABLE else launch.settings.gpu
        facts = {
            "platform": launch.platform.value,
            "quality": self._quality,
            "player": self._thor.executable,
            "commit": self._thor.commit,
            "display": self._player.display_name,
            "gpu": "" if gpu is None else str(gpu),
            "device": "" if launch.device is None else str(launch.device),
        }
        return {name: value for name, value in facts.items() if value}

    def resident_bytes(self) -> int:
        """Memory of the player's processes together; 0 when they have ended."""
        process = self._player.process
        return 0 if process is None else process.resident_bytes()

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> Ai2ThorEvent:
        """See `ThorController`. A reset that the engine refused, after the scene's name was found
        good, leaves a scene that only another reset makes fit to play; parameters stay what they
        were."""
        self._check()
        thor = self._thor
        before = thor.width, thor.height, dict(thor.initialization_parameters)
        try:
            with self._supervised(), _refusals():
                thor.reset(dict(scene) if isinstance(scene, Mapping) else scene, **initialization)
        except ValueError:
            thor.width, thor.height, thor.initialization_parameters = before
            raise
        return self.last_event

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> Ai2ThorEvent:
        """See `ThorController`."""
        self._check()
        with self._supervised():
            self._thor.step(action, **arguments)
        return self.last_event

    def stop(self) -> None:
        """Ends the player and everything that it started, and removes its files; within the
        deadline. A second call does nothing."""
        self._player.stop()
        self._end.detach()

    def _seen(self, raw: Any) -> Ai2ThorEvent:
        """The package's event, or that of the agent that acted, with the same pictures as before
        if only metadata changed."""
        if raw.events:
            raw = next(each for each in raw.events if each.metadata is raw.metadata)
            return Ai2ThorEvent(raw, Pictures(raw))
        source = self._thor.server.pictures
        if self._pictures is None or source is not self._source:
            self._pictures, self._source = Pictures(raw), source
        return Ai2ThorEvent(raw, self._pictures)

    def _check(self) -> None:
        if self._fault is not None:
            raise WorldFault(self._fault.fault, self._fault.detail)
        if not self._end.alive:
            raise RuntimeError("the controller was stopped")

    def _check_commit(self) -> None:
        if self._launch.build is not None and self._thor.commit != COMMIT_ID:
            raise WorldUnavailableError(
                f"the player that was started is of commit {self._thor.commit}, not {COMMIT_ID}: "
                f"{self._thor.executable}. Install the pinned build: houseguest thor install"
            )

    @contextmanager
    def _supervised(self) -> Iterator[None]:
        """Ends the player if the code inside raises, and reports why. A mistake of the caller
        passes through, and the player lives on."""
        try:
            yield
        except TransportError as error:
            raise self._broken(partial(self._fault_of, error)) from error
        except OSError as error:
            text = f"AI2-THOR's player cannot be started or reached: {error}"
            crash = WorldFault(FaultClass.SIMULATOR_CRASH, text)
            raise self._broken(lambda: crash) from error
        except Exception as error:
            owed = self._thor is not None and self._thor.server.owed
            if isinstance(error, _MISTAKES) and not owed:
                raise
            text = f"AI2-THOR's player gave an answer that cannot be used: {error!r}"
            crash = WorldFault(FaultClass.SIMULATOR_CRASH, text)
            raise self._broken(lambda: crash) from error
        except BaseException as error:
            fault = _interrupted(type(error).__name__)
            self._broken(lambda: fault)
            raise

    def _fault_of(self, error: TransportError) -> WorldFault:
        return faults.fault_of(
            error,
            self._player.running,
            self._launch.platform,
            home=self._launch.settings.home or Path(os.environ.get("HOME", "~")),
            display=self._player.display_name,
        )

    def _broken(self, tell: Callable[[], WorldFault]) -> WorldFault:
        """The fault, put into words while the player still runs. Then ends the player, even if that
        fails."""
        self._fault = _interrupted("something else while it was failing")
        try:
            self._fault = tell()
        finally:
            self._player.stop()
        return self._fault


def _interrupted(what: str) -> WorldFault:
    return WorldFault(FaultClass.SERVICE_FAULT, f"a call was interrupted by {what}")


@contextmanager
def _refusals() -> Iterator[None]:
    """A reset whose parameters the engine refuses is the caller's mistake."""
    try:
        yield
    except RuntimeError as error:
        raise ValueError(f"the reset was refused: {error}") from error


# --- The Python package `ai2thor`: whether the right version is installed

_MEND = "Install it: pip install 'houseguest[ai2thor]'"

LAUNCH_PARAMETERS = PLAYER_PARAMETERS | {
    "agentControllerType",
    "headless",
    "height",
    "quality",
    "scene",
    "width",
}
"""What the package's controller takes for itself (docs/ai2thor.md, "Player lifetime and
deadlines"), and one that it refuses: none of them reaches Initialize."""


def import_driver() -> Any:
    """The module `supervised_controller`, which needs the package.

    Raises:
        WorldUnavailableError: the package is not there, or is another version.
    """
    try:
        found = version("ai2thor")
    except PackageNotFoundError:
        raise WorldUnavailableError(f"the package ai2thor is not installed. {_MEND}") from None
    if found != PACKAGE_VERSION:
        raise WorldUnavailableError(
            f"the package ai2thor is version {found}, and only {PACKAGE_VERSION} drives the build "
            f"{COMMIT_ID}. {_MEND}"
        )
    try:
        return import_module("env_service.worlds.ai2thor_unity.supervised_controller")
    except ImportError as error:
        raise WorldUnavailableError(
            f"the package ai2thor cannot be imported: {error}. {_MEND}"
        ) from error


def check_initialization(names: Iterable[str]) -> None:
    """Raises ValueError for parameters of Initialize that would not get there."""
    taken = sorted(LAUNCH_PARAMETERS.intersection(names))
    if taken:
        raise ValueError(
            f"{', '.join(taken)}: no parameter of Initialize. Sizes and quality belong to "
            "ThorStart itself, how a player is run to ThorSettings"
        )
