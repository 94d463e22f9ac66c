"""Which platform AI2-THOR's player runs on: the one that was asked for, or the best that works."""

from __future__ import annotations

from env_service.worlds.ai2thor_unity.graphics import machine_facts
from env_service.worlds.ai2thor_unity.graphics.machine_facts import MachineFacts
from env_service.worlds.ai2thor_unity.graphics.vulkan import advice, index_of, names
from env_service.worlds.ai2thor_unity.settings import Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError

_NOT_LOOKED_AT = "it is not known"


def choose(settings: ThorSettings, width: int, height: int) -> Platform:
    """The platform for pictures of ``width`` x ``height`` pixels, never AUTO.

    AUTO takes the settings' executable if they name one; else CloudRendering on a graphics card;
    else Linux64 on a display or, if no GPU is named, on an Xvfb; else CloudRendering on Vulkan in
    software. Looks at the machine, which may take some seconds: keep the answer.

    Raises:
        WorldUnavailableError: what was asked for, or everything, cannot work here; with what was
            tried, why each fails, and how to mend it.
    """
    return decide(settings, machine_facts.look(settings, width, height))


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
    """The device that a platform draws with, as far as it is known, for people."""
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
