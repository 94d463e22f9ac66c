"""``houseguest queue add`` and ``cancel``."""

from __future__ import annotations

import re
from pathlib import Path

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.queue_options import open_queue, queue_option

_TEAM = re.compile(r"[\w][\w .@+-]{0,63}")
_ADD_EXAMPLES = """\b
Examples:
  houseguest queue add my-team/agent:1.0 --team my-team --phase minival
  houseguest queue add my-team/agent:1.0 --team my-team --phase test --json | jq -r .id

The image is pinned by its digest: an image of the same name that is built later is another
submission. Exit code 0: it is queued; 1: the team's limit is reached, the phase is closed, or
there is no such image; 2: wrong usage.
"""
_CANCEL_EXAMPLES = """\b
Examples:
  houseguest queue cancel sub-1f3a5c7e9b0d

What was not begun yet costs its team nothing.
"""


def _team(_context: object, _parameter: object, team: str) -> str:
    if not _TEAM.fullmatch(team):
        raise click.BadParameter(f"{team!r} is no name: up to 64 letters, digits, spaces, .@+-_.")
    return team


@click.command("add", epilog=_ADD_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option("--team", required=True, metavar="NAME", callback=_team, help="Whose it is.")
@click.option("--phase", required=True, metavar="NAME", help="One of `houseguest queue phases`.")
@queue_option
@json_option
def add_command(image: str, *, team: str, phase: str, folder: Path, as_json: bool) -> int:
    """Hand in an image for a phase."""
    from env_service.submissions.adding import add

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
    """Take a submission out of the queue, or stop it where it is being played."""
    from env_service.submissions.working import publish_job

    queue = open_queue(folder)
    job = queue.cancel(submission)
    publish_job(queue, job)
    if as_json:
        print_json(job.to_json())
    else:
        running = "" if job.state.final else ": its worker stops it within a moment"
        click.echo(f"{job.id} is {job.state.value}{running}")
    return 0
