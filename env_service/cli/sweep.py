"""``houseguest sweep``: many runs from one plan, played, resumed and compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import INTERRUPTED, PROBLEM
from env_service.cli.options import (
    json_option,
    print_json,
    signing_key_option,
    split_names,
    track_option,
)
from env_service.domain.text import counted, safe

if TYPE_CHECKING:
    from env_service.results.report.content import Document
    from env_service.sweep.estimate import Estimate
    from env_service.sweep.plan import Limits, Plan
    from env_service.sweep.schedule import Job
    from env_service.sweep.sweep import PreparedSweep

_EXAMPLES = """\b
Examples:
  houseguest init                              write plan.toml, with comments
  houseguest sweep plan.toml --dry-run         check it, and estimate steps, cost and time
  houseguest sweep plan.toml                   play it; the same command resumes
  houseguest sweep plan.toml --only 'AGENT'    only the runs of an agent or a suite
  houseguest sweep plan.toml --shard 1/4       the first of four parts, on this machine
  houseguest sweep plan.toml --track mlflow    send every run to a tracker meanwhile
  houseguest sweep plan.toml --json | jq .runs

Exit status: 0 every episode has a score; 1 some are unscored or not played; 2 wrong usage,
or a problem in the plan; 130 interrupted.
"""


def _shard(_context: object, _parameter: object, given: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", given)
    part, parts = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= part <= parts:
        raise click.BadParameter(f"{given!r} is not a part such as 1/4 or 4/4.")
    return part, parts


@click.command("sweep", epilog=_EXAMPLES)
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--dry-run", is_flag=True, help="List the runs with estimated steps, cost and time; play none."
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME[,…]",
    callback=lambda _context, _parameter, given: split_names(given),
    help="Play only these agents, suites or runs, by name or shell pattern; may be repeated.",
)
@click.option(
    "--shard",
    default="1/1",
    metavar="I/N",
    callback=_shard,
    help="Play part I of N of the runs, for several machines.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Parent folder of the run folders.  [default: the plan's, else runs]",
)
@signing_key_option("the results")
@track_option
@json_option
def sweep_command(plan: Path, **options: Any) -> int:
    """Play every run of a plan, and compare the results in one table.

    A plan lists agents and suites; each agent plays each suite. Every run is an ordinary run folder
    as from `houseguest run`. Run the same command again to resume: finished episodes are never
    played again.
    """
    from env_service.cli.sweep_options import SweepOptions
    from env_service.sweep.sweep import SweepRequest, prepare

    request = SweepRequest(
        plan=plan,
        out=options["out"],
        only=options["only"],
        shard=options["shard"],
        track=options["track"] or "",
        signing_key=options["signing_key"],
    )
    prepared = prepare(request, SweepOptions())
    if options["dry_run"]:
        return _dry_run(prepared, as_json=options["as_json"])
    return _play(prepared, as_json=options["as_json"])


# --- Dry run


def _dry_run(prepared: PreparedSweep, *, as_json: bool) -> int:
    from env_service.sweep.estimate import Means, estimate, total_hours
    from env_service.sweep.schedule import Job

    plan, settled, limits = prepared.plan, prepared.settled, prepared.limits
    means = Means.of_folder(plan.out)
    found = []
    for run in settled.runs:
        job = Job(run, [])
        job.count(plan.out)
        found.append(estimate(run, job.done, means.of(run)))
    hours = total_hours(found, limits.runs, limits.servers)
    if as_json:
        print_json(
            {
                "plan": str(plan.path),
                "out": str(plan.out),
                "runs": [each.to_json() for each in found],
                "total": {
                    "runs": len(found),
                    "episodes": sum(each.episodes for each in found),
                    "steps": _sum([each.steps for each in found]),
                    "tokens": _sum([each.tokens for each in found], limits.max_tokens),
                    "usd": _sum([each.dollars for each in found], limits.max_cost),
                    "hours": hours,
                    "upper_bound": any(each.bound for each in found),
                },
                "away": dict(settled.away),
            }
        )
        return 0
    _print_estimates(found, hours, limits)
    for url, why in settled.away.items():
        click.echo(safe(f"Not checked: the model server {url} does not answer: {why}"), err=True)
    return 0


def _sum(numbers: Sequence[float | None], budget: float | None = None) -> float | None:
    """The sum, of which a budget for all runs may allow less; None if it is unknown."""
    known = [each for each in numbers if each is not None]
    if len(known) < len(numbers):
        return budget
    return sum(known) if budget is None else min(sum(known), budget)


def _print_estimates(found: Sequence[Estimate], hours: float | None, limits: Limits) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from env_service.domain.usage import amount, dollars

    def shown(numbers: Sequence[float | None], *, bound: bool) -> list[str]:
        steps, tokens, usd, hours = numbers
        texts = [
            "–" if steps is None else f"{steps:,.0f}",
            "–" if tokens is None else amount(round(tokens)),
            "–" if usd is None else dollars(usd),
            _hours(hours),
        ]
        most = "≤ " if bound else ""
        return [
            f"{most}{text}" if number else text for number, text in zip(numbers, texts, strict=True)
        ]

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("run", overflow="fold")
    for heading in ("episodes", "steps", "tokens", "dollars", "hours"):
        table.add_column(heading, justify="right")
    table.add_column("estimated from")
    for each in found:
        played = f" ({each.done} done)" if each.done else ""
        table.add_row(
            safe(each.run.entry.id),
            f"{each.episodes}{played}",
            *shown(_numbers(each), bound=each.bound),
            "finished" if not each.episodes else each.source,
        )
    budgets = {"steps": None, "tokens": limits.max_tokens, "dollars": limits.max_cost}
    sums = [_sum([getattr(each, name) for each in found], most) for name, most in budgets.items()]
    bound = any(each.bound for each in found)
    episodes = str(sum(each.episodes for each in found))
    table.add_section()
    table.add_row(counted(len(found), "run"), episodes, *shown((*sums, hours), bound=bound), "")
    console = Console()
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    if not console.is_terminal:
        console.width = max(console.width, needed)
    console.print(table)
    runs = counted(limits.runs, "run")
    if bound:
        click.echo(
            "≤ is an upper bound: every episode takes all of its steps and its time budget, and the"
            " tokens that are typical for that many steps. Earlier runs make better estimates."
        )
    unknown = "– is unknown. " if any(None in _numbers(each) for each in found) else ""
    click.echo(f"{runs} at once. {unknown}Nothing was started.")


def _numbers(run: Estimate) -> tuple[float | None, ...]:
    return run.steps, run.tokens, run.dollars, run.hours


def _hours(hours: float | None) -> str:
    if hours is None:
        return "–"
    return f"{hours:.1f}" if hours >= 1 or not hours else f"{hours:.2g}"


# --- Playing


def _play(prepared: PreparedSweep, *, as_json: bool) -> int:
    from env_service.sweep.progress import sweep_progress
    from env_service.sweep.schedule import Status, stopped_by_signals
    from env_service.sweep.sweep import write_leaderboard

    plan = prepared.plan
    with sweep_progress(quiet=as_json) as progress:
        scheduler = prepared.scheduler(progress)
        progress.say(scheduler.beginning())
        with stopped_by_signals(scheduler):
            scheduler.play()
    jobs = scheduler.jobs
    complete = all(job.status is Status.COMPLETE for job in jobs)
    status = INTERRUPTED if scheduler.interrupted else 0 if complete else PROBLEM
    if scheduler.interrupted and not as_json:
        click.echo("Interrupted. Run the same command to resume.", err=True)
        return status
    document, files = write_leaderboard(plan, jobs)
    if as_json:
        print_json(
            {
                "event": "done",
                "exit_code": status,
                "runs": [job.to_json() for job in jobs],
                "leaderboard": None if document is None else document.to_json(),
                "files": [str(path) for path in files],
            }
        )
    else:
        _print(document, files, jobs, plan)
    return status


def _print(
    document: Document | None, files: Sequence[Path], jobs: Sequence[Job], plan: Plan
) -> None:
    from env_service.cli.report import show_text
    from env_service.sweep.schedule import Status

    if document is not None:
        show_text(document, files, ["text"])
    for job in jobs:
        if job.status is not Status.COMPLETE:
            why = f": {job.problem}" if job.problem else ""
            click.echo(safe(f"{job.name}: {job.status.value}{why}"), err=True)
    left = [job for job in jobs if job.status not in (Status.COMPLETE, Status.UNSCORED)]
    if left:
        again = f"houseguest sweep {shlex.quote(str(plan.path))}"
        runs = counted(len(left), "run")
        click.echo(f"{runs} not finished. To try again: {again}", err=True)
