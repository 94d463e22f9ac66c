"""Activities of a folder of the user's, in the published layout (spec: actplan.md section 1.2)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from env_service.domain.task import Task
from env_service.plain_files import read_plain_text
from env_service.suites.actplan.dataset.layout import (
    DESCRIPTIONS,
    PROBLEMS,
    description_file,
    problem_file,
    problem_id,
)
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant, make_task
from env_service.suites.json_node import DataError

CIRCUMSTANCES = "circumstances.jsonl"
"""Of which kind each counterfactual is; may be missing. A line is an object with "activity" and
"kind", a value of `Circumstance`."""

_OWN = "own"

_LOG = logging.getLogger(__name__)


class OwnTasksError(DataError):
    """A folder of activities cannot be used: which file, where in it, and why."""


def read_own_tasks(root: Path) -> tuple[Task, ...]:
    """A task for each problem with a description below a folder, by name, the normal one first.

    Their activities are called "own/NAME", and a task "own/NAME/0": what is known of a published
    activity of the same name does not hold for them.

    A definition that is broken is a task that nobody solves, and one without a description is no
    task: a warning says so.

    Raises:
        OwnTasksError: a file cannot be read, a description has no problem, or there is none.
    """
    if not root.is_dir():
        raise OwnTasksError(str(root), "", "is no folder")
    kinds = _kinds(root)
    found = [_task(root, *each, kinds) for each in _problems(root)]
    if not found:
        raise OwnTasksError(str(root), "", f"has no file {DESCRIPTIONS}")
    for each in found:
        _warn_of_defects(each)
    _warn_of_undescribed(root)
    return tuple(make_task(each) for each in found)


def _problems(root: Path) -> Iterator[tuple[str, Variant]]:
    """The activities and variants that have a description, in order."""
    names = sorted({path.parent.name for path in root.glob(DESCRIPTIONS)})
    for name in names:
        for variant in Variant:
            if (root / description_file(name, variant)).is_file():
                yield name, variant


def _task(
    root: Path, name: str, variant: Variant, kinds: Mapping[str, Circumstance]
) -> ActPlanTask:
    activity = f"{_OWN}/{name}"
    counterfactual = variant is Variant.COUNTERFACTUAL
    return ActPlanTask(
        id=problem_id(activity, variant),
        activity=activity,
        variant=variant,
        problem=_text(root / problem_file(name, variant)),
        description=_text(root / description_file(name, variant)).strip(),
        circumstance=kinds.get(name, Circumstance.NONE) if counterfactual else Circumstance.NONE,
    )


def _warn_of_defects(task: ActPlanTask) -> None:
    for defect in understand(task, corrections=False).defects:
        _LOG.warning("%s: no plan will be correct: `houseguest actplan lint` says more", defect)


def _warn_of_undescribed(root: Path) -> None:
    for path in sorted(root.glob(PROBLEMS)):
        wanted = path.with_name(f"task_description_{path.stem[-1]}.txt")
        if not wanted.is_file():
            _LOG.warning(
                "%s is no task, as it has no %s: `houseguest actplan make describe` writes one",
                *(path, wanted.name),
            )


def _kinds(root: Path) -> Mapping[str, Circumstance]:
    path = root / CIRCUMSTANCES
    if not path.exists():
        return {}
    kinds = {}
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            kinds[str(value["activity"])] = Circumstance(value["kind"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            known = ", ".join(each.value for each in Circumstance)
            why = f'is no object with "activity" and a "kind" of {known} ({error})'
            raise OwnTasksError(str(path), f"line {number}", why) from error
    return kinds


def _text(path: Path) -> str:
    try:
        text = read_plain_text(path, encoding="utf-8-sig")
    except OSError as error:
        raise OwnTasksError(str(path), "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OwnTasksError(str(path), "", f"cannot be read: {error}") from error
    if not text.strip():
        raise OwnTasksError(str(path), "", "is empty")
    return text
