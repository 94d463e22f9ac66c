"""What a run came to: its failed agents, in words and for ``--json``, and the exit status."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.report_design import goals_of
from env_service.domain.failure import AgentLossClass, EpisodePosition, FailureClass, LostAgent
from env_service.domain.text import counted, safe
from env_service.gateway.agent_supervisor import MISUSED
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.results.frame_packer import pack_all
from env_service.results.manifest import mixture
from env_service.results.run_layout import LOGS
from env_service.results.run_notes import read_agent_failures
from env_service.results.summary import Summary
from env_service.results.summary_text import summary_text


def conclude(run: Run, *, interrupted: bool, as_json: bool) -> int:
    """Prints what a run came to, and why it stopped; returns the command's exit status.

    Raises Failure where the service could not even write the summary.
    """
    summary, folder = run.summary, run.context.folder
    if summary is None:
        _say_why(run)
        raise Failure(
            f"{folder.path}: the summary could not be written; logs/service.log says why."
            " Finished episodes stand: mend it, and the same command goes on."
        )
    if not interrupted:
        pack_rest(folder.frames)
    problems = RunProblems.of(run, summary)
    status = exit_status(run, problems, interrupted=interrupted)
    if as_json:
        document: dict[str, Any] = {
            "event": "done",
            "run_id": run.run_id,
            "state": run.state.name.lower(),
            "exit_code": status,
            "folder": str(folder.path),
            "summary": summary.to_json(),
            "mixture": list(mixture(folder.manifest)),
        }
        if problems:
            document["problems"] = problems.to_json()
        if run.stopped:
            document["stopped"] = run.stopped
        click.echo(json.dumps(document))
    else:
        manifest = folder.manifest
        text = summary_text(summary, manifest, folder.path, goals_of(manifest))
        Console().print(text, crop=False)
        if summary.failures:
            told = f"Why each failed: houseguest show {shlex.quote(str(folder.path))} --failures"
            click.echo(safe(told), err=True)
    # Last, where it is seen: a scoreboard can fill a screen.
    _say_why(run)
    if problems and not interrupted and not as_json:
        problems.tell(with_tail=not run.stopped)
    if interrupted and not as_json:
        click.echo("Interrupted: nothing finished is lost, the same command resumes.", err=True)
    return status


def _say_why(run: Run) -> None:
    """Tells why a run stopped, if it did not end."""
    if run.stopped:
        click.echo(f"The run stopped, and can be resumed: {run.stopped}", err=True)


def pack_rest(frames: Path) -> None:
    """Packs the pictures that are still raw, with a bar on a terminal.

    Ctrl-C leaves the rest raw; the next run of the same command goes on with them.
    """
    console = Console(stderr=True)
    columns = (TextColumn("packing pictures"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None, visible=False)

        def moved(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=True)

        pack_all(frames, moved)


def exit_status(run: Run, problems: RunProblems, *, interrupted: bool) -> int:
    """0: every episode has a score and no agent failed; 1: some are unscored or not played, or
    an agent crashed, timed out, broke the protocol or withdrew; 130: interrupted."""
    if interrupted:
        return INTERRUPTED
    return PROBLEM if problems or run.state is not RunState.SUCCEEDED else 0


# --- What went wrong with the agents of a run, in words and for ``--json``

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

_HARMLESS = (AgentLossClass.AGENT_LOST,)
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

    def tell(self, *, with_tail: bool) -> None:
        """Prints the last lines of the agent's log, where ``with_tail`` says so, and then one
        line that says what went wrong and where to look."""
        lost = self._last_lost()
        tail = safe_lines(str(lost.get("log_tail") or "")) if lost else ""
        if with_tail and tail:
            quoted = "\n".join(f"  | {line}" for line in tail.splitlines())
            click.echo(f"The agent's last lines:\n{quoted}", err=True)
        shown = f"houseguest show {shlex.quote(str(self.folder))} --guests"
        words = f"{'; '.join(self._parts())}. Look at `{shown}` and at {self._log(lost)}."
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
            lost = list(read_agent_failures(self.folder / LOGS))
        except OSError:
            return {}
        failed = [each for each in lost if each["failure"] != AgentLossClass.AGENT_LOST.value]
        return (failed or lost or [{}])[-1]

    def _log(self, lost: Mapping[str, Any]) -> Path:
        """The log of that process where it can be told, else the folder of all logs."""
        logs = self.folder / LOGS
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


# --- How agents were lost whose sessions were given up, in words

_MEANING = {
    AgentLossClass.IMAGE_MISSING: "has no image",
    AgentLossClass.START_FAILED: "did not start",
    AgentLossClass.PROTOCOL_ERROR: "broke the protocol",
    AgentLossClass.AGENT_CRASH: "crashed",
    AgentLossClass.AGENT_OOM: "ran out of memory",
    AgentLossClass.AGENT_TIMEOUT: "ran out of time",
    AgentLossClass.AGENT_LOST: "left",
}


def started_wrongly(run: Run, lost: Sequence[LostAgent]) -> str:
    """What the agents of a run that was never played say of how they were started; empty where
    that is not why the run cannot go on."""
    folder = run.context.folder
    if folder.finished() or folder.voids() or folder.uncounted():
        return ""
    if any(each.exit_code != MISUSED for each in lost):
        return ""
    last = safe_lines(lost[0].log_tail) or "(no output)"
    return f"the agent was started with wrong arguments (exit code {MISUSED}):\n{last}"


def tell_lost(lost: Sequence[LostAgent]) -> str:
    """Shows on standard error how agents were lost, those that were lost alike together;
    returns a sentence that says it."""
    sentences = []
    for each in _merged(lost):
        told = _sentence(each)
        click.echo(f"{told}. Its last lines:\n{safe_lines(each.log_tail) or '(none)'}", err=True)
        last = safe(each.log_tail.strip().rpartition("\n")[2])
        sentences.append(f"{told}: {last}" if last else told)
    return "; ".join(sentences)


def safe_lines(text: str) -> str:
    """An agent's own words, fit for a terminal."""
    return "\n".join(map(safe, text.splitlines()))


def _merged(lost: Iterable[LostAgent]) -> list[LostAgent]:
    """One for those that were lost alike; where they were is told of one alone."""
    alike: dict[LostAgent, list[LostAgent]] = {}
    for each in lost:
        alike.setdefault(replace(each, sessions=(), position=None), []).append(each)
    return [
        group[0]
        if len(group) == 1
        else replace(
            kind, sessions=tuple(sorted(number for each in group for number in each.sessions))
        )
        for kind, group in alike.items()
    ]


def _sentence(lost: LostAgent) -> str:
    who = f"session{'' if len(lost.sessions) == 1 else 's'} {', '.join(map(str, lost.sessions))}"
    parts = [f"{lost.failure.value}: the agent of {who} {_MEANING[lost.failure]}"]
    if lost.problem:
        parts.append(f"({safe(lost.problem)})")
    if lost.exit_code is not None:
        parts.append(_ending(lost.exit_code))
    if lost.times > 1:
        parts.append(f"{lost.times} times in a row, before an episode")
    if lost.offence is not None:
        offence = lost.offence
        at = _at(offence.position)
        parts.append(f"first refused{at} as {offence.reason} ({safe(offence.message)})")
    elif lost.position is not None:
        parts.append(f"last seen{_at(lost.position)}")
    return ", ".join(parts).replace(", (", " (")


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


def _at(position: EpisodePosition | None) -> str:
    if position is None:
        return " outside of an episode"
    return f" at step {position.step} of {safe(position.task_id)} ({position.episode_id})"
