"""Whether our evaluator of BDDL goals agrees with BEHAVIOR's own package (bddl 1.0.1), and how fast
both are.

    python -m benchmarks.actplan_bddl FOLDER
    python -m benchmarks.actplan_bddl FOLDER --states 100000

FOLDER has the published definitions (``bddl/activity_definitions`` of the data pack). Random states
are dealt out evenly to the problems that compile and to those that the package itself carries; a
state is the same for both. The package's list of all ways to reach a goal, which it makes while it
compiles, is left out: it takes minutes for some problems, and evaluation does not use it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from env_service.worlds.activity.bddl.expressions import evaluate
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from tests.support.bddl_oracle import Oracle, State, own_problems


def main() -> None:
    """Compares them, and prints what came out."""
    arguments = _arguments()
    texts = dict(_compiling([*_published(arguments.folder), *own_problems()]))
    each, more = divmod(arguments.states, len(texts))
    asked = differing = true = 0
    ours = theirs = 0.0
    for number, (name, text) in enumerate(texts.items()):
        problem, oracle = read_problem(text, name), Oracle(text)
        for seed in range(each + (number < more)):
            state = State(seed)
            began = time.process_time()
            found = [evaluate(part, problem.objects, state.holds) for part in problem.conjuncts]
            ours += time.process_time() - began
            began = time.process_time()
            wanted = oracle.satisfied(state)
            theirs += time.process_time() - began
            asked += len(found)
            true += sum(wanted)
            differing += found != wanted
    print(f"problems {len(texts)}, states {arguments.states}, conjuncts {asked}, true {true}")
    print(f"states that differ: {differing}")
    print(f"CPU seconds: ours {ours:.1f} (draws the states), theirs {theirs:.1f}")


def _published(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*/problem*.bddl")):
        name = f"{path.parent.name}/{path.stem.removeprefix('problem')}"
        yield name, path.read_text(encoding="utf-8")


def _compiling(texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, text in texts:
        try:
            check_names(read_problem(text, name), name)
        except BddlError as error:
            print(f"left out: {error}")
        else:
            yield name, text


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", type=int, default=10_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
