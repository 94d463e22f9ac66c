"""The doctor's checks, and their runner: a check that fails or hangs stops no other.

The core has its own; those of worlds, suites and others are entry points of
``houseguest.doctor_checks``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.plugins import Group, PluginError, installed

CheckFunction = Callable[[DoctorRequest], Iterable[Diagnosis]]


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check by the path of its function, ``module:function``, which is a ``CheckFunction``.

    It is imported when it is run: one whose imports fail is a finding like any other.
    ``seconds`` is how long it may take. ``world`` is a simulator that ``--world`` can ask the check
    about, "" for none. ``extras`` says of optional groups of Houseguest's packages what they give
    a user, by group.
    """

    name: str
    path: str
    seconds: float = 60.0
    world: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)


_HERE = "env_service.doctor"
_REPORT = "If nothing else here explains it, it is a fault of Houseguest's: please report it."
_HANGS = "See whether a disk or a network that it needs is stuck."

_FIRST = (
    # What the user asks about is answered first: the rest takes a while.
    DoctorCheck("agent", f"{_HERE}.agents:asked_for", seconds=180.0),
    DoctorCheck("python", f"{_HERE}.packages:python"),
    DoctorCheck("packages", f"{_HERE}.packages:required"),
    DoctorCheck("extras", f"{_HERE}.packages:extras"),
    DoctorCheck("service", f"{_HERE}.packages:service"),
    DoctorCheck("plug-ins", f"{_HERE}.packages:plugins"),
    DoctorCheck("suites", f"{_HERE}.packages:suites"),
    DoctorCheck("disk", f"{_HERE}.host:disk"),
    DoctorCheck("signing key", f"{_HERE}.host:signing_key"),
    DoctorCheck("sockets", f"{_HERE}.host:sockets"),
    DoctorCheck("memory", f"{_HERE}.host:memory"),
    DoctorCheck("data packs", f"{_HERE}.data:data_packs", seconds=120.0),
)
"""The core's own, in the order in which a person would look: before those of plug-ins."""
_LAST = (DoctorCheck("agents", f"{_HERE}.agents:installed_agents"),)


def all_checks() -> tuple[DoctorCheck, ...]:
    """The core's checks, with those of plug-ins before the last one, in the order of their entry
    points' names."""
    return (*_FIRST, *plugin_checks(), *_LAST)


@cache
def plugin_checks() -> tuple[DoctorCheck, ...]:
    """The checks of plug-ins. It leaves out those that cannot be loaded, which the core's check
    "plug-ins" reports."""
    found = []
    for plugin in installed(Group.DOCTOR_CHECKS).values():
        with suppress(PluginError):
            found.append(plugin.load())
    return tuple(found)


def examine(
    subject: DoctorRequest,
    checks: Iterable[DoctorCheck],
    on_start: Callable[[str], None] = lambda _: None,
) -> Iterator[Diagnosis]:
    """The findings of every check, as soon as it has ended.

    A check that raises, or does not end in time, is a problem, and the others go on.
    ``on_start`` is called with the name of each.
    """
    for check in checks:
        on_start(check.name)
        yield from _guarded(check, subject)


def _guarded(check: DoctorCheck, subject: DoctorRequest) -> list[Diagnosis]:
    findings: list[Diagnosis] = []

    def look() -> None:
        try:
            module, _, function = check.path.partition(":")
            findings.extend(getattr(import_module(module), function)(subject))
        except Exception as error:  # noqa: BLE001 - whatever is wrong, it is what we look for
            what = f"the check broke: {type(error).__name__}: {error}"
            findings.append(Diagnosis(check.name, DiagnosisState.PROBLEM, what, _REPORT))

    # A daemon: a check that hangs, on a dead network disk say, must not block the doctor.
    thread = threading.Thread(target=look, name=check.name, daemon=True)
    thread.start()
    thread.join(check.seconds)
    if thread.is_alive():
        what = f"no answer within {check.seconds:g} s"
        return [*findings, Diagnosis(check.name, DiagnosisState.PROBLEM, what, _HANGS)]
    return findings
