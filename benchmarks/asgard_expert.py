"""How many official tasks of AsgardBench the expert solves in the household world, and in how many
steps.

    python -m benchmarks.asgard_expert --pack FOLDER --floor-plans FOLDER
    python -m benchmarks.asgard_expert … --only coffee --rules upstream --steps

Each play is proved: its actions are played again in an episode, which has to agree. Steps are set
against those of the release's own solution (``step_count``); both start from rooms with the same
task, but what lies where differs from AI2-THOR's own placement.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from env_service.suites.asgard.expert.solver import ExpertAttempt, best_attempt
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.task_sets import read_task
from env_service.suites.base import EpisodeOrder
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard_expert import orders, proved


@dataclass(frozen=True)
class Line:
    """One task. ``proved``: whether the episode agrees that it is solved."""

    name: str
    group: str
    known: int
    attempt: ExpertAttempt
    proved: bool

    @property
    def ratio(self) -> float:
        """The expert's steps for each of the release's."""
        return len(self.attempt.steps) / self.known


def main() -> None:
    """Solves them, and prints a line for each, then a table by type of task."""
    arguments = _arguments()
    os.environ[FLOOR_PLANS] = str(arguments.floor_plans)
    os.environ[RENDERER] = "none"
    lines: list[Line] = []
    for order in orders(arguments.pack, only=arguments.only, rules=arguments.rules):
        lines.append(_line(order))
        note = f"{lines[-1].known} by the release"
        print(told(lines[-1], note, steps=arguments.steps), flush=True)
    for group in sorted({each.group for each in lines}):
        print(_summary(group, [each for each in lines if each.group == group]))
    print(_summary("all", lines))


def _line(order: EpisodeOrder) -> Line:
    attempt = best_attempt(order)
    known = read_task(order.task).plan.step_count
    agreed = proved(order, attempt).success is attempt.won
    return Line(order.task.id, order.task.group, known, attempt, attempt.won and agreed)


def told(line: Line, note: str, *, steps: bool) -> str:
    """What came of one task: ``note`` says what its steps are to be held against. Where it is not
    solved, why; with ``steps`` all that was done."""
    attempt = line.attempt
    lines = [
        f"{'solved  ' if line.proved else 'unsolved'} {line.name}: {len(attempt.steps)} steps,"
        f" {note}, {len(attempt.refused)} refused"
    ]
    if not line.proved:
        lines += [f"           {each}" for each in attempt.dead_ends]
        lines += [f"           {step.text}: {why}" for step, why in attempt.refused]
    if steps:
        lines.append("           " + "; ".join(each.text for each in attempt.steps))
    return "\n".join(lines)


def _summary(name: str, lines: Sequence[Line]) -> str:
    ratios = sorted(each.ratio for each in lines if each.proved)
    if not ratios:
        return f"{name}: 0 of {len(lines)} solved"
    more = sum(ratio > 1.0 for ratio in ratios)
    return (
        f"{name}: {len(ratios)} of {len(lines)} solved; steps by the release's: least"
        f" {ratios[0]:.2f}, median {statistics.median(ratios):.2f}, most {ratios[-1]:.2f};"
        f" {more} take more"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pack", type=Path, required=True, help="the data pack asgard")
    parser.add_argument("--floor-plans", type=Path, required=True, help="AI2-THOR's metadata")
    parser.add_argument("--rules", choices=tuple(RULES), default=next(iter(RULES)))
    parser.add_argument("--only", default="", help="a part of the tasks' names")
    parser.add_argument("--steps", action="store_true", help="tell every play's steps")
    return parser.parse_args()


if __name__ == "__main__":
    main()
