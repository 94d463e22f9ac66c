"""Makes scripts: explores a scene of a world by seed, and writes down what it did.

Each action is chosen by what the world shows at that moment, so that most of them work; what has
been done least comes first. All draws come from one generator, made of the seed and the scene.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from env_service.domain.failure import WorldFault
from env_service.parity.answers import Answer, ask
from env_service.parity.scripts import Script
from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.start import ThorStart

T = TypeVar("T")

Thing = Mapping[str, Any]
"""An object's metadata."""

AVOIDED = frozenset({"Blinds"})
"""Types that are never opened or closed: the real simulator hangs (spec: ai2thor.md section 7,
item 6)."""

ASGARD = {
    "agentMode": "default",
    "visibilityDistance": 5,
    "gridSize": 0.25,
    "snapToGrid": False,
    "rotateStepDegrees": 5,
    "renderDepthImage": False,
    "fieldOfView": 60,
    "makeAgentsVisible": False,
}
"""How AsgardBench initialises a scene (spec: asgard.md section 8.2), but for its masks."""


class Enough(Exception):  # noqa: N818 - no error: the script is as long as it shall be
    """The script has all its actions."""


@dataclass
class Explorer:
    """Plays actions in a world and keeps them. ``uses`` counts routines and actions by name."""

    controller: ThorController
    generator: np.random.Generator
    length: int
    actions: list[dict[str, Any]] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)

    def play(self, action: str, **arguments: Any) -> Answer:
        """Plays one action. Raises Enough where there is no room for it, WorldFault as worlds
        do."""
        if len(self.actions) >= self.length:
            raise Enough
        written = {"action": action, **arguments}
        self.actions.append(written)
        self.uses[action] += 1
        return ask(self.controller, written)

    @property
    def left(self) -> int:
        """How many actions there is room for."""
        return self.length - len(self.actions)

    @property
    def objects(self) -> list[Thing]:
        """The scene's objects now."""
        return list(self.controller.last_event.metadata["objects"])

    @property
    def held(self) -> Thing | None:
        """What the agent holds."""
        return next((thing for thing in self.objects if thing["isPickedUp"]), None)

    def some(self, wanted: Callable[[Thing], bool]) -> Thing | None:
        """One of the objects that are wanted, None if there are none. Of the types that were
        chosen least."""
        found = [thing for thing in self.objects if wanted(thing)]
        if not found:
            return None
        type_ = self.rare(sorted({str(thing["objectType"]) for thing in found}))
        self.uses[type_] += 1
        return self.any([thing for thing in found if thing["objectType"] == type_])

    def any(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[int(self.generator.integers(len(choices)))]

    def rare(self, names: Sequence[str]) -> str:
        """One of those names that were used least."""
        least = min(self.uses[name] for name in names)
        return self.any([name for name in names if self.uses[name] == least])

    def number(self, low: float, high: float) -> float:
        """Evenly between the two, to hundredths."""
        return round(float(self.generator.uniform(low, high)), 2)

    def chance(self, probability: float) -> bool:
        """True that often."""
        return bool(self.generator.random() < probability)


Routine = Callable[[Explorer], None]
"""A few actions that belong together; it does nothing where the scene has nothing for it."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a script shall be like. ``length`` is its number of actions, at least 1."""

    seed: int
    length: int
    start: ThorStart = field(default_factory=lambda: ThorStart(quality="High"))

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"a script of {self.length} actions; it needs at least 1")


def explore(
    scene: str,
    controller: ThorController,
    exploration: Exploration,
    routines: tuple[Mapping[str, Routine], Mapping[str, Routine]],
) -> Script:
    """A script for a scene to which the controller was just reset.

    Of the two tables of routines the first is played until an eighth is left, then all of the
    second once, then the first again: what places things by chance makes two worlds different for
    all that follows.
    """
    generator = np.random.default_rng([exploration.seed, zlib.crc32(scene.encode())])
    explorer = Explorer(controller, generator, exploration.length)
    sane, wild = routines
    late = exploration.length // 8
    # A world that breaks ends the script with the action that broke it, to be looked into.
    with suppress(Enough, WorldFault):
        while explorer.left > late:
            _next(explorer, sane)
        for routine in wild.values():
            routine(explorer)
        while True:
            _next(explorer, sane)
    name = f"{scene}/{exploration.seed}"
    return Script(name, scene, exploration.start, tuple(explorer.actions))


def _next(explorer: Explorer, routines: Mapping[str, Routine]) -> None:
    name = explorer.rare(list(routines))
    explorer.uses[name] += 1
    routines[name](explorer)
