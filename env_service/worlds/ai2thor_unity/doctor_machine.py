"""What AI2-THOR needs of a machine: graphics, a display, a home folder."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.doctor.host import check_folder
from env_service.worlds.ai2thor_unity import build
from env_service.worlds.ai2thor_unity.graphics import platform_choice
from env_service.worlds.ai2thor_unity.graphics.external_tools import ask
from env_service.worlds.ai2thor_unity.graphics.nvidia import CAPABILITIES, GRAPHICS
from env_service.worlds.ai2thor_unity.graphics.platform_choice import MachineFacts
from env_service.worlds.ai2thor_unity.graphics.vulkan import advice, index_of, names
from env_service.worlds.ai2thor_unity.settings import PREFIX, Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError

WORLD = "ai2thor"
SIZE = (1024, 1024)
"""Pixels of the largest picture that a suite asks for, AsgardBench's (docs/household.md,
"Differences from AI2-THOR")."""


@dataclass(frozen=True, slots=True)
class MachineCase:
    """AI2-THOR on this machine.

    ``chosen`` is the platform that it would run on, None if it cannot; ``why`` says then why.
    """

    settings: ThorSettings
    facts: MachineFacts
    environment: Mapping[str, str]
    chosen: Platform | None = None
    why: str = ""

    @property
    def home(self) -> Path:
        """The home folder of the player."""
        return build.base_folder(self.settings.home).parent

    @property
    def wanted(self) -> Platform:
        """The platform that it runs on, or would best run on if it could run at all."""
        if self.chosen is not None:
            return self.chosen
        if self.settings.platform is not Platform.AUTO:
            return self.settings.platform
        if self.settings.executable:
            return Platform.EXECUTABLE
        graphics_card = self.settings.gpu is not None or self._has_gpu
        return Platform.CLOUD_RENDERING if graphics_card else Platform.LINUX64

    @property
    def _has_gpu(self) -> bool:
        return self.facts.nvidia.present or bool(self.facts.vulkan.gpus)

    def severity(self, platform: Platform) -> DiagnosisState:
        """How bad it is that a platform does not work."""
        if platform is self.wanted:
            return DiagnosisState.PROBLEM
        second_best = self.settings.platform is Platform.AUTO and self._has_gpu
        if second_best and self.wanted is Platform.LINUX64:
            return DiagnosisState.WARNING
        return DiagnosisState.NOTE


def concerns(subject: DoctorRequest, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether AI2-THOR matters here: the user asks for it, or has begun to set it up."""
    given = any(name.startswith(PREFIX) and value for name, value in environment.items())
    if subject.world == WORLD or given:
        return True
    try:
        folder = build.releases(_home(environment))
        return any(each.is_dir() for each in folder.glob("thor-*"))
    except (WorldUnavailableError, OSError):
        return False


def examined(environment: Mapping[str, str] = os.environ) -> MachineCase:
    """Looks at the machine, which takes some seconds.

    Raises:
        ValueError: the settings in the environment make no sense.
    """
    settings = ThorSettings.from_environment(environment)
    facts = platform_choice.look(settings, *SIZE, environment=environment, everything=True)
    try:
        chosen = platform_choice.decide(settings, facts)
    except WorldUnavailableError as error:
        return MachineCase(settings, facts, environment, why=str(error))
    return MachineCase(settings, facts, environment, chosen)


def finding(name: str, state: DiagnosisState, text: str) -> Diagnosis:
    """A finding from one of the world's own messages: what is wrong, then how to mend it."""
    found, _, mend = text.partition(". ")
    return Diagnosis(name, state, found, mend or _SEE)


_SEE = "See docs/ai2thor.md for the set-up of AI2-THOR."


def _home(environment: Mapping[str, str]) -> Path | None:
    named = environment.get(f"{PREFIX}HOME", "").strip()
    return Path(named).expanduser() if named else None


# --- What AI2-THOR's platform for servers draws with: NVIDIA's driver, and Vulkan

CLOUD = Platform.CLOUD_RENDERING
_MISMATCH = re.compile(r"version mismatch", re.IGNORECASE)
_LOST = re.compile(r"NVML: Unknown Error")


def graphics(case: MachineCase) -> Iterator[Diagnosis]:
    """NVIDIA's driver, Vulkan, and the GPU that the settings name."""
    yield _nvidia(case)
    if case.facts.nvidia.lacks_graphics:
        yield _capabilities(case)
    yield _vulkan(case)
    if case.settings.gpu is not None:
        yield _gpu(case, case.settings.gpu)


def _nvidia(case: MachineCase) -> Diagnosis:
    name, here = "nvidia", case.facts.nvidia
    if here.gpus:
        listed = ", ".join(
            f"{gpu.index}: {gpu.name}, {gpu.memory_free / 2**30:.0f} of"
            f" {gpu.memory_total / 2**30:.0f} GiB free"
            for gpu in here.gpus
        )
        return Diagnosis(name, DiagnosisState.OK, f"driver {here.driver}; GPU {listed}")
    if not here.kernel:
        mend = (
            "With one, start the container with GPUs, or install its driver. Without one, Linux64"
            " draws in software, slowly."
        )
        return Diagnosis(
            name, DiagnosisState.NOTE, f"no GPU of NVIDIA's is seen: {here.fault}", mend
        )
    found = f"a driver is loaded, but no GPU can be used: {here.fault}"
    return Diagnosis(name, case.severity(CLOUD), found, _driver_mend(here.fault))


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


def _capabilities(case: MachineCase) -> Diagnosis:
    here = case.facts.nvidia
    listed = ",".join(here.capabilities) or "not set, which means compute,utility"
    found = f"the container has the GPU for computing alone: {CAPABILITIES} is {listed}"
    return Diagnosis(
        f"capability {GRAPHICS}", case.severity(CLOUD), found, advice(case.facts.vulkan, here)
    )


def _vulkan(case: MachineCase) -> Diagnosis:
    name, here = "vulkan", case.facts.vulkan
    mend = advice(here, case.facts.nvidia)
    bad = case.severity(CLOUD)
    if not here.loader:
        return Diagnosis(name, bad, "its loader, libvulkan, is not installed", mend)
    if not here.answered:
        # What cannot be looked at may work all the same.
        state = DiagnosisState.WARNING if bad is DiagnosisState.PROBLEM else bad
        return Diagnosis(name, state, f"its devices are not known: {here.fault}", mend)
    if not here.devices:
        return Diagnosis(name, bad, f"no device: {here.fault}", mend)
    if not here.gpus:
        state = DiagnosisState.WARNING if bad is DiagnosisState.PROBLEM else bad
        found = f"in software alone, {names(here.devices)}: slow, and no pixel is a GPU's"
        return Diagnosis(name, state, found, mend if case.facts.nvidia.present else _NO_CARD)
    return Diagnosis(name, DiagnosisState.OK, f"{here.loader}; {names(here.gpus)}")


_NO_CARD = "Nothing, without a graphics card; Linux64 is better tried in software."


def _gpu(case: MachineCase, index: int) -> Diagnosis:
    """Whether the GPU that the settings name is one of Vulkan's."""
    name = f"gpu {index}"
    try:
        number = index_of(index, case.facts.nvidia, case.facts.vulkan)
    except WorldUnavailableError as error:
        return finding(name, case.severity(CLOUD), str(error))
    return Diagnosis(name, DiagnosisState.OK, f"is Vulkan's device {number}")


# --- The X display that AI2-THOR's platform Linux64 draws on

LINUX = Platform.LINUX64
_RENDERER = re.compile(r"OpenGL renderer string:\s*(.+)")
_SECONDS = 15.0


def displays(case: MachineCase) -> Iterator[Diagnosis]:
    """The display that would be taken, and those that would not."""
    name, here = "x display", case.facts.displays
    size = "x".join(map(str, SIZE))
    if here.fault:
        yield finding(name, case.severity(LINUX), here.fault)
    elif here.name:
        drawn = renderer(here.name)
        found = f"{here.name} has GLX, 24 bits and room for {size} pixels"
        yield Diagnosis(name, DiagnosisState.OK, f"{found}; {drawn}" if drawn else found)
    else:
        yield Diagnosis(name, DiagnosisState.OK, f"an own one would be started: {here.xvfb}")
    if not here.fault:
        for each in here.tried:
            mend = "Another one is taken. HOUSEGUEST_THOR_DISPLAY names one to be taken."
            yield Diagnosis("other x display", DiagnosisState.NOTE, each, mend)


def renderer(display: str) -> str:
    """What draws on a display, as "drawn by llvmpipe"; "" if no tool can tell."""
    said = ask("glxinfo", "-B", "-display", display, seconds=_SECONDS)
    match = _RENDERER.search(said.output) if said.well else None
    return f"drawn by {match[1].strip()}" if match else ""


# --- What AI2-THOR's Python package keeps in the home folder, and reads from the environment

UNITY = ".config/unity3d"
"""Where the player writes its preferences and its log (docs/ai2thor.md, "Player lifetime and
deadlines")."""
PACKAGE = (".ai2thor/log", ".ai2thor/tmp", ".ai2thor/releases")
"""Where the package writes, used by itself (ibid., item 6), and builds are installed."""
MAPPING = "cuda-vulkan-mapping.json"
"""The package's file of which GPU is which, written once and kept for ever (ibid., item 2)."""

VARIABLES = {
    "CUDA_VISIBLE_DEVICES": (
        "with it set, the package ai2thor by itself picks a GPU, and demands vulkaninfo and"
        " nvidia-smi on every platform. Houseguest keeps it from the player",
        "HOUSEGUEST_THOR_GPU, or --gpus of a run, chooses the GPU.",
    ),
    "AI2THOR_VISIBILITY_DISTANCE": (
        "the package ai2thor by itself adds it to every action, which changes what is visible."
        " Houseguest leaves it out",
        "Unset it, for other programs that use ai2thor.",
    ),
}
"""Variables that change what the package does (docs/ai2thor.md, "Platforms"): what is to be known
of each, and what to do."""


def home(case: MachineCase) -> Iterator[Diagnosis]:
    """Whether the player's folders can be written, and the package's file of GPUs is true."""
    name = "ai2thor home"
    try:
        place = case.home
    except WorldUnavailableError as error:
        yield Diagnosis(
            name, DiagnosisState.PROBLEM, str(error), "Let HOUSEGUEST_THOR_HOME name a folder."
        )
        return
    mend = "Make it writable, by a volume or a tmpfs, or let HOUSEGUEST_THOR_HOME name another."
    found = check_folder(name, place / UNITY, mend)
    if found.state is not DiagnosisState.OK:
        yield found
    else:
        yield Diagnosis(name, DiagnosisState.OK, f"{place} takes the player's log and preferences")
    yield from _read_only(place)
    yield from _mapping(case, place / ".ai2thor" / MAPPING)


def _read_only(place: Path) -> Iterator[Diagnosis]:
    """Folders that playing does without, as in a container."""
    looked = [check_folder("ai2thor builds", place / folder, _INSTALLING) for folder in PACKAGE]
    for each in {
        each.found: each for each in looked if each.state is DiagnosisState.PROBLEM
    }.values():
        yield replace(each, state=DiagnosisState.NOTE)


_INSTALLING = "Nothing, to play. To install builds, or to use ai2thor by itself, make it writable."


def _mapping(case: MachineCase, path: Path) -> Iterator[Diagnosis]:
    name = "ai2thor gpu file"
    try:
        written = {int(key): int(value) for key, value in _read(path).items()}
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, AttributeError) as error:
        yield Diagnosis(
            name, DiagnosisState.WARNING, f"{path} cannot be read: {error}", _remove(path)
        )
        return
    fresh = _fresh(case)
    if fresh == written:
        yield Diagnosis(name, DiagnosisState.OK, f"{path} is true")
        return
    found = (
        f"{path} is stale: it gives the GPUs {_shown(written)}, and they are {_shown(fresh)}. The"
        " package ai2thor believes it for ever: the wrong GPU, or KeyError"
    )
    yield Diagnosis(name, DiagnosisState.WARNING, found, _remove(path))


def _read(path: Path) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _fresh(case: MachineCase) -> dict[int, int]:
    """The GPUs that Vulkan has too, by its numbers."""
    numbers = {}
    for gpu in case.facts.nvidia.gpus:
        try:
            numbers[gpu.index] = index_of(gpu.index, case.facts.nvidia, case.facts.vulkan)
        except WorldUnavailableError:
            continue
    return numbers


def _shown(numbers: Mapping[int, int]) -> str:
    pairs = (f"{key} as Vulkan's {value}" for key, value in sorted(numbers.items()))
    return ", ".join(pairs) or "none"


def _remove(path: Path) -> str:
    return f"rm {shlex.quote(str(path))} (it is written anew when it is needed)"


def traps(case: MachineCase) -> Iterator[Diagnosis]:
    """Variables that are set and would change what the package does."""
    for name, (found, mend) in VARIABLES.items():
        if name in case.environment:
            value = case.environment[name]
            yield Diagnosis(name, DiagnosisState.NOTE, f"is {value!r}: {found}", mend)
