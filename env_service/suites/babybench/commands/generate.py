"""``houseguest babybench generate`` and ``verify``: writes a data set, and checks one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Failure, Interrupted, Misuse
from env_service.cli.options import json_option, print_json, split_names, whole_number
from env_service.cli.output import count_text, listed, progress
from env_service.domain.names import UnknownNameError
from env_service.domain.text import counted
from env_service.suites.babybench.dataset.builder import DataSetBuilder, DataSetFolderError
from env_service.suites.babybench.dataset.formats import QUESTIONS, Format, FormatUnavailableError
from env_service.suites.babybench.dataset.manifest import Manifest, ManifestError, read_manifest
from env_service.suites.babybench.dataset.rows import Recipe, pick_levels
from env_service.suites.babybench.formatters import FORMATTERS
from env_service.suites.babybench.task_sets import Seeds, SeedsError
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.simulator import UnsupportedSimulatorError, load_simulator

if TYPE_CHECKING:
    from env_service.suites.babybench.dataset.manifest import Finding


_FORMATS = tuple(form.value for form in Format)

_MISUSES = (
    DataSetFolderError,
    FormatUnavailableError,
    ManifestError,
    UnsupportedSimulatorError,
)

_GENERATE_EXAMPLES = """\b
Examples:
  houseguest babybench generate --task predict --out predict
  houseguest babybench generate --task plan --levels Small-4Dists,Ultra-180Dists --out plan
  houseguest babybench generate --task decompose --levels BossLevel --seeds 501-1500 \\
      --formatter json --format parquet,jsonl --jobs 8 --out boss
  houseguest babybench generate --task predict --expert compat --out predict-as-published

\b
FOLDER then contains TASK.csv, TASK.parquet, …, and manifest.json, which explains every column.
After Ctrl-C the same command continues, and the files are the same as without an interruption.
"""


@click.command("generate", epilog=_GENERATE_EXAMPLES)
@click.option(
    "--task",
    "question",
    required=True,
    type=click.Choice(QUESTIONS),
    help="The question.",
)
@click.option(
    "--levels",
    multiple=True,
    metavar="NAME[,…]",
    callback=lambda _context, _parameter, given: split_names(given),
    help="Levels, or rooms of plan; may be repeated.  [default: all 16]",
)
@click.option(
    "--seeds",
    default="1-500",
    show_default=True,
    metavar="N[-M][,…]",
    callback=lambda _context, _parameter, given: _read_seeds(given),
    help="Each level's seeds, whole numbers from 0.",
)
@click.option(
    "--formatter",
    type=click.Choice(tuple(FORMATTERS)),
    default=next(iter(FORMATTERS)),
    show_default=True,
    help="How levels are described.",
)
@click.option(
    "--expert",
    type=click.Choice([mode.value for mode in reversed(ExpertMode)]),
    default=ExpertMode.FIXED.value,
    show_default=True,
    help="compat: the published expert, including its failures.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[,…]",
    callback=lambda _context, _parameter, given: _read_formats(given),
    help="Files to write: parquet, csv, jsonl; may be repeated.  [default: csv,jsonl]",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write to this folder, and continue unfinished work in it.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a core]"
)
@json_option
def generate_command(*, out: Path, jobs: int | None, as_json: bool, **asked: Any) -> int:
    """Write a data set of LLM-BabyBench.

    Each row is a question, its answer and the expert's actions.

    Equal options give equal files, for any --jobs. If rows cannot be generated, the manifest
    lists them with the reason, and the exit status is 1.
    """
    recipe = Recipe(
        question=asked["question"],
        levels=pick_levels(asked["question"], asked["levels"]),
        seeds=asked["seeds"],
        formatter=asked["formatter"],
        expert=asked["expert"],
        formats=asked["formats"],
    )
    try:
        load_simulator()
        with DataSetBuilder(out, recipe) as building:
            manifest = building.finished or _build(building, recipe, out, jobs)
    except _MISUSES as error:
        raise Misuse(str(error), kind=type(error).__name__) from error
    _tell_generate(manifest, out, as_json=as_json)
    return PROBLEM if manifest.content.failed else 0


def _build(building: DataSetBuilder, recipe: Recipe, out: Path, jobs: int | None) -> Manifest:
    from env_service.suites.babybench.dataset.builder import make_all

    left = len(recipe) - building.made
    try:
        with (
            progress("making rows", left) as advance,
            closing(make_all(recipe, building.pieces(), min(jobs or _cores(), left))) as found,
        ):
            for made in found:
                building.add(made)
                _times(advance, len(made))
        return building.finish()
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted: {building.made} of {counted(len(recipe), 'row')} are kept in"
            f" {out}; run the same command to resume."
        ) from None
    except BrokenProcessPool as error:
        raise Failure(
            "A process that makes rows was killed, perhaps because memory ran out. Try again with"
            f" fewer --jobs: {building.made} of {counted(len(recipe), 'row')} are kept in {out}.",
            kind="BrokenProcessPool",
        ) from error


def _times(advance: Callable[[], None], number: int) -> None:
    for _ in range(number):
        advance()


def _cores() -> int:
    return os.cpu_count() or 1


def _tell_generate(manifest: Manifest, out: Path, *, as_json: bool) -> None:
    content = manifest.content
    if as_json:
        print_json(
            {
                "out": str(out),
                "recipe": dict(manifest.recipe),
                "rows": sum(content.rows.values()),
                "failed": [
                    {"level": level, "seed": seed, "problem": problem}
                    for level, seed, problem in content.failed
                ],
                "content_sha256": content.digest,
                "files": [str(out / name) for name in manifest.files],
            }
        )
        return
    click.echo(f"{count_text(sum(content.rows.values()), 'row')}, content {content.digest}")
    for name in (*manifest.files, manifest.path.name):
        click.echo(str(out / name))
    problems = (f"{level}/{seed}: {problem}" for level, seed, problem in content.failed)
    for line in listed("not made", problems):
        click.echo(line, err=True)


def _read_seeds(text: str) -> Seeds:
    try:
        return Seeds.read(text)
    except SeedsError as error:
        raise click.BadParameter(str(error)) from error


def _read_formats(given: Sequence[str]) -> tuple[Format, ...]:
    names = split_names(given) or ("csv", "jsonl")
    for name in names:
        if name not in _FORMATS:
            raise UnknownNameError("file format", name, _FORMATS)
    return tuple(form for form in Format if form.value in names)


# --- ``houseguest babybench verify``: checks a data set

_VERIFY_EXAMPLES = """\b
Examples:
  houseguest babybench verify predict
  houseguest babybench verify predict --regenerate 100
"""


@click.command("verify", epilog=_VERIFY_EXAMPLES)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@whole_number("--regenerate", "Generate N rows again, evenly spread, and compare them.")
@json_option
def verify_command(*, folder: Path, regenerate: int, as_json: bool) -> int:
    """Check that a data set matches its manifest.

    The command reads every file, and compares its SHA-256, the number of rows of each level, and
    the digest of their content, which is the same for all formats. Exit status 1 if anything
    differs.
    """
    from env_service.suites.babybench.dataset.manifest import check_files, check_sample

    try:
        manifest = read_manifest(folder)
    except ManifestError as error:
        raise Misuse(str(error), kind="ManifestError") from error
    findings = list(check_files(folder, manifest))
    if regenerate and not findings:
        findings += check_sample(folder, manifest, regenerate)
    _print_verification(folder, manifest, findings, as_json=as_json)
    return PROBLEM if findings else 0


def _print_verification(
    folder: Path, manifest: Manifest, findings: list[Finding], *, as_json: bool
) -> None:
    rows = sum(manifest.content.rows.values())
    if as_json:
        found = [{"place": each.place, "problem": each.problem} for each in findings]
        digest = manifest.content.digest
        result = {"folder": str(folder), "rows": rows, "content_sha256": digest, "findings": found}
        print_json(result)
        return
    for line in listed("differs", (f"{each.place}: {each.problem}" for each in findings)):
        click.echo(line, err=True)
    if not findings:
        files = ", ".join(manifest.files)
        click.echo(f"{files}: {count_text(rows, 'row')}, as the manifest says")
