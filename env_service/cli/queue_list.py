"""``houseguest queue list``, ``show`` and ``phases``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.output import print_table
from env_service.cli.queue_options import open_queue, queue_option
from env_service.domain.printable import safe

if TYPE_CHECKING:
    from env_service.submissions.job import Job
    from env_service.submissions.phases import Phase

_LIST_EXAMPLES = """\b
Examples:
  houseguest queue list
  houseguest queue list --phase minival --team my-team --json
"""
_PHASES_EXAMPLES = """\b
Examples:
  houseguest queue phases
  houseguest queue phases --example > queue/phases.toml
"""
_SHOW_EXAMPLES = """\b
Examples:
  houseguest queue show sub-1f3a5c7e9b0d
  houseguest queue show sub-1f3a5c7e9b0d --public    what may be published of it
"""


@click.command("list", epilog=_LIST_EXAMPLES)
@click.option("--phase", default="", metavar="NAME", help="Of this phase alone.")
@click.option("--team", default="", metavar="NAME", help="Of this team alone.")
@queue_option
@json_option
def list_command(*, phase: str, team: str, folder: Path, as_json: bool) -> int:
    """List the submissions, oldest first."""
    wanted = {name: value for name, value in (("phase", phase), ("team", team)) if value}
    jobs = open_queue(folder).jobs(**wanted)
    if as_json:
        print_json([job.to_json() for job in jobs])
        return 0
    rows = [
        (job.id, job.day, safe(job.team), job.phase, job.state.value, _came_to(job), job.reference)
        for job in jobs
    ]
    print_table(("id", "day", "team", "phase", "state", "came to", "image"), rows)
    return 0


@click.command("show", epilog=_SHOW_EXAMPLES)
@click.argument("submission", metavar="ID")
@click.option("--public", is_flag=True, help="What may be published: totals only.")
@queue_option
@json_option
def show_command(submission: str, *, public: bool, folder: Path, as_json: bool) -> int:
    """Show what a submission came to.

    With --public, what everybody may know; it is always one JSON document, as in public/ID.json.
    """
    from env_service.submissions.publishing import public_json

    queue = open_queue(folder)
    job = queue.get(submission)
    if public:
        print_json(public_json(job, queue.phases().get(job.phase)))
    elif as_json:
        print_json({**job.to_json(), "folder": str(queue.place(job))})
    else:
        for line in _lines(job):
            click.echo(safe(line))
        click.echo(f"all of it: {queue.place(job)}")
    return 0


@click.command("phases", epilog=_PHASES_EXAMPLES)
@click.option("--example", is_flag=True, help="Print an example of phases.toml.")
@queue_option
@json_option
def phases_command(*, example: bool, folder: Path, as_json: bool) -> int:
    """List the phases: what is played, and how often a team may hand in."""
    from env_service.submissions.phases import EXAMPLE, FILE, read_phases

    if example:
        click.echo(EXAMPLE, nl=False)
        return 0
    phases = read_phases(folder / FILE)
    if as_json:
        print_json([phase.to_json() for phase in phases.values()])
        return 0
    rows = [
        (
            phase.name,
            phase.suite,
            "hidden" if phase.hidden else ", ".join(filter(None, phase.task_sets)) or "default",
            str(phase.repeats),
            _limit(phase.per_day),
            _limit(phase.total),
            "never" if phase.closes is None else f"{phase.closes:%Y-%m-%d %H:%M} UTC",
        )
        for phase in phases.values()
    ]
    columns = ("phase", "suite", "task sets", "#repeats", "#a day", "#in all", "closes")
    print_table(columns, rows)
    return 0


def _limit(number: int) -> str:
    return str(number) if number else "any"


def _came_to(job: Job) -> str:
    if job.result:
        from env_service.submissions.score_rates import ALL_PLANNED

        rate = job.result["overall"][ALL_PLANNED]
        share = f"{100 * rate['success_rate']:.1f} %" if rate["n"] else "–"
        return f"{share} ({job.failure.value})" if job.failure is not None else share
    return job.failure.value if job.failure is not None else "–"


def _lines(job: Job) -> list[str]:
    from env_service.cli.submit_text import goal_lines, rate_lines

    manifest = job.manifest
    lines = [
        f"{job.id}: {job.state.value}, {job.team}, phase {job.phase}, handed in on {job.day}",
        f"{manifest['name']} {manifest['version']}, {job.reference} ({job.digest})",
    ]
    if job.result:
        lines += rate_lines("success", job.result["overall"])
        lines += goal_lines(job.result["overall"], *job.result["results"])
        for result in job.result["results"]:
            failures = ", ".join(f"{n} {name}" for name, n in result["failures"].items())
            told = f"; did not succeed because of: {failures}" if failures else ""
            lines.append(f"  {result['suite']}/{result['task_set']}, {result['world']}{told}")
    if job.failure is not None:
        lines.append(f"failure: {job.failure.value}")
    lines += [f"  {line}" for line in job.detail.splitlines()]
    if not job.counts:
        lines.append("It does not count against the team's day.")
    if job.cancelling and not job.state.final:
        lines.append("It is being stopped.")
    return lines


def phase_names(phases: dict[str, Phase], name: str) -> list[Phase]:
    """The phase of that name, or all. Raises UnknownNameError."""
    from env_service.submissions.phases import pick_phase

    return [pick_phase(phases, name)] if name else list(phases.values())
