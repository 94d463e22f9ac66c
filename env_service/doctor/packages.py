"""Checks of Python, the packages that Houseguest declares, and the service's modules."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from PIL import features

from env_service.datasets.errors import DataPackError, DataPackMissingError
from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.doctor.registry import plugin_checks
from env_service.plugins import Group, PluginError, installed
from env_service.sandbox.agent_manifest import read_manifest
from env_service.sandbox.agents import agent_folders
from env_service.sandbox.errors import AgentSpecError
from env_service.suites.base import Suite
from env_service.suites.registry import load_suite, suite_names

OURS = "houseguest"
FOR_DEVELOPERS = ("dev", "bench")

_INSTALL = f"{shlex.quote(sys.executable)} -m pip install"


def python(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks Python's version and the platform."""
    del subject
    here = platform.python_version()
    try:
        wanted = SpecifierSet(metadata(OURS)["Requires-Python"] or "")
    except PackageNotFoundError:
        wanted = SpecifierSet()
    if here in wanted:
        yield Diagnosis("python", DiagnosisState.OK, f"{here} in {sys.prefix}")
    else:
        mend = "Create an environment with another Python, and install Houseguest there."
        found = f"{here}, but Houseguest needs {wanted}"
        yield Diagnosis("python", DiagnosisState.PROBLEM, found, mend)
    if sys.platform != "linux":
        yield Diagnosis(
            "platform",
            DiagnosisState.WARNING,
            f"{platform.system()}: the service is tested on Linux only",
            "Use Linux or a Linux container for results that you publish.",
        )


def required(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the packages that every installation needs."""
    del subject
    try:
        listed = _requirements(OURS)
    except PackageNotFoundError:
        mend = f"Run this in the checkout: {_INSTALL} -e ."
        yield Diagnosis("packages", DiagnosisState.PROBLEM, f"{OURS} is not installed", mend)
        return
    wrong = [(each, said) for each in listed if (said := _what_is_wrong(each))]
    for requirement, said in wrong:
        mend = f"{_INSTALL} {shlex.quote(_plain(requirement))}"
        yield Diagnosis(f"package {requirement.name}", DiagnosisState.PROBLEM, said, mend)
    if not wrong:
        here = f"{OURS} {version(OURS)} and all {len(listed)} packages that it needs"
        yield Diagnosis("packages", DiagnosisState.OK, here)


def extras(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the optional groups of packages."""
    del subject
    try:
        names = metadata(OURS).get_all("Provides-Extra") or []
        always = _requirements(OURS)
    except PackageNotFoundError:
        return
    purposes = _purposes()
    for name in names:
        if name in FOR_DEVELOPERS:
            continue
        listed = [each for each in _requirements(OURS, {name}) if each not in always]
        wrong = [said for each in listed if (said := _what_is_wrong(each))]
        gives = purposes.get(name) or ", ".join(each.name for each in listed)
        if wrong:
            mend = f"To use {gives}: {_INSTALL} {shlex.quote(f'{OURS}[{name}]')}"
            yield Diagnosis(f"extra {name}", DiagnosisState.NOTE, "; ".join(wrong), mend)
        else:
            yield Diagnosis(f"extra {name}", DiagnosisState.OK, f"installed: {gives}")


def _purposes() -> dict[str, str]:
    """What each extra is for, by the extra's name.

    The text comes from the agent that needs the extra, or from a plug-in's check. An extra with
    neither is not in the result.
    """
    described: dict[str, str] = {}
    for folder in agent_folders().values():
        with suppress(AgentSpecError, OSError):
            agent = read_manifest(folder)
            if agent.requires.extra:
                about = agent.description.rstrip(".")
                described[agent.requires.extra] = f"the agent {agent.name}: {about}"
    for check in plugin_checks():
        described.update(check.extras)
    return described


def _requirements(distribution: str, extras: Iterable[str] = ()) -> list[Requirement]:
    """The requirements of a distribution in this environment, with the given extras.

    If a requirement names extras of another distribution, the requirements of those extras are
    included. Raises PackageNotFoundError.
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
    """What is wrong with a requirement, in a few words; empty if it is met."""
    try:
        here = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if requirement.specifier.contains(here, prereleases=True):
        return ""
    return f"{requirement.name} is {here}, but {requirement.specifier} is needed"


def _plain(requirement: Requirement) -> str:
    """The requirement in the form that pip takes, without its marker."""
    wanted = ",".join(sorted(requirement.extras))
    return f"{requirement.name}{f'[{wanted}]' if wanted else ''}{requirement.specifier}"


# --- Whether the service's modules, the plug-ins and the suites load

PARTS = (
    "env_service.gateway.grpc_server",
    "env_service.engine.worker",
    "env_service.results.verification",
    "env_service.wire.images",
)
"""Together they import every compiled package that a run needs."""


def service(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks that every module that a run needs can be imported, compiled ones included."""
    del subject
    for part in PARTS:
        try:
            import_module(part)
        except (ImportError, OSError) as error:
            mend = "Reinstall Houseguest or the package that the message names."
            yield Diagnosis(
                "service", DiagnosisState.PROBLEM, f"{part} does not load: {error}", mend
            )
            return
    if not features.check("webp"):
        mend = "Install Pillow from a wheel, or build it with libwebp."
        yield Diagnosis("service", DiagnosisState.PROBLEM, "Pillow was built without WebP", mend)
        return
    yield Diagnosis("service", DiagnosisState.OK, "gateway, workers and verification load")


def plugins(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Reports plug-ins that cannot be loaded. The check ``suites`` covers suites."""
    del subject
    mend = "Reinstall the distribution that the message names, or uninstall it."
    for group in Group:
        if group is Group.SUITES:
            continue
        for plugin in installed(group).values():
            try:
                plugin.load()
            except PluginError as error:
                name = f"{group.noun} {plugin.name}"
                yield Diagnosis(name, DiagnosisState.PROBLEM, str(error), mend)


def suites(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks that each suite loads."""
    del subject
    for name in suite_names():
        try:
            suite = load_suite(name)
            counts = [len(each.tasks) for each in suite.task_sets().values()]
        except DataPackMissingError as error:
            mend = (
                f"To play these tasks: houseguest data fetch {error.pack}; to import your own copy"
                f" instead: houseguest data import {error.pack} FOLDER"
            )
            lacks = f"some tasks need files of the data pack {error.pack}, which are missing"
            if free := _without_data(suite):
                lacks += f"; --task-set {' or '.join(free)} needs no data pack"
            yield Diagnosis(f"suite {name}", DiagnosisState.NOTE, lacks, mend)
        except (ValueError, OSError, DataPackError) as error:
            mend = "Correct what the message names, or reinstall Houseguest."
            yield Diagnosis(f"suite {name}", DiagnosisState.PROBLEM, str(error), mend)
        else:
            yield Diagnosis(f"suite {name}", DiagnosisState.OK, f"{sum(counts):,} tasks")


def _without_data(suite: Suite) -> list[str]:
    """The task sets of a suite that at least one world can play without a data pack."""
    return [
        name
        for name in suite.task_sets()
        if any(not suite.data(name, world) for world in suite.worlds_of(name))
    ]
