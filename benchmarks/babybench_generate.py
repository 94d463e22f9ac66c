"""What LLM-BabyBench's data sets cost to make: CPU time on one core, formatting included.

    python -m benchmarks.babybench_generate
    python -m benchmarks.babybench_generate --seeds 1-50 --levels
    python -m benchmarks.babybench_generate --keep FOLDER

Each of the three questions is asked of its sixteen levels with seeds 1 to 500, in one process, and
written as CSV, JSON Lines and, where pyarrow is installed, Parquet. The first row, with which the
simulator is loaded, is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from env_service.suites.babybench.dataset.builder import DataSetBuilder, make_piece
from env_service.suites.babybench.dataset.formats import QUESTIONS, Format
from env_service.suites.babybench.dataset.manifest import Manifest
from env_service.suites.babybench.dataset.rows import Recipe, make_row, pick_levels
from env_service.suites.babybench.task_sets import Seeds

BOUND = 150.0
"""Seconds of CPU that one set may take."""


def main() -> None:
    """Makes the three sets, and prints a line for each."""
    arguments = _arguments()
    with TemporaryDirectory() as folder:
        for question in arguments.questions:
            _measure(_recipe(question, arguments), arguments.keep or Path(folder), arguments)


def _recipe(question: str, arguments: argparse.Namespace) -> Recipe:
    wanted = [form for form in Format if form is not Format.PARQUET or find_spec("pyarrow")]
    return Recipe(
        question=question,
        levels=pick_levels(question, ()),
        seeds=Seeds.read(arguments.seeds),
        formatter=arguments.formatter,
        expert=arguments.expert,
        formats=tuple(wanted),
    )


def _measure(recipe: Recipe, folder: Path, arguments: argparse.Namespace) -> None:
    make_row(recipe, recipe.levels[0], 0)
    by_level: Counter[str] = Counter()
    began = time.perf_counter()
    with DataSetBuilder(folder / recipe.question, recipe) as building:
        if building.finished is not None:
            print(f"{recipe.question}: {folder / recipe.question} already exists")
            return
        for piece in building.pieces():
            before = time.process_time()
            building.add(make_piece(recipe, piece))
            by_level[piece.level] += round((time.process_time() - before) * 1e6)
        before = time.process_time()
        manifest = building.finish()
        files = time.process_time() - before
    rows = by_level.total() / 1e6
    seconds = time.perf_counter() - began
    _tell(
        recipe, manifest, f"{rows:.1f} s for rows, {files:.1f} s for files; {seconds:.0f} s in all"
    )
    if len(recipe) == 8000:
        kept = rows + files <= BOUND
        print(f"  {'within' if kept else 'over'} the bound of {BOUND:.0f} s of CPU")
    for level, spent in by_level.items() if arguments.levels else ():
        print(f"  {level:18} {spent / 1e3 / len(recipe.seeds):6.1f} ms a row")


def _tell(recipe: Recipe, manifest: Manifest, cost: str) -> None:
    content = manifest.content
    sizes = ", ".join(f"{name} {each.size / 1e6:.1f} MB" for name, each in manifest.files.items())
    print(f"{recipe.question}: {sum(content.rows.values())} rows, CPU {cost}")
    print(f"  {len(content.failed)} not made; content {content.digest}; {sizes}", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("questions", nargs="*", default=QUESTIONS, help="default: all three")
    parser.add_argument("--seeds", default="1-500", help="default: 1-500")
    parser.add_argument("--formatter", default="structured", help="default: structured")
    parser.add_argument("--expert", default="fixed", help="fixed or compat; default: fixed")
    parser.add_argument("--levels", action="store_true", help="also tell each level's cost")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the data sets there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
