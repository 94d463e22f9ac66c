"""``houseguest queue``: an organiser's queue of submissions, and the leaderboard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.options import json_option, print_json, signing_key_option
from env_service.cli.output import print_table
from env_service.cli.submit import stoppable
from env_service.domain.text import counted, safe

if TYPE_CHECKING:
    from env_service.submissions.job import Job
    from env_service.submissions.leaderboard import LeaderboardEntry
    from env_service.submissions.phases import Phase
    from env_service.submissions.queue import Queue


# --- What the commands of a queue share

F = TypeVar("F", bound=Callable[..., Any])


def queue_option(command: F) -> F:
    """Adds ``--queue FOLDER``; the command's parameter is ``folder: Path``."""
    return click.option(
        "--queue",
        "folder",
        default=Path("queue"),
        show_default=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="The queue's folder.",
    )(command)


def open_queue(folder: Path) -> Queue:
    """Opens the queue in a folder, which is created if it does not exist."""
    from env_service.submissions.queue import Queue

    return Queue(folder)


# --- ``houseguest queue add`` and ``cancel``

_TEAM = re.compile(r"[\w][\w .@+-]{0,63}")
_ADD_EXAMPLES = """\b
Examples:
  houseguest queue add my-team/agent:1.0 --team my-team --phase minival
  houseguest queue add my-team/agent:1.0 --team my-team --phase test --json | jq -r .id

The image is pinned by its digest: a later image with the same name is another submission.
Exit status 0: queued; 1: the team's limit is reached, the phase is closed, or the image does
not exist; 2: wrong usage.
"""
_CANCEL_EXAMPLES = """\b
Examples:
  houseguest queue cancel sub-1f3a5c7e9b0d

A submission that has not started does not count against its team's limit.
"""


def _team(_context: object, _parameter: object, team: str) -> str:
    if not _TEAM.fullmatch(team):
        raise click.BadParameter(
            f"{team!r} is not a valid name: use up to 64 letters, digits, spaces, .@+-_."
        )
    return team


@click.command("add", epilog=_ADD_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option(
    "--team", required=True, metavar="NAME", callback=_team, help="The team that submits."
)
@click.option(
    "--phase", required=True, metavar="NAME", help="A phase from `houseguest queue phases`."
)
@queue_option
@json_option
def add_command(image: str, *, team: str, phase: str, folder: Path, as_json: bool) -> int:
    """Submit an image to a phase."""
    from env_service.submissions.admission import add

    job = add(open_queue(folder), image, team, phase)
    if as_json:
        print_json(job.to_json())
    else:
        click.echo(f"{job.id}  {team}, {phase}: {job.reference} ({job.digest})")
    return 0


@click.command("cancel", epilog=_CANCEL_EXAMPLES)
@click.argument("submission", metavar="ID")
@queue_option
@json_option
def cancel_command(submission: str, *, folder: Path, as_json: bool) -> int:
    """Remove a submission from the queue, or stop it while it plays."""
    from env_service.submissions.queue_worker import publish_job

    queue = open_queue(folder)
    job = queue.cancel(submission)
    publish_job(queue, job)
    if as_json:
        print_json(job.to_json())
    else:
        running = "" if job.state.final else "; its worker is stopping it"
        click.echo(f"{job.id} is {job.state.value}{running}")
    return 0


# --- ``houseguest queue list``, ``show`` and ``phases``

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
  houseguest queue show sub-1f3a5c7e9b0d --public    only what may be published
"""


@click.command("list", epilog=_LIST_EXAMPLES)
@click.option("--phase", default="", metavar="NAME", help="Only submissions of this phase.")
@click.option("--team", default="", metavar="NAME", help="Only submissions of this team.")
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
        (job.id, job.day, safe(job.team), job.phase, job.state.value, _result(job), job.reference)
        for job in jobs
    ]
    if rows:
        print_table(("id", "day", "team", "phase", "state", "result", "image"), rows)
    else:
        click.echo(f"No submissions in {folder}.")
    return 0


@click.command("show", epilog=_SHOW_EXAMPLES)
@click.argument("submission", metavar="ID")
@click.option("--public", is_flag=True, help="Print only what may be published: totals.")
@queue_option
@json_option
def show_command(submission: str, *, public: bool, folder: Path, as_json: bool) -> int:
    """Show the result of a submission.

    With --public, print only what may be published, as one JSON document like public/ID.json.
    """
    from env_service.submissions.leaderboard import public_json

    queue = open_queue(folder)
    job = queue.get(submission)
    if public:
        print_json(public_json(job, queue.phases().get(job.phase)))
    elif as_json:
        print_json({**job.to_json(), "folder": str(queue.place(job))})
    else:
        for line in _lines(job):
            click.echo(safe(line))
        click.echo(f"Files: {queue.place(job)}")
    return 0


@click.command("phases", epilog=_PHASES_EXAMPLES)
@click.option("--example", is_flag=True, help="Print an example of phases.toml.")
@queue_option
@json_option
def phases_command(*, example: bool, folder: Path, as_json: bool) -> int:
    """List the phases with their tasks and submission limits."""
    from env_service.cli.command import with_sample
    from env_service.submissions.phases import EXAMPLE, FILE, read_phases

    if example:
        click.echo(with_sample(EXAMPLE), nl=False)
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


def _result(job: Job) -> str:
    if job.result:
        from env_service.submissions.score_file import ALL_PLANNED

        rate = job.result["overall"][ALL_PLANNED]
        share = f"{100 * rate['success_rate']:.1f} %" if rate["n"] else "–"
        return f"{share} ({job.failure.value})" if job.failure is not None else share
    return job.failure.value if job.failure is not None else "–"


def _lines(job: Job) -> list[str]:
    from env_service.cli.submission_text import goal_lines, rate_lines

    manifest = job.manifest
    lines = [
        f"{job.id}: {job.state.value}, {job.team}, phase {job.phase}, submitted on {job.day}",
        f"{manifest['name']} {manifest['version']}, {job.reference} ({job.digest})",
    ]
    if job.result:
        lines += rate_lines("success", job.result["overall"])
        lines += goal_lines(job.result["overall"], *job.result["results"])
        for result in job.result["results"]:
            failures = ", ".join(f"{n} {name}" for name, n in result["failures"].items())
            why = f"; did not succeed because of: {failures}" if failures else ""
            lines.append(f"  {result['suite']}/{result['task_set']}, {result['world']}{why}")
    if job.failure is not None:
        lines.append(f"failure: {job.failure.value}")
    lines += [f"  {line}" for line in job.detail.splitlines()]
    if not job.counts:
        lines.append("It does not count against the team's daily limit.")
    if job.cancelling and not job.state.final:
        lines.append("The worker is stopping it.")
    return lines


def phase_names(phases: dict[str, Phase], name: str) -> list[Phase]:
    """The phase with this name, or all phases for an empty name. Raises UnknownNameError."""
    from env_service.submissions.phases import pick_phase

    return [pick_phase(phases, name)] if name else list(phases.values())


# --- ``houseguest queue work``: plays queued submissions

_WORK_EXAMPLES = """\b
Examples:
  houseguest queue work             until the queue is empty
  houseguest queue work --once      one submission
  houseguest queue work --watch     until you stop it; run several for more throughput

If a worker stops or is killed, nothing is lost: another worker or a new start continues its work.
Exit status 0: nothing more to do; 130: interrupted.
"""


@click.command("work", epilog=_WORK_EXAMPLES)
@click.option("--once", is_flag=True, help="Play one submission, then exit.")
@click.option("--watch", is_flag=True, help="Wait for more submissions when the queue is empty.")
@click.option(
    "--lease",
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    type=click.FloatRange(1, 86400),
    help="Time without an update after which a worker counts as stopped.",
)
@signing_key_option("scores")
@click.option("--runtime", default="", metavar="NAME", help="A runtime of the Docker engine.")
@queue_option
@json_option
def work_command(*, folder: Path, as_json: bool, **given: Any) -> int:
    """Play the queued submissions, one after the other."""
    from env_service.cli.submission_text import CheckReporter
    from env_service.storage.signing_key import SigningKey
    from env_service.submissions.queue_worker import AttemptOptions, WorkerOptions, work

    if given["once"] and given["watch"]:
        raise click.UsageError("--once and --watch cannot be combined.")
    queue = open_queue(folder)
    queue.phases()
    ended: list[Job] = []

    def over(job: Job) -> None:
        ended.append(job)
        _show(f"{job.id}: {job.state.value}{_why(job)}", quiet=as_json)

    def begun(job: Job) -> None:
        _show(f"{job.id}: {job.team}, {job.phase}, {job.reference}", quiet=as_json)

    with stoppable(), CheckReporter(quiet=as_json) as reporter:
        attempt = AttemptOptions(
            key=SigningKey.load_or_create(given["signing_key"]),
            runtime=given["runtime"],
            progress=reporter.progress,
            over=reporter.over,
        )
        work(
            queue,
            WorkerOptions(attempt, given["lease"], given["once"], given["watch"], begun, over),
        )
    if as_json:
        print_json([job.to_json() for job in ended])
    return 0


def _why(job: Job) -> str:
    reasons = [] if job.failure is None else [job.failure.value]
    reasons += [f"{name} in {counted(count, 'episode')}" for name, count in _failed(job).items()]
    return "".join(f", {each}" for each in reasons)


def _failed(job: Job) -> dict[str, int]:
    """The episodes in which the submission's process failed, by class."""
    from env_service.evaluation.run_problems import broken_episodes

    counts: Counter[str] = Counter()
    for result in job.result.get("results", ()):
        counts.update(broken_episodes(result["failures"]))
    return dict(counts)


def _show(text: str, *, quiet: bool) -> None:
    if not quiet:
        click.echo(safe(text))


# --- ``houseguest queue board``: the leaderboard

_BOARD_EXAMPLES = """\b
Examples:
  houseguest queue board --phase minival
  houseguest queue board --json > board.json
"""


@click.command("board", epilog=_BOARD_EXAMPLES)
@click.option("--phase", "name", default="", metavar="NAME", help="Only this phase.")
@queue_option
@json_option
def board_command(*, name: str, folder: Path, as_json: bool) -> int:
    """Rank the teams by their submissions.

    The phase defines whether the best or the latest submission of a team counts.

    The rate counts every planned episode. Teams with equal rates share a rank. If 95 % intervals
    overlap, the order may be chance.
    """
    from env_service.results.report.designs import goals_in
    from env_service.submissions.leaderboard import leaderboard
    from env_service.suites.reporting import GAINED_BRIEF, GOALS_GAINED

    queue = open_queue(folder)
    phases = phase_names(queue.phases(), name)
    boards = [(phase, leaderboard(queue.jobs(phase=phase.name), phase)) for phase in phases]
    if as_json:
        print_json(
            [
                {
                    "phase": phase.name,
                    "ranking": phase.ranking,
                    "entries": [entry.to_json() for entry in entries],
                }
                for phase, entries in boards
            ]
        )
        return 0
    for phase, entries in boards:
        click.echo(f"{phase.name} ({phase.ranking} submission of each team)")
        if entries:
            goals = goals_in(*(each for entry in entries for each in entry.suites))
            columns = (
                *("#rank", "team", "agent", "#success", "95 %"),
                *(f"#{GOALS_GAINED.heading}", f"#{goals.name}", "#episodes", "day"),
            )
            print_table(columns, [_row(entry) for entry in entries])
            click.echo(f"{GOALS_GAINED.heading}: {GAINED_BRIEF}; {goals.name}: {goals.brief}")
        else:
            click.echo("No submission has a score yet.")
    return 0


def _row(entry: LeaderboardEntry) -> tuple[str, ...]:
    from env_service.results.summary_text import percent
    from env_service.submissions.score_file import GAINED, MET

    values = entry.to_json()
    low, high = values["interval_95"] or (0.0, 1.0)
    return (
        str(entry.rank),
        safe(values["team"]),
        safe(f"{values['agent']} {values['version']}"),
        f"{100 * entry.rate:.1f} %",
        f"{100 * low:.1f} – {100 * high:.1f}",
        percent(values[GAINED]),
        percent(values[MET]),
        f"{values['successes']}/{values['planned']}",
        values["day"],
    )


_EPILOG = """\b
Examples:
  houseguest queue phases --example > queue/phases.toml
  houseguest queue add my-team/agent:1.0 --team my-team --phase minival
  houseguest queue work --watch
  houseguest queue board --phase minival
"""


@click.group("queue", cls=CommandGroup, epilog=_EPILOG)
def queue_command() -> None:
    """Manage a queue of submissions: accept, play and rank them.

    A queue is a folder, by default ./queue. phases.toml defines the tasks, private/ contains all
    results and is readable only by you, and public/ contains what may be published. Several workers
    may use one queue at the same time.
    """


for _command in (
    *(phases_command, add_command, list_command, show_command),
    *(work_command, cancel_command, board_command),
):
    queue_command.add_command(_command)
