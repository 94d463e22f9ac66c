"""``houseguest submit check``: what an organiser runs before a submission is scored."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM
from env_service.cli.submit_options import (
    organiser_options,
    read_ceiling,
    read_organiser_sandbox,
    stoppable,
)

_EXAMPLES = """\b
Examples:
  houseguest submit check my-team/agent:1.0
  houseguest submit check my-team/agent:1.0 --suite babyai --out check
  houseguest submit check ./my_agent --sandbox process    a folder, before it is an image
  houseguest submit check my-team/agent:1.0 --json | jq .failure

Exit code 0: every stage passed; 1: one failed; 2: wrong usage; 130: interrupted.
"""


@click.command("check", epilog=_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    help="Play this suite of the manifest alone; may be repeated.  [default: all of them]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the runs and logs here.  [default: they are removed]",
)
@organiser_options
@json_option
def check_command(
    image: str, *, suites: tuple[str, ...], out: Path | None, as_json: bool, **given: Any
) -> int:
    """Check a submission: exactly what the organiser runs.

    The image, its manifest, the limits it gets, a few tasks of each suite in the sandbox, what
    the agent says of itself, whether it keeps to the protocol, and whether its runs verify. A
    stage that fails names the class of the failure, the first offending step and the agent's last
    words.
    """
    from env_service.cli.submit_text import CheckTeller
    from env_service.submissions.checking import CheckOrder, check

    with ExitStack() as stack:
        stack.enter_context(stoppable())
        place = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="houseguest-")))
        order = CheckOrder(
            reference=image,
            out=place,
            suites=suites,
            sandbox=read_organiser_sandbox(given),
            ceiling=read_ceiling(given),
        )
        teller = stack.enter_context(CheckTeller(quiet=as_json))
        report = check(order, teller.told)
    if as_json:
        print_json(report.to_json())
    else:
        teller.conclude(report, kept=out)
    return 0 if report.passed else PROBLEM
