"""``houseguest refine alfred``: ALFRED's commands, refined by a model; and ``… check``."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from env_service.cli.common import json_option
from env_service.cli.endpoint_options import endpoint_options
from env_service.cli.errors import Misuse
from env_service.cli.groups import CommandGroup
from env_service.cli.refine_alfred_check import check_command
from env_service.cli.refine_alfred_options import work_options

_EXAMPLES = """\b
Examples:
  houseguest refine alfred --task-set valid_seen --out refined.json \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B --parallel 4
  houseguest refine alfred --task-set builtin --limit 20 --stages B,P1 --model NAME --out mine.json
  houseguest refine alfred --from refined.json --stages K --model NAME --out retranslated.json
  houseguest refine alfred --out refined.json --model NAME --review refined.review.csv
  houseguest refine alfred --task-set valid_seen --dry-run
  houseguest refine alfred check valid_seen

\b
Beside OUT come OUT.review.csv, for people to look over; OUT.state.jsonl, from which the same
command goes on after Ctrl-C or a failure; and OUT.manifest.json, which tells how it was made.
Exit status: 0 all is done; 1 some texts could not be had, or the server failed.
"""


@click.group("alfred", cls=CommandGroup, invoke_without_command=True, epilog=_EXAMPLES)
@work_options
@endpoint_options
@json_option
@click.pass_context
def alfred_command(context: click.Context, /, **asked: Any) -> int:
    """Refine ALFRED's commands with any model behind an OpenAI-compatible API.

    Six stages: integrity (what is wrong with the crowd's commands), B (the command of each action
    sequence), P1 and P2 (paraphrases), C (contextual), K (Korean). Rules check what the model
    says, and ask it again; what will not come right is kept, and marked for people to look at.
    """
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return 0
    from env_service.cli.refine_alfred_run import refine

    return refine(asked)


def _refuse_options(context: click.Context) -> None:
    """Options in front of a command would be for nothing."""
    for parameter in context.command.params:
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            raise Misuse(
                f"{parameter.opts[0]} stands in front of {context.invoked_subcommand!r}, which it"
                f" is not for; see houseguest refine alfred {context.invoked_subcommand} --help"
            )


alfred_command.add_command(check_command)
