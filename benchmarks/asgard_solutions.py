"""Which published solutions of AsgardBench reach their goals in the household world.

    python -m benchmarks.asgard_solutions --pack FOLDER --floor-plans FOLDER
    python -m benchmarks.asgard_solutions … --rules upstream --only coffee --tidy

Each solution is played action by action, by both versions of the rules: from the task's own
opening, and with ``--tidy`` in a room where everything lies on counters and tables (see
`tests.support.asgard_solutions` for why). FIND and OPEN are added where a solution could do without
them; ``added`` counts them. The first steps that still fail are printed: later ones
follow from them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from env_service.suites.asgard.rules import RULES
from tests.support.asgard_solutions import Failed, Replayed, play, published

FIRST = 3
"""Failed steps to tell of each solution."""


def main() -> None:
    """Plays them, and prints a line for each and what came out."""
    arguments = _arguments()
    for name in arguments.rules:
        solved: Counter[bool] = Counter()
        for each in published(arguments.pack):
            if arguments.only not in each.plan.name:
                continue
            replayed = play(each, RULES[name], arguments.floor_plans, tidy=arguments.tidy)
            solved[replayed.solved] += 1
            print(_line(each.plan.name, replayed), flush=True)
        print(f"{name}: {solved[True]} of {solved.total()} solved\n")


def _line(name: str, replayed: Replayed) -> str:
    mark = "solved  " if replayed.solved else "unsolved"
    open_goals = [each.name for each in replayed.progress.conditions if not each.met]
    head = f"{mark} {name}: {replayed.added} added"
    told = [f"open: {', '.join(open_goals)}"] if open_goals else []
    told += [_failed(each) for each in replayed.failed[:FIRST]]
    return "\n".join([head, *(f"           {each}" for each in told)])


def _failed(failed: Failed) -> str:
    verb, kind = failed.step
    held = f" with {failed.done.held}" if failed.done.held else ""
    return f"{failed.number} {verb} {kind}{held}: {failed.done.message} ({failed.done.reason})"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pack", type=Path, required=True, help="the data pack asgard")
    parser.add_argument("--floor-plans", type=Path, required=True, help="AI2-THOR's metadata")
    parser.add_argument("--rules", nargs="+", choices=tuple(RULES), default=tuple(RULES))
    parser.add_argument("--only", default="", help="a part of the plans' names")
    parser.add_argument("--tidy", action="store_true", help="everything on counters and tables")
    return parser.parse_args()


if __name__ == "__main__":
    main()
