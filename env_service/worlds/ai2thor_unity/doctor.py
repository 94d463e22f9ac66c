"""AI2-THOR for ``houseguest doctor``: whether its player could run here, and does."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.errors import first_line
from env_service.worlds.ai2thor_unity import build, doctor_machine
from env_service.worlds.ai2thor_unity.doctor_machine import (
    WORLD,
    MachineCase,
    concerns,
    examined,
    finding,
    renderer,
)
from env_service.worlds.ai2thor_unity.graphics import nvidia, platform_choice, vulkan
from env_service.worlds.ai2thor_unity.graphics.external_tools import ask
from env_service.worlds.ai2thor_unity.settings import (
    PACKAGE_VERSION,
    PREFIX,
    Platform,
    ThorSettings,
)
from env_service.worlds.base import WorldUnavailableError

_NAME = f"world {WORLD}"


def machine(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """All that AI2-THOR needs; a note if the user did not ask for it and nothing is set up."""
    if not concerns(subject):
        found = "not set up: no AI2-THOR build is installed"
        mend = "Its suites also play in the household world. For details: houseguest doctor --world"
        yield Diagnosis(_NAME, DiagnosisState.NOTE, found, f"{mend} ai2thor")
        return
    yield _package()
    try:
        case = examined()
    except ValueError as error:
        mend = f"Correct or unset it; docs/ai2thor.md lists all {PREFIX}* variables."
        yield Diagnosis(f"{WORLD} settings", DiagnosisState.PROBLEM, str(error), mend)
        return
    yield from _builds(case)
    yield from doctor_machine.graphics(case)
    yield from doctor_machine.displays(case)
    yield from doctor_machine.home(case)
    yield from doctor_machine.traps(case)
    yield _platform(case)


def _package() -> Diagnosis:
    name = f"package {WORLD}"
    mend = f"{shlex.quote(sys.executable)} -m pip install 'houseguest[ai2thor]'"
    try:
        here = version("ai2thor")
    except PackageNotFoundError:
        return Diagnosis(name, DiagnosisState.PROBLEM, "is not installed", mend)
    if here != PACKAGE_VERSION:
        found = f"is {here}, and only {PACKAGE_VERSION} is driven"
        return Diagnosis(name, DiagnosisState.PROBLEM, found, mend)
    return Diagnosis(name, DiagnosisState.OK, here)


def _builds(case: MachineCase) -> Iterator[Diagnosis]:
    """The Unity build of each platform that there is one for."""
    if case.chosen is Platform.EXECUTABLE:
        return
    for platform in build.PLATFORMS:
        name = f"build {platform.value}"
        why = case.facts.builds[platform]
        if why:
            yield finding(name, case.severity(platform), why)
            continue
        here = build.installed(platform, case.settings.home)
        yield Diagnosis(
            name, DiagnosisState.OK, f"commit {here.commit[:12]} in {here.folder.parent}"
        )


def _platform(case: MachineCase) -> Diagnosis:
    """The sum of it."""
    if case.chosen is None and case.wanted is Platform.EXECUTABLE:
        return finding(_NAME, DiagnosisState.PROBLEM, case.facts.executable or case.why)
    if case.chosen is None:
        found = f"cannot run here: {case.wanted.value} does not work"
        mend = "Correct what is marked above, then run the doctor again."
        if case.settings.platform is Platform.AUTO:
            found = f"cannot run here: no platform works; nearest is {case.wanted.value}"
        return Diagnosis(_NAME, DiagnosisState.PROBLEM, found, mend)
    how = "asked for" if case.settings.platform is case.chosen else "found to work"
    found = f"{case.chosen.value}, {how}: {platform_choice.renders(case.chosen, case.facts)}"
    return Diagnosis(_NAME, DiagnosisState.OK, found)


# --- Docker, for AI2-THOR in a container: the engine, and its way to GPUs

CDI_FOLDERS = ("/etc/cdi", "/var/run/cdi")
"""Where the engine looks for devices by default."""
_SECONDS = 15.0
_ONLY = "Nothing, to play without containers. Otherwise"


def docker(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """The engine, and whether it hands out GPUs; notes all, since the service runs without."""
    if subject.world != WORLD:
        return
    said = ask("docker", "info", "--format", "{{json .}}", seconds=_SECONDS)
    info = _read(said.output)
    server = str(info.get("ServerVersion") or "")
    if not server:
        why = said.fault or "docker info names no engine"
        if not said.installed:
            mend = f"{_ONLY} install Docker."
        else:
            mend = f"{_ONLY} start the engine, or let DOCKER_HOST name it."
        yield Diagnosis("docker", DiagnosisState.NOTE, f"no engine answers: {why}", mend)
        return
    yield Diagnosis("docker", DiagnosisState.OK, f"engine {server}")
    if nvidia.look().present:
        yield _gpus(info)


def _gpus(info: Mapping[str, Any]) -> Diagnosis:
    name = "docker gpus"
    if "nvidia" in (info.get("Runtimes") or {}):
        return Diagnosis(name, DiagnosisState.OK, "by the runtime nvidia")
    folders = info.get("CDISpecDirs") or CDI_FOLDERS
    found = [path for folder in folders for path in sorted(Path(folder).glob("*nvidia*"))]
    if found:
        return Diagnosis(name, DiagnosisState.OK, f"by CDI: {found[0]}")
    mend = (
        f"{_ONLY} install nvidia-container-toolkit, then: nvidia-ctk runtime configure"
        " --runtime=docker, and restart the engine."
    )
    return Diagnosis(
        name, DiagnosisState.NOTE, "the engine has no runtime nvidia and no CDI device", mend
    )


def _read(output: str) -> Mapping[str, Any]:
    """What docker info says; empty for anything that is none."""
    try:
        document = json.loads(output)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


# --- AI2-THOR's player, really started: whether it draws, and how long that takes

NAME = f"{WORLD} start"
SCENE = "FloorPlan1"
"""The scene to start with if the user names none."""
WIDTH, HEIGHT = 400, 300
"""Pixels; not square, so that a picture on its side is noticed."""
DARK = 8
"""Levels of 255: a picture without a brighter pixel is black, whatever its noise."""

_SHOWN = ("platform", "commit", "display", "gpu")
"""Of a controller's facts, those that people can use."""
_BROKE = "Correct what is marked above first; docs/ai2thor.md lists other causes (Faults)."
_BLACK = (
    "Some drivers of OpenGL in software draw nothing: try another X server, by"
    " HOUSEGUEST_THOR_DISPLAY, or another platform, by HOUSEGUEST_THOR_PLATFORM."
)


def start(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Starts the player, plays a Pass, looks at the picture, and stops it."""
    if not subject.start:
        return
    try:
        yield from _played(subject.scene or SCENE)
    except WorldFault as error:
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), _BROKE)
    except WorldUnavailableError as error:
        yield _unavailable(str(error))
    except ImportError as error:
        mend = "Install the extra houseguest[ai2thor] again."
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, f"it does not load: {error}", mend)
    except ValueError as error:
        mend = "--scene names the scene to start with; houseguest scenes list shows them."
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, first_line(str(error)), mend)


def _unavailable(text: str) -> Diagnosis:
    """What prevents the start. If no platform works, it refers to the check `machine`, which has
    the reasons."""
    if "\n" in text:
        return Diagnosis(
            NAME, DiagnosisState.PROBLEM, "not tried: no platform works", f"See world {WORLD}."
        )
    return finding(NAME, DiagnosisState.PROBLEM, text)


def _played(scene: str) -> Iterator[Diagnosis]:
    # Its package is an extra, which the rest of the doctor does without.
    from env_service.worlds.ai2thor_unity.controller import Ai2ThorController  # noqa: PLC0415

    settings = ThorSettings.from_environment(os.environ)
    begun = time.perf_counter()
    controller = Ai2ThorController(scene, ThorStart(WIDTH, HEIGHT), settings)
    try:
        started = time.perf_counter()
        event = controller.step("Pass")
        stepped = time.perf_counter()
        found = f"{scene} after {started - begun:.1f} s, a step in {stepped - started:.3f} s"
        facts = [f"{key} {controller.facts[key]}" for key in _SHOWN if controller.facts.get(key)]
        drawn = _drawn_by(controller.facts, settings.gpu)
        yield Diagnosis(
            NAME, DiagnosisState.OK, "; ".join([found, *facts, *([drawn] if drawn else [])])
        )
        yield picture(event.frame)
    finally:
        controller.stop()


def _drawn_by(facts: Mapping[str, str], gpu: int | None) -> str:
    """The name of the drawing device, if known; the player has to run."""
    if display := facts.get("display"):
        return renderer(display)
    if facts.get("platform") != Platform.CLOUD_RENDERING:
        return ""
    seen = vulkan.look()
    index = 0 if gpu is None else vulkan.index_of(gpu, nvidia.look(), seen)
    return next((f"drawn by {each.name}" for each in seen.devices if each.index == index), "")


def picture(frame: NDArray[np.uint8] | None) -> Diagnosis:
    """What is to be said of a picture, which should be WIDTH x HEIGHT pixels of a room."""
    name = f"{WORLD} picture"
    if frame is None:
        return Diagnosis(name, DiagnosisState.PROBLEM, "the player sent none", _BLACK)
    height, width = frame.shape[:2]
    size = f"{width}x{height} pixels"
    if (width, height) != (WIDTH, HEIGHT):
        found = f"{size}, and {WIDTH}x{HEIGHT} were asked for"
        mend = "Let the X display be large enough, and the build be the one that is named above."
        return Diagnosis(name, DiagnosisState.PROBLEM, found, mend)
    if int(frame.max()) < DARK:
        return Diagnosis(name, DiagnosisState.PROBLEM, f"{size}, all of them black", _BLACK)
    if int(frame.max()) == int(frame.min()):
        return Diagnosis(name, DiagnosisState.PROBLEM, f"{size}, all of one colour", _BLACK)
    return Diagnosis(name, DiagnosisState.OK, f"{size}, mean brightness {frame.mean():.0f} of 255")
