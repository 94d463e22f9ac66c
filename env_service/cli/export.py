"""``houseguest export``: runs in the formats of other tools."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

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
  houseguest export runs --to parquet --out tables
  houseguest export runs --to hf --license cc-by-4.0
  houseguest export runs --to sft --max-steps 30       chats for fine-tuning
  houseguest export runs --to mlflow                   runs in MLflow

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
    help="Which episodes. Episodes without a score are only in `all`.  [default: all; for sft"
    " success]",
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Only episodes in which at least this share of goal conditions hold at the end.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only episodes with at most this many steps.",
)
@click.option("--pictures/--no-pictures", default=True, help="Export pictures.  [default: yes]")
@click.option(
    "--license",
    "license_name",
    default="",
    metavar="NAME",
    help="License of the data set, for the card of hf and sft, such as cc-by-4.0.",
)
@click.option(
    "--include-evaluation-tasks",
    "evaluation_tasks",
    is_flag=True,
    help="Let sft include tasks that agents are evaluated on. The card then marks the data set as"
    " contaminated.",
)
@click.option("--replace", is_flag=True, help="Replace an earlier export in that folder.")
@json_option
def export_command(
    paths: Sequence[Path],
    *,
    form: str,
    out: Path | None,
    replace: bool,
    **choice: Any,
) -> None:
    """Write finished episodes in the format of another tool, or send runs to a tracker.

    Messages contain what the agent saw, thought and did. True outcomes and scores are in metadata.
    The runs do not change. If you press Ctrl-C, no folder is written.
    """
    found = find_format(form)
    _check_options(form, {**choice, "out": out, "replace": replace or None})
    out = out or Path(f"export-{form}")
    if not found.tracker:
        check_free(out, replace=replace)
    write = found.writer(form)
    selection = Selection(
        Chosen(choice["only"] or found.chosen), choice["min_score"], choice["max_steps"]
    )
    asked = Job(
        tuple(read_runs(paths)),
        out,
        choice["pictures"],
        selection,
        license=choice["license_name"],
        evaluation_tasks=choice["evaluation_tasks"],
    )
    job = found.prepare(asked)
    total, left_out = job.total, asked.total - job.total
    if not total:
        raise Misuse(_nothing(asked, left_out))
    links = _write(job, form, write, total, replace=replace)
    if choice["as_json"]:
        where = {"links": links} if found.tracker else {"out": str(out)}
        counts = {"episodes": total, "runs": len(job.runs), "left_out": left_out}
        print_json({"format": form, **where, **counts})
        return
    for link in links:
        click.echo(safe(link))
    what = f"{counted(total, 'episode')} of {counted(len(job.runs), 'run')}"
    click.echo(safe(f"Exported {what} to {form if found.tracker else out}"))
    for note in _notes(job, left_out):
        click.echo(f"note: {note}", err=True)


def _check_options(form: str, choice: Mapping[str, Any]) -> None:
    """Raises Misuse for an option that the format does not have."""
    found = FORMATS[form]
    special = {"license_name": "--license", "evaluation_tasks": "--include-evaluation-tasks"}
    for option in (option for name, option in special.items() if choice[name]):
        if option not in found.options:
            formats = " and ".join(n for n, each in FORMATS.items() if option in each.options)
            raise Misuse(f"{option} is only for {formats}, not for {form}.")
    for name in ("out", "replace", "only", "min_score", "max_steps"):
        if found.tracker and choice[name] is not None:
            raise Misuse(
                f"--{name.replace('_', '-')} is only for files. {form} gets whole runs; exporting a"
                " run again updates it there."
            )


def _write(
    job: Job, form: str, write: Callable[[Job], None], total: int, *, replace: bool
) -> list[str]:
    """Writes the export; the places of runs in a tracker."""
    console = Console(stderr=True)
    columns = (TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    links: list[str] = []
    tracker = FORMATS[form].tracker
    with (
        nullcontext(job.out)
        if tracker
        else drafted(job.out, form, job.runs, replace=replace) as out,
        Progress(*columns, console=console, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("", total=total)
        advance = partial(bar.advance, task)
        write(dataclasses.replace(job, out=out, advance=advance, say=links.append))
    return links


def _nothing(asked: Job, left_out: int) -> str:
    selection = asked.selection
    limits = [f"--only {selection.chosen}"]
    if selection.min_score is not None:
        limits.append(f"--min-score {selection.min_score:g}")
    if selection.max_steps is not None:
        limits.append(f"--max-steps {selection.max_steps}")
    more = f"; {counted(left_out, 'episode')} of evaluation tasks left out" if left_out else ""
    return f"These runs have no episodes to export ({' '.join(limits)}{more})."


def _notes(job: Job, left_out: int) -> Iterator[str]:
    if left_out:
        yield f"{counted(left_out, 'episode')} of evaluation tasks left out."
    for run in job.runs:
        planned = len(run.manifest.task_ids) * run.manifest.repeats
        if len(run.episodes) < planned:
            yield safe(
                f"{run.path.name} is not complete: {len(run.episodes)} of {planned} episodes."
            )
