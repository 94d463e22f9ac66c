"""Python, and the packages that the installed houseguest declares."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from env_service.doctor.finding import Finding, State, Subject

OURS = "houseguest"
EXTRAS = {
    "vlm": "the agent vlm: models behind an OpenAI-compatible endpoint",
    "local": "the agent local: models that run on this machine",
    "ai2thor": "AI2-THOR's own Python package, and the household world as its player",
    "fast": "the household world's renderer, compiled",
    "gl": "the household world drawn by a graphics card",
}
"""What an extra gives a user. One that is not listed is described by its packages."""
FOR_DEVELOPERS = ("dev", "bench")

_INSTALL = f"{shlex.quote(sys.executable)} -m pip install"


def python(subject: Subject) -> Iterator[Finding]:
    """Python's version, and the platform."""
    del subject
    here = platform.python_version()
    try:
        wanted = SpecifierSet(metadata(OURS)["Requires-Python"] or "")
    except PackageNotFoundError:
        wanted = SpecifierSet()
    if here in wanted:
        yield Finding("python", State.OK, f"{here} in {sys.prefix}")
    else:
        mend = "Make an environment with another Python, and install Houseguest there."
        yield Finding("python", State.PROBLEM, f"{here}, which is not {wanted}", mend)
    if sys.platform != "linux":
        yield Finding(
            "platform",
            State.WARNING,
            f"{platform.system()}: a house is tested on Linux alone",
            "Use Linux, or a Linux container, for runs that count.",
        )


def required(subject: Subject) -> Iterator[Finding]:
    """The packages that every part needs."""
    del subject
    try:
        listed = _requirements(OURS)
    except PackageNotFoundError:
        mend = f"In the checkout: {_INSTALL} -e ."
        yield Finding("packages", State.PROBLEM, f"{OURS} is not installed", mend)
        return
    wrong = [(each, said) for each in listed if (said := _what_is_wrong(each))]
    for requirement, said in wrong:
        mend = f"{_INSTALL} {shlex.quote(_plain(requirement))}"
        yield Finding(f"package {requirement.name}", State.PROBLEM, said, mend)
    if not wrong:
        here = f"{OURS} {version(OURS)} and the {len(listed)} packages that it needs"
        yield Finding("packages", State.OK, here)


def extras(subject: Subject) -> Iterator[Finding]:
    """The optional groups of packages."""
    del subject
    try:
        names = metadata(OURS).get_all("Provides-Extra") or []
        always = _requirements(OURS)
    except PackageNotFoundError:
        return
    for name in names:
        if name in FOR_DEVELOPERS:
            continue
        listed = [each for each in _requirements(OURS, {name}) if each not in always]
        wrong = [said for each in listed if (said := _what_is_wrong(each))]
        gives = EXTRAS.get(name) or ", ".join(each.name for each in listed)
        if wrong:
            mend = f"For {gives}: {_INSTALL} {shlex.quote(f'{OURS}[{name}]')}"
            yield Finding(f"extra {name}", State.NOTE, "; ".join(wrong), mend)
        else:
            yield Finding(f"extra {name}", State.OK, f"installed: {gives}")


def _requirements(distribution: str, extras: Iterable[str] = ()) -> list[Requirement]:
    """What a distribution needs in this environment, with these extras of its own.

    Where it needs an extra of another one, what that brings comes along. Raises
    PackageNotFoundError.
    """
    chosen = ("", *extras)
    listed = []
    for requirement in map(Requirement, requires(distribution) or []):
        marker = requirement.marker
        if marker is not None and not any(marker.evaluate({"extra": name}) for name in chosen):
            continue
        listed.append(requirement)
        if requirement.extras:
            with suppress(PackageNotFoundError):
                listed += _requirements(requirement.name, requirement.extras)
    return listed


def _what_is_wrong(requirement: Requirement) -> str:
    """In a few words; empty for nothing."""
    try:
        here = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if requirement.specifier.contains(here, prereleases=True):
        return ""
    return f"{requirement.name} is {here}, and has to be {requirement.specifier}"


def _plain(requirement: Requirement) -> str:
    """The requirement as pip takes it, without its marker."""
    wanted = ",".join(sorted(requirement.extras))
    return f"{requirement.name}{f'[{wanted}]' if wanted else ''}{requirement.specifier}"
