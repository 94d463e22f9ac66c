"""``houseguest practice``: let agents repeat tasks without recording a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import with_sample
from env_service.cli.options import calling_options, condition_option, json_option, whole_number
from env_service.cli.placement_options import placement_options, read_placement
from env_service.domain.run_bounds import SEED, SESSIONS

if TYPE_CHECKING:
    from env_service.cli.practice_service import PracticeOptions

_EXAMPLES = with_sample("""\b
Examples:
  houseguest practice SUITE TASKS
  houseguest practice SUITE --set NAME=VALUE --sessions 4
  houseguest practice SUITE TASKS --sessions 4    one task per session
  houseguest practice SUITE --task-set NAME --world NAME --gpus 0

Give the printed address and token to your agents. docs/practice.md describes Gymnasium
environments for Python. Ctrl-C stops the service. Nothing is recorded or counted.
""")


@click.command("practice", epilog=_EXAMPLES)
@click.argument("suite")
@click.argument("tasks", metavar="[TASK]...", nargs=-1)
@click.option(
    "--task-set",
    default="",
    metavar="NAME",
    help="Task set.  [default: the first that needs no data]",
)
@click.option(
    "--world", default="", metavar="NAME", help="The world to play in.  [default: the first]"
)
@condition_option
@whole_number(
    "--sessions",
    "Number of concurrent agents, each with a separate token.",
    least=1,
    most=SESSIONS.most,
)
@whole_number("--seed", "Seed of episodes that an agent starts without a seed.", most=SEED.most)
@placement_options
@calling_options("agents call", "Folder for the sessions' tokens: seat-0, seat-1, ….")
@json_option
def practice_command(**options: Any) -> None:
    """Let agents practise tasks of a suite.

    TASK is a task id, a group, or a shell pattern; see `houseguest tasks`. The default is the first
    task. Agents can restart a task at any time, and learn whether they reached the goal.
    """
    asked = _read(options)
    from env_service.cli.practice_service import serve_practice
    from env_service.gateway.runtime import run_service

    run_service(serve_practice(asked))


def _read(options: dict[str, Any]) -> PracticeOptions:
    from env_service.cli.practice_service import PracticeOptions
    from env_service.gateway.practice import PracticeRequest
    from env_service.suites.registry import SuiteLoadError, load_suite

    try:
        load_suite(options["suite"])
    except SuiteLoadError as error:
        raise click.BadParameter(f"{error}.", param_hint="SUITE") from error
    names = ("suite", "task_set", "world", "condition", "tasks", "seed", "sessions")
    return PracticeOptions(
        request=PracticeRequest(**{name: options[name] for name in names}, unused_seconds=None),
        listen=options["listen"],
        token_folder=options["token_folder"],
        placement=read_placement(options["gpus"], options["worlds_per_gpu"]),
        world_memory=options["world_memory"],
        as_json=options["as_json"],
    )
