"""``houseguest queue work``: plays what is queued."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.queue_options import open_queue, queue_option
from env_service.cli.run_options import signing_key_option
from env_service.cli.submit_options import stoppable
from env_service.domain.english import counted
from env_service.domain.printable import safe

if TYPE_CHECKING:
    from env_service.submissions.job import Job

_EXAMPLES = """\b
Examples:
  houseguest queue work             until the queue is empty
  houseguest queue work --once      one submission
  houseguest queue work --watch     for ever; start several for several at once

A worker that is stopped or killed loses nothing: another one, or this one started again, goes on
where it was. Exit code 0: nothing more to do; 130: interrupted.
"""


@click.command("work", epilog=_EXAMPLES)
@click.option("--once", is_flag=True, help="One submission, then leave.")
@click.option("--watch", is_flag=True, help="Wait for more when the queue is empty.")
@click.option(
    "--lease",
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    type=click.FloatRange(1, 86400),
    help="After so long without a sign of life a worker counts as dead.",
)
@signing_key_option("scores")
@click.option("--runtime", default="", metavar="NAME", help="A runtime of the Docker engine.")
@queue_option
@json_option
def work_command(*, folder: Path, as_json: bool, **given: Any) -> int:
    """Play the queued submissions, one after the other."""
    from env_service.cli.submit_text import CheckTeller
    from env_service.results.keys import SigningKey
    from env_service.submissions.attempt import Bench
    from env_service.submissions.working import Work, work

    if given["once"] and given["watch"]:
        raise click.UsageError("--once and --watch exclude each other.")
    queue = open_queue(folder)
    queue.phases()
    ended: list[Job] = []

    def over(job: Job) -> None:
        ended.append(job)
        _tell(f"{job.id}: {job.state.value}{_why(job)}", quiet=as_json)

    def begun(job: Job) -> None:
        _tell(f"{job.id}: {job.team}, {job.phase}, {job.reference}", quiet=as_json)

    with stoppable(), CheckTeller(quiet=as_json) as teller:
        bench = Bench(
            key=SigningKey.load_or_create(given["signing_key"]),
            runtime=given["runtime"],
            told=teller.told,
            over=teller.over,
        )
        work(
            queue,
            Work(bench, given["lease"], given["once"], given["watch"], begun, over),
        )
    if as_json:
        print_json([job.to_json() for job in ended])
    return 0


def _why(job: Job) -> str:
    told = [] if job.failure is None else [job.failure.value]
    told += [f"{name} in {counted(count, 'episode')}" for name, count in _failed(job).items()]
    return "".join(f", {each}" for each in told)


def _failed(job: Job) -> dict[str, int]:
    """The episodes in which the submission's process failed, by class."""
    from env_service.cli.run_problems import broken_episodes

    counts: Counter[str] = Counter()
    for result in job.result.get("results", ()):
        counts.update(broken_episodes(result["failures"]))
    return dict(counts)


def _tell(text: str, *, quiet: bool) -> None:
    if not quiet:
        click.echo(safe(text))
