"""AI2-THOR's player, really started: whether it draws, and how long that takes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from env_service.doctor.finding import Finding, State, Subject
from env_service.doctor.thor_case import WORLD, finding
from env_service.doctor.thor_display import renderer
from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor import nvidia, vulkan
from env_service.worlds.ai2thor.settings import Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.thor.errors import first_line
from env_service.worlds.thor.start import ThorStart

NAME = f"{WORLD} start"
WIDTH, HEIGHT = 400, 300
"""Pixels; not square, so that a picture on its side is noticed."""
DARK = 8
"""Levels of 255: a picture without a brighter pixel is black, whatever its noise."""

_SHOWN = ("platform", "commit", "display", "gpu")
"""Of a controller's facts, those that people can use."""
_BROKE = (
    "Mend what is marked above first; docs/ai2thor.md lists what else is often behind it"
    " (What faults look like)."
)
_BLACK = (
    "Some drivers of OpenGL in software draw nothing: try another X server, by"
    " HOUSEGUEST_THOR_DISPLAY, or another platform, by HOUSEGUEST_THOR_PLATFORM."
)


def start(subject: Subject) -> Iterator[Finding]:
    """Starts the player, plays a Pass, looks at the picture, and stops it."""
    if not subject.start:
        return
    try:
        yield from _played(subject.scene)
    except WorldFault as error:
        yield Finding(NAME, State.PROBLEM, str(error), _BROKE)
    except WorldUnavailableError as error:
        yield _unavailable(str(error))
    except ImportError as error:
        mend = "Install the extra houseguest[ai2thor] again."
        yield Finding(NAME, State.PROBLEM, f"it does not load: {error}", mend)
    except ValueError as error:
        mend = "--scene names the scene to start with; houseguest scenes list tells what there is."
        yield Finding(NAME, State.PROBLEM, first_line(str(error)), mend)


def _unavailable(text: str) -> Finding:
    """What keeps it from starting; where that is all that was tried, `thor.machine` has told it."""
    if "\n" in text:
        return Finding(NAME, State.PROBLEM, "not tried: no platform works", f"See world {WORLD}.")
    return finding(NAME, State.PROBLEM, text)


def _played(scene: str) -> Iterator[Finding]:
    # Its package is an extra, which the rest of the doctor does without.
    from env_service.worlds.ai2thor.controller import Ai2ThorController  # noqa: PLC0415

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
        yield Finding(NAME, State.OK, "; ".join([found, *facts, *([drawn] if drawn else [])]))
        yield picture(event.frame)
    finally:
        controller.stop()


def _drawn_by(facts: Mapping[str, str], gpu: int | None) -> str:
    """The name of what draws, as far as it can be told; needs the player to run."""
    if display := facts.get("display"):
        return renderer(display)
    if facts.get("platform") != Platform.CLOUD_RENDERING:
        return ""
    seen = vulkan.look()
    index = 0 if gpu is None else vulkan.index_of(gpu, nvidia.look(), seen)
    return next((f"drawn by {each.name}" for each in seen.devices if each.index == index), "")


def picture(frame: NDArray[np.uint8] | None) -> Finding:
    """What is to be said of a picture, which should be WIDTH x HEIGHT pixels of a room."""
    name = f"{WORLD} picture"
    if frame is None:
        return Finding(name, State.PROBLEM, "the player sent none", _BLACK)
    height, width = frame.shape[:2]
    size = f"{width}x{height} pixels"
    if (width, height) != (WIDTH, HEIGHT):
        found = f"{size}, and {WIDTH}x{HEIGHT} were asked for"
        mend = "Let the X display be large enough, and the build be the one that is named above."
        return Finding(name, State.PROBLEM, found, mend)
    if int(frame.max()) < DARK:
        return Finding(name, State.PROBLEM, f"{size}, all of them black", _BLACK)
    if int(frame.max()) == int(frame.min()):
        return Finding(name, State.PROBLEM, f"{size}, all of one colour", _BLACK)
    return Finding(name, State.OK, f"{size}, mean brightness {frame.mean():.0f} of 255")
