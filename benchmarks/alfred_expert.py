"""How many tasks of ALFRED the expert solves in the household world, in how many skills, at what
cost.

    python -m benchmarks.alfred_expert --task-set valid_seen --jobs 2
    python -m benchmarks.alfred_expert --task-set builtin-60-3 --only heat --plans
    python -m benchmarks.alfred_expert --rooms FloorPlan10,FloorPlan424 --tasks 40 --seed 1

``--rooms`` makes new tasks in floor plans (see `benchmarks.alfred_rooms`), for rooms without a
trajectory. Lengths are compared with the task's reference, in skills.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.alfred_rooms import room_tasks
from env_service.domain.failure import WorldFault
from env_service.suites.alfred.expert.solver import MOST_STEPS, ExpertSite, solution_of
from env_service.suites.alfred.rules import RULES, Rules
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import AlfredTask, Goal, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets
from env_service.suites.process_pool import process_pool
from env_service.worlds.household.render.selection import VARIABLE as RENDERER


@dataclass(frozen=True)
class Line:
    """What became of one task. ``playable``: whether it could be set up; ``known``: skills of its
    reference, 0 without one; ``told``: the plan, or why none was found."""

    task: str
    group: str
    goal: str
    scene: str
    known: int
    playable: bool
    solved: bool
    length: int
    seconds: float
    told: str


def main() -> None:
    """Solves them, and prints a line for each, then a table by type of task, and the reasons."""
    arguments = _arguments()
    os.environ[RENDERER] = "none"
    work = partial(_line, rules=RULES[arguments.rules])
    lines = []
    for line in _run(work, _tasks(arguments), arguments.jobs):
        lines.append(line)
        print(_told(line, plans=arguments.plans), flush=True)
    for group in sorted({each.group for each in lines}):
        print(_summary(group, [each for each in lines if each.group == group]))
    print(_summary("all", lines))
    for reason, count in Counter(_reason(each) for each in lines if not each.solved).most_common():
        print(f"{count:4d} × {reason}")


def _run(
    work: Callable[[AlfredTask], Line], tasks: Sequence[AlfredTask], jobs: int
) -> Iterator[Line]:
    if jobs == 1:
        yield from map(work, tasks)
        return
    with process_pool(jobs) as pool:
        yield from pool.map(work, tasks)


def _tasks(arguments: argparse.Namespace) -> Sequence[AlfredTask]:
    if arguments.rooms:
        made = room_tasks(arguments.rooms.split(","), arguments.tasks, arguments.seed)
        return [each for each in made if arguments.only in _name(each)]
    tasks = map(read_task, AlfredTaskSets()[arguments.task_set].tasks)
    chosen = [each for each in tasks if arguments.only in _name(each)]
    number, parts = map(int, arguments.part.split("/"))
    return chosen[number - 1 :: parts]


def _line(task: AlfredTask, *, rules: Rules) -> Line:
    start, playable, solved, length = time.process_time(), True, False, 0
    try:
        found = solution_of(ExpertSite(task, rules=rules))
        solved, length = found.solved, len(found.steps)
        told = ", ".join(map(skill_text, found.steps)) if solved else "; ".join(found.dead_ends)
    except WorldFault as fault:
        playable, told = False, str(fault)
    return Line(
        task.id,
        task.goal.type.value,
        _goal(task.goal),
        task.setup.scene,
        len(task.reference),
        playable,
        solved,
        length,
        time.process_time() - start,
        told,
    )


def _told(line: Line, *, plans: bool) -> str:
    became = "solved" if line.solved else "unsolved" if line.playable else "no set-up"
    known = f" (reference {line.known})" if line.known else ""
    told = f"\n    {line.told}" if line.told and (plans or not line.solved) else ""
    return (
        f"{became:9} {line.task} {line.group} {line.goal} {line.scene}: {line.length} skills"
        f"{known}, {line.seconds:.1f} s{told}"
    )


def _summary(name: str, lines: Sequence[Line]) -> str:
    solved = [each for each in lines if each.solved]
    playable = sum(each.playable for each in lines)
    text = f"{name}: {len(solved)} of {playable} solved ({len(lines) - playable} not set up)"
    if not solved:
        return text
    lengths = [each.length for each in solved]
    seconds = [each.seconds for each in lines]
    text += (
        f"; skills: mean {statistics.mean(lengths):.1f}, most {max(lengths)},"
        f" {sum(length > MOST_STEPS for length in lengths)} above {MOST_STEPS}"
    )
    ratios = [each.length / each.known for each in solved if each.known]
    if ratios:
        text += f"; by the reference's: mean {statistics.mean(ratios):.2f}"
    return f"{text}; CPU s a task: mean {statistics.mean(seconds):.2f}, most {max(seconds):.1f}"


def _reason(line: Line) -> str:
    ids_left_out = " ".join(word.partition("|")[0] for word in line.told.split())
    return ids_left_out[:120] or "the plan did not reach the goal"


def _name(task: AlfredTask) -> str:
    return f"{task.id} {task.goal.type.value} {_goal(task.goal)} {task.setup.scene}"


def _goal(goal: Goal) -> str:
    names = (goal.object, goal.movable, goal.parent, goal.toggle)
    return "-".join(filter(None, (*names, "sliced" if goal.sliced else "")))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--task-set", default="valid_seen")
    parser.add_argument("--rooms", default="", help="floor plans to make tasks in, with commas")
    parser.add_argument("--tasks", type=int, default=40, help="so many in each of the rooms")
    parser.add_argument("--seed", type=int, default=0, help="of the tasks made in rooms")
    parser.add_argument("--rules", choices=tuple(RULES), default=next(iter(RULES)))
    parser.add_argument("--only", default="", help="a part of id, type, goal or scene")
    parser.add_argument("--part", default="1/1", help="which share of the tasks: 2/5")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--plans", action="store_true", help="tell every plan")
    return parser.parse_args()


if __name__ == "__main__":
    main()
