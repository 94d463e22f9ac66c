"""Reads a model's plans from files, in any of the layouts that people keep them in, the
published one among them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.domain.data_node import DataError, DataNode, load_json
from env_service.domain.names import nearest
from env_service.storage.plain_files import read_plain_text
from env_service.suites.actplan.dataset.labelled_plans import MODELS
from env_service.suites.actplan.dataset.published_files import read_key

MOST_BYTES = 64 * 1024 * 1024
"""The largest file that is read: the published plans of all instances are a megabyte."""

_PUBLISHED = "plan_"
_GOLD = re.compile(r"gold(_\d+)?")
_INSTANCE = re.compile(r"(?:.*/)?(?P<problem>[^/]+/[01])(?:/sample_\d+)?")


class PlanFileError(DataError):
    """A file with plans cannot be read, or names a task that does not exist."""


@dataclass(frozen=True, slots=True)
class GivenPlan:
    """One plan: ``problem`` is the task of the task set; ``task`` and ``source`` are as the files
    have it."""

    problem: str
    task: str
    source: str
    text: str


def read_plans(path: Path, problems: Collection[str], name: str = "") -> tuple[GivenPlan, ...]:
    """The plans of one file or folder, in order.

    Args:
        problems: the ids that there are.
        name: of the model, where a folder or file in the published layout has plans of several.

    Raises:
        PlanFileError: no plan was found, one belongs to no task, two belong to the same, or a file
            cannot be read.
        OSError: the path cannot be read.
    """
    if path.is_dir():
        found = list(_folder(path, problems, name))
    else:
        found = list(_file(path, problems, name))
    if not found:
        raise PlanFileError(str(path), "", _no_plan(path))
    _no_task_twice(path, found)
    return tuple(found)


def _file(path: Path, problems: Collection[str], name: str) -> Iterator[GivenPlan]:
    match path.suffix.lower():
        case ".jsonl":
            return _lines(path, problems, name)
        case ".json":
            return _mapping(path, problems)
        case ".txt":
            return _text(path, problems)
    raise PlanFileError(str(path), "", "is none of .jsonl, .json, .txt, and no folder")


def _folder(path: Path, problems: Collection[str], name: str) -> Iterator[GivenPlan]:
    published = sorted(path.rglob(f"{_PUBLISHED}*.txt"))
    wanted = _chosen(path, published, name) if published else ""
    plain = (each for each in path.rglob("*.txt") if each.stem in ("0", "1"))
    for each in sorted(plain):
        yield from _text(each, problems)
    for each in published:
        if each.stem == wanted:
            task = "/".join(each.absolute().parts[-5:-1])
            yield GivenPlan(_problem(task, problems, str(each)), task, str(each), _read(each))


def _chosen(path: Path, files: list[Path], name: str) -> str:
    """The stem of the files of one model."""
    names = sorted({each.stem.removeprefix(_PUBLISHED) for each in files})
    if name:
        if name not in names:
            raise PlanFileError(str(path), "", f"has no plan of {name!r}, but: {', '.join(names)}")
        return _PUBLISHED + name
    models = [each for each in names if not _GOLD.fullmatch(each)]
    if len(models) != 1:
        listed = ", ".join(names)
        raise PlanFileError(str(path), "", f"has plans of several: {listed}; name one, with --name")
    return _PUBLISHED + models[0]


def _text(path: Path, problems: Collection[str]) -> Iterator[GivenPlan]:
    """``ACTIVITY/0.txt``; where it is a link, its target says nothing of the task."""
    task = f"{path.absolute().parent.name}/{path.stem}"
    yield GivenPlan(_problem(task, problems, str(path)), task, str(path), _read(path))


def _lines(path: Path, problems: Collection[str], name: str) -> Iterator[GivenPlan]:
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line.strip():
            source = f"{path}:{number}"
            node = load_json(line, source, PlanFileError)
            if not is_published(node):
                yield _given(node["task"].text(), node["plan"], source, problems)
            elif (found := published_plan(node, name)) is not None:
                task, text = found
                yield GivenPlan(_problem(task, problems, source), task, source, text)


def _mapping(path: Path, problems: Collection[str]) -> Iterator[GivenPlan]:
    text = _read(path)
    node = load_json(text, str(path), PlanFileError)
    node.mapping()
    tasks = Counter(task for task, _ in json.loads(text, object_pairs_hook=list))
    for task, times in tasks.items():
        if times > 1:
            raise PlanFileError(str(path), "", f"has {times} plans of {task!r}; leave one")
        yield _given(task, node[task], str(path), problems)


def _given(task: str, plan: DataNode, source: str, problems: Collection[str]) -> GivenPlan:
    lines = plan.value if isinstance(plan.value, list) else None
    text = plan.string() if lines is None else "\n".join(each.string() for each in plan.items())
    return GivenPlan(_problem(task, problems, source), task, source, text)


def _problem(task: str, problems: Collection[str], source: str) -> str:
    if task in problems:
        return task
    found = _INSTANCE.fullmatch(task)
    if found is not None and found["problem"] in problems:
        return found["problem"]
    if found is not None:
        # A task of a folder of one's own has a name before its activity's: "own/making_tea/0".
        known = [each for each in problems if each.endswith(f"/{found['problem']}")]
        if len(known) == 1:
            return known[0]
    close = nearest(found["problem"] if found else f"{task}/0", problems)
    guess = f"Did you mean {close!r}?" if close else "A task is called ACTIVITY/0 or ACTIVITY/1."
    raise PlanFileError(source, "", f"unknown task {task!r}. {guess}")


def _no_task_twice(path: Path, found: list[GivenPlan]) -> None:
    seen: dict[str, str] = {}
    for each in found:
        if each.task in seen:
            both = f"{seen[each.task]} and {each.source}"
            raise PlanFileError(str(path), "", f"has two plans of {each.task!r}: {both}")
        seen[each.task] = each.source


def _no_plan(path: Path) -> str:
    if path.is_dir():
        return (
            "has no plan: plans are ACTIVITY/0.txt and ACTIVITY/1.txt, or, as published,"
            " SCENE/ACTIVITY/0/sample_0/plan_NAME.txt"
        )
    return "has no plan"


def _read(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise PlanFileError(str(path), "", "is not a regular file")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise PlanFileError(str(path), "", f"has more than {MOST_BYTES // 2**20} MiB")
    try:
        return read_plain_text(path, MOST_BYTES, encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanFileError(str(path), f"byte {error.start}", "is not UTF-8 text") from error


# --- Plans in the published file of labelled plans (docs/actplan.md, Task sets): an instance a
# line, with plans of both models and both gold plans

KEYS: Mapping[str, tuple[str, ...]] = {
    **{model: (f"pos_{key}", f"neg_{key}") for model, key in MODELS.items()},
    "gold_1": ("gold_gpt",),
    "gold_2": ("gold_gemini",),
}
"""Whose plans a line has, as published files of single plans name them, and the line's keys."""


def is_published(line: DataNode) -> bool:
    """Whether a line is one of the published file."""
    return isinstance(line.value, dict) and "path" in line and "plan" not in line


def published_plan(line: DataNode, name: str) -> tuple[str, str] | None:
    """The instance's task and the plan of the one who is named; None where a line has none, as two
    of the published file have no second gold plan.

    Raises the line's error if the line lacks that name, its path names no instance, or it has
    several plans.
    """
    if name not in KEYS:
        named = ", ".join(KEYS)
        problem = f"has no plan of {name!r}" if name else "has plans of several"
        raise line.error(f"{problem}; name one of {named}, with --name")
    path = line["path"].text()
    key = read_key(path)
    if key is None:
        raise line["path"].error(f"is {path!r:.80}, which is the path of no instance")
    plans = [plan for each in KEYS[name] for plan in line[each].texts()]
    if len(plans) > 1:
        raise line.error(f"has {len(plans)} plans of {name!r}; it has to have one at most")
    return (key.id, plans[0]) if plans else None
