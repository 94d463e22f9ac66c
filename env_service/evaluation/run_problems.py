"""The problems of a run that has ended, as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from env_service.domain.failure import AgentLossClass, FailureClass, LostAgent
from env_service.domain.text import counted, safe
from env_service.evaluation.lost_agents import safe_lines
from env_service.gateway.run import Run
from env_service.results.run_layout import LOGS, SERVICE_LOG
from env_service.results.run_notes import read_agent_failures
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
"""Failures of the agent's process, not of its decisions."""

_HARMLESS = (AgentLossClass.AGENT_LOST,)
"""A process that exits with status 0 between two episodes may do so on purpose."""


def broken_episodes(failures: Mapping[str, int]) -> dict[str, int]:
    """Numbers of episodes in which the agent's process failed, by class.

    ``failures`` are the numbers of all episodes that did not succeed, by class.
    """
    return {name: failures[name] for name in _BROKEN_EPISODES if failures.get(name)}


@dataclass(frozen=True, slots=True)
class RunProblems:
    """The problems of a run; false if there are none.

    ``episodes`` counts scored episodes in which the agent's process failed, by class, out of
    ``scored``. ``processes`` counts processes that failed during this command, by class, and
    ``withdrawals`` the sessions that withdrew during it. ``unscored`` and ``unplayed`` count
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
        """The problems of a run that has ended."""
        return RunProblems(
            folder=run.context.folder.path,
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

    def show(self, *, with_tail: bool) -> None:
        """Prints one line with the problems and where to find details.

        ``with_tail`` prints the last lines of the agent's log before it.
        """
        lost = self._last_lost()
        tail = safe_lines(str(lost.get("log_tail") or "")) if lost else ""
        if with_tail and tail:
            quoted = "\n".join(f"  | {line}" for line in tail.splitlines())
            click.echo(f"The agent's last output:\n{quoted}", err=True)
        option = "--failures" if self._service_alone() else "--guests"
        show = f"houseguest show {shlex.quote(str(self.folder))} {option}"
        click.echo(safe(f"{self.words()}. For details: {show}; log: {self._log(lost)}"), err=True)

    def words(self) -> str:
        """The problems as one sentence without its full stop."""
        words = "; ".join(self._parts())
        return words[0].upper() + words[1:]

    def _service_alone(self) -> bool:
        """Whether the service lost episodes, and no agent failed or withdrew."""
        return bool(self.unscored) and not (self.episodes or self.processes or self.withdrawals)

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
        """The last process that failed, from the run's folder; empty if there is none."""
        try:
            lost = list(read_agent_failures(self.folder / LOGS))
        except OSError:
            return {}
        failed = [each for each in lost if each["failure"] != AgentLossClass.AGENT_LOST.value]
        return (failed or lost or [{}])[-1]

    def _log(self, lost: Mapping[str, Any]) -> Path:
        """The log of that process if it is known, else the folder of all logs; the service's log
        where only the service failed."""
        logs = self.folder / LOGS
        if self._service_alone() and (service := logs / SERVICE_LOG).is_file():
            return service
        numbers = lost.get("seats")
        named = logs / f"guest-{numbers[0]}.log" if isinstance(numbers, list) and numbers else logs
        if named.is_file():
            return named
        return min(logs.glob("guest-*.log"), default=logs)


def _failed(lost: list[LostAgent]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in lost:
        if each.failure not in _HARMLESS or each.exit_code:
            counts[each.failure.value] = counts.get(each.failure.value, 0) + 1
    return counts


def _episodes(count: int) -> str:
    return f"{count} episode{'' if count == 1 else 's'}"


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
