"""``houseguest init``: a plan file to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from env_service.cli.errors import Misuse
from env_service.cli.options import json_option, print_json

_EXAMPLES = """\b
Examples:
  houseguest init                  write plan.toml
  houseguest init models.toml      another file
  houseguest sweep plan.toml       play it
  houseguest init --json | jq -r .file
"""


@click.command("init", epilog=_EXAMPLES)
@click.argument(
    "file",
    default=Path("plan.toml"),
    type=click.Path(dir_okay=False, path_type=Path),
)
@json_option
def init_command(file: Path, *, as_json: bool) -> None:
    """Write a commented plan for `houseguest sweep`.

    You can play the plan at once: its agents need no model and its suite needs no data. Other
    installed agents and suites are in comments. An existing file is never overwritten.
    """
    from env_service.sweep.template import plan_template

    if file.suffix.lower() != ".toml":
        raise Misuse(f"{file}: a plan is written as TOML, so the name must end in .toml.")
    text = plan_template(shlex.quote(str(file)))
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise Misuse(f"{file} exists: name another file, or remove it first.") from error
    if as_json:
        print_json({"file": str(file)})
        return
    click.echo(f"{file}\nPlay it: houseguest sweep {shlex.quote(str(file))}")
