"""What AI2-THOR's Python package keeps in the home folder, and reads from the environment."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from env_service.doctor.disk import look
from env_service.doctor.finding import Finding, State
from env_service.doctor.thor_case import Case
from env_service.worlds.ai2thor.vulkan import index_of
from env_service.worlds.base import WorldUnavailableError

UNITY = ".config/unity3d"
"""Where the player writes its preferences and its log (spec: ai2thor.md section 2, item 7)."""
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
"""Variables that change what the package does (spec: ai2thor.md section 0, item 7, and section
2, item 10): what is to be known of each, and what to do."""


def home(case: Case) -> Iterator[Finding]:
    """Whether the player's folders can be written, and the package's file of GPUs is true."""
    name = "ai2thor home"
    try:
        place = case.home
    except WorldUnavailableError as error:
        yield Finding(name, State.PROBLEM, str(error), "Let HOUSEGUEST_THOR_HOME name a folder.")
        return
    mend = "Make it writable, by a volume or a tmpfs, or let HOUSEGUEST_THOR_HOME name another."
    found = look(name, place / UNITY, mend)
    if found.state is not State.OK:
        yield found
    else:
        yield Finding(name, State.OK, f"{place} takes the player's log and preferences")
    yield from _read_only(place)
    yield from _mapping(case, place / ".ai2thor" / MAPPING)


def _read_only(place: Path) -> Iterator[Finding]:
    """Folders that playing does without, as in a container."""
    looked = [look("ai2thor builds", place / folder, _INSTALLING) for folder in PACKAGE]
    for each in {each.found: each for each in looked if each.state is State.PROBLEM}.values():
        yield replace(each, state=State.NOTE)


_INSTALLING = "Nothing, to play. To install builds, or to use ai2thor by itself, make it writable."


def _mapping(case: Case, path: Path) -> Iterator[Finding]:
    name = "ai2thor gpu file"
    try:
        written = {int(key): int(value) for key, value in _read(path).items()}
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, AttributeError) as error:
        yield Finding(name, State.WARNING, f"{path} cannot be read: {error}", _remove(path))
        return
    fresh = _fresh(case)
    if fresh == written:
        yield Finding(name, State.OK, f"{path} is true")
        return
    found = (
        f"{path} is stale: it gives the GPUs {_shown(written)}, and they are {_shown(fresh)}. The"
        " package ai2thor believes it for ever: the wrong GPU, or KeyError"
    )
    yield Finding(name, State.WARNING, found, _remove(path))


def _read(path: Path) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _fresh(case: Case) -> dict[int, int]:
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


def traps(case: Case) -> Iterator[Finding]:
    """Variables that are set and would change what the package does."""
    for name, (found, mend) in VARIABLES.items():
        if name in case.environment:
            value = case.environment[name]
            yield Finding(name, State.NOTE, f"is {value!r}: {found}", mend)
