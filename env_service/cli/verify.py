"""``houseguest verify``: check that runs and scores are unchanged and correct."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.cli.index import VARIABLE
from env_service.cli.run_arguments import run_arguments, run_folders
from env_service.domain.names import UnknownNameError
from env_service.domain.text import counted, safe
from env_service.results.manifest import read_manifest
from env_service.results.run_layout import INDEX_FILE
from env_service.results.run_reader import is_run
from env_service.results.summary_text import printable
from env_service.results.verification import verify
from env_service.results.verification_findings import VerificationReport
from env_service.suites.registry import SuiteLoadError

if TYPE_CHECKING:
    from env_service.submissions.score_verification import ScoreReport

SCORE = "score.json"
"""File name of a score in its folder."""

PROBLEMS = 1
"""Exit status if problems were found; click's for wrong usage is 2."""

_EXAMPLES = """\b
Examples:
  houseguest verify runs/my-run-0f3a…           all checks, with a replay
  houseguest verify runs                         every run in the folder
  houseguest verify RUN --episode ID             one episode, with its replay
  houseguest verify RUN --no-replay              signatures, hashes and sums only
  houseguest verify RUN --key 3b6a27bc…          signed by this key
  houseguest verify RUN --json | jq .problems
  houseguest verify scores/my-agent…/score.json  a score and its runs
"""


def _key(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    del context, parameter
    if value is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise click.BadParameter(
            "A public key has 64 hex digits; a run's manifest contains the run's key."
        )
    return value.lower() if value else None


@click.command("verify", epilog=_EXAMPLES)
@run_arguments("RUN|RUNS_DIR|SCORE.json...", files=True)
@click.option(
    "--replay/--no-replay",
    default=True,
    help="Replay every episode if the suite is deterministic.  [default: replay]",
)
@click.option("--key", metavar="HEX", callback=_key, help="The public key that you trust.")
@click.option("--suite", metavar="MODULE:CLASS", help="Load this suite if it is not installed.")
@click.option("--episode", metavar="ID", help="Check and replay only this episode of one run.")
@click.option(
    "--index",
    "location",
    envvar=VARIABLE,
    default="",
    metavar="FILE|URL",
    help=f"Index in which to note the result; also {VARIABLE}.  [default: the index of the"
    " run's folder, if there is one]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def verify_command(  # noqa: PLR0913 - one parameter an option
    paths: Sequence[Path],
    *,
    replay: bool,
    key: str | None,
    suite: str | None,
    episode: str | None,
    location: str,
    as_json: bool,
) -> None:
    """Check that runs are unchanged and that their scores are right.

    For a folder, check every run in it. For a score file from `houseguest submit score`, check the
    score and its runs.

    Without --key, the key in the run's own manifest is used: this proves that the run is
    unchanged, not who signed it. Exit status: 0 no problems, 1 problems were found, 2 wrong usage.

    If the runs have an index, it keeps the result, and `houseguest view` shows it.
    """
    targets = [target for path in paths for target in _targets(path)]
    if episode is not None and (len(targets) > 1 or not is_run(targets[0])):
        raise click.UsageError("--episode needs one run's folder: an episode belongs to one run.")
    reports = []
    for target in targets:
        verified = partial(_report, target, replay=replay, key=key, suite=suite, episode=episode)
        report = verified() if episode else _noted(target, location, key, verified)
        reports.append(report)
        if not as_json:
            if len(targets) > 1:
                click.echo(safe(str(target)))
            _print_report(report)
    good = all(report.good for report in reports)
    if as_json:
        documents = [report.to_json() for report in reports]
        alone = len(paths) == 1 and targets == [paths[0]]
        click.echo(json.dumps(documents[0] if alone else documents, indent=2, ensure_ascii=False))
    elif len(targets) > 1:
        bad = sum(not report.good for report in reports)
        problems = f"✗ {bad} of {len(targets)} runs with problems"
        _say(f"✓ all {len(targets)} runs without problems" if good else problems, good=good)
    sys.exit(0 if good else PROBLEMS)


def _noted(
    target: Path,
    location: str,
    key: str | None,
    verified: Callable[[], VerificationReport | ScoreReport],
) -> VerificationReport | ScoreReport:
    """The report, after noting that of a run in its index, if it has one. What prevents the note
    is said to the user, and changes no result."""
    run = target.resolve()
    if not (is_run(run) and (location or (run.parent / INDEX_FILE).exists())):
        return verified()
    from env_service.index.run_digest import run_digest

    before = run_digest(run)
    report = verified()
    if not isinstance(report, VerificationReport):
        return report
    problem = "the run changed meanwhile, or a file of it cannot be read"
    if before and run_digest(run) == before:
        problem = _record(run, location, key or "", report, before)
    if problem:
        click.echo(safe(f"note: the index does not keep this result: {problem}"), err=True)
    return report


def _record(run: Path, location: str, key: str, report: VerificationReport, digest: str) -> str:
    """Notes a run's report. Returns why the index cannot keep it; empty if it does."""
    try:
        from env_service.index.store import Index, IndexUnavailableError
        from env_service.index.verifications import NewVerification, record_verification
    except ModuleNotFoundError:
        return "this needs the viewer: pip install 'houseguest[view]'"
    try:
        found = NewVerification(
            run_id=read_manifest(run).run_id,
            path=run.name,
            passed=report.good,
            episodes=report.episodes,
            replayed=report.replayed,
            problems=len(report.problems),
            public_key=key,
            digest=digest,
        )
        with Index.open(run.parent, location) as index:
            record_verification(index, found)
    except (IndexUnavailableError, OSError, ValueError) as error:
        return str(error)
    return ""


def _targets(path: Path) -> list[Path]:
    """The runs at a path; a score or its folder is one target."""
    # Treat anything with a score's name as a score, even a broken link; verification reports it.
    is_score = not path.is_dir() or os.path.lexists(path / SCORE)
    return [path] if is_score else run_folders([path])


def _report(
    target: Path, *, replay: bool, key: str | None, suite: str | None, episode: str | None
) -> VerificationReport | ScoreReport:
    console = Console(stderr=True)
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("", total=None)
            options = _Options(
                replay=replay,
                public_key=key,
                suite=suite,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
            if episode is not None:
                return verify(target, episode=episode, **options)
            return _verify(target, options)
    except (UnknownNameError, SuiteLoadError) as error:
        of_episode = isinstance(error, UnknownNameError) and error.name == episode
        option = "--episode" if of_episode else "--suite"
        raise click.UsageError(f"{option}: {error}") from error


def _print_report(report: VerificationReport | ScoreReport) -> None:
    if isinstance(report, VerificationReport):
        _print(report)
    else:
        _print_score(report)


def _say(text: str, *, good: bool) -> None:
    Console(soft_wrap=True).print(printable(text), style="green" if good else "red")


class _Options(TypedDict):
    """Options of both verifications."""

    replay: bool
    public_key: str | None
    suite: str | None
    progress: Callable[[int, int], None]


def _verify(path: Path, options: _Options) -> VerificationReport | ScoreReport:
    """Verifies a run folder, or a score given as a file or as its folder."""
    score = path / SCORE if path.is_dir() else path
    if path.is_dir() and (is_run(path) or not os.path.lexists(score)):
        return verify(path, **options)
    from env_service.submissions.score_verification import verify_score

    return verify_score(score, **options)


def _print_score(report: ScoreReport) -> None:
    console = Console(soft_wrap=True)
    for run in report.runs:
        console.print(printable(str(run.run)), style="bold")
        _print(run)
    for problem in report.problems:
        console.print(printable(f"✗ {problem}"), style="red")
    runs = counted(len(report.runs), "run")
    verdict = f"✓ the score agrees with {runs}" if report.good else "✗ the score is not valid"
    console.print(printable(f"{verdict}: {report.path}"), style="green" if report.good else "red")


def _print(report: VerificationReport) -> None:
    console = Console(soft_wrap=True)
    for problem in report.problems:
        console.print(printable(f"✗ {problem}"), style="red")
    for note in report.notes:
        console.print(printable(f"• {note}"), style="yellow")
    for why in report.mixture:
        console.print(printable(f"• a mixture: {why}"), style="yellow")
    checked = (
        f"{counted(report.episodes, 'episode')}, {counted(report.exchanges, 'exchange')},"
        f" {counted(report.frames, 'picture')}"
        f" checked; {counted(report.replayed, 'episode')} replayed"
    )
    count = len(report.problems)
    found = counted(count, "problem")
    checked += "; the run is a mixture of agents" if report.mixture else ""
    verdict = f"✓ {checked}" if report.good else f"✗ {found}; {checked}"
    if report.public_key:
        console.print(printable(f"• key {report.public_key}"), style="dim")
    console.print(printable(verdict), style="green" if report.good else "red")
