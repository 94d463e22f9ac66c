"""What a machine has for AI2-THOR, gathered once so that others can judge it."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from env_service.worlds.ai2thor_unity import build
from env_service.worlds.ai2thor_unity.graphics import displays, nvidia, vulkan
from env_service.worlds.ai2thor_unity.graphics.displays import Survey
from env_service.worlds.ai2thor_unity.graphics.nvidia import Nvidia
from env_service.worlds.ai2thor_unity.graphics.vulkan import Vulkan
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What was found.

    ``builds`` holds, for each platform that has one, why its build cannot be used; "" if it can.
    ``executable`` is why the settings' executable cannot be started; "" if it can, or there is
    none. What was not looked at, because no build would use it, is as if nothing were there.
    """

    builds: Mapping[Platform, str] = field(default_factory=lambda: MappingProxyType({}))
    executable: str = ""
    vulkan: Vulkan = field(default_factory=Vulkan)
    nvidia: Nvidia = field(default_factory=Nvidia)
    displays: Survey = field(default_factory=Survey)


def look(
    settings: ThorSettings,
    width: int,
    height: int,
    *,
    environment: Mapping[str, str] = os.environ,
    everything: bool = False,
) -> MachineFacts:
    """Looks at the machine, for pictures of ``width`` x ``height`` pixels.

    Takes some seconds where Vulkan has many GPUs to wake. Unless ``everything`` is wanted, only
    what the settings and the builds call for is looked at. Starts no player and no display.
    """
    wanted = _platforms(settings)
    builds = {each: _build_fault(each, settings) for each in build.PLATFORMS}
    usable = [each for each in build.PLATFORMS if not builds[each] and each in wanted]
    cloud = everything or Platform.CLOUD_RENDERING in usable
    linux = everything or Platform.LINUX64 in usable
    return MachineFacts(
        builds=MappingProxyType(builds),
        executable=_executable_fault(settings.executable),
        vulkan=vulkan.look(environment) if cloud else Vulkan(),
        nvidia=nvidia.look(environment) if cloud else Nvidia(),
        displays=displays.survey(settings, width, height, environment) if linux else Survey(),
    )


def _platforms(settings: ThorSettings) -> tuple[Platform, ...]:
    """Those that come into question."""
    if settings.platform is not Platform.AUTO:
        return (settings.platform,)
    return () if settings.executable else build.PLATFORMS


def _build_fault(platform: Platform, settings: ThorSettings) -> str:
    try:
        build.installed(platform, settings.home)
    except WorldUnavailableError as error:
        return str(error)
    return ""


def _executable_fault(command: str) -> str:
    if not command:
        return ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"the executable {command!r} is not a command line: {error}. Mend its quotes."
    if not words or shutil.which(words[0]) is None:
        named = words[0] if words else command
        return f"the executable {named!r} is not there, or may not be run. Give its whole path."
    return ""
