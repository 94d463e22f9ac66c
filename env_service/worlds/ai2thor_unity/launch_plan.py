"""What is started as a player, and with what environment: its owner's, less what would sway it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity.build import InstalledBuild, installed
from env_service.worlds.ai2thor_unity.graphics.displays import Display, display_for
from env_service.worlds.ai2thor_unity.graphics.platform_choice import choose
from env_service.worlds.ai2thor_unity.graphics.vulkan import vulkan_index
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings

UNWANTED = ("CUDA_VISIBLE_DEVICES", "DISPLAY", "WAYLAND_DISPLAY")
"""Which GPU and which display the player takes is decided by settings alone."""
PREFIX = "AI2THOR_"
"""Variables by which the package and its player talk, and which change actions."""


@dataclass(frozen=True)
class LaunchPlan:
    """What to start, and how.

    ``build`` is the one to start; None for an executable, whose command line by a shell's rules
    ``settings`` have. ``device`` is a Vulkan device's number, None lets the player choose.
    """

    platform: Platform
    settings: ThorSettings
    build: InstalledBuild | None = None
    device: int | None = None


def plan_launch(settings: ThorSettings, start: ThorStart) -> LaunchPlan:
    """What to start on this machine. The settings' GPU becomes a Vulkan device where Vulkan draws;
    on X, the display decides (see displays), and an executable's command line for itself.

    Raises:
        WorldUnavailableError: something that it takes is not here; with how to mend it.
    """
    platform = choose(settings, start.width, start.height)
    if platform is Platform.EXECUTABLE:
        return LaunchPlan(platform, settings)
    build = installed(platform, settings.home)
    if platform is Platform.CLOUD_RENDERING and settings.gpu is not None:
        return LaunchPlan(platform, settings, build, vulkan_index(settings.gpu))
    return LaunchPlan(platform, settings, build)


def display_of(launch: LaunchPlan, start: ThorStart) -> Display | None:
    """The display that the player gets, started if need be.

    Raises:
        WorldUnavailableError: there is none, and it needs one.
    """
    if launch.platform is Platform.LINUX64:
        return display_for(launch.settings, start.width, start.height)
    if launch.platform is Platform.EXECUTABLE and launch.settings.display:
        return Display(launch.settings.display)
    return None


def environment(
    owner: Mapping[str, str], protocol: Mapping[str, str], *, home: Path | None, display: str
) -> dict[str, str]:
    """The player's environment.

    Args:
        owner: that of the process that starts it.
        protocol: the variables that AI2-THOR's package sets, names without PREFIX, in any case.
        home: the player's home folder, where Unity keeps its preferences and its log; None
            leaves the owner's.
        display: an X display, "" for none.
    """
    found = {
        name: value
        for name, value in owner.items()
        if name not in UNWANTED and not name.startswith(PREFIX)
    }
    if home is not None:
        if display and "XAUTHORITY" not in found and "HOME" in found:
            # The key to the display stays where the owner has it.
            found["XAUTHORITY"] = str(Path(found["HOME"]) / ".Xauthority")
        found["HOME"] = str(home)
    if display:
        found["DISPLAY"] = display
    return found | {PREFIX + name.upper(): value for name, value in protocol.items()}
