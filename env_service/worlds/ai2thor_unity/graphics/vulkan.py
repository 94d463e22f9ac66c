"""The state of Vulkan on this machine, and which of its devices is which NVIDIA GPU.

Vulkan and nvidia-smi count GPUs differently. The package ai2thor matches them once and keeps the
result for ever in a file, which is wrong after any change of driver, GPUs or host (docs/ai2thor.md,
"Faults"). This module matches them each time.
"""

from __future__ import annotations

import ctypes.util
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.worlds.ai2thor_unity.graphics import nvidia
from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer, ask
from env_service.worlds.ai2thor_unity.graphics.nvidia import Nvidia
from env_service.worlds.base import WorldUnavailableError

ONLY = ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")
"""Where one is set, the manifests that it names are all there are; the first wins."""
OF_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Left out when Vulkan is asked: a display that cannot be reached fails old versions of the tool,
and one that can is asked by Mesa for the order of devices. A player that is to find the devices
in the order that is reported here has to be started without them too."""

_FOLDERS = ("etc/xdg", "etc", "usr/local/share", "usr/share")
_DEVICE = re.compile(r"^GPU(\d+):?\s*$", re.MULTILINE)
_VALUE = re.compile(r"\s+(deviceType|deviceName|deviceUUID|driverName|driverInfo)\s*=\s*(.*\S)")
_SOFTWARE = ("llvmpipe", "lavapipe", "swiftshader")


@dataclass(frozen=True, slots=True)
class VulkanDevice:
    """A device as vulkaninfo lists it.

    ``kind`` is "discrete", "integrated", "virtual", "cpu" or "other"; ``uuid`` 32 hexadecimal
    digits, "" if unknown.
    """

    index: int
    name: str
    kind: str
    uuid: str = ""
    driver: str = ""

    @property
    def software(self) -> bool:
        """Whether a processor draws, not a graphics card."""
        return self.kind == "cpu" or any(word in self.name.lower() for word in _SOFTWARE)


@dataclass(frozen=True, slots=True)
class Vulkan:
    """The state of Vulkan on this machine.

    ``loader`` is the library's name, "" if it is missing. ``manifests`` are the drivers' files, and
    ``lost`` those that a variable names and that do not exist. ``fault`` says why vulkaninfo listed
    no devices. ``tool`` is false if vulkaninfo is not installed; ``answered`` is false then, and if
    it did not end in time, so that the devices are unknown.
    """

    loader: str = ""
    manifests: tuple[Path, ...] = ()
    lost: tuple[Path, ...] = ()
    tool: bool = False
    answered: bool = False
    fault: str = ""
    devices: tuple[VulkanDevice, ...] = ()

    @property
    def gpus(self) -> tuple[VulkanDevice, ...]:
        """The devices that are graphics cards."""
        return tuple(device for device in self.devices if not device.software)


def look(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> Vulkan:
    """Asks the system under ``root`` and vulkaninfo; a missing tool raises nothing."""
    named, found = manifests(environment, root)
    answer = _vulkaninfo(environment)
    devices = tuple(read_devices(answer.output)) if answer.well else ()
    fault = "" if devices else answer.fault or "vulkaninfo lists no device"
    return Vulkan(
        loader=ctypes.util.find_library("vulkan") or "",
        manifests=found,
        lost=tuple(path for path in named if path not in found),
        tool=answer.installed,
        answered=answer.status is not None,
        fault=fault,
        devices=devices,
    )


def manifests(
    environment: Mapping[str, str], root: Path = Path("/")
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The drivers' manifests that variables name, and all that exist."""
    for variable in ONLY:
        if environment.get(variable):
            named = tuple(Path(each) for each in environment[variable].split(":") if each)
            return named, tuple(path for path in named if path.exists())
    folders = [root / each for each in _FOLDERS]
    if home := environment.get("HOME"):
        folders += [
            Path(environment.get("XDG_CONFIG_HOME") or f"{home}/.config"),
            Path(environment.get("XDG_DATA_HOME") or f"{home}/.local/share"),
        ]
    return (), tuple(
        path for folder in folders for path in sorted(folder.glob("vulkan/icd.d/*.json"))
    )


def _vulkaninfo(environment: Mapping[str, str]) -> ToolAnswer:
    clean = {name: value for name, value in environment.items() if name not in OF_DISPLAYS}
    short = ask("vulkaninfo", "--summary", environment=clean)
    if short.status is None or (short.well and _DEVICE.search(short.output)):
        return short
    # Old versions know no summary, and some of them say so with status 0.
    return ask("vulkaninfo", environment=clean)


def read_devices(output: str) -> Iterator[VulkanDevice]:
    """The devices that vulkaninfo lists, in short or at length, in its order."""
    listed: dict[int, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for line in output.splitlines():
        if head := _DEVICE.match(line):
            current = listed.setdefault(int(head[1]), {})
        elif current is not None and (value := _VALUE.match(line)):
            current.setdefault(value[1], value[2])
    for index, values in sorted(listed.items()):
        if "deviceName" in values:
            yield _device(index, values)


def _device(index: int, values: Mapping[str, str]) -> VulkanDevice:
    # "PHYSICAL_DEVICE_TYPE_DISCRETE_GPU", with an older tool "…DISCRETE_GPU (2)" or "(0x2)".
    words = values.get("deviceType", "").lower().split()
    kind = words[0].removeprefix("vk_").removeprefix("physical_device_type_") if words else ""
    driver = " ".join(values[key] for key in ("driverName", "driverInfo") if key in values)
    return VulkanDevice(
        index,
        values["deviceName"],
        kind.removesuffix("_gpu") or "other",
        _digits(values.get("deviceUUID", "")),
        driver,
    )


def vulkan_index(index: int) -> int:
    """The number that Vulkan gives to a GPU of NVIDIA's, as the player's -force-device-index.

    ``index`` is nvidia-smi's (see `nvidia.Gpu`).

    Raises:
        WorldUnavailableError: the number cannot be found; with the reason, and how to mend it.
    """
    return index_of(index, nvidia.look(), look())


def index_of(index: int, found: Nvidia, vulkan: Vulkan) -> int:
    """`vulkan_index`, from what was found before. Raises WorldUnavailableError like it."""
    wanted = [gpu for gpu in found.gpus if gpu.index == index]
    if not wanted:
        raise WorldUnavailableError(_no_gpu(index, found))
    if not vulkan.devices:
        raise WorldUnavailableError(
            f"the Vulkan device of GPU {index} is unknown: {vulkan.fault}."
            f" {advice(vulkan, found)} Or name no GPU."
        )
    # A driver with two manifests is listed twice; both are the same card.
    for device in vulkan.devices:
        if device.uuid and device.uuid == _digits(wanted[0].uuid.removeprefix("GPU-")):
            return device.index
    listed = ", ".join(f"{device.index}: {device.name}" for device in vulkan.devices)
    raise WorldUnavailableError(
        f"GPU {index} ({wanted[0].name}, {wanted[0].uuid}) is none of Vulkan's devices"
        f" ({listed}). {advice(vulkan, found)}"
    )


def _no_gpu(index: int, found: Nvidia) -> str:
    if not found.gpus:
        return (
            f"GPU {index} is asked for, and no NVIDIA GPU is seen: {found.fault}."
            " Repair the driver, start the container with GPUs, or name no GPU."
        )
    listed = ", ".join(f"{gpu.index} ({gpu.name})" for gpu in found.gpus)
    return f"no such GPU: {index}; there are {listed}. Name one of them."


def advice(vulkan: Vulkan, found: Nvidia) -> str:
    """How to get Vulkan to work on a graphics card, in a sentence or two."""
    if not vulkan.loader:
        return "Install Vulkan's loader (Debian: apt-get install libvulkan1)."
    if not vulkan.tool:
        return "Install vulkaninfo (Debian: apt-get install vulkan-tools)."
    if vulkan.lost:
        lost = ", ".join(map(str, vulkan.lost))
        return f"{' or '.join(ONLY)} names {lost}, which does not exist: unset or correct it."
    if found.lacks_graphics:
        return (
            "This container has the GPU for computing alone: start it with"
            f" {nvidia.CAPABILITIES}=compute,utility,{nvidia.GRAPHICS} (or capabilities:"
            " [gpu, graphics, utility, compute] in a compose file)."
        )
    if found.present and not any("nvidia" in path.name for path in vulkan.manifests):
        return (
            "NVIDIA's Vulkan manifest, nvidia_icd.json, is missing: install the driver's graphics"
            " libraries (on Debian and Ubuntu the package libnvidia-gl of the driver's version),"
            f" or in a container give it {nvidia.CAPABILITIES} with {nvidia.GRAPHICS}."
        )
    if not vulkan.manifests:
        return "Install the graphics card's Vulkan driver (Mesa's: mesa-vulkan-drivers)."
    return "See what `vulkaninfo --summary` says, and mend the graphics driver."


def _digits(uuid: str) -> str:
    return "".join(character for character in uuid.lower() if character in "0123456789abcdef")


def names(devices: Iterable[VulkanDevice]) -> str:
    """The devices for people, as "0: NVIDIA L4 (discrete)"."""
    return ", ".join(f"{each.index}: {each.name} ({each.kind})" for each in devices)
