"""``houseguest submit``: check and score an agent image."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM
from env_service.cli.options import (
    budget_option,
    condition_option,
    json_option,
    print_json,
    signing_key_option,
    whole_number,
)
from env_service.cli.sandbox_options import memory_value, time_value
from env_service.domain.run_bounds import REPEATS, SESSIONS
from env_service.sandbox.options import KINDS, SandboxOptions

if TYPE_CHECKING:
    from env_service.submissions.resource_grants import ResourceCeiling

# --- Options of both commands

F = TypeVar("F", bound=Callable[..., Any])

_SANDBOX_HELP = """docker for images; bwrap (bubblewrap) or process, which has no isolation, for a
folder with your own code.  [default: docker for an image, process for a folder]"""


def organiser_options(command: F) -> F:
    """Adds the organiser's options, read by ``read_ceiling`` and ``read_organiser_sandbox``."""
    for option in reversed(
        (
            click.option(
                "--max-memory",
                default="16g",
                show_default=True,
                metavar="SIZE",
                callback=memory_value,
                help="Maximum memory of a container, regardless of its manifest.",
            ),
            click.option(
                "--max-cpus",
                default=4.0,
                show_default=True,
                metavar="N",
                type=click.FloatRange(0.1, 1024),
                help="Maximum number of cores of a container.",
            ),
            click.option(
                "--max-gpus",
                default=0,
                show_default=True,
                metavar="N",
                type=click.IntRange(0, 64),
                help="Maximum number of GPUs of a container.",
            ),
            click.option(
                "--time-limit",
                metavar="TIME",
                callback=time_value,
                help="Time limit of a container, such as 30m or 2h.  [default: none]",
            ),
            click.option(
                "--sandbox",
                type=click.Choice(KINDS),
                metavar="|".join(KINDS),
                help=_SANDBOX_HELP,
            ),
            click.option(
                "--runtime", default="", metavar="NAME", help="A runtime of the Docker engine."
            ),
        )
    ):
        command = option(command)
    return command


def read_ceiling(given: Mapping[str, Any]) -> ResourceCeiling:
    """The organiser's limits, from the parameters of a command with ``organiser_options``."""
    from env_service.submissions.resource_grants import ResourceCeiling

    return replace(
        ResourceCeiling(),
        memory=given["max_memory"],
        cpus=given["max_cpus"],
        gpus=given["max_gpus"],
        seconds=given["time_limit"],
    )


def read_organiser_sandbox(given: Mapping[str, Any]) -> SandboxOptions:
    """The sandbox options, without limits, which come from the submission's manifest."""
    runtime = given["runtime"]
    asked = frozenset({"--runtime"}) if runtime else frozenset()
    return SandboxOptions(kind=given["sandbox"] or "", runtime=runtime, asked=asked)


@contextmanager
def stoppable() -> Iterator[None]:
    """Handles SIGTERM like Ctrl-C in this block, so that agents are stopped and removed.

    It also enables SIGINT if the shell ignores it, as scripts do for a command with ``&``.
    """
    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupted)


# --- ``houseguest submit check``: what an organiser runs before scoring

_CHECK_EXAMPLES = """\b
Examples:
  houseguest submit check my-team/agent:1.0
  houseguest submit check my-team/agent:1.0 --suite SUITE --out check
  houseguest submit check ./my_agent --sandbox process    a folder, before you build an image
  houseguest submit check my-team/agent:1.0 --json | jq .failure

Exit status 0: every stage passed; 1: one failed; 2: wrong usage; 130: interrupted.
"""


@click.command("check", epilog=_CHECK_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    help="Play only this suite of the manifest; may be repeated.  [default: all of them]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the runs and logs.  [default: remove them]",
)
@organiser_options
@json_option
def check_command(
    image: str, *, suites: tuple[str, ...], out: Path | None, as_json: bool, **given: Any
) -> int:
    """Check a submission, exactly as an organiser does.

    Checks the image, its manifest and limits, plays a few tasks of each suite in the sandbox, and
    checks the agent's declaration, its conformance to the protocol, and its runs. A failed stage
    shows the failure class, the first offending step and the agent's last output.
    """
    from env_service.cli.submission_text import CheckReporter
    from env_service.submissions.submission_check import CheckOrder, check

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
        reporter = stack.enter_context(CheckReporter(quiet=as_json))
        report = check(order, reporter.progress)
    if as_json:
        print_json(report.to_json())
    else:
        reporter.conclude(report, kept=out)
    return 0 if report.passed else PROBLEM


# --- ``houseguest submit score``: plays task sets and signs the result

_SCORE_EXAMPLES = """\b
Examples:
  houseguest submit score my-team/agent:1.0 --tasks SUITE/TASK_SET --parallel 2
  houseguest submit score my-team/agent:1.0 --tasks SUITE/TASK_SET,SUITE/TASK_SET
  houseguest submit score my-team/agent:1.0 --tasks SUITE/TASK_SET --condition NAME
  houseguest verify scores/my-agent-1-0-3f1d52c0a9e8/score.json

The same command resumes a stopped score. Exit status 0: every planned episode has a score; 1:
some have none, or the agent crashed or timed out; 2: wrong usage; 130: interrupted.
"""


@click.command("score", epilog=_SCORE_EXAMPLES)
@click.argument("image", metavar="IMAGE")
@click.option(
    "--tasks",
    multiple=True,
    required=True,
    metavar="SUITE/TASKSET[,…]",
    help="Task sets to play; may be repeated. A suite alone means its first task set.",
)
@click.option(
    "--world",
    default="",
    metavar="NAME",
    help="The world to play in.  [default: the task set's first]",
)
@condition_option
@whole_number("--repeats", "Number of times to play each task.", least=1, most=REPEATS.most)
@whole_number("--parallel", "Number of concurrent sessions.", least=1, most=SESSIONS.most)
@whole_number("--seed", "Random seed of the runs.")
@budget_option("--step-budget", 600.0, "Agent's time limit for one decision.")
@budget_option("--episode-budget", 3600.0, "Agent's time limit for an episode.")
@signing_key_option("the score")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for score.json and the runs.  [default: scores/NAME-VERSION-DIGEST]",
)
@organiser_options
@json_option
def score_command(image: str, *, out: Path | None, as_json: bool, **given: Any) -> int:
    """Play task sets in the sandbox, and sign the score.

    The reported rate counts every planned episode. Episodes that were not played or not scored
    count as not successful. The rate over played episodes is shown too.
    """
    from env_service.cli.submission_text import RunReporter, agent_failures, score_lines
    from env_service.storage.signing_key import SigningKey
    from env_service.submissions.package import read_submission
    from env_service.submissions.package_store import package_store
    from env_service.submissions.scoring import ScoreOrder, read_choices, score

    choices = read_choices(given["tasks"])
    store = package_store(image)
    submission = read_submission(store, store.find(image))
    names = ("world", "condition", "repeats", "parallel", "seed", "step_budget", "episode_budget")
    order = ScoreOrder(
        store=store,
        submission=submission,
        choices=choices,
        out=out or Path("scores") / submission.folder_name,
        key=SigningKey.load_or_create(given["signing_key"]),
        sandbox=read_organiser_sandbox(given),
        ceiling=read_ceiling(given),
        **{name: given[name] for name in names},
    )
    with stoppable(), RunReporter(quiet=as_json) as reporter:
        scored = score(order, reporter.watch, reporter.over)
    failed = agent_failures(scored)
    if as_json:
        failure = None if scored.failure is None else scored.failure.value
        outcome = {"score": str(scored.path), "failure": failure, "agent_failures": failed}
        print_json({**outcome, **scored.body})
    else:
        for line in score_lines(scored):
            click.echo(line)
    return PROBLEM if scored.failure is not None or failed else 0


_EPILOG = """\b
Examples:
  houseguest submit check my-team/agent:1.0
  houseguest submit check ./my_agent --sandbox process
  houseguest submit score my-team/agent:1.0 --tasks SUITE/TASK_SET --out score
"""


@click.group("submit", cls=CommandGroup, epilog=_EPILOG)
def submit_command() -> None:
    """Check an agent image as an organiser does, or score it.

    An image contains /houseguest-agent.yaml, which describes the agent and its requirements.
    """


submit_command.add_command(check_command)
submit_command.add_command(score_command)
