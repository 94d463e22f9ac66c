"""``houseguest export``: runs in the formats of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.cli.errors import Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.report import read_runs
from env_service.cli.run_arguments import run_arguments
from env_service.domain.text import counted, safe
from env_service.exports.formats import FORMATS, find_format
from env_service.exports.job import Chosen, Job, Selection, check_free, drafted

_EXAMPLES = f"""\b
Examples:
  houseguest export runs --to inspect                  logs in export-inspect
  inspect view --log-dir export-inspect
  houseguest export runs/my-run-0f3a… --to atif --out trajectories
  houseguest export runs --to atif --only success --no-pictures

\b
Formats:
{chr(10).join(f"  {name:8} {each.summary}" for name, each in FORMATS.items())}
"""


def _format(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    find_format(name)
    return name


@click.command("export", epilog=_EXAMPLES)
@run_arguments()
@click.option(
    "--to", "form", required=True, metavar="FORMAT", callback=_format, help=", ".join(FORMATS)
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to write.  [default: export-FORMAT]",
)
@click.option(
    "--only",
    type=click.Choice([each.value for each in Chosen]),
    default=Chosen.ALL.value,
    show_default=True,
    help="Which episodes. Episodes without a score are only in `all`.",
)
@click.option("--pictures/--no-pictures", default=True, help="Export pictures.  [default: yes]")
@click.option("--replace", is_flag=True, help="Replace an earlier export in that folder.")
@json_option
def export_command(
    paths: Sequence[Path],
    *,
    form: str,
    out: Path | None,
    only: str,
    **flags: bool,
) -> None:
    """Write finished episodes in the format of another tool.

    Messages contain what the agent saw, thought and did. True outcomes and scores are in metadata.
    The runs do not change. If you press Ctrl-C, no folder is written.
    """
    out = out or Path(f"export-{form}")
    check_free(out, replace=flags["replace"])
    write = find_format(form).writer(form)
    runs = tuple(read_runs(paths))
    selection = Selection(Chosen(only))
    total = Job(runs, out, selection=selection).total
    if not total:
        raise Misuse(f"These runs have no episodes to export (--only {only}).")
    console = Console(stderr=True)
    columns = (TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        drafted(out, form, runs, replace=flags["replace"]) as draft,
        Progress(*columns, console=console, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("", total=total)
        write(
            Job(
                runs,
                draft,
                flags["pictures"],
                selection,
                advance=lambda: bar.advance(task),
            )
        )
    if flags["as_json"]:
        print_json({"format": form, "out": str(out), "episodes": total, "runs": len(runs)})
    else:
        what = f"{counted(total, 'episode')} of {counted(len(runs), 'run')}"
        click.echo(safe(f"Exported {what} to {out}"))
