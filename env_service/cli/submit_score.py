"""``houseguest submit score``: plays the real thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from env_service.cli.common import condition_option, json_option, print_json, whole_number
from env_service.cli.errors import PROBLEM
from env_service.cli.run_options import budget_option, signing_key_option
from env_service.cli.submit_options import (
    organiser_options,
    read_ceiling,
    read_organiser_sandbox,
    stoppable,
)
from env_service.domain.bounds import REPEATS, SESSIONS

_EXAMPLES = """\b
Examples:
  houseguest submit score my-team/agent:1.0 --tasks asgard/official --parallel 2
  houseguest submit score my-team/agent:1.0 --tasks babyai/evaluation,babybench/plan
  houseguest submit score my-team/agent:1.0 --tasks asgard/builtin-50-7 --condition no-feedback
  houseguest verify scores/my-agent-1-0-3f1d52c0a9e8/score.json

The same command resumes a score that was stopped. Exit code 0: every planned episode has a
score; 1: some have none, or the agent crashed or timed out; 2: wrong usage; 130: interrupted.
"""


@click.command("score", epilog=_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option(
    "--tasks",
    multiple=True,
    required=True,
    metavar="SUITE/TASKSET[,…]",
    help="What is played; may be repeated. A suite alone means its first task set.",
)
@click.option("--world", default="", metavar="NAME", help="Where.  [default: the task set's first]")
@condition_option
@whole_number("--repeats", "How often each task is played.", least=1, most=REPEATS.most)
@whole_number("--parallel", "Sessions that play at once.", least=1, most=SESSIONS.most)
@whole_number("--seed", "Of every random draw in the runs.")
@budget_option("--step-budget", 600.0, "Agent time for one decision.")
@budget_option("--episode-budget", 3600.0, "Agent time for an episode.")
@signing_key_option("the score")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where score.json and the runs go.  [default: scores/NAME-VERSION-DIGEST]",
)
@organiser_options
@json_option
def score_command(image: str, *, out: Path | None, as_json: bool, **given: Any) -> int:
    """Score a submission: play task sets in the sandbox, and sign what came of it.

    The reported rate counts every planned episode: one that was not played, or that the house
    could not score, has not succeeded. The rate over played episodes stands beside it.
    """
    from env_service.cli.submit_text import RunTeller, agent_failures, score_lines
    from env_service.results.keys import SigningKey
    from env_service.submissions.package import read_submission, shelf_for
    from env_service.submissions.scoring import ScoreOrder, read_choices, score

    choices = read_choices(given["tasks"])
    shelf = shelf_for(image)
    submission = read_submission(shelf, shelf.find(image))
    names = ("world", "condition", "repeats", "parallel", "seed", "step_budget", "episode_budget")
    order = ScoreOrder(
        shelf=shelf,
        submission=submission,
        choices=choices,
        out=out or Path("scores") / submission.folder_name,
        key=SigningKey.load_or_create(given["signing_key"]),
        sandbox=read_organiser_sandbox(given),
        ceiling=read_ceiling(given),
        **{name: given[name] for name in names},
    )
    with stoppable(), RunTeller(quiet=as_json) as teller:
        scored = score(order, teller.watch, teller.over)
    failed = agent_failures(scored)
    if as_json:
        failure = None if scored.failure is None else scored.failure.value
        told = {"score": str(scored.path), "failure": failure, "agent_failures": failed}
        print_json({**told, **scored.body})
    else:
        for line in score_lines(scored):
            click.echo(line)
    return PROBLEM if scored.failure is not None or failed else 0
