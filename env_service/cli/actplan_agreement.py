"""``houseguest actplan agreement``: how far the judges agree with people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_judge_rows import MEASURED_COLUMNS, measured_cells
from env_service.cli.common import json_option, print_json, whole_number
from env_service.cli.errors import Failure, Misuse
from env_service.cli.output import print_table, progress

if TYPE_CHECKING:
    from env_service.suites.actplan.judges.labelled import Labelled
    from env_service.suites.actplan.judges.measured import Measured

_EXAMPLES = """\b
Examples:
  houseguest actplan agreement
  houseguest actplan agreement --split train
  houseguest actplan agreement --split val --split test
  houseguest actplan agreement --split train --csv disagreements.csv
"""

_SPLITS = ("train", "val", "test")


@click.command("agreement", epilog=_EXAMPLES)
@click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice(_SPLITS),
    help="Measure on these activities of the published split; the judges were tuned on train."
    "  [default: tell what was measured for this release]",
)
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes.")
@whole_number("--seed", "Of the bootstrap.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write each plan's label and verdicts to this file.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the table in the form that is shipped, rows of other splits kept.",
)
@json_option
def agreement_command(*, splits: tuple[str, ...], seed: int, as_json: bool, **asked: Any) -> None:
    """Tell how far the judges agree with people, or measure it: judge the published plans that
    people have judged, and compare.

    Most plans are not correct, so that Matthews' coefficient (MCC) tells more than the accuracy,
    which stands beside that of the constant answer. Intervals: 95 %, activities drawn anew.
    """
    rows = _measured(splits, seed, asked) if splits else _shipped(asked)
    if as_json:
        print_json({"seed": seed, "rows": [each.to_json() for each in rows]})
        return
    print_table(MEASURED_COLUMNS, [measured_cells(each) for each in rows])


def _shipped(asked: dict[str, Any]) -> Sequence[Measured]:
    from env_service.suites.actplan.judges.measured import measured

    if asked["csv_file"] is not None or asked["out"] is not None:
        raise click.UsageError("--csv and --out go with --split: they write what was measured")
    return measured()


def _measured(splits: Sequence[str], seed: int, asked: dict[str, Any]) -> Sequence[Measured]:
    import numpy as np

    from env_service.suites.actplan.judges.labelled import measure

    for place in filter(None, (asked["csv_file"], asked["out"])):
        if not place.parent.is_dir():
            raise Misuse(f"{place} cannot be written: there is no folder {place.parent}.")
    parts = [_judged(split, asked["jobs"]) for split in dict.fromkeys(splits)]
    # A split's intervals are the same whichever other ones are measured with it.
    rows = [row for part in parts for row in measure(part, np.random.default_rng(seed))]
    judged = [each for part in parts for each in part]
    if asked["csv_file"] is not None:
        _write_csv(asked["csv_file"], judged)
    if asked["out"] is not None:
        _write_table(asked["out"], rows)
    return rows


def _judged(split: str, jobs: int | None) -> list[Labelled]:
    from env_service.suites.actplan.judges.labelled import judge_split, plans_in

    total = plans_in(split)
    if not total:
        raise Failure(f"the data pack has no labelled plan of split {split!r}")
    found = []
    with progress(f"{split}: judged", total) as advance:
        for each in judge_split(split, jobs or os.cpu_count() or 1):
            found.append(each)
            advance()
    return found


def _write_csv(path: Path, judged: Sequence[Labelled]) -> None:
    import csv

    rows = [each.to_json() for each in judged]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_table(path: Path, rows: Sequence[Measured]) -> None:
    from env_service.suites.actplan.judges.measured import read_measured, write_measured

    ours = {each.split for each in rows}
    old = read_measured(path.read_text(encoding="utf-8")) if path.exists() else ()
    path.write_text(
        write_measured((*(each for each in old if each.split not in ours), *rows)),
        encoding="utf-8",
    )
