"""``houseguest compare``: runs on the tasks that they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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

DEFAULT_OUT = Path("comparison")

_EXAMPLES = """\b
Examples:
  houseguest compare runs/A runs/B            B with A: difference, test, what flipped
  houseguest compare runs/A runs/B runs/C     B and C with A; Holm's p over both
  houseguest compare runs --all-pairs         every run in a folder with every other
  houseguest compare A B --json | jq .pairs
"""


@click.command("compare", epilog=_EXAMPLES)
@run_arguments()
@click.option("--all-pairs", is_flag=True, help="All pairs, not only each with the first.")
@click.option("--force", is_flag=True, help="Compare what cannot be compared, and label it.")
@out_option(f"[default: {DEFAULT_OUT}]")
@format_option
@suite_option
@json_option
def compare_command(
    paths: Sequence[Path],
    *,
    out: Path | None,
    formats: tuple[str, ...],
    suite: str | None,
    **flags: bool,
) -> None:
    """Compare runs on the tasks that all of them have scored, each with the first.

    Runs may differ in condition, agent, seed, repeats and selected tasks. Runs of different
    suites, rules, task sets, worlds, builds of a world or data are refused (exit status 2)
    unless --force.
    """
    from env_service.cli.report_design import design_finder
    from env_service.results.report.comparison import make_comparison
    from env_service.results.report.files import write_report

    texts = read_runs(paths)
    if len(texts) < 2:
        again = ", more than once" if len(paths) > 1 else ""
        raise click.UsageError(f"a comparison needs two runs; one was given{again}.")
    document = make_comparison(
        texts, design_finder(suite), all_pairs=flags["all_pairs"], force=flags["force"]
    )
    folder = out or DEFAULT_OUT
    files = write_report(document, folder, formats) if set(formats) - {"text"} else []
    if flags["as_json"]:
        print_json(document.to_json() | {"files": [str(path) for path in files]})
    else:
        show_text(document, files, folder, formats)
