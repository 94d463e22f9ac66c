"""What hosting AI2-THOR takes: how long it may rightly need, and how its simulators start."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.worlds.ai2thor_api.settling import Settling
from env_service.worlds.ai2thor_unity.settings import PREFIX, ThorSettings
from env_service.worlds.base import HostingLimits, WorldUnavailableError

GRACE = 30.0
"""Seconds, beyond all that a world waits for, until it counts as stuck."""
START_PAUSE = 2.0
"""Seconds between two starts of AI2-THOR on one GPU: many at once time out."""


def hosting_limits(facts: Mapping[str, str], environment: Mapping[str, str]) -> HostingLimits:
    """See `worlds.base.World.hosting_limits`."""
    try:
        limits = ThorSettings.from_environment(environment).deadlines
    except ValueError as error:
        raise WorldUnavailableError(str(error)) from error
    settling = Settling()
    calls = 1 + max(settling.after_success, settling.after_failure)
    platform = facts.get("platform")
    return HostingLimits(
        # A warm player that does not answer is stopped, and a fresh one takes its place; then the
        # suite sets the scene.
        begin=limits.reset + limits.stop + limits.start + limits.reset + limits.step + GRACE,
        step=calls * limits.step + limits.stop + GRACE,
        finish=limits.step + limits.stop + GRACE,
        pause=START_PAUSE,
        # Chosen once: were each process to look at the busy machine, they might differ.
        environment={f"{PREFIX}PLATFORM": platform} if platform else {},
    )
