"""How many built-in tasks of AsgardBench the expert solves in the household world, and in how many
steps.

    python -m benchmarks.asgard_builtin
    python -m benchmarks.asgard_builtin --task-set builtin-108-3 --only coffee --steps
    python -m benchmarks.asgard_builtin --task-set builtin-500-0 --part 1/2

Each play is proved: its actions are played again in an episode, which has to agree. ``--once``
leaves that out, and takes the first play that is won for the best: less than half the time. Steps
are set against the task's own count (``step_count``), from which its limits follow: an episode ends
after twice as many.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.asgard_expert import Line, told
from env_service.domain.task import Task
from env_service.suites.asgard.builtin.task_set import builtin_task_set
from env_service.suites.asgard.expert.solver import ATTEMPTS, best_attempt
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.task_sets import read_task
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard_expert import order_of, proved


@dataclass(frozen=True)
class Solved:
    """One task: what became of it, and the CPU seconds that took."""

    line: Line
    room: str
    seconds: float


def main() -> None:
    """Solves them, prints a line for each, a table by type of task, and what was not solved."""
    arguments = _arguments()
    os.environ[RENDERER] = "none"
    tasks = _tasks(arguments.task_set, arguments.part)
    solved: list[Solved] = []
    for task in tasks:
        if arguments.only in task.id:
            solved.append(_solve(task, arguments.rules, once=arguments.once))
            last = solved[-1]
            note = f"counted {last.line.known}, {last.seconds:.1f} s"
            print(told(last.line, note, steps=arguments.steps), flush=True)
    for group in sorted({each.line.group for each in solved}):
        print(_summary(group, [each for each in solved if each.line.group == group]))
    print(_summary("all", solved))
    for each in solved:
        if not each.line.proved:
            print(f"unsolved: {each.line.name}")


def _tasks(name: str, part: str) -> Sequence[Task]:
    found = builtin_task_set(name)
    if found is None:
        raise SystemExit(f"{name} is not a built-in task set")
    number, parts = map(int, part.split("/"))
    return found.tasks[number - 1 :: parts]


def _solve(task: Task, rules: str, *, once: bool) -> Solved:
    order, start = order_of(task, rules=rules), time.process_time()
    attempt = best_attempt(order, most=1 if once else ATTEMPTS)
    if once and not attempt.won:
        attempt = best_attempt(order)
    agreed = once or proved(order, attempt).success is attempt.won
    known = read_task(task).plan.step_count
    line = Line(task.id, task.group, known, attempt, attempt.won and agreed)
    return Solved(line, task.cluster, time.process_time() - start)


def _summary(name: str, solved: Sequence[Solved]) -> str:
    ratios = sorted(each.line.ratio for each in solved if each.line.proved)
    told = f"{name}: {len(ratios)} of {len(solved)} solved, {len({s.room for s in solved})} rooms"
    if not ratios:
        return told
    more = sum(ratio > 1.0 for ratio in ratios)
    late = sum(ratio > 1.5 for ratio in ratios)
    return (
        f"{told}; steps by the count: least {ratios[0]:.2f}, median"
        f" {statistics.median(ratios):.2f}, most {ratios[-1]:.2f}; {more} take more, {late} more"
        f" than half again as many; {sum(each.seconds for each in solved):.0f} s"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--task-set", default="builtin", help="builtin, builtin-COUNT-SEED")
    parser.add_argument("--part", default="1/1", help="every N-th task, such as 2/3")
    parser.add_argument("--rules", choices=tuple(RULES), default=next(iter(RULES)))
    parser.add_argument("--only", default="", help="a part of the tasks' names")
    parser.add_argument("--once", action="store_true", help="play until won, and no more")
    parser.add_argument("--steps", action="store_true", help="tell every play's steps")
    return parser.parse_args()


if __name__ == "__main__":
    main()
