"""The household world as AI2-THOR's controller: `ThorController` over `HouseholdSimulator`.

It does what `Controller.reset` and `Controller.step` of the Python package ai2thor 5.0.0 do with
names, defaults and errors.
"""

import copy
import re
from collections.abc import Mapping
from typing import Any, Self

from env_service.domain.moment import Footprint
from env_service.worlds.ai2thor_api.controller import PLAYER_PARAMETERS
from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.scene.library import standard_library
from env_service.worlds.household.simulation.action import ActionResponse, ErrorCode
from env_service.worlds.household.simulation.actions.configuration import QUALITIES
from env_service.worlds.household.simulator import HouseholdSimulator, Library

RAISING = frozenset(
    {
        ErrorCode.INVALID_ACTION,
        ErrorCode.MISSING_ARGUMENTS,
        ErrorCode.AMBIGUOUS_ACTION,
        ErrorCode.INVALID_ARGUMENT,
    }
)
"""Error codes of mistakes by the caller; they raise ValueError."""

EXACT = frozenset({"soft", "soft+numba", "none"})
"""Renderers whose pictures are the same on every machine."""

RENAMED = {
    "renderClassImage": "renderSemanticSegmentation",
    "renderObjectImage": "renderInstanceSegmentation",
}
"""Old names of parameters that AI2-THOR's controller repeats under the new ones."""


class HouseholdController:
    """A world of homes behind AI2-THOR's controller API. Use it from one thread at a time."""

    def __init__(
        self,
        scene: str | None = None,
        *,
        library: Library | None = None,
        renderer: str | None = None,
        **parameters: Any,
    ) -> None:
        """Opens a scene.

        Args:
            scene: its name; None for the first iTHOR scene, or the first of all.
            library: where scenes come from; by default `scene.library.standard_library`.
            renderer: what draws the pictures, by `render.selection.choose`'s names. Visibility is
                always decided by the software renderer, so metadata are the same on every
                machine.
            parameters: those of AI2-THOR's controller: `width` and `height` of the pictures, 300 by
                default; `quality`, which changes nothing; `headless` for no pictures;
                `PLAYER_PARAMETERS`, which have no effect as this world has no player. All others
                are passed to Initialize, which ignores unknown ones.

        Raises:
            ValueError: an unknown scene, quality or renderer, or invalid parameters.
        """
        _check_quality(parameters.pop("quality", "Ultra"))
        self._headless = bool(parameters.pop("headless", False))
        self._size = (parameters.pop("width", 300), parameters.pop("height", 300))
        self._initialization = {
            name: value for name, value in parameters.items() if name not in PLAYER_PARAMETERS
        }
        self._library: Library = library or standard_library()
        self._scene = self.normalize_scene(scene) if scene is not None else self._first_scene()
        self._stopped = False
        pictures = choose(renderer)
        sight = pictures if pictures.name in EXACT else choose("soft")
        self._simulator = HouseholdSimulator(
            self._library, self._scene, pictures=pictures, sight=sight
        )
        try:
            self._last = self.reset()
        except (ValueError, RuntimeError):
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def last_event(self) -> HouseholdEvent:
        """The event of the last reset or step."""
        return self._last

    @property
    def scene(self) -> str:
        """The scene of the last reset."""
        return self._scene

    @property
    def initialization_parameters(self) -> Mapping[str, Any]:
        """The parameters that the next reset passes to Initialize."""
        return dict(self._initialization)

    @property
    def scenes_in_build(self) -> set[str]:
        """The scenes that `reset` accepts."""
        return set(self._library.names())

    @staticmethod
    def normalize_scene(scene: str) -> str:
        """AI2-THOR's short names of floor plans in full: FloorPlan12 is FloorPlan12_physics."""
        return f"{scene}_physics" if re.match(r"^FloorPlan[0-9]+$", scene) else scene

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> HouseholdEvent:
        """See `ThorController`. A reset that is refused changes nothing."""
        self._check_running()
        if isinstance(scene, Mapping):
            raise ValueError(
                "this world cannot build houses, as it lacks the sizes of AI2-THOR's assets; "
                "capture the house from AI2-THOR (`houseguest scenes capture --houses`) and play "
                "it by its name"
            )
        name = self._scene if scene is None else self.normalize_scene(scene)
        given = copy.deepcopy(initialization)
        size = (given.pop("width", self._size[0]), given.pop("height", self._size[1]))
        parameters = {**self._initialization, **given}
        before = self._simulator.snapshot()
        try:
            self._require_success({"action": "Reset", "sceneName": name})
            self._require_success({"action": "ChangeResolution", "x": size[0], "y": size[1]})
            event = self._require_success(self._written("Initialize", parameters))
        except (ValueError, RuntimeError):
            self._simulator.restore(before)
            raise
        self._scene, self._size, self._initialization = name, size, parameters
        self._last = event
        return event

    def step(
        self, action: str | Mapping[str, Any], *, raise_for_failure: bool = False, **arguments: Any
    ) -> HouseholdEvent:
        """See `ThorController`."""
        self._check_running()
        self._last = self._simulator.event(
            self._simulator.perform(self._written(action, arguments))
        )
        _raise_for(self._last.answer, every=raise_for_failure)
        return self._last

    def walls(self) -> list[Footprint]:
        """See `WalledController`: the walls, and the door."""
        return [
            Footprint(
                id=each.name,
                name=each.type,
                corners=tuple((round(at.x, 3), round(at.z, 3)) for at in each.body.corners()[:4]),
                bottom=round(each.body.bottom, 3),
                top=round(each.body.top, 3),
            )
            for each in self._simulator.state.scene.structure
            if each.type in ("Wall", "Door")
        ]

    def stop(self) -> None:
        """See `ThorController`. Earlier events stay usable, except for pictures that were not drawn
        yet."""
        if not self._stopped:
            self._stopped = True
            self._simulator.close()

    def _written(
        self, action: str | Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """An action as AI2-THOR sends it to its player."""
        named = dict(action) if isinstance(action, Mapping) else {"action": action}
        written: dict[str, Any] = copy.deepcopy({**named, **arguments})
        rotation = written.get("rotation")
        if rotation is not None and not isinstance(rotation, dict):
            written["rotation"] = {"y": rotation}
        for old, new in RENAMED.items():
            if old in written:
                written[new] = written[old]
        if self._headless:
            written["renderImage"] = False
        return written

    def _require_success(self, written: Mapping[str, Any]) -> HouseholdEvent:
        answer = self._simulator.perform(written)
        _raise_for(answer, every=True)
        return self._simulator.event(answer)

    def _first_scene(self) -> str:
        names = sorted(self._library.names())
        floor_plans = [name for name in names if re.match(r"^FloorPlan[0-9]+_physics$", name)]
        return (floor_plans or names)[0]

    def _check_running(self) -> None:
        if self._stopped:
            raise RuntimeError("the controller was stopped")


def _check_quality(quality: object) -> None:
    if quality not in QUALITIES:
        raise ValueError(
            f"Quality {quality} is invalid, please select from one of the following settings: "
            f"{', '.join(QUALITIES)}"
        )


def _raise_for(answer: ActionResponse, *, every: bool) -> None:
    """Raises ValueError for a refusal that the caller caused; with `every`, RuntimeError for any
    other refusal."""
    if answer.success:
        return
    if answer.code in RAISING:
        raise ValueError(answer.error)
    if every:
        raise RuntimeError(answer.error)
