"""Players that stay warm between episodes, each lent to one episode and watched meanwhile."""

from __future__ import annotations

import atexit
import logging
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings

# --- A player lent to one episode: watched, so that the pool can judge whether to lend it again

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
        """Memory of its processes together; 0 when they have ended."""
        ...


@dataclass(eq=False)
class PlayerFacts:
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


class LentPlayer:
    """A controller for one episode; `stop` hands the player back. See `ThorController`.

    After `stop` it plays no more, even if the player is lent again.
    """

    def __init__(
        self,
        known: PlayerFacts,
        give_back: Callable[[PlayerFacts], None],
        forget: Callable[[PlayerFacts], object],
    ) -> None:
        """``give_back`` is called once, by the first `stop`. Without a `stop`, ``forget`` is called
        once no reference is left, at any moment and in any thread."""
        self._known: PlayerFacts | None = known
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

    def _held(self) -> PlayerFacts:
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


Launch = Callable[[str, ThorStart, ThorSettings], PlayerController]
"""Starts a player, reset to a scene."""

_LOG = logging.getLogger(__name__)


class WarmPool:
    """Lends players to episodes, and keeps those that come back for the next. Safe for threads;
    each lent controller is for one thread at a time.

    A player is lent again while all of this holds; otherwise the pool ends it and starts a new one:

    - it lives, no call of it failed, and it played no action of LASTING;
    - it is within ``settings.lifetime``;
    - its quality is the requested one: Linux64 and executables take it from their command line,
      and where it could be changed, the package puts it back with every reset;
    - on an X display, the picture is no larger than the one that it was started with, for which
      the display was chosen;
    - Initialize gets every parameter that it ever got before, because the package keeps old ones
      for later resets.

    Among several, the pool prefers one that last showed the same scene, then the one that came back
    last. It keeps at most ``settings.warm`` idle players, and ends idle ones to make room for a new
    one. A player whose borrower forgot to stop it comes back with the next lending.
    """

    def __init__(self, settings: ThorSettings, launch: Launch) -> None:
        """Starts nothing yet. What is left at the end of this process is stopped then."""
        self._settings, self._launch = settings, launch
        self._lock = Lock()
        self._idle: list[PlayerFacts] = []  # the one that came back last is the last entry
        self._lent: set[PlayerFacts] = set()
        self._forgotten: deque[PlayerFacts] = deque()  # to append is all that a finalizer may do
        self._closed = False
        self._process = os.getpid()
        atexit.register(self._at_exit)

    def lend(self, scene: str, start: ThorStart) -> LentPlayer:
        """A controller, freshly reset to a scene; its `stop` brings it back.

        A warm player that turns out broken is replaced by a fresh one, once, without a word to
        the episode; one that hangs takes the deadline of a reset first.

        Raises:
            ValueError: an unknown scene, or parameters that make no sense.
            WorldUnavailableError: no player can be had on this machine.
            WorldFault: a fresh player did not start.
            RuntimeError: the pool was closed.
        """
        self._recall()
        known = self._warm(scene, start) or self._fresh(scene, start)
        known.episodes += 1
        return LentPlayer(known, self._take_back, self._forgotten.append)

    def close(self) -> None:
        """Stops all players, lent ones too; a second call does nothing."""
        with self._lock:
            self._closed = True
            players = [*self._idle, *self._lent]
            self._idle.clear()
            self._lent.clear()
        atexit.unregister(self._at_exit)
        _stop(players)

    def _recall(self) -> None:
        """Takes back players whose borrowers have dropped them."""
        with suppress(IndexError):
            while True:
                self._take_back(self._forgotten.popleft())

    def _warm(self, scene: str, start: ThorStart) -> PlayerFacts | None:
        """A player that was used before, reset to the scene; None if none is fit."""
        known = self._take(scene, start)
        if known is None:
            return None
        try:
            size = {"width": start.width, "height": start.height}
            known.player.reset(scene, **{**start.initialization, **size})
        except WorldFault as fault:
            _LOG.warning("a warm player failed, a fresh one takes its place: %s", fault)
            self._drop(known)
            return None
        except BaseException:
            self._drop(known)
            raise
        known.scene = scene
        known.parameters |= start.initialization.keys()
        return known

    def _take(self, scene: str, start: ThorStart) -> PlayerFacts | None:
        """Moves the best fit of the idle players to the lent ones; ends those that are worn."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the pool of players was closed")
            worn = [known for known in self._idle if not self._lasts(known)]
            self._idle = [known for known in self._idle if known not in worn]
            fit = [known for known in self._idle if _suits(known, start)]
            same = [known for known in fit if _plain(known.scene) == _plain(scene)]
            taken = (same or fit)[-1] if fit else None
            if taken is not None:
                self._idle.remove(taken)
                self._lent.add(taken)
        _stop(worn)
        return taken

    def _fresh(self, scene: str, start: ThorStart) -> PlayerFacts:
        with self._lock:
            ended = self._surplus(self._settings.warm - len(self._lent) - 1)
        _stop(ended)
        player = self._launch(scene, start, self._settings)
        known = PlayerFacts(player, start, time.monotonic(), scene, set(start.initialization))
        with self._lock:
            if not self._closed:
                self._lent.add(known)
                return known
        player.stop()
        raise RuntimeError("the pool of players was closed")

    def _take_back(self, known: PlayerFacts) -> None:
        keep = self._lasts(known)
        with self._lock:
            if known not in self._lent:  # the pool was closed
                return
            self._lent.remove(known)
            if keep:
                self._idle.append(known)
            ended = self._surplus(self._settings.warm) if keep else [known]
        _stop(ended)

    def _surplus(self, most: int) -> list[PlayerFacts]:
        """Takes away the idle players beyond so many, those first that came back first."""
        count = max(len(self._idle) - max(most, 0), 0)
        surplus, self._idle = self._idle[:count], self._idle[count:]
        return surplus

    def _drop(self, known: PlayerFacts) -> None:
        with self._lock:
            self._lent.discard(known)
        _stop([known])

    def _lasts(self, known: PlayerFacts) -> bool:
        lifetime = self._settings.lifetime
        return (
            known.fit
            and known.player.alive
            and known.episodes < lifetime.episodes
            and time.monotonic() - known.born < lifetime.seconds
            and known.player.resident_bytes() < lifetime.memory_bytes
        )

    def _at_exit(self) -> None:
        # A fork has the pool, but its parent has the players.
        if os.getpid() == self._process:
            self.close()


def _suits(known: PlayerFacts, start: ThorStart) -> bool:
    """Whether a reset can turn the player into what a fresh one would be."""
    first = known.start
    fixed = known.player.facts.get("platform") != Platform.CLOUD_RENDERING
    larger = start.width > first.width or start.height > first.height
    return (
        start.quality == first.quality
        and not (fixed and larger)
        and known.parameters <= start.initialization.keys()
    )


def _plain(scene: str) -> str:
    """FloorPlan1 and FloorPlan1_physics are one scene."""
    return scene.removesuffix("_physics")


def _stop(players: Iterable[PlayerFacts]) -> None:
    """Stops them all, even if one of them makes trouble."""
    with ExitStack() as stack:
        for known in players:
            stack.callback(known.player.stop)
