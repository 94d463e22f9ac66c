"""How many tasks of ALFRED the reference plans solve in the household world, why the others fail,
and what it costs.

    python -m benchmarks.alfred_plans --task-set valid_seen/lota --jobs 2
    python -m benchmarks.alfred_plans --task-set valid_seen --rules strict-lota --only Fridge

A reference plan is the official trajectory as skills; a built-in
task's is the expert's. It names kinds of things, not the instances that the demonstration used, and
is carried out to its end whatever fails. The data packs have to be here (`houseguest data fetch`).
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from env_service.domain.failure import WorldFault
from env_service.domain.task import Task
from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.rules import RULES, Rules
from env_service.suites.alfred.setup.opening import set_up
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import Cause, StepRecord
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets
from env_service.suites.process_pool import process_pool
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.household.render.selection import VARIABLE as RENDERER

UNDISTURBED = "every step worked, and the goal is not met"


@dataclass(frozen=True)
class Line:
    """One task: what was done, the conditions that are not met, CPU seconds for opening with
    set-up and for the plan; ``fault``: why it could not be played, empty if it could."""

    name: str
    group: str
    scene: str
    records: tuple[StepRecord, ...] = ()
    unmet: tuple[str, ...] = ()
    opening: float = 0.0
    playing: float = 0.0
    fault: str = ""

    @property
    def solved(self) -> bool:
        """Whether the goal is met at the end."""
        return not self.fault and not self.unmet

    @property
    def reason(self) -> str:
        """Where it first went wrong: the skill and the cause."""
        if self.fault:
            return "cannot be set up"
        for each in self.records:
            if each.result.cause is not None:
                return f"{_verb(each)}: {each.result.cause.value}"
        return UNDISTURBED


def main() -> None:
    """Plays them, and prints a line for each that is not solved, then the tables."""
    arguments = _arguments()
    os.environ[RENDERER] = "none"
    share_floor_plans()
    tasks = [
        each
        for each in AlfredTaskSets()[arguments.task_set].tasks
        if all(part in _described(each) for part in arguments.only)
    ]
    begun = time.perf_counter()
    with process_pool(arguments.jobs) as pool:
        lines = list(_played(pool, tasks, RULES[arguments.rules]))
    wall = time.perf_counter() - begun
    for each in lines:
        if arguments.steps or not each.solved:
            print(_told(each, steps=arguments.steps))
    print(_tables(lines, wall))


def play(task: Task, rules: Rules) -> Line:
    """Plays a task's reference plan once."""
    known = read_task(task)
    start = time.process_time()
    world = open_world("household", known.setup.scene, thor_start())
    try:
        return _line(world, known, rules, start)
    except WorldFault as fault:
        return Line(task.id, known.goal.type.value, known.setup.scene, fault=fault.detail)
    finally:
        world.stop()


def _line(world: ThorController, task: AlfredTask, rules: Rules, start: float) -> Line:
    prepared = set_up(world, task)
    robot = Robot(world, rules, prepared.aliases)
    ready = time.process_time()
    records = []
    for said in task.reference:
        step = parse_skill(said)
        result = robot.do_unknown(said) if step is None else robot.do(step)
        records.append(StepRecord(said, step, result))
    conditions = evaluate(prepared.goal, robot.view, robot.marks, rules)
    return Line(
        task.id,
        task.goal.type.value,
        task.setup.scene,
        tuple(records),
        tuple(each.name for each in conditions if not each.met),
        ready - start,
        time.process_time() - ready,
    )


def _played(pool: ProcessPoolExecutor, tasks: Sequence[Task], rules: Rules) -> Iterator[Line]:
    # Tasks of a scene one after the other: a worker keeps the scene that it has loaded.
    ordered = sorted(tasks, key=lambda each: each.cluster)
    yield from pool.map(partial(play, rules=rules), ordered, chunksize=4)


def _verb(record: StepRecord) -> str:
    return record.said if record.step is None else record.step.verb.value


def _described(task: Task) -> str:
    goal: Mapping[str, object] = task.data["goal"]
    return " ".join((task.id, task.cluster, *map(str, goal.values())))


def _told(line: Line, *, steps: bool) -> str:
    verdict = "solved  " if line.solved else "unsolved"
    why = "" if line.solved else f": {line.fault or line.reason}"
    told = [f"{verdict} {line.name} {line.scene} {line.group}{why}"]
    told += [f"           not met: {each}" for each in line.unmet]
    for each in line.records:
        result = each.result
        if not steps and result.worked:
            continue
        cause = Cause.REFUSED if result.cause is None else result.cause
        why = "" if result.worked else f" - {result.message} ({cause.value})"
        told.append(f"           {each.said} [{result.object_id}] {result.receptacle_id}{why}")
    return "\n".join(told)


def _tables(lines: Sequence[Line], wall: float) -> str:
    told = [""]
    for group in sorted({each.group for each in lines}):
        told.append(_share(group, [each for each in lines if each.group == group]))
    told.append(_share("all", lines))
    told.append("")
    reasons = Counter(each.reason for each in lines if not each.solved)
    told += [f"{count:4}  {reason}" for reason, count in reasons.most_common()]
    count = max(len(lines), 1)
    opening, playing = (
        sum(each.opening for each in lines) / count,
        sum(each.playing for each in lines) / count,
    )
    told.append("")
    told.append(
        f"{wall:.0f} s for {len(lines)} tasks; CPU seconds a task: {opening:.2f} to open and set"
        f" up, {playing:.2f} for the plan"
    )
    return "\n".join(told)


def _share(name: str, lines: Sequence[Line]) -> str:
    solved = sum(each.solved for each in lines)
    share = 100 * solved / len(lines) if lines else 0.0
    return f"{name}: {solved} of {len(lines)} solved ({share:.1f} %)"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--task-set", default="valid_seen/lota")
    parser.add_argument("--rules", choices=tuple(RULES), default=next(iter(RULES)))
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument(
        "--only", action="append", default=[], help="a part of the id, scene, or goal; repeatable"
    )
    parser.add_argument("--steps", action="store_true", help="tell every play's steps")
    return parser.parse_args()


if __name__ == "__main__":
    main()
