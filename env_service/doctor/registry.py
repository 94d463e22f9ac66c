"""The checks there are, and how they are run: each guarded, each with a time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from env_service.doctor.finding import Finding, State, Subject

Look = Callable[[Subject], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check by the path of its function, ``module:function``, which is a ``Look``.

    It is imported when it is run: one whose imports fail is a finding like any other.
    ``seconds`` is how long it may take.
    """

    name: str
    path: str
    seconds: float = 60.0


_HERE = "env_service.doctor"
_REPORT = "If nothing else here explains it, it is a fault of Houseguest's: please report it."
_HANGS = "See whether a disk or a network that it needs is stuck."

CHECKS = (
    # What the user asks about is answered first: the rest takes a while.
    Check("agent", f"{_HERE}.agents:asked_for", seconds=180.0),
    Check("python", f"{_HERE}.packages:python"),
    Check("packages", f"{_HERE}.packages:required"),
    Check("extras", f"{_HERE}.packages:extras"),
    Check("service", f"{_HERE}.service:service"),
    Check("suites", f"{_HERE}.service:suites"),
    Check("disk", f"{_HERE}.disk:disk"),
    Check("signing key", f"{_HERE}.keys:signing_key"),
    Check("sockets", f"{_HERE}.sockets:sockets"),
    Check("memory", f"{_HERE}.memory:memory"),
    Check("data packs", f"{_HERE}.data:data_packs", seconds=120.0),
    Check("ai2thor", f"{_HERE}.thor:machine", seconds=120.0),
    Check("docker", f"{_HERE}.thor_docker:docker", seconds=60.0),
    Check("ai2thor start", f"{_HERE}.thor_start:start", seconds=900.0),
    Check("agents", f"{_HERE}.agents:bundled"),
)
"""In the order in which a person would look. Add a line here to add a check."""


def examine(
    subject: Subject,
    checks: Sequence[Check] = CHECKS,
    on_start: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """What every check finds, as soon as it has ended.

    A check that raises, or does not end in time, is a problem, and the others go on.
    ``on_start`` is called with the name of each.
    """
    for check in checks:
        on_start(check.name)
        yield from _guarded(check, subject)


def _guarded(check: Check, subject: Subject) -> list[Finding]:
    findings: list[Finding] = []

    def look() -> None:
        try:
            module, _, function = check.path.partition(":")
            findings.extend(getattr(import_module(module), function)(subject))
        except Exception as error:  # noqa: BLE001 - whatever is wrong, it is what we look for
            what = f"the check broke: {type(error).__name__}: {error}"
            findings.append(Finding(check.name, State.PROBLEM, what, _REPORT))

    # A daemon: one that hangs, on a dead network disk say, must not keep the doctor.
    thread = threading.Thread(target=look, name=check.name, daemon=True)
    thread.start()
    thread.join(check.seconds)
    if thread.is_alive():
        what = f"no answer within {check.seconds:g} s"
        return [*findings, Finding(check.name, State.PROBLEM, what, _HANGS)]
    return findings
