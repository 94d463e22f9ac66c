"""Terminal output for checks, runs and scores of submissions."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from env_service.domain.text import counted, safe
from env_service.evaluation.lost_agents import safe_lines
from env_service.evaluation.run_evaluation import Reporter
from env_service.evaluation.run_problems import broken_episodes
from env_service.evaluation.run_progress import reporter
from env_service.gateway.run_state import Counts, RunEvent
from env_service.results.report.designs import goals_in
from env_service.results.summary_text import percent
from env_service.submissions.check_report import CheckReport, CheckStage, StageVerdict
from env_service.submissions.score_file import ALL_PLANNED, GAINED, MET, PLAYED
from env_service.submissions.scoring import Scored
from env_service.submissions.submission_check import CheckProgress
from env_service.suites.reporting import GAINED_BRIEF, GOALS_GAINED

_MARKS = {StageVerdict.PASSED: "pass", StageVerdict.FAILED: "FAIL", StageVerdict.SKIPPED: "skip"}


class RunReporter:
    """Shows the progress of successive runs. A context manager."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._reporter: Reporter | None = None

    def __enter__(self) -> RunReporter:
        return self

    def __exit__(self, *_: object) -> None:
        self.over()

    def watch(self, counts: Counts, events: Sequence[RunEvent]) -> None:
        """Shows the progress of the current run."""
        if self._reporter is None:
            self._reporter = reporter(Console(stderr=True), counts, quiet=self._quiet)
            self._reporter.__enter__()
        self._reporter.update(counts, list(events))

    def over(self) -> None:
        """Ends the display of the current run; another one may begin."""
        if self._reporter is not None:
            self._reporter.__exit__(None, None, None)
            self._reporter = None


class CheckReporter(RunReporter):
    """Shows the stages of a check as they end, and the progress of its runs."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self.progress = CheckProgress(begins=self._begins, ends=self._ends, plays=self.watch)

    def __enter__(self) -> CheckReporter:
        return self

    def conclude(self, report: CheckReport, kept: Path | None) -> None:
        """Prints the verdict on standard output."""
        for line in verdict_lines(report):
            click.echo(line)
        if kept is not None:
            click.echo(f"Runs and logs: {kept}")

    def _begins(self, name: str) -> None:
        if not self._quiet and name.startswith(("play", "conformance")):
            click.echo(safe(f"…     {name}"), err=True)

    def _ends(self, stage: CheckStage) -> None:
        self.over()
        if not self._quiet:
            for line in stage_lines(stage):
                click.echo(line)


def stage_lines(stage: CheckStage) -> list[str]:
    """The lines for a stage: its verdict, then why it failed, and its notes."""
    took = "" if stage.verdict is StageVerdict.SKIPPED else f"  ({stage.seconds:.1f} s)"
    failure = f": {stage.failure.value}" if stage.failure is not None else ""
    lines = [safe(f"{_MARKS[stage.verdict]}  {stage.name}{failure}{_facts(stage)}{took}")]
    lines += [f"      {line}" for line in safe_lines(stage.problem).splitlines()]
    if stage.offending is not None:
        step, task = stage.offending.get("step"), stage.offending.get("task_id")
        lines.append(safe(f"      at step {step} of {task}"))
    if stage.log_tail:
        lines.append("      the agent's last output:")
        lines += [f"      | {line}" for line in safe_lines(stage.log_tail).splitlines()]
    lines += [f"      note: {safe(note)}" for note in stage.notes]
    return lines


def verdict_lines(report: CheckReport) -> list[str]:
    """The line with a check's verdict."""
    if report.passed:
        manifest = report.manifest
        name = f"{manifest.name} {manifest.version}" if manifest else report.reference
        return [safe(f"{name} can be submitted. Its digest is {report.digest}.")]
    failed = report.failed
    failure = failed.failure.value if failed and failed.failure else "not checked"
    what = "could not be checked" if failure == "service_fault" else "cannot be submitted"
    return [safe(f"{report.reference} {what}: {failure}.")]


def score_lines(scored: Scored) -> list[str]:
    """The lines for a score: the rates of each task set, then the file and agent failures."""
    lines = []
    for result in scored.body["results"]:
        name = f"{result['suite']}/{result['task_set']}"
        lines += rate_lines(name, result["rates"])
        lines += goal_lines(result["rates"], result)
        failures = ", ".join(f"{n} {name}" for name, n in result["failures"].items())
        lines += [f"  did not succeed because of: {failures}"] if failures else []
        lines += [f"  a mixture: {why}" for why in result["mixture"]]
        if result["not_scored"]:
            lines.append(
                f"  without a score: {counted(len(result['not_scored']), 'planned episode')}"
            )
    if len(scored.body["results"]) > 1:
        lines += rate_lines("overall", scored.body["overall"])
        lines += goal_lines(scored.body["overall"], *scored.body["results"])
    lines += [f"note: {note}" for note in scored.body["sandbox"]["notes"]]
    if scored.failure is not None:
        lines.append(f"Not every episode has a score: {scored.failure.value}")
        lines += [f"  {each.stopped}" for each in scored.played if each.stopped]
    return [*map(safe, lines), str(scored.path), *map(safe, _failed_lines(scored))]


def agent_failures(scored: Scored) -> dict[str, int]:
    """Numbers of episodes in which the agent's process failed, over all runs, by class."""
    counts: Counter[str] = Counter()
    for result in scored.body["results"]:
        counts.update(broken_episodes(result["failures"]))
    return dict(counts)


def _failed_lines(scored: Scored) -> list[str]:
    """A line with the agent's failures and a run that shows them; empty if there are none."""
    failed = agent_failures(scored)
    if not failed:
        return []
    run = next(each for each in scored.played if broken_episodes(each.summary.failures))
    named = ", ".join(f"{name} {count}" for name, count in failed.items())
    show = f"houseguest show {shlex.quote(str(run.folder))} --guests"
    episodes = counted(sum(failed.values()), "episode")
    return [f"The agent failed in {episodes} ({named}). For details: {show}"]


def rate_lines(name: str, rates: Mapping[str, Any]) -> list[str]:
    """The reported rate and, if it differs, the rate over played episodes."""
    strict, played = rates[ALL_PLANNED], rates[PLAYED]
    lines = [f"{name}: {rate_text(strict)} of all planned episodes"]
    if played["n"] != strict["n"]:
        lines.append(f"  over played episodes: {rate_text(played)}")
    return lines


def goal_lines(rates: Mapping[str, Any], *results: Mapping[str, Any]) -> list[str]:
    """Goal conditions gained over all planned episodes, then the goal figure of the papers of the
    ``results``; empty if the start of an episode was not recorded."""
    strict = rates[ALL_PLANNED]
    if GAINED not in strict:
        return []
    goals = goals_in(*((each["suite"], each["world"], each["task_set"]) for each in results))
    figures = (
        (GOALS_GAINED.heading, strict[GAINED], GAINED_BRIEF),
        (goals.name, strict[MET], goals.brief),
    )
    return [f"  {name}: {percent(share)}, {words}" for name, share, words in figures]


def rate_text(rate: Mapping[str, Any]) -> str:
    """A rate with its 95 % interval, such as ``41.7 % (19.3 to 68.0), 5 of 12``."""
    if not rate["n"]:
        return "–, 0 of 0"
    low, high = rate["interval_95"]
    share = f"{100 * rate['success_rate']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{share}, {rate['successes']} of {rate['n']}"


def _facts(stage: CheckStage) -> str:
    facts: dict[str, Any] = dict(stage.facts)
    if stage.verdict is not StageVerdict.PASSED:
        return ""
    if stage.name.startswith("play"):
        return f": {facts['successes']} of {counted(facts['planned'], 'episode')} succeeded"
    if stage.name == "verification":
        return f": {counted(facts['episodes'], 'episode')}, {facts['replayed']} replayed"
    if stage.name == "conformance":
        return f": {counted(facts['passed'], 'rule')} kept"
    return f": {facts['name']} {facts['version']}" if stage.name == "manifest" else ""
