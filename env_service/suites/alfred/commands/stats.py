"""``houseguest alfred stats``: how varied the commands are."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import Failure, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table

if TYPE_CHECKING:
    from env_service.suites.alfred.dataset.statistics import Variety

_EXAMPLES = """\b
Examples:
  houseguest alfred stats
  houseguest alfred stats valid_unseen --recipe B
  houseguest alfred stats valid_seen --csv table2.csv
"""

_DEFAULT = "valid_seen"

_COLUMNS = ("wording", "#commands", "#words", "#unique", "#diversity", "#entropy")
_PUBLISHED = ("#published unique", "#diff", "#published diversity", "#published entropy")


@click.command("stats", epilog=_EXAMPLES)
@click.argument("task_set", default=_DEFAULT, metavar="[TASK_SET]")
@click.option(
    "--recipe",
    type=click.Choice(["A", "B"]),
    default="A",
    show_default=True,
    help="How to split commands: B drops the last full stop, A keeps all punctuation.",
)
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the table to this file.",
)
@json_option
def stats_command(*, task_set: str, recipe: str, csv_file: Path | None, as_json: bool) -> None:
    """Count the words of a task set's commands, by wording.

    The counts are the number of different words, their share of all words (diversity), and their
    entropy in bits.

    Published numbers are shown for comparison, if any exist.
    """
    from env_service.suites.alfred.dataset.statistics import NOTE, SOURCE

    name, found = _measure(task_set, recipe)
    rows = _rows(name, found)
    if csv_file is not None:
        _write(csv_file, rows)
    if as_json:
        head = {"task_set": name, "recipe": recipe, "published_source": SOURCE}
        print_json({**head, "wordings": rows})
        return
    published = any(row["published_unique"] is not None for row in rows)
    columns = (*_COLUMNS, *_PUBLISHED) if published else _COLUMNS
    print_table(columns, [_cells(row)[: len(columns)] for row in rows])
    if published:
        click.echo(f"published: {SOURCE}. {NOTE}")


def _measure(name: str, recipe: str) -> tuple[str, Mapping[str, Variety]]:
    from env_service.domain.names import UnknownNameError
    from env_service.suites.alfred.dataset.statistics import Recipe, by_wording
    from env_service.suites.alfred.task_sets import AlfredTaskSets

    task_sets = AlfredTaskSets()
    name = name.removeprefix("alfred/")
    if name not in task_sets:
        raise UnknownNameError("task set of suite 'alfred'", name, task_sets)
    task_set = task_sets[name]
    found = by_wording(task_set, Recipe(recipe))
    if not found:
        raise Failure(f"No task of task set {name} has a command", kind="NoCommands")
    return task_set.name, found


def _rows(name: str, found: Mapping[str, Variety]) -> list[dict[str, Any]]:
    from env_service.suites.alfred.dataset.statistics import TABLE_2

    table = TABLE_2.get(name, {})
    return [
        {
            "wording": wording,
            "commands": each.commands,
            "words": each.words,
            "unique": each.unique,
            "diversity": each.diversity,
            "entropy": each.entropy,
            "published_unique": table[wording].unique if wording in table else None,
            "published_diversity": table[wording].diversity if wording in table else None,
            "published_entropy": table[wording].entropy if wording in table else None,
        }
        for wording, each in found.items()
    ]


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (row["wording"], str(row["commands"]), str(row["words"]), str(row["unique"]))
    ours = (*counts, f"{row['diversity']:.3f}", f"{row['entropy']:.3f}")
    theirs = row["published_unique"]
    if theirs is None:
        return (*ours, "", "", "", "")
    difference = f"{100 * (row['unique'] / theirs - 1):+.1f} %"
    shown = (f"{row['published_diversity']:.3f}", f"{row['published_entropy']:.3f}")
    return (*ours, str(theirs), difference, *shown)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}; name a file that can be written") from error
