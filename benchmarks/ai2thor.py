"""What the adapter to AI2-THOR costs: ``python -m benchmarks.ai2thor``.

    python -m benchmarks.ai2thor --quick --parts steps failures

Prints tables. It uses the stand-in player, so it shows the cost of the adapter, not of Unity.
``steps`` compares it with the bare `Controller(server_timeout=None)` of AI2-THOR's
package on the same player; CPU time comes first, because other work shares the machine.
``failures`` is how late a player that hangs or dies is noticed, and ``cycles`` what is left after
many starts and stops.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import ai2thor_cycles, ai2thor_failures, ai2thor_steps
from benchmarks.ai2thor_player import Table
from benchmarks.children import none_left

PARTS: dict[str, Callable[[bool], Table]] = {
    "steps": ai2thor_steps.table,
    "failures": ai2thor_failures.table,
    "cycles": ai2thor_cycles.table,
}
"""Each part, given whether it has to be quick."""

UNWANTED = ("DISPLAY", "CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE")


@contextmanager
def place_of_its_own() -> Iterator[None]:
    """A separate home and folder for temporary files, so that all files in them are ours."""
    with tempfile.TemporaryDirectory(prefix="thor-") as home:
        for name in UNWANTED:
            os.environ.pop(name, None)
        temporary = Path(home, "tmp")
        temporary.mkdir()
        os.environ |= {"HOME": home, "TMPDIR": str(temporary), "HOUSEGUEST_RENDERER": "soft"}
        tempfile.tempdir = str(temporary)
        yield


def written(table: Table) -> str:
    """A table in Markdown."""
    return "\n".join([_line(table.heads), _line(["---"] * len(table.heads)), *_body(table.rows)])


def _body(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    return (_line(row) for row in rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


@none_left()
def main() -> None:
    """Reads the command line, measures, and prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a glance, no numbers")
    options = parser.parse_args()
    with place_of_its_own():
        for part in options.parts:
            table = PARTS[part](options.quick)
            print(f"\n{table.title}\n\n{written(table)}", flush=True)


if __name__ == "__main__":
    main()
