"""AI2-THOR: whether its player could run here, on what, and what keeps it from it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from env_service.doctor import thor_display, thor_graphics, thor_home
from env_service.doctor.finding import Finding, State, Subject
from env_service.doctor.thor_case import WORLD, Case, concerns, examined, finding
from env_service.worlds.ai2thor import build, choosing
from env_service.worlds.ai2thor.settings import PACKAGE_VERSION, PREFIX, Platform

_NAME = f"world {WORLD}"


def machine(subject: Subject) -> Iterator[Finding]:
    """All that AI2-THOR needs; a note where nobody asks for it and nothing is set up."""
    if not concerns(subject):
        found = "not set up: no AI2-THOR build is here"
        mend = "Its suites also play in the household world. houseguest doctor --world ai2thor"
        yield Finding(_NAME, State.NOTE, found, f"{mend} tells what AI2-THOR itself needs.")
        return
    yield _package()
    try:
        case = examined()
    except ValueError as error:
        mend = f"Mend or unset it; docs/ai2thor.md lists all {PREFIX}* variables."
        yield Finding(f"{WORLD} settings", State.PROBLEM, str(error), mend)
        return
    yield from _builds(case)
    yield from thor_graphics.graphics(case)
    yield from thor_display.displays(case)
    yield from thor_home.home(case)
    yield from thor_home.traps(case)
    yield _platform(case)


def _package() -> Finding:
    name = f"package {WORLD}"
    mend = f"{shlex.quote(sys.executable)} -m pip install 'houseguest[ai2thor]'"
    try:
        here = version("ai2thor")
    except PackageNotFoundError:
        return Finding(name, State.PROBLEM, "is not installed", mend)
    if here != PACKAGE_VERSION:
        found = f"is {here}, and only {PACKAGE_VERSION} is driven"
        return Finding(name, State.PROBLEM, found, mend)
    return Finding(name, State.OK, here)


def _builds(case: Case) -> Iterator[Finding]:
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
        yield Finding(name, State.OK, f"commit {here.commit[:12]} in {here.folder.parent}")


def _platform(case: Case) -> Finding:
    """The sum of it."""
    if case.chosen is None and case.wanted is Platform.EXECUTABLE:
        return finding(_NAME, State.PROBLEM, case.facts.executable or case.why)
    if case.chosen is None:
        found = f"cannot run here: {case.wanted.value} does not work"
        mend = "Mend what is marked above, and ask again."
        if case.settings.platform is Platform.AUTO:
            found = f"cannot run here: no platform works; nearest is {case.wanted.value}"
        return Finding(_NAME, State.PROBLEM, found, mend)
    how = "asked for" if case.settings.platform is case.chosen else "found to work"
    found = f"{case.chosen.value}, {how}: {choosing.renders(case.chosen, case.facts)}"
    return Finding(_NAME, State.OK, found)
