"""A player in the hands of one episode: watched, so that its owner knows what became of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from env_service.worlds.thor.controller import ThorController, ThorEvent
from env_service.worlds.thor.start import ThorStart

LASTING = frozenset(
    {
        "ChangeQuality",
        "ChangeTimeScale",
        "PausePhysicsAutoSim",
        "RandomizeColors",
        "RandomizeLighting",
        "RandomizeMaterials",
    }
)
"""Actions that set what belongs to the player's process rather than to its scene, or may do so: a
reset to a scene does not take them back."""


class PlayerController(ThorController, Protocol):
    """A started player under a controller."""

    @property
    def alive(self) -> bool:
        """Whether it is fit for another episode: its process runs, and no call failed."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What it runs on; among others "platform"."""
        ...

    def resident_bytes(self) -> int:
        """Memory of its processes together; 0 when they are gone."""
        ...


@dataclass(eq=False)
class Known:
    """A player, and what its owner has to know of it.

    Attributes:
        player: the controller.
        start: what its process was started with.
        born: when, by time.monotonic.
        scene: what it was last reset to, "" for a house.
        parameters: names of all that Initialize was ever given: ai2thor keeps them for later
            resets.
        episodes: for how many it was lent, the present one too.
        fit: whether it may be lent again, as far as the episodes' calls tell.
    """

    player: PlayerController
    start: ThorStart
    born: float
    scene: str
    parameters: set[str]
    episodes: int = 0
    fit: bool = True


class Lent:
    """A controller for one episode; `stop` hands the player back. See `ThorController`.

    After `stop` it plays no more, whoever has the player then.
    """

    def __init__(
        self, known: Known, give_back: Callable[[Known], None], forget: Callable[[Known], object]
    ) -> None:
        """``give_back`` is called once, by the first `stop`; ``forget`` instead if there was none
        when nobody refers to this any more, at any moment and in any thread."""
        self._known: Known | None = known
        self._give_back = give_back
        self._end = weakref.finalize(self, forget, known)
        self._end.atexit = False
        self._last = known.player.last_event

    @property
    def last_event(self) -> ThorEvent:
        """See `ThorController`."""
        return self._last

    @property
    def facts(self) -> Mapping[str, str]:
        """What the player runs on. Raises RuntimeError after `stop`."""
        return self._held().player.facts

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        """See `ThorController`."""
        known = self._held()
        known.parameters |= initialization.keys() - {"width", "height"}
        if scene is not None:
            known.scene = scene if isinstance(scene, str) else ""
        return self._watched(lambda: known.player.reset(scene, **initialization))

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        """See `ThorController`."""
        known = self._held()
        name = action if isinstance(action, str) else action.get("action")
        if name in LASTING:
            known.fit = False
        return self._watched(lambda: known.player.step(action, **arguments))

    def stop(self) -> None:
        """See `ThorController`."""
        known, self._known = self._known, None
        self._end.detach()
        if known is not None:
            self._give_back(known)

    def _held(self) -> Known:
        if self._known is None:
            raise RuntimeError("the controller was stopped")
        return self._known

    def _watched(self, call: Callable[[], ThorEvent]) -> ThorEvent:
        known = self._held()
        fit, known.fit = known.fit, False
        try:
            self._last = call()
        except (ValueError, RuntimeError):  # a refusal, which the contract of the call names
            known.fit, self._last = fit, known.player.last_event
            raise
        known.fit = fit
        return self._last
