"""Solved tasks of ALFRED as entries of a pool of examples, for the prompts of model agents."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from env_service.datasets.registry import definition
from env_service.domain.data_node import DataError
from env_service.domain.task import Task
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.suites.alfred.dataset.trajectories import Trajectory, read_trajectory, skills_of
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import Goal, TaskType, read_task

Entry = Mapping[str, Any]
"""``{"type": …, "task": …, "commands": {wording: text}, "steps": [skill, …]}``, without "done"."""

TRAIN = "train"
_FILE = "traj_data.json"
_SPLITS = (TRAIN, "valid_seen", "valid_unseen", "tests_seen", "tests_unseen")
_WITHOUT_GOALS = ("tests_seen", "tests_unseen")
_DONE, _FIND = "done", "find "


@dataclass(frozen=True, slots=True)
class Recordings:
    """Trajectories below a folder: those to use, their splits (empty: a name of none), and the
    number by split of those left aside."""

    files: tuple[Path, ...]
    splits: tuple[str, ...]
    aside: Mapping[str, int]


def find_recordings(folder: Path) -> Recordings:
    """All ``traj_data.json`` below a folder in the published layout, SPLIT/NAME/TRIAL/.

    Where there are trajectories of the training split, only these are used; those of the test
    splits never, as they have no plan.
    """
    by_split: dict[str, list[Path]] = {}
    root = folder.resolve()
    for path in sorted(root.rglob(_FILE)):
        inside = path.parts[len(root.parts) - 1 :]
        split = next((name for name in _SPLITS if name in inside), "")
        by_split.setdefault(split, []).append(path)
    with_goals = [name for name in by_split if name not in _WITHOUT_GOALS]
    used = [TRAIN] if TRAIN in by_split else with_goals
    return Recordings(
        files=tuple(path for name in used for path in by_split[name]),
        splits=tuple(used),
        aside={name: len(paths) for name, paths in by_split.items() if name not in used},
    )


def entry_of_plan(task: Task, actions: Sequence[Mapping[str, Any]]) -> Entry | None:
    """A task with all its commands and the expert's one plan, as `expert_play.line_of` has it.

    None for a plan that would teach nothing in another room: it finds a thing and does nothing with
    it, to make room or to stand elsewhere, or it carries less than the command says, as something
    was in its place already.
    """
    (plan,) = actions
    steps = [_said(call) for call in plan["plan"]]
    read = read_task(task)
    if _has_idle_find(steps) or not _carries_all(steps, read.goal):
        return None
    commands = dict(read.commands)
    commands |= {f"original-{n}": text for n, text in enumerate(read.originals)}
    return _entry(read.goal.type.value, read.id, commands, steps)


def _has_idle_find(steps: Sequence[str]) -> bool:
    return any(one.startswith(_FIND) and other.startswith(_FIND) for one, other in pairwise(steps))


def _carries_all(steps: Sequence[str], goal: Goal) -> bool:
    wanted = [goal.object] * (2 if goal.type is TaskType.TWO else 1)
    wanted += [goal.movable] * bool(goal.movable)
    picks = Counter(skill_text(SkillStep(Verb.PICK_UP, each)) for each in wanted)
    return picks <= Counter(steps)


def _said(call: Mapping[str, Any]) -> str:
    return " ".join([call["skill"], *call["arguments"].values()])


def entries_of_recordings(
    files: Sequence[Path], problems: list[str], advance: Callable[[], None]
) -> Iterator[Entry]:
    """An entry for each annotation of each trajectory (docs/alfred-rules.md, "Scores").
    Trajectories that cannot be read are left out and reported in ``problems``."""
    for path in files:
        try:
            trajectory = read_trajectory(read_plain(path, MOST_GIVEN), str(path))
        except (DataError, OSError) as error:
            problems.append(str(error))
        else:
            yield from _annotated(trajectory)
        advance()


def _annotated(trajectory: Trajectory) -> Iterator[Entry]:
    steps = skills_of(trajectory)
    for command in trajectory.annotations:
        kind = trajectory.goal.type.value
        yield _entry(kind, trajectory.task_id, {"original": " ".join(command.split())}, steps)


def _entry(
    kind: str, task: str, commands: Mapping[str, str], steps: Sequence[str]
) -> dict[str, Any]:
    kept = [step for step in steps if step != _DONE]
    return {"type": kind, "task": task, "commands": dict(commands), "steps": kept}


def validation_tasks() -> frozenset[str]:
    """The ids of all test tasks, in every folder."""
    files = definition("alfred").files
    return frozenset(
        path.split("/")[-2] for path in files if path.endswith(_FILE) and "/valid_" in path
    )


def write_pool(source: str, entries: Sequence[Entry]) -> bytes:
    """One JSON document, a line an entry."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    head = json.dumps(source, ensure_ascii=False)
    return f'{{"source": {head}, "examples": [\n{lines}\n]}}\n'.encode()
