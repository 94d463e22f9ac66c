"""What hosting a world takes: how long it may rightly need, and how its simulators start.

A world watches its own simulator, and knows best what broke. Whoever hosts the world has to wait
longer than that, and steps in only when the world itself is stuck.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from env_service.worlds.ai2thor.settings import PREFIX, ThorSettings
from env_service.worlds.thor.errors import WorldUnavailableError
from env_service.worlds.thor.settling import Settling

GRACE = 30.0
"""Seconds, beyond all that a world waits for, until it counts as stuck."""
START_PAUSE = 2.0
"""Seconds between two starts of AI2-THOR on one GPU: many at once time out (spec: ai2thor.md
section 7, item 3)."""


@dataclass(frozen=True, slots=True)
class Allowances:
    """Seconds for opening, one step and scoring of an episode, and between two simulators' starts.

    ``environment``: variables for the processes that host the world, so that all of them run it
    in the same way.
    """

    begin: float
    step: float
    finish: float
    pause: float
    environment: Mapping[str, str] = field(default_factory=dict)


def allowances(
    world: str, facts: Mapping[str, str], environment: Mapping[str, str]
) -> Allowances | None:
    """What a world takes under these environment variables; None: nothing out of the ordinary.

    ``facts`` are what `describe_world` said.

    Raises:
        WorldUnavailableError: naming the environment variable that makes no sense.
    """
    return _ai2thor(facts, environment) if world == "ai2thor" else None


def _ai2thor(facts: Mapping[str, str], environment: Mapping[str, str]) -> Allowances:
    try:
        limits = ThorSettings.from_environment(environment).deadlines
    except ValueError as error:
        raise WorldUnavailableError(str(error)) from error
    settling = Settling()
    calls = 1 + max(settling.after_success, settling.after_failure)
    platform = facts.get("platform")
    return Allowances(
        # A warm player that does not answer is stopped, and a fresh one takes its place; then the
        # suite sets the scene.
        begin=limits.reset + limits.stop + limits.start + limits.reset + limits.step + GRACE,
        step=calls * limits.step + limits.stop + GRACE,
        finish=limits.step + limits.stop + GRACE,
        pause=START_PAUSE,
        # Chosen once: were each process to look at the busy machine, they might differ.
        environment={f"{PREFIX}PLATFORM": platform} if platform else {},
    )
