"""``houseguest report``: what runs came to, to read and to send around."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.report_options import (
    format_option,
    out_option,
    read_runs,
    show_text,
    suite_option,
)
from env_service.cli.run_paths import run_arguments

if TYPE_CHECKING:
    from env_service.results.reading import RunText

_EXAMPLES = """\b
Examples:
  houseguest report runs/babyai-random-0f3a…    print it; page and files in RUN/report
  houseguest report runs                        every run in the folder, by suite
  houseguest report RUN RUN --out review        several runs side by side
  houseguest report RUN --format html --open    the page alone, in the browser
  houseguest report RUN --tree "cook an egg"    the tree of this instruction's actions
  houseguest report RUN --json | jq '.sections[0].tables[0]'
"""


@click.command("report", epilog=_EXAMPLES)
@run_arguments()
@out_option("[default: report, in the folder that is named; here, where several are]")
@format_option
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--tree",
    default="",
    metavar="WORDS",
    help="Draw the tree of actions of the instruction that has these words in it."
    "  [default: the one that most episodes have]",
)
@suite_option
@json_option
def report_command(
    paths: Sequence[Path],
    *,
    out: Path | None,
    formats: tuple[str, ...],
    suite: str | None,
    tree: str,
    **flags: bool,
) -> None:
    """Report what runs came to: text here, and a page, tables and figures in a folder.

    Runs that can be compared (one suite, rules, task set, world) share a section. A run that
    is still being played can be reported; the report says so. Nothing is verified:
    `houseguest verify` does that.
    """
    from env_service.cli.report_design import design_finder
    from env_service.results.report.files import PAGE, write_report
    from env_service.results.report.sections import make_report

    texts = read_runs(paths)
    document = make_report(texts, design_finder(suite), tree=tree)
    folder = out or _place(paths, texts)
    files = write_report(document, folder, formats) if set(formats) - {"text"} else []
    if flags["as_json"]:
        print_json(document.to_json() | {"files": [str(path) for path in files]})
    else:
        show_text(document, files, folder, formats)
    if flags["open_page"] and "html" in formats:
        click.launch(str(folder / PAGE))


def _place(paths: Sequence[Path], texts: Sequence[RunText]) -> Path:
    """In the run's folder, or in the folder that was named; else where we are."""
    if len(paths) == 1:
        return paths[0] / "report"
    return texts[0].path / "report" if len(texts) == 1 else Path("report")
