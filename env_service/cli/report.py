"""``houseguest report`` and ``houseguest compare``: results as text and as files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.options import json_option, print_json
from env_service.cli.report_episodes import EPISODES, MOST_EPISODES, has_episodes, write_episodes
from env_service.cli.run_arguments import run_arguments, run_folders
from env_service.domain.text import counted

if TYPE_CHECKING:
    from env_service.results.report.content import Document
    from env_service.results.report.run_report import Designed
    from env_service.results.run_reader import RunContents


# --- Options of both commands

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("html", "csv", "svg", "png", "text")
FURTHER = ("latex", "md")


def out_option(default: str) -> Callable[[F], F]:
    """Adds ``--out``; the command's parameter is ``out: Path | None``."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=f"Output folder.  {default}",
    )


def format_option(command: F) -> F:
    """Adds ``--format``; the command's parameter is ``formats: tuple[str, ...]``, empty if not
    given."""
    return click.option(
        "--format",
        "formats",
        metavar="FORMAT[,…]",
        callback=_formats,
        help=f"Formats: {', '.join((*FORMATS, *FURTHER))}.  [default: all but the last two]",
    )(command)


def suite_option(command: F) -> F:
    """Adds ``--suite``; the command's parameter is ``suite: str | None``."""
    return click.option(
        "--suite",
        metavar="MODULE:CLASS",
        help="Load this suite's report design if it is not installed.",
    )(command)


def designs(suite: str | None) -> Callable[[str], Designed]:
    """Finds the designs of suites, of the one that ``--suite`` names too.

    Raises what ``load_named_suite`` raises.
    """
    from env_service.cli.task_selection import load_named_suite
    from env_service.results.report.designs import design_finder

    if suite is None:
        return design_finder()
    own = load_named_suite(suite)
    return design_finder({suite: own, own.name: own})


def read_runs(paths: Sequence[Path]) -> list[RunContents]:
    """Reads the runs at these paths or directly below them. Raises click.UsageError for none."""
    from env_service.results.run_reader import read_run

    return [read_run(path.resolve()) for path in run_folders(paths)]


def show_text(document: Document, files: Sequence[Path], formats: Collection[str]) -> None:
    """Prints the report if ``formats`` contains text, and the location of its files if any."""
    from rich.console import Console

    from env_service.domain.text import safe
    from env_service.results.report.terminal_text import as_text

    if "text" in formats:
        Console().print(as_text(document), crop=False)
        click.echo()
    if files:
        more = f" and {counted(len(files) - 1, 'more file')}" if len(files) > 1 else ""
        click.echo(safe(f"{files[0]}{more} in {files[0].parent}" if more else str(files[0])))


def _formats(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> tuple[str, ...]:
    from env_service.domain.names import UnknownNameError

    if given is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in names:
        if name not in (*FORMATS, *FURTHER):
            raise UnknownNameError("format", name, (*FORMATS, *FURTHER))
    if not names:
        raise click.BadParameter(f"name at least one of {', '.join(FORMATS)}.")
    return names


_REPORT_EXAMPLES = """\b
Examples:
  houseguest report runs/my-run-0f3a…          print it; files go to RUN/report
  houseguest report runs                        every run in the folder, by suite
  houseguest report RUN RUN --out review        several runs side by side
  houseguest report RUN --format html --open    only the page, in the browser
  houseguest report RUN --tree "cook an egg"    action tree of this instruction
  houseguest report RUN --json | jq '.sections[0].tables[0]'
"""


@click.command("report", epilog=_REPORT_EXAMPLES)
@run_arguments()
@out_option("[default: report, in the given folder; in the current folder for several]")
@format_option
@click.option(
    "--episodes/--no-episodes",
    default=None,
    help=f"Write the episodes next to the page, and link to them.  [default: up to"
    f" {MOST_EPISODES:,} episodes]",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--tree",
    default="",
    metavar="WORDS",
    help="Draw the action tree of the instruction with these words.  [default: the"
    " instruction with the most episodes]",
)
@suite_option
@json_option
def report_command(  # noqa: PLR0913 - one parameter an option
    paths: Sequence[Path],
    *,
    out: Path | None,
    formats: tuple[str, ...],
    suite: str | None,
    tree: str,
    episodes: bool | None,
    **flags: bool,
) -> None:
    """Write a report: text on the terminal, and a page, tables and figures in a folder.

    Comparable runs (same suite, rules, task set, world) share a section. You can report on a run
    in progress; the report marks it. To verify runs, use `houseguest verify`.
    """
    from env_service.results.report.report_files import PAGE, write_report
    from env_service.results.report.run_report import make_report

    if episodes and formats and "html" not in formats:
        raise click.UsageError("--episodes needs --format html.")
    formats = formats or FORMATS
    runs = read_runs(paths)
    document = make_report(runs, designs(suite), tree=tree)
    folder = out or _default_folder(paths, runs)
    linked = "html" in formats and has_episodes(runs, wanted=episodes)
    document = replace(document, viewer=f"{EPISODES}/index.html" if linked else "")
    files = write_report(document, folder, formats) if set(formats) - {"text"} else []
    if linked and not write_episodes(runs, folder / EPISODES):
        write_report(replace(document, viewer=""), folder, formats)
    if flags["as_json"]:
        print_json(document.to_json() | {"files": [str(path) for path in files]})
    else:
        show_text(document, files, formats)
    if flags["open_page"] and "html" in formats:
        click.launch(str(folder / PAGE))


def _default_folder(paths: Sequence[Path], runs: Sequence[RunContents]) -> Path:
    """``report`` in the one folder that was given; in the current folder for several."""
    if len(paths) == 1:
        return paths[0] / "report"
    return runs[0].path / "report" if len(runs) == 1 else Path("report")


# --- ``houseguest compare``: runs on their common tasks

_COMPARE_EXAMPLES = """\b
Examples:
  houseguest compare runs/A runs/B            B with A: difference, test, tasks that changed
  houseguest compare runs/A runs/B runs/C     B and C with A; Holm's p over both
  houseguest compare runs --all-pairs         every run in a folder with every other
  houseguest compare runs 'more/*-small-*'    several suites: a leaderboard of agents
  houseguest compare A B --out review         a page, tables and figures as files too
  houseguest compare A B --json | jq .pairs
"""


@click.command("compare", epilog=_COMPARE_EXAMPLES)
@run_arguments()
@click.option(
    "--all-pairs", is_flag=True, help="Compare all pairs, not only each run with the first."
)
@click.option(
    "--force", is_flag=True, help="Compare runs that are not comparable, and label the result."
)
@out_option("[default: print the text and write no files]")
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
    """Compare runs with the first one, on the tasks that all of them have scored.

    Prints the comparison. With --out, also writes a page, tables and figures to a folder.

    Runs may differ in condition, agent, seed, repeats and selected tasks. If agents have several
    runs that differ only in the seed, the command shows a leaderboard that pools them; --all-pairs
    compares the single runs. If runs differ in suite, rules, task set, world, its build, or data,
    and some agents played the same, it shows a leaderboard of agents × suites. Otherwise it refuses
    them (exit status 2) unless --force.
    """
    from env_service.results.report.comparison import compare_any
    from env_service.results.report.report_files import write_report

    if formats and formats != ("text",) and out is None:
        raise click.UsageError(
            "--format chooses the files to write: pass their folder with --out DIR."
        )
    formats = formats or FORMATS
    runs = read_runs(paths)
    if len(runs) < 2:
        again = ", more than once" if len(paths) > 1 else ""
        raise click.UsageError(f"A comparison needs two runs; one was given{again}.")
    document = compare_any(runs, designs(suite), all_pairs=flags["all_pairs"], force=flags["force"])
    files = write_report(document, out, formats) if out and set(formats) - {"text"} else []
    if flags["as_json"]:
        print_json(document.to_json() | {"files": [str(path) for path in files]})
    else:
        show_text(document, files, formats)
        if "text" in formats:
            click.echo(_conclusion(document.extra.get("pairs", ())), nl=False)


def _conclusion(pairs: Sequence[Mapping[str, Any]]) -> str:
    """The result of a comparison of two runs; empty for more pairs, which a table shows."""
    if len(pairs) != 1:
        return ""
    (pair,) = pairs
    low, high = (100 * bound for bound in pair["interval_95"])
    return (
        f"B compared with A: success {100 * pair['difference']:+.1f} percentage points"
        f" (95 % interval {low:.1f} to {high:.1f}), p {pair['p_value']:.3f}, on"
        f" {counted(pair['tasks'], 'task')}\n"
    )
