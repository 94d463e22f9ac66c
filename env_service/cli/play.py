"""``houseguest play``: play tasks yourself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import with_sample
from env_service.cli.options import (
    budget_option,
    condition_option,
    run_folder_options,
    signing_key_option,
    split_names,
    whole_number,
)

if TYPE_CHECKING:
    from env_service.cli.play_session import PlayOptions

LONGEST_NAME = 60
"""Maximum characters of a player's name, which appears in folder names and tables."""

_EXAMPLES = with_sample("""\b
Examples:
  houseguest play SUITE                          in the terminal, until you quit
  houseguest play SUITE TASKS                    some tasks
  houseguest play SUITE --browser --player ada   in the browser, as ada
  houseguest play SUITE --task-set NAME --limit 5
  houseguest play SUITE 'cook*' --condition NAME --browser --no-open --port 8123

You see what an agent sees, under the same limits, and no score: `houseguest show` prints it. The
same command continues where you quit; an open episode does not count and starts again. Exit
status 0: all is played, or you quit; 1: some episodes are unscored, or the player's program
failed; 2: wrong usage; 130: interrupted.
""")

_STEP_HELP = "Your time limit for one decision, and between two episodes."


@click.command("play", epilog=_EXAMPLES)
@click.argument("suite")
@click.argument("tasks", nargs=-1, metavar="[TASK]…")
@click.option("--task-set", default="", metavar="NAME", help="[default: the suite's first]")
@click.option("--world", default="", metavar="NAME", help="[default: the task set's first]")
@condition_option
@whole_number("--limit", "Use only the first N tasks; 0 plays until all are done or you quit.")
@whole_number("--seed", "Random seed of the run.")
@click.option(
    "--player", default="", metavar="NAME", help="Pseudonym of the player; it is recorded."
)
@click.option("--browser", is_flag=True, help="Play on a page in the browser.")
@click.option(
    "--port",
    type=click.IntRange(0, 2**16 - 1),
    default=0,
    metavar="N",
    help="The page's port on 127.0.0.1.  [default: a free one]",
)
@click.option("--no-open", is_flag=True, help="Print the page's URL and open no browser.")
@click.option("--no-pictures", is_flag=True, help="Draw no pictures in the terminal.")
@budget_option("--step-budget", 3600.0, _STEP_HELP)
@budget_option("--episode-budget", 14400.0, "Your time limit for an episode.")
@run_folder_options
@signing_key_option("the results")
@click.option(
    "--json", "as_json", is_flag=True, help="After you quit, print the run's state as JSON."
)
def play_command(**options: Any) -> int:
    """Play a suite's tasks yourself, under the same conditions as an agent.

    SUITE is a suite from `houseguest suites`; each TASK is a task id, a group, or a shell pattern.
    Without TASK, you play all tasks of the set until you quit. The session is recorded as an
    ordinary run, which you can use as a human baseline.
    """
    asked = _read(options)
    from env_service.cli.play_session import conclude, play
    from env_service.gateway.runtime import run_service

    return conclude(run_service(play(asked)), as_json=options["as_json"])


def _read(options: Mapping[str, Any]) -> PlayOptions:
    player = _player(options["player"])
    if not options["browser"] and (options["port"] or options["no_open"]):
        raise click.UsageError("--port and --no-open need --browser.")
    from env_service.cli.play_session import PlayOptions
    from env_service.gateway.environment_service import RunRequest
    from env_service.sandbox.agents import AgentCommand, agent_for_people, parse_agent

    agent = agent_for_people()
    launch = parse_agent(agent, given=_given(options, player)).launch
    if not isinstance(launch, AgentCommand):
        raise click.UsageError(f"The agent {agent} cannot be started by a command.")
    names = ("suite", "task_set", "world", "condition", "limit", "seed", "fresh", "episode_budget")
    request = RunRequest(
        **{name: options[name] for name in names},
        tasks=split_names(options["tasks"]),
        agent=f"{agent} {player}".rstrip(),
    )
    return PlayOptions(
        request=request,
        command=launch.command,
        out=options["out"],
        key_file=options["signing_key"],
        step_budget=options["step_budget"],
    )


def _player(name: str) -> str:
    """The name on one line. Raises click.BadParameter."""
    name = " ".join(name.split())
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise click.BadParameter(
            f"{name[:LONGEST_NAME]!r}… is not a name of up to {LONGEST_NAME} printable characters.",
            param_hint="--player",
        )
    return name


def _given(options: Mapping[str, Any], player: str) -> dict[str, tuple[str, ...]]:
    """The options of the agent, under the names in its manifest."""
    given: dict[str, tuple[str, ...]] = {}
    if player:
        given["--player"] = (player,)
    if options["port"]:
        given["--page-port"] = (str(options["port"]),)
    for name in ("browser", "no_open", "no_pictures"):
        if options[name]:
            given[f"--{name.replace('_', '-')}"] = ("",)
    return given
