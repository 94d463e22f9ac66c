"""``houseguest alfred classify``: why attempts failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.alfred_classify_model import agreement_of, asked_rows, chosen_model
from env_service.cli.alfred_classify_rows import Row, log_rows, run_rows
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Failure
from env_service.cli.output import print_table
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.suites.alfred.judging.model_classifier import Ask

_EXAMPLES = """\b
Examples:
  houseguest alfred classify evaluate.log
  houseguest alfred classify results/trial_*.json --json
  houseguest alfred classify runs/alfred-vlm-0f3a…
  houseguest alfred classify runs/alfred-vlm-0f3a… --base-url http://127.0.0.1:8000/v1 --model NAME

\b
Types: 1 misleading command, 2 action failure, 3 plan failure.
"""


@click.command("classify", epilog=_EXAMPLES)
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="LOG…",
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--model", metavar="NAME", help="Also ask this model, and tell how far it agrees.")
@click.option(
    "--base-url",
    metavar="URL",
    help="Its OpenAI-compatible server.  [default: HOUSEGUEST_BASE_URL, else OPENAI_BASE_URL]",
)
@click.option("--api-key-env", default="", metavar="NAME", help="The variable with its API key.")
@click.option(
    "--temperature", type=float, metavar="T", help="Sent to the model; nothing unless given."
)
@json_option
def classify_command(*, sources: tuple[Path, ...], as_json: bool, **asked: Any) -> int:
    """Tell why attempts failed: a misleading command, an action that failed, or the plan.

    LOG is a text log of LoTa-Bench, one of its result files, or a run of this suite, whose episodes
    were judged as they were played. Where the data packs are here, goals come from the task of the
    same trial. Exit status 1 where something cannot be read; the rest is told.
    """
    ask = chosen_model(asked) if asked["model"] else None
    if ask is None and asked["base_url"]:
        raise click.UsageError("--base-url goes with --model NAME")
    rows: list[Row] = []
    problems: list[str] = []
    notices: list[str] = []
    for source in sources:
        try:
            told = _run(source, ask, notices) if source.is_dir() else _log(source, ask, problems)
            rows += told
        except Failure as error:
            problems.append(error.message)
    for notice in notices:
        click.echo(f"Note: {notice}", err=True)
    _tell(rows, problems, as_json=as_json)
    return PROBLEM if problems else 0


def _run(path: Path, ask: Ask | None, notices: list[str]) -> list[Row]:
    rows, sessions, left = run_rows(path, steps=ask is not None)
    notices += [left] if left else []
    return rows if ask is None else asked_rows(rows, sessions, ask)


def _log(path: Path, ask: Ask | None, problems: list[str]) -> list[Row]:
    rows, sessions, found = log_rows(path)
    problems += found
    return rows if ask is None else asked_rows(rows, sessions, ask)


def _tell(rows: Sequence[Row], problems: Sequence[str], *, as_json: bool) -> None:
    compared = agreement_of(rows)
    if as_json:
        document: dict[str, Any] = {
            "attempts": [each.to_json() for each in rows],
            "types": _counts(rows),
            "problems": list(problems),
        }
        print_json({**document, "agreement": compared} if compared else document)
        return
    for row in rows:
        _tell_row(row)
    _tell_counts(rows)
    if compared:
        columns = ("type", "#both", "#ours alone", "#model alone", "#neither", "#agree", "#kappa")
        print_table(columns, [_cells(each) for each in compared])
    for problem in problems:
        click.echo(f"Error: {problem}", err=True)


def _tell_row(row: Row) -> None:
    click.echo(f"{row.source}  {row.task}")
    if row.command:
        click.echo(f"  command: {row.command}")
    if row.success:
        click.echo("  succeeded")
        return
    types = ", ".join(map(str, row.types))
    click.echo(f"  types: {types}  codes: {', '.join(row.codes) or 'none'}")
    click.echo(f"  {row.explanation}")
    if row.model is not None:
        said = ", ".join(map(str, row.model["failure_types"])) or "nothing that can be read"
        click.echo(f"  model: {said}  {row.model.get('explanation', row.model.get('problem', ''))}")


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    return {str(kind): sum(kind in each.types for each in rows) for kind in (1, 2, 3)}


def _tell_counts(rows: Sequence[Row]) -> None:
    failed = sum(not each.success for each in rows)
    counts = ", ".join(f"{number} of type {kind}" for kind, number in _counts(rows).items())
    click.echo(f"{counted(len(rows), 'attempt')}, {failed} failed: {counts}")


def _cells(found: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (found["type"], found["both"], found["ours_alone"], found["model_alone"])
    kappa = "-" if found["kappa"] is None else f"{found['kappa']:.2f}"
    return (*map(str, counts), str(found["neither"]), f"{100 * found['agree']:.0f} %", kappa)
