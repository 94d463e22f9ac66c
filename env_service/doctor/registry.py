"""The doctor's checks and their runner. A check that fails or hangs does not stop the others.

The core defines its checks here. Worlds, suites and other plug-ins register theirs as entry points
of ``houseguest.doctor_checks``.
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
    """A check, named by the path of its function.

    ``path`` has the form ``module:function`` and leads to a ``CheckFunction``. The module is
    imported when the check runs, so a failed import becomes a finding. ``seconds`` is the time
    limit. ``world`` is the simulator that the check covers, for the option ``--world``; "" means
    none. ``extras`` describes what each optional group of Houseguest's packages is for, by group.
    """

    name: str
    path: str
    seconds: float = 60.0
    world: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)


_HERE = "env_service.doctor"
_REPORT = "If no other finding explains it, please report it as a bug in Houseguest."
_HANGS = "Check whether a disk or a network that it needs is unresponsive."

_FIRST = (
    # The agent that the user names comes first: the other checks take a while.
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
"""The core's checks, in the order in which a person would look. They run before those of
plug-ins."""
_LAST = (DoctorCheck("agents", f"{_HERE}.agents:installed_agents"),)


def all_checks() -> tuple[DoctorCheck, ...]:
    """All checks in the order in which they run. Those of plug-ins run in the order of their entry
    points' names, before the core's last check."""
    return (*_FIRST, *plugin_checks(), *_LAST)


@cache
def plugin_checks() -> tuple[DoctorCheck, ...]:
    """The checks of plug-ins, without those that cannot be loaded: the core's check "plug-ins"
    reports these."""
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
    """Runs the checks and yields the findings of each as soon as it has ended.

    A check that raises or exceeds its time limit yields a problem; the other checks still run.
    ``on_start`` is called with the name of each check.
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
        except Exception as error:  # noqa: BLE001 - any error is a finding
            what = f"the check failed: {type(error).__name__}: {error}"
            findings.append(Diagnosis(check.name, DiagnosisState.PROBLEM, what, _REPORT))

    # A daemon thread: a check that hangs, for example on a dead network disk, must not block the
    # doctor.
    thread = threading.Thread(target=look, name=check.name, daemon=True)
    thread.start()
    thread.join(check.seconds)
    if thread.is_alive():
        what = f"did not finish within {check.seconds:g} s"
        return [*findings, Diagnosis(check.name, DiagnosisState.PROBLEM, what, _HANGS)]
    return findings
