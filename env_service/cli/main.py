"""``houseguest``, the command line. A command's module is imported when the command is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from env_service.cli.command import Command, with_sample
from env_service.cli.errors import PIPE_CLOSED, Interrupted, error_document, translated
from env_service.cli.options import print_json
from env_service.domain.names import UnknownNameError
from env_service.plugins import Group, PluginError, find_plugin, installed

COMMANDS = {
    "suites": Command("env_service.cli.catalogue:suites_command", "List the benchmarks."),
    "tasks": Command("env_service.cli.catalogue:tasks_command", "List the tasks of a suite."),
    "agents": Command("env_service.cli.agents:agents_command", "List the available agents."),
    "run": Command("env_service.cli.run:run_command", "Evaluate an agent on tasks."),
    "sweep": Command("env_service.cli.sweep:sweep_command", "Play every run of a plan file."),
    "init": Command("env_service.cli.init:init_command", "Write a plan file for a sweep."),
    "play": Command("env_service.cli.play:play_command", "Play tasks yourself."),
    "serve": Command("env_service.cli.serve:serve_command", "Run the environment service."),
    "practice": Command(
        "env_service.cli.practice:practice_command", "Run a practice service, without scores."
    ),
    "show": Command("env_service.cli.show:show_command", "Show the results of runs."),
    "report": Command(
        "env_service.cli.report:report_command", "Write a report: tables, figures, a page."
    ),
    "compare": Command(
        "env_service.cli.report:compare_command", "Compare runs on their common tasks."
    ),
    "export": Command(
        "env_service.cli.export:export_command", "Export runs to the formats of other tools."
    ),
    "verify": Command("env_service.cli.verify:verify_command", "Verify runs and scores."),
    "index": Command("env_service.cli.index:index_command", "Index runs for searching."),
    "view": Command("env_service.cli.view:view_command", "See runs in a browser."),
    "trace": Command("env_service.cli.trace:trace_command", "Write an episode as one HTML file."),
    "conformance": Command(
        "env_service.cli.conformance:conformance_command", "Test an agent against the protocol."
    ),
    "submit": Command("env_service.cli.submit:submit_command", "Check and score an agent image."),
    "queue": Command("env_service.cli.queue:queue_command", "Manage a queue of submissions."),
    "expert": Command(
        "env_service.cli.expert:expert_command", "Solve tasks with a suite's expert."
    ),
    "doctor": Command("env_service.cli.doctor:doctor_command", "Check this machine for problems."),
    "new": Command("env_service.cli.new:new_command", "Create your own suite, world or agent."),
    "data": Command("env_service.cli.data:data_command", "Download, import and check data packs."),
}
"""The core's commands. Suites and worlds add theirs through entry points."""

_EPILOG = """\b
Examples:
  houseguest suites
  houseguest agents
  houseguest run --suite SUITE --tasks TASKS --limit 12 --agent AGENT
  houseguest show runs

\b
Exit status: 0 success; 1 something is unscored, an agent failed, or a problem was
found; 2 wrong usage; 130 interrupted.
"""


class CommandTable(click.Group):
    """Finds commands by name: first the core's, then those of plug-ins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The core's commands in the order of a new user's work, then those of plug-ins."""
        del ctx
        return list(_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; returns None for an unknown name. Raises PluginError."""
        del ctx
        return _find(cmd_name).load() if cmd_name in _names() else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command of a command line. Raises UnknownNameError."""
        name = args[0]
        if name not in _names() and not name.startswith("-"):
            raise UnknownNameError("command", name, _names())
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing any. A broken plug-in shows its error."""
        del ctx
        for title, names in (
            ("Commands", list(COMMANDS)),
            ("Commands of suites and worlds", _names()[len(COMMANDS) :]),
        ):
            with formatter.section(title):
                formatter.write_dl([(name, _summary(name)) for name in names])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples, with an installed suite filled in."""
        self.epilog = with_sample(self.epilog or "")
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command and turns errors meant for users into click's."""
        try:
            with translated():
                result: object = super().invoke(ctx)
                sys.stdout.flush()
                return result
        except BrokenPipeError:
            # Python flushes standard output again at exit, which would fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(PIPE_CLOSED) from None


@click.command(
    "houseguest",
    cls=CommandTable,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="houseguest", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate and train agents that plan and act in homes.

    Your agent plays episodes through a small gRPC protocol. The environment service scores them
    from the true state of the world. `houseguest COMMAND --help` explains each command.
    """


def _names() -> tuple[str, ...]:
    """The core's commands come first; a plug-in cannot replace one."""
    return (*COMMANDS, *(name for name in installed(Group.COMMANDS) if name not in COMMANDS))


def _find(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    command: Command = find_plugin(Group.COMMANDS, name).load()
    return command


def _summary(name: str) -> str:
    try:
        return _find(name).summary
    except PluginError as error:
        return str(error)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line, prints its errors, and returns its exit status.

    With ``--json``, an error is one JSON document on standard output. If the command returns an
    integer or exits with one, that is the exit status.
    """
    as_json = _asks_for_json(arguments)
    try:
        status = cli.main(list(arguments), prog_name="houseguest", standalone_mode=False)
    except click.ClickException as error:
        return _report(error, as_json=as_json)
    except click.Abort:
        return _report(Interrupted("Interrupted"), as_json=as_json)
    except SystemExit as leaving:
        if not isinstance(leaving.code, int):
            raise
        return leaving.code
    except Exception as error:
        if as_json:
            print_json({"error": {"kind": type(error).__name__, "message": str(error)}})
        raise
    return status if isinstance(status, int) else 0


def main() -> None:
    """The console script. Shows ``?`` for characters that the terminal's encoding lacks."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")
    if os.environ.get("MPLBACKEND", "").startswith("module:"):
        # A notebook's, which the environment of this command may lack; figures need none.
        del os.environ["MPLBACKEND"]
    sys.exit(run(sys.argv[1:]))


def _report(error: click.ClickException, *, as_json: bool) -> int:
    if as_json:
        print_json(error_document(error))
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        click.echo(f"Error: {error.format_message()}", err=True)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
            click.echo(f"For help: {error.ctx.command_path} --help", err=True)
    return error.exit_code


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether ``--json`` is among the options, for command lines that cannot be parsed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options
