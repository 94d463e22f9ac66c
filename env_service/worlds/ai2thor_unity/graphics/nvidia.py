"""NVIDIA's driver and GPUs, as they are seen from here, inside a container or not."""

from __future__ import annotations

import ctypes.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer, ask

CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"
GRAPHICS = "graphics"
"""The capability without which a container gets neither Vulkan nor OpenGL. It is not among the
defaults, compute and utility (docs/containers.md)."""
LIBRARIES = ("GLX_nvidia", "EGL_nvidia")
"""The driver's side of Vulkan, OpenGL and EGL; its Vulkan manifest names the first."""

_QUERY = "index,name,uuid,memory.total,memory.free,driver_version"
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU.

    ``index`` is nvidia-smi's, in the order of the PCI bus; CUDA counts likewise under
    CUDA_DEVICE_ORDER=PCI_BUS_ID. ``uuid`` is as "GPU-5c7e…". Memory is in bytes, 0 where the
    driver does not say.
    """

    index: int
    name: str
    uuid: str
    memory_total: int = 0
    memory_free: int = 0


@dataclass(frozen=True, slots=True)
class Nvidia:
    """The state of NVIDIA's driver and GPUs.

    ``driver`` is its version, "" if unknown. ``fault`` says why no GPUs were found. ``kernel`` is
    whether the kernel's driver is loaded, ``container`` whether this is one, ``capabilities`` what
    NVIDIA_DRIVER_CAPABILITIES lists, and ``libraries`` which of LIBRARIES can be found.
    """

    driver: str = ""
    gpus: tuple[Gpu, ...] = ()
    fault: str = ""
    kernel: bool = False
    container: bool = False
    capabilities: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    @property
    def present(self) -> bool:
        """Whether the machine has an NVIDIA GPU at all, usable or not."""
        return bool(self.gpus) or self.kernel

    @property
    def lacks_graphics(self) -> bool:
        """Whether this container was given the GPU for computing alone."""
        named = {GRAPHICS, "all"} & set(self.capabilities)
        return self.container and self.present and not named and not self.libraries


def look(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> Nvidia:
    """Asks nvidia-smi and the system under ``root``; a missing tool raises nothing."""
    answer = ask("nvidia-smi", f"--query-gpu={_QUERY}", "--format=csv,noheader,nounits")
    driver, gpus = _read(answer.output if answer.well else "")
    listed = environment.get(CAPABILITIES, "").split(",")
    return Nvidia(
        driver=driver,
        gpus=gpus,
        fault="" if gpus else _fault(answer),
        kernel=(root / "proc/driver/nvidia/version").exists(),
        container=in_container(environment, root),
        capabilities=tuple(each.strip() for each in listed if each.strip()),
        libraries=tuple(name for name in LIBRARIES if ctypes.util.find_library(name)),
    )


def in_container(environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> bool:
    """Whether this looks like the inside of a container."""
    if "container" in environment or "KUBERNETES_SERVICE_HOST" in environment:
        return True
    if any((root / name).exists() for name in (".dockerenv", "run/.containerenv")):
        return True
    try:
        groups = (root / "proc/1/cgroup").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(word in groups for word in ("docker", "kubepods", "containerd", "libpod"))


def _read(output: str) -> tuple[str, tuple[Gpu, ...]]:
    """Driver version and GPUs of nvidia-smi's table; lines that are none are skipped."""
    driver, gpus = "", []
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(_QUERY.split(",")) or not cells[0].isdecimal():
            continue
        index, name, uuid, total, free, driver = cells
        gpus.append(Gpu(int(index), name, uuid, _bytes(total), _bytes(free)))
    return driver, tuple(gpus)


def _bytes(mebibytes: str) -> int:
    """0 for what is not given, which nvidia-smi writes as "[N/A]"."""
    return int(mebibytes) * _MIB if mebibytes.isdecimal() else 0


def _fault(answer: ToolAnswer) -> str:
    return answer.fault or "nvidia-smi lists no GPU"
