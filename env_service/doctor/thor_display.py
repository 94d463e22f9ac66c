"""The X display that AI2-THOR's platform Linux64 draws on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from env_service.doctor.finding import Finding, State
from env_service.doctor.thor_case import SIZE, Case, finding
from env_service.worlds.ai2thor.settings import Platform
from env_service.worlds.ai2thor.tools import ask

LINUX = Platform.LINUX64
_RENDERER = re.compile(r"OpenGL renderer string:\s*(.+)")
_SECONDS = 15.0


def displays(case: Case) -> Iterator[Finding]:
    """The display that would be taken, and those that would not."""
    name, here = "x display", case.facts.displays
    size = "x".join(map(str, SIZE))
    if here.fault:
        yield finding(name, case.severity(LINUX), here.fault)
    elif here.name:
        drawn = renderer(here.name)
        found = f"{here.name} has GLX, 24 bits and room for {size} pixels"
        yield Finding(name, State.OK, f"{found}; {drawn}" if drawn else found)
    else:
        yield Finding(name, State.OK, f"an own one would be started: {here.xvfb}")
    if not here.fault:
        for each in here.tried:
            mend = "Another one is taken. HOUSEGUEST_THOR_DISPLAY names one to be taken."
            yield Finding("other x display", State.NOTE, each, mend)


def renderer(display: str) -> str:
    """What draws on a display, as "drawn by llvmpipe"; "" if no tool can tell."""
    said = ask("glxinfo", "-B", "-display", display, seconds=_SECONDS)
    match = _RENDERER.search(said.output) if said.well else None
    return f"drawn by {match[1].strip()}" if match else ""
