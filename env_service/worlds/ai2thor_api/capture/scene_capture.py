"""Captures scenes one after the other: skips finished ones, and retries once after a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from env_service import __version__
from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_api.capture.folder import CaptureFolder
from env_service.worlds.ai2thor_api.capture.recording import CaptureError, record
from env_service.worlds.ai2thor_api.capture.sidecar import CaptureRequest, Subject
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_api.errors import first_line
from env_service.worlds.ai2thor_api.world_registry import capabilities, open_world
from env_service.worlds.base import describe_world

LOBBIES = ("FloorPlan1_physics", "household-bathroom-1")
"""Scenes of which every world surely has one, to open where no other is wanted yet: AI2-THOR has
its floor plans, a stand-in player perhaps none but built-in rooms."""

SCENES_EACH = 25
"""Scenes after which a simulator is given back, because AI2-THOR's memory grows with every scene,
most of all with houses. Its world then decides when to start a fresh one."""

TRIES = 2

Open = Callable[[str, str, ThorStart], ThorController]


@dataclass(frozen=True)
class Lost:
    """A scene that could not be captured: what kind of failure it was, and the reason."""

    scene: str
    kind: str
    reason: str


@dataclass
class Summary:
    """What a capture came to, by the scenes' names."""

    captured: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)


def listed_scenes(world: str, start: ThorStart, opened: Open = open_world) -> list[str]:
    """The scenes that a world says it has; it may know more. Raises like `open_world`."""
    controller = _lobby(world, start, opened)
    try:
        names = controller.step("GetScenesInBuild").metadata["actionReturn"]
        return [str(name) for name in names or ()]
    finally:
        controller.stop()


class SceneCapture:
    """One capture into one folder. Use it as a context manager: it holds a simulator."""

    def __init__(
        self, request: CaptureRequest, folder: CaptureFolder, opened: Open = open_world
    ) -> None:
        self._request, self._folder, self._opened = request, folder, opened
        self._controller: ThorController | None = None
        self._played = 0
        self._world: Mapping[str, str] | None = None

    def __enter__(self) -> SceneCapture:
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def run(
        self,
        subjects: Iterable[Subject],
        *,
        fresh: bool = False,
        done: Callable[[], None] = lambda: None,
    ) -> Summary:
        """Captures scenes; a problem with one does not stop the others.

        Args:
            subjects: the scenes.
            fresh: capture those too that are finished.
            done: called after each scene.

        Raises:
            WorldUnavailableError: this machine cannot run the world.
            ValueError: the folder holds a scene that was captured with other settings and that is
                not to be captured again, or a scene that was not captured at all.
        """
        summary = Summary()
        for subject, finished in self._sorted_out(subjects, fresh=fresh):
            if finished:
                summary.skipped.append(subject.name)
            else:
                lost = self._captured(subject)
                if lost is None:
                    summary.captured.append(subject.name)
                else:
                    summary.lost.append(lost)
            done()
        return summary

    def _sorted_out(
        self, subjects: Iterable[Subject], *, fresh: bool
    ) -> Sequence[tuple[Subject, bool]]:
        """Each scene, and whether it is finished; looked at before any simulator starts."""
        found = []
        for each in subjects:
            self._folder.check(each.name)
            request = self._request.document(each)
            found.append((each, not fresh and self._folder.finished(each.name, request)))
        return found

    def _captured(self, subject: Subject) -> Lost | None:
        for attempt in range(1, TRIES + 1):
            try:
                self._capture(subject)
            except WorldFault as fault:
                self._give_back()
                if attempt == TRIES:
                    return Lost(subject.name, fault.fault.value, first_line(fault.detail))
            except (CaptureError, ValueError, RuntimeError) as error:
                return Lost(subject.name, "refused", first_line(str(error)))
            else:
                return None
        raise AssertionError("unreachable: the last attempt returns")

    def _capture(self, subject: Subject) -> None:
        house = subject.house.load() if subject.house else None
        controller, event = self._reset(subject.name, house)
        recording = record(controller, event, house, self._request.frames)
        about = {
            **self._described(controller),
            "request": self._request.document(subject),
            "gridSize": self._request.start.initialization.get("gridSize", 0.25),
        }
        self._folder.write(subject.name, recording, about)
        self._played += 1
        if self._played >= SCENES_EACH:
            self._give_back()

    def _reset(
        self, name: str, house: Mapping[str, Any] | None
    ) -> tuple[ThorController, ThorEvent]:
        controller = self._controller
        if controller is None:
            world, start = self._request.world, self._request.start
            if house is None:
                controller = self._opened(world, name, start)
            else:
                controller = _lobby(world, start, self._opened)
            self._controller, self._played = controller, 0
            if house is None:
                return controller, controller.last_event
        return controller, controller.reset(name if house is None else house)

    def _described(self, controller: ThorController) -> Mapping[str, Any]:
        """The world and its build, queried once, with what this simulator says about itself."""
        name = self._request.world
        if self._world is None:
            self._world = describe_world(name)
        world = {"name": name, **self._world, **getattr(controller, "facts", {})}
        return {"world": world, "houseguest": __version__}

    def _give_back(self) -> None:
        controller, self._controller = self._controller, None
        if controller is not None:
            # an error at the end does not concern the captured scenes
            with suppress(WorldFault, OSError, RuntimeError, ValueError):
                controller.stop()


def _lobby(world: str, start: ThorStart, opened: Open) -> ThorController:
    """The world, opened with a scene that it has. Raises like `open_world`."""
    *others, last = LOBBIES[-1:] if capabilities(world).built_in_rooms else LOBBIES
    for scene in others:
        with suppress(ValueError):
            return opened(world, scene, start)
    return opened(world, last, start)
