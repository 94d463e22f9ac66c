"""What ActPlan's planner solves, and what the built-in activities are like.

    python -m benchmarks.actplan_planner FOLDER           the published definitions
    python -m benchmarks.actplan_planner --builtin 240    built-in tasks of a seed
    python -m benchmarks.actplan_planner --builtin 60 --seed 3

FOLDER has the published definitions (``bddl/activity_definitions`` of the data pack). For each
problem it prints whether the planner finds a plan that reaches the goal without a violation under
the standard profile, with which `planner.ASSUMPTIONS`, and whether the judges accept its text. For
built-in tasks it prints how often each circumstance occurs, the number of pictures, and the needed
things that no picture shows. Times are CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.builtin.pictures import unseen
from env_service.suites.actplan.builtin.task_set import BuiltinPair, SolvedScenario, builtin_pairs
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.planner.planner import ASSUMPTIONS, plan_for, plan_under
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.task import ActPlanTask, Variant
from env_service.suites.builtin_sets import BuiltinName
from env_service.worlds.activity.commonsense import PROFILES


def main() -> None:
    """Plans, and prints what came out."""
    arguments = _arguments()
    if arguments.folder is not None:
        _solve(dict(_published(arguments.folder)))
    if arguments.builtin:
        _look_at(arguments.builtin, arguments.seed)


def _published(folder: Path) -> Iterator[tuple[str, Activity]]:
    for path in sorted(folder.glob("*/problem[01].bddl")):
        number = int(path.stem.removeprefix("problem"))
        name, variant = path.parent.name, tuple(Variant)[number]
        description = path.with_name(f"task_description_{number}.txt")
        words = description.read_text(encoding="utf-8") if description.exists() else ""
        text = path.read_text(encoding="utf-8")
        task = ActPlanTask(f"{name}/{number}", name, variant, text, words)
        yield task.id, understand(task, corrections=True)


def _solve(activities: dict[str, Activity]) -> None:
    counts: Counter[str] = Counter()
    planning = 0.0
    for name, activity in activities.items():
        began = time.process_time()
        plan = plan_for(activity)
        planning += time.process_time() - began
        counts[f"{activity.variant.value}: asked"] += 1
        if plan is None:
            why = "; ".join(activity.defects) or "no way that violates nothing"
            print(f"no plan: {name}: {why}")
            continue
        assumptions = next(each for each in ASSUMPTIONS if plan_under(activity, each))
        added = ", with fixtures that every home has" if assumptions.fixtures else ""
        counts[f"{activity.variant.value}: found, {assumptions.reading.value}{added}"] += 1
        counts.update(f"{activity.variant.value}: {each}" for each in _judged(activity, plan, name))
    for label, count in sorted(counts.items()):
        print(f"{label}: {count}")
    print(f"CPU seconds, planning alone: {planning:.2f}")


def _judged(activity: Activity, plan: tuple[str, ...], name: str) -> Iterator[str]:
    verdict = judge(activity, read_plan("\n".join(plan)), next(iter(PROFILES.values())))
    strict = next(each for each in verdict.goals if each.level is Level.STRICT)
    if strict.reached:
        yield "judged to reach the goal strictly"
    if verdict.sensible:
        yield "judged free of violations"
    if verdict.correct:
        yield "judged correct"
    else:
        unmet = "; ".join(each.undone for each in verdict.conditions if not each.met)
        print(f"not correct: {name}: {unmet}")


def _look_at(count: int, seed: int) -> None:
    began = time.process_time()
    pairs = list(builtin_pairs(BuiltinName(count, seed)))
    drawing = time.process_time() - began
    tasks = [task for pair in pairs for task in pair.tasks()]
    print(f"activities: {len({each.activity for each in tasks})}")
    print(f"rooms: {len({each.scene for each in tasks})}")
    for label, values in (
        ("circumstance", [each.circumstance.value for each in pairs]),
        ("pictures", [str(len(each.pictures.views)) for each in tasks]),
        ("changes in pictures", [action for each in tasks for action, _ in each.pictures.changes]),
    ):
        told = ", ".join(f"{value} {n}" for value, n in sorted(Counter(values).items()))
        print(f"{label}: {told}")
    steps = [statistics.mean(len(made.plan) for made in each) for each in _variants(pairs)]
    print(f"mean steps: normal {steps[0]:.1f}, counterfactual {steps[1]:.1f}")
    needed = [len(made.scenario.needed) for each in _variants(pairs) for made in each]
    hidden = [unseen(made.scenario, pair.views) for pair in pairs for made in _both(pair)]
    print(f"needed things: {sum(needed)}; of these no picture shows {sum(map(len, hidden))}")
    print(f"CPU seconds, drawing: {drawing:.1f}")


def _variants(pairs: list[BuiltinPair]) -> tuple[list[SolvedScenario], list[SolvedScenario]]:
    return [each.normal for each in pairs], [each.changed for each in pairs]


def _both(pair: BuiltinPair) -> tuple[SolvedScenario, SolvedScenario]:
    return pair.normal, pair.changed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--builtin", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
