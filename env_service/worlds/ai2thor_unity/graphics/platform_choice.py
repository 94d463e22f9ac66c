"""Which platform AI2-THOR's player runs on: the one that was asked for, or the best that works."""

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
from env_service.worlds.ai2thor_unity.graphics.vulkan import Vulkan, advice, index_of, names
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError

# --- What a machine has for AI2-THOR, gathered once for all judgements


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
        return f"the executable {command!r} is not a command line: {error}. Correct its quotes."
    if not words or shutil.which(words[0]) is None:
        named = words[0] if words else command
        return f"the executable {named!r} is missing, or may not be run. Give its full path."
    return ""


_NOT_LOOKED_AT = "it is not known"


# --- The choice


def choose(settings: ThorSettings, width: int, height: int) -> Platform:
    """The platform for pictures of ``width`` x ``height`` pixels, never AUTO.

    AUTO takes the settings' executable if they name one; else CloudRendering on a graphics card;
    else Linux64 on a display or, if no GPU is named, on an Xvfb; else CloudRendering on Vulkan in
    software. Looks at the machine, which may take some seconds: keep the answer.

    Raises:
        WorldUnavailableError: what was asked for, or everything, cannot work here; with what was
            tried, why each fails, and how to mend it.
    """
    return decide(settings, look(settings, width, height))


def decide(settings: ThorSettings, facts: MachineFacts) -> Platform:
    """`choose`, from what was found before. Raises WorldUnavailableError like it."""
    if settings.platform is not Platform.AUTO:
        if why := fault(settings.platform, settings, facts):
            raise WorldUnavailableError(
                f"AI2-THOR cannot run here on {settings.platform.value}, which was asked for: {why}"
            )
        return settings.platform
    order = order_of(settings, facts)
    faults = {platform: fault(platform, settings, facts) for platform in order}
    for platform in order:
        if not faults[platform]:
            return platform
    tried = "\n".join(f"  {platform.value}: {why}" for platform, why in faults.items())
    raise WorldUnavailableError(
        f"AI2-THOR cannot run here. Tried:\n{tried}\n"
        "One of them is enough; `houseguest doctor --world ai2thor` shows which fits this machine."
    )


def order_of(settings: ThorSettings, facts: MachineFacts) -> tuple[Platform, ...]:
    """What AUTO tries, best first: software Vulkan is the last resort, since software OpenGL on
    Xvfb is what the benchmark's own authors use (docs/containers.md)."""
    if settings.executable:
        return (Platform.EXECUTABLE,)
    if facts.vulkan.gpus:
        return (Platform.CLOUD_RENDERING, Platform.LINUX64)
    return (Platform.LINUX64, Platform.CLOUD_RENDERING)


def fault(platform: Platform, settings: ThorSettings, facts: MachineFacts) -> str:
    """Why a platform cannot work, and how to mend it; "" if nothing speaks against it."""
    if platform is Platform.EXECUTABLE:
        return facts.executable if settings.executable else _NO_EXECUTABLE
    if why := facts.builds.get(platform, _NOT_LOOKED_AT):
        return why
    if platform is Platform.LINUX64:
        return facts.displays.fault or _of_software(settings, facts)
    return _of_vulkan(settings, facts)


_NO_EXECUTABLE = "no executable is set. Set HOUSEGUEST_THOR_EXECUTABLE to its command line."


def _of_software(settings: ThorSettings, facts: MachineFacts) -> str:
    """Who names a GPU is not to get a processor in its place without a word."""
    if settings.platform is not Platform.AUTO or settings.gpu is None or facts.displays.name:
        return ""
    return (
        f"GPU {settings.gpu} is asked for, and an Xvfb draws in software. Name no GPU, or ask for"
        f" {Platform.LINUX64.value}."
    )


def _of_vulkan(settings: ThorSettings, facts: MachineFacts) -> str:
    vulkan = facts.vulkan
    if not vulkan.loader:
        return f"Vulkan's loader is not installed. {advice(vulkan, facts.nvidia)}"
    if settings.gpu is not None:
        try:
            index_of(settings.gpu, facts.nvidia, vulkan)
        except WorldUnavailableError as error:
            return str(error)
    # Without an answer of vulkaninfo's nothing is known: who asks for this platform may know
    # better, and on a machine where many players start at once it may just be slow.
    if not vulkan.devices and (vulkan.answered or settings.platform is Platform.AUTO):
        return f"Vulkan has no device: {vulkan.fault}. {advice(vulkan, facts.nvidia)}"
    return ""


def renders(platform: Platform, facts: MachineFacts) -> str:
    """The device that a platform draws with, if known, for people."""
    if platform is Platform.EXECUTABLE:
        return "the player of HOUSEGUEST_THOR_EXECUTABLE"
    if platform is Platform.LINUX64:
        name = facts.displays.name
        return f"OpenGL on X display {name}" if name else "OpenGL in software, on an own Xvfb"
    if facts.vulkan.gpus:
        return f"Vulkan on {names(facts.vulkan.gpus)}"
    if facts.vulkan.devices:
        return f"Vulkan in software, on {names(facts.vulkan.devices)}"
    return "Vulkan, on what is not known"
