"""What the household world costs: ``python -m benchmarks.household``.

    python -m benchmarks.household --parts loading steps player pictures

Prints one table with the numbers and their aims. Times are CPU time, because other work shares
the machine. ``loading`` is resets and memory, ``steps`` steps and GetInteractablePoses, ``player``
the stand-in player through AI2-THOR's `Controller`, ``pictures`` what `household_render` measures.
iTHOR's scenes have to be fetched first; parts can be left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable

from benchmarks import household_loading, household_player, household_steps
from benchmarks.children import none_left
from benchmarks.household_measures import KITCHENS, Row

AIMS = {"soft": {"512": 100.0, "1024": 320.0}, "soft+numba": {"1024": 170.0}}
"""CPU milliseconds of a picture with instances."""
MOVED = {"512": 1.8, "1024": 1.3}
"""The same after one object moved, in multiples of a plain frame."""


def pictures() -> list[Row]:
    """What drawing costs, with and without numba."""
    command = [sys.executable, "-m", "benchmarks.household_render", "--scene", KITCHENS[0]]
    done = subprocess.run(
        [*command, "--renderers", "soft", "soft+numba"], check=True, capture_output=True, text=True
    )
    measured = json.loads(done.stdout)
    about = f"{measured['objects']} objects and parts, {measured['triangles']} triangles"
    found = []
    for run in measured["runs"]:
        name = run["renderer"]
        for side in ("300", "512", "1024"):
            least, median = run[side]["frame_ms"]
            more = f"least {least}; {about}"
            aim = AIMS[name].get(side)
            found.append(Row(f"picture and ids, {side} x {side}, {name}", aim, median, "ms", more))
            moved = run[side]["moved_ratio"]
            aim = MOVED.get(side)
            found.append(Row(f"after one object moved, {side}, {name}", aim, moved, "x a frame"))
            again = run[side]["unchanged_ms"]
            found.append(Row(f"an unchanged view, {side}, {name}", None, again, "ms"))
    return found


PARTS: dict[str, Callable[[], list[Row]]] = {
    "loading": household_loading.rows,
    "steps": household_steps.rows,
    "player": household_player.rows,
    "pictures": pictures,
}


def table(rows: Iterable[Row]) -> str:
    """The rows as a table in Markdown."""
    lines = ["| what | aim | measured | more |", "| --- | ---: | ---: | --- |"]
    for row in rows:
        aim = "" if row.aim is None else f"{row.aim:g}"
        lines.append(f"| {row.what} | {aim} | {row.value:.3g} {row.unit} | {row.more} |")
    return "\n".join(lines)


@none_left()
def main() -> None:
    """Reads the command line, measures, and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    print(table(row for part in options.parts for row in PARTS[part]()))


if __name__ == "__main__":
    main()
