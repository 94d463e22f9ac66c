"""What went wrong with the agents of a run, in words and for ``--json``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from env_service.cli.run_lost import safe_lines
from env_service.domain.english import counted
from env_service.domain.failure import FailureClass, GuestFailureClass
from env_service.domain.guest_failure import LostGuest
from env_service.domain.printable import safe
from env_service.gateway.run import Run
from env_service.results.guest_failures import read_guest_failures
from env_service.results.layout import LOGS
from env_service.results.summary import Summary

_BROKEN_EPISODES = tuple(
    each.value
    for each in (
        FailureClass.AGENT_CRASH,
        FailureClass.AGENT_OOM,
        FailureClass.AGENT_LOST,
        FailureClass.AGENT_TIMEOUT,
        FailureClass.PROTOCOL_ERROR,
    )
)
"""Failures of the agent's process, rather than of what it decided."""

_HARMLESS = (GuestFailureClass.AGENT_LOST,)
"""A process that leaves between two episodes with exit status 0 may be meant to."""


def broken_episodes(failures: Mapping[str, int]) -> dict[str, int]:
    """Of the episodes that did not succeed, those in which the agent's process failed, by class."""
    return {name: failures[name] for name in _BROKEN_EPISODES if failures.get(name)}


@dataclass(frozen=True, slots=True)
class RunProblems:
    """Why a run is not a clean one.

    ``episodes`` counts scored episodes in which the agent's process failed, by class, out of
    ``scored``. ``processes`` counts processes that failed while this command played, by class;
    ``withdrawals`` the sessions that withdrew meanwhile. ``unscored`` and ``unplayed`` count
    planned episodes.
    """

    folder: Path
    episodes: Mapping[str, int]
    scored: int
    processes: Mapping[str, int]
    withdrawals: int
    unscored: int
    unplayed: int

    @staticmethod
    def of(run: Run, summary: Summary) -> RunProblems:
        """What went wrong in a run that has ended."""
        return RunProblems(
            folder=run.table.folder.path,
            episodes=broken_episodes(summary.failures),
            scored=summary.overall.n,
            processes=_failed(run.lost),
            withdrawals=len(run.withdrawals),
            unscored=len(summary.unscored),
            unplayed=summary.unplayed,
        )

    def __bool__(self) -> bool:
        counts = (*self.episodes.values(), *self.processes.values())
        return any((*counts, self.withdrawals, self.unscored, self.unplayed))

    def to_json(self) -> dict[str, Any]:
        """All counts, for ``--json``."""
        return {
            "episodes": dict(self.episodes),
            "processes": dict(self.processes),
            "withdrawals": self.withdrawals,
            "unscored": self.unscored,
            "unplayed": self.unplayed,
            "log": str(self._log(self._last_lost())),
        }

    def tell(self, *, with_tail: bool) -> None:
        """Prints the last lines of the agent's log, where ``with_tail`` says so, and then one
        line that says what went wrong and where to look."""
        lost = self._last_lost()
        tail = safe_lines(str(lost.get("log_tail") or "")) if lost else ""
        if with_tail and tail:
            quoted = "\n".join(f"  | {line}" for line in tail.splitlines())
            click.echo(f"The agent's last lines:\n{quoted}", err=True)
        guests = f"houseguest show {shlex.quote(str(self.folder))} --guests"
        words = f"{'; '.join(self._parts())}. Look at `{guests}` and at {self._log(lost)}."
        click.echo(safe(words[0].upper() + words[1:]), err=True)

    def _parts(self) -> list[str]:
        parts = []
        if count := sum(self.episodes.values()):
            parts.append(
                f"the agent failed in {count} of {_episodes(self.scored)} ({_named(self.episodes)})"
            )
        elif self.processes:
            count = sum(self.processes.values())
            times = "once" if count == 1 else f"{count} times"
            parts.append(f"the agent's process failed {times} ({_named(self.processes)})")
        if self.withdrawals:
            parts.append(f"the agent withdrew from {counted(self.withdrawals, 'session')}")
        if self.unscored:
            parts.append(f"{_episodes(self.unscored)} without a score")
        if self.unplayed:
            parts.append(f"{_episodes(self.unplayed)} not played")
        return parts

    def _last_lost(self) -> Mapping[str, Any]:
        """The last process that failed, as the run's folder tells; empty where it tells none."""
        try:
            lost = list(read_guest_failures(self.folder / LOGS))
        except OSError:
            return {}
        failed = [each for each in lost if each["failure"] != GuestFailureClass.AGENT_LOST.value]
        return (failed or lost or [{}])[-1]

    def _log(self, lost: Mapping[str, Any]) -> Path:
        """The log of that process where it can be told, else the folder of all logs."""
        logs = self.folder / LOGS
        seats = lost.get("seats")
        named = logs / f"guest-{seats[0]}.log" if isinstance(seats, list) and seats else logs
        if named.is_file():
            return named
        return min(logs.glob("guest-*.log"), default=logs)


def _failed(lost: list[LostGuest]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in lost:
        if each.failure not in _HARMLESS or each.exit_code:
            counts[each.failure.value] = counts.get(each.failure.value, 0) + 1
    return counts


def _episodes(count: int) -> str:
    return f"{count} episode{'' if count == 1 else 's'}"


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
