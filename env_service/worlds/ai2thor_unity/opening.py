"""Opens AI2-THOR: an `Opening` (see worlds.ai2thor_api.world_registry).

The variables HOUSEGUEST_THOR_* configure the player (see settings). Players stay warm between
episodes of one process (see warm_pool). `open_scene` imports the controller only when it is called,
because every list of suites and worlds imports this module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.settling import Settling
from env_service.worlds.ai2thor_unity.build import installed
from env_service.worlds.ai2thor_unity.graphics.displays import survey
from env_service.worlds.ai2thor_unity.graphics.nvidia import look
from env_service.worlds.ai2thor_unity.graphics.platform_choice import choose
from env_service.worlds.ai2thor_unity.settings import (
    PACKAGE_VERSION,
    PREFIX,
    Platform,
    ThorSettings,
)
from env_service.worlds.ai2thor_unity.warm_pool import LentPlayer, WarmPool
from env_service.worlds.base import HostingLimits, WorldUnavailableError

__all__ = ["close", "describe", "hosting_limits", "open_scene"]

_POOLS: dict[ThorSettings, WarmPool] = {}
"""This process's players, by how they are run."""
_LOCK = Lock()


def open_scene(scene: str, start: ThorStart) -> LentPlayer:
    """See `worlds.ai2thor_api.world_registry.open_world`."""
    from env_service.worlds.ai2thor_unity.controller import Ai2ThorController  # noqa: PLC0415

    settings = _settings()
    with _LOCK:
        if settings not in _POOLS:
            _POOLS[settings] = WarmPool(settings, Ai2ThorController)
        pool = _POOLS[settings]
    return pool.lend(scene, start)


def close() -> None:
    """Stops all players of this process, lent ones too. The next opening starts anew."""
    with _LOCK:
        pools = list(_POOLS.values())
        _POOLS.clear()
    for pool in pools:
        pool.close()


def describe() -> Mapping[str, str]:
    """See `worlds.base.World.describe`.

    Keys: "package", "platform"; "player", its command line, for an executable, else "commit", the
    build's; on Linux64 "display"; with an NVIDIA driver "driver" and "gpus".
    """
    settings, plain = _settings(), ThorStart()
    platform = choose(settings, plain.width, plain.height)
    facts = {"package": f"ai2thor {PACKAGE_VERSION}", "platform": str(platform)}
    if platform is Platform.EXECUTABLE:
        facts["player"] = settings.executable
    else:
        facts["commit"] = installed(platform, settings.home).commit
    if platform is Platform.LINUX64:
        display = survey(settings, plain.width, plain.height).name
        facts["display"] = "X server" if display else "Xvfb"
    return facts | _graphics(settings.gpu)


def _graphics(index: int | None) -> dict[str, str]:
    """The driver and the GPUs that may draw: the chosen one, or all."""
    found = look()
    names = [gpu.name for gpu in found.gpus if index in (None, gpu.index)]
    facts = {"driver": found.driver, "gpus": ", ".join(names)}
    return {key: value for key, value in facts.items() if value}


def _settings() -> ThorSettings:
    try:
        return ThorSettings.from_environment(os.environ)
    except ValueError as error:
        raise WorldUnavailableError(str(error)) from error


# --- The limits for hosting AI2-THOR: how long it may need, and how its simulators start

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
