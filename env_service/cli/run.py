"""``houseguest run``: evaluate an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.agent_options import AgentCommand
from env_service.cli.command import with_sample
from env_service.cli.options import (
    budget_option,
    calling_options,
    json_option,
    run_folder_options,
    selection_options,
    signing_key_option,
    track_option,
    whole_number,
)
from env_service.cli.placement_options import (
    check_workers,
    placement_options,
    read_placement,
)
from env_service.cli.sandbox_options import (
    SANDBOX_PARAMETERS,
    SHORT_NAMES,
    read_sandbox,
    refuse_sandbox,
    sandbox_options,
)
from env_service.domain.run_bounds import COST_USD, REPEATS, SEED, SESSIONS, TOKENS, WORKERS, Range
from env_service.sandbox.agents import AgentImage, AgentSpec, parse_agent

if TYPE_CHECKING:
    from env_service.evaluation.run_evaluation import RunOptions
    from env_service.sandbox.agent_files import AgentFiles
    from env_service.sandbox.options import SandboxOptions

F = TypeVar("F", bound=Callable[..., Any])

_EXAMPLES = with_sample("""\b
Examples:
  houseguest run --suite SUITE --tasks TASKS --agent AGENT --limit 12
  houseguest run --suite SUITE --agent AGENT --parallel 8
  houseguest run --suite SUITE --agent 'cmd:"python my_agent.py"' --parallel 2
  houseguest run --suite SUITE --agent ./my_agent --help    also shows the agent's options
  houseguest run --suite SUITE --agent image:my-agent --parallel 2
                 --guest-memory 2g
  houseguest run --suite SUITE --agent image:my-agent --agent-args '--model NAME'
                 --model-server http://127.0.0.1:8000 --time-limit 2h
  houseguest run --suite SUITE --set NAME=VALUE --agent AGENT --repeats 3
  houseguest run --suite SUITE --agent external --listen 127.0.0.1:7000
  houseguest run --suite SUITE --world NAME --agent ./my_agent --parallel 8
                 --gpus 0,1 --worlds-per-gpu 4
  houseguest run --suite SUITE --agent AGENT --track mlflow

The same command resumes a stopped run. Exit status: 0 every episode has a score; 1 some
are unscored or not played, or the agent crashed, timed out or withdrew; 2 wrong usage;
130 interrupted.
""")

_SECTIONS = {
    "Tasks": (
        "suite",
        "task_set",
        "tasks",
        "limit",
        "world",
        "named",
        "condition",
        "repeats",
    ),
    "Agent": (
        *("agent", "agent_args", "parallel", "step_budget", "episode_budget"),
        *("max_cost", "max_tokens"),
    ),
    "Agent isolation": SANDBOX_PARAMETERS,
    "Run and service": (
        *("seed", "out", "fresh", "resume_anyway", "workers", "gpus", "worlds_per_gpu"),
        *("world_memory", "listen", "token_folder", "signing_key", "track"),
    ),
}

_AGENT_HELP = """A name from `houseguest agents`, a folder such as ./my_agent, cmd:"…",
image:NAME (a Docker image), or external. With --help, also shows the agent's options."""

_MAX_COST_HELP = """Stop the run when the agent's model has cost this much in total, by the agent's
own count. To continue, run the same command with a higher limit."""


def _spending(name: str, kind: type, metavar: str, text: str, *, within: Range) -> Callable[[F], F]:
    """An option for a spending limit of the run, ``within`` a range; None if not given."""

    def check(_context: object, _parameter: object, amount: float | None) -> float | None:
        if amount is not None and not within.holds(amount):
            raise click.BadParameter(f"{amount} is not {within}.")
        return amount

    return click.option(name, type=kind, metavar=metavar, callback=check, help=text)


@click.command("run", cls=AgentCommand, sections=_SECTIONS, yielding=SHORT_NAMES, epilog=_EXAMPLES)
@selection_options
@click.option("--agent", required=True, metavar="AGENT", help=_AGENT_HELP)
@click.option(
    "--agent-args",
    default="",
    metavar="ARGS",
    help="Arguments for the command of a cmd: agent, or for the entry point of an image.",
)
@whole_number("--parallel", "Number of concurrent sessions.", least=1, most=SESSIONS.most)
@sandbox_options
@whole_number("--seed", "Random seed of the run.", most=SEED.most)
@whole_number("--repeats", "Number of times to play each task.", least=1, most=REPEATS.most)
@run_folder_options
@whole_number(
    "--workers", "Number of worker processes; 0 lets the service choose.", most=WORKERS.most
)
@placement_options
@click.option(
    "--resume-anyway",
    is_flag=True,
    help="Resume a run although its agent has changed, and mark the run as a mixture.",
)
@budget_option("--step-budget", 600.0, "Agent's time limit for one decision.")
@budget_option("--episode-budget", 3600.0, "Agent's time limit for an episode.")
@_spending("--max-cost", float, "USD", _MAX_COST_HELP, within=COST_USD)
@_spending("--max-tokens", int, "N", "The same for tokens, sent plus received.", within=TOKENS)
@calling_options(
    "agents call",
    "Folder for the sessions' tokens for external agents: seat-0, seat-1, ….",
)
@signing_key_option("the results")
@track_option
@json_option
def run_command(**options: Any) -> int:
    """Evaluate an agent on a suite's tasks.

    Starts the service and the agent, plays every selected task, and writes a signed run folder,
    which you can show, verify and resume.
    """
    asked = read_run_options(options)
    from env_service.cli.run_evaluation import evaluate
    from env_service.cli.run_outcome import conclude
    from env_service.exports.tracking_process import Tracking
    from env_service.gateway.runtime import run_service

    as_json = options["as_json"]
    with Tracking(options["track"], partial(click.echo, err=True), brief=as_json) as tracking:
        playing = evaluate(
            asked, token_folder=options["token_folder"], as_json=as_json, track=tracking.start
        )
        run, interrupted = run_service(playing)
        return conclude(run, interrupted=interrupted, as_json=as_json)


def _settled(agent: AgentSpec, sandbox: SandboxOptions) -> AgentSpec:
    """The agent with its image's digest, which is part of the run's identity."""
    if not isinstance(agent.launch, AgentImage):
        return agent
    from env_service.sandbox.docker.engine import settle_image
    from env_service.sandbox.factory import settle_kind

    settle_kind(agent.launch, sandbox)
    return settle_image(agent)


def read_run_options(
    options: Mapping[str, Any],
    files: Callable[[AgentSpec], AgentFiles | None] | None = None,
) -> RunOptions:
    """Reads the parameters of ``run_command``. ``files`` finds an agent's files, for a caller who
    keeps those of earlier runs. Raises click.UsageError, and the errors for users about agents,
    images and sandboxes."""
    agent = parse_agent(options["agent"], options["agent_args"], options["agent_options"])
    sandbox = read_sandbox(options)
    if agent.launch is None:
        refuse_sandbox(sandbox)
    from env_service.evaluation.run_evaluation import RunOptions
    from env_service.gateway.environment_service import RunRequest
    from env_service.sandbox.agent_files import files_of

    names = ("suite", "task_set", "world", "condition", "tasks", "limit", "seed", "repeats")
    if options["fresh"] and options["resume_anyway"]:
        raise click.UsageError("--fresh and --resume-anyway cannot be combined.")
    agent = _settled(agent, sandbox)
    made_of = (files or files_of)(agent)
    request = RunRequest(
        **{name: options[name] for name in names},
        sessions=options["parallel"],
        workers=options["workers"],
        fresh=options["fresh"],
        resume_anyway=options["resume_anyway"],
        agent_files={} if made_of is None else made_of.to_json(),
        agent=agent.label,
        episode_budget=options["episode_budget"],
        max_cost_usd=options["max_cost"],
        max_tokens=options["max_tokens"],
    )
    placement = read_placement(options["gpus"], options["worlds_per_gpu"])
    check_workers(placement, options["workers"])
    return RunOptions(
        request=request,
        agent=agent,
        out=options["out"],
        listen=options["listen"],
        key_file=options["signing_key"],
        step_budget=options["step_budget"],
        placement=placement,
        sandbox=sandbox,
        world_memory=options["world_memory"],
    )
