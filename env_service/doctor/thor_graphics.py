"""What AI2-THOR's platform for servers draws with: NVIDIA's driver, and Vulkan."""

from __future__ import annotations

import re
from collections.abc import Iterator

from env_service.doctor.finding import Finding, State
from env_service.doctor.thor_case import Case, finding
from env_service.worlds.ai2thor.nvidia import CAPABILITIES, GRAPHICS
from env_service.worlds.ai2thor.settings import Platform
from env_service.worlds.ai2thor.vulkan import advice, index_of, names
from env_service.worlds.base import WorldUnavailableError

CLOUD = Platform.CLOUD_RENDERING
_MISMATCH = re.compile(r"version mismatch", re.IGNORECASE)
_LOST = re.compile(r"NVML: Unknown Error")


def graphics(case: Case) -> Iterator[Finding]:
    """NVIDIA's driver, Vulkan, and the GPU that the settings name."""
    yield _nvidia(case)
    if case.facts.nvidia.lacks_graphics:
        yield _capabilities(case)
    yield _vulkan(case)
    if case.settings.gpu is not None:
        yield _gpu(case, case.settings.gpu)


def _nvidia(case: Case) -> Finding:
    name, here = "nvidia", case.facts.nvidia
    if here.gpus:
        listed = ", ".join(
            f"{gpu.index}: {gpu.name}, {gpu.memory_free / 2**30:.0f} of"
            f" {gpu.memory_total / 2**30:.0f} GiB free"
            for gpu in here.gpus
        )
        return Finding(name, State.OK, f"driver {here.driver}; GPU {listed}")
    if not here.kernel:
        mend = (
            "With one, start the container with GPUs, or install its driver. Without one, Linux64"
            " draws in software, slowly."
        )
        return Finding(name, State.NOTE, f"no GPU of NVIDIA's is seen: {here.fault}", mend)
    found = f"a driver is loaded, but no GPU can be used: {here.fault}"
    return Finding(name, case.severity(CLOUD), found, _driver_mend(here.fault))


def _driver_mend(fault: str) -> str:
    if _MISMATCH.search(fault):
        return "The driver was updated under way: restart the machine, or reload its modules."
    if _LOST.search(fault):
        return "This container has lost its GPU, as a reload of systemd does: restart it."
    if "not installed" in fault:
        return (
            f"Install nvidia-smi; a container gets it by the capability utility ({CAPABILITIES})."
        )
    return "Let `nvidia-smi` work first: install the driver that fits the kernel's."


def _capabilities(case: Case) -> Finding:
    here = case.facts.nvidia
    listed = ",".join(here.capabilities) or "not set, which means compute,utility"
    found = f"the container has the GPU for computing alone: {CAPABILITIES} is {listed}"
    return Finding(
        f"capability {GRAPHICS}", case.severity(CLOUD), found, advice(case.facts.vulkan, here)
    )


def _vulkan(case: Case) -> Finding:
    name, here = "vulkan", case.facts.vulkan
    mend = advice(here, case.facts.nvidia)
    bad = case.severity(CLOUD)
    if not here.loader:
        return Finding(name, bad, "its loader, libvulkan, is not installed", mend)
    if not here.told:
        # What cannot be looked at may work all the same.
        state = State.WARNING if bad is State.PROBLEM else bad
        return Finding(name, state, f"its devices are not known: {here.fault}", mend)
    if not here.devices:
        return Finding(name, bad, f"no device: {here.fault}", mend)
    if not here.gpus:
        state = State.WARNING if bad is State.PROBLEM else bad
        found = f"in software alone, {names(here.devices)}: slow, and no pixel is a GPU's"
        return Finding(name, state, found, mend if case.facts.nvidia.present else _NO_CARD)
    return Finding(name, State.OK, f"{here.loader}; {names(here.gpus)}")


_NO_CARD = "Nothing, if there is no graphics card; Linux64 is better tried in software."


def _gpu(case: Case, index: int) -> Finding:
    """Whether the GPU that the settings name is one of Vulkan's."""
    name = f"gpu {index}"
    try:
        number = index_of(index, case.facts.nvidia, case.facts.vulkan)
    except WorldUnavailableError as error:
        return finding(name, case.severity(CLOUD), str(error))
    return Finding(name, State.OK, f"is Vulkan's device {number}")
