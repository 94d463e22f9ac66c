"""Reads LoTa-Bench's logs, text and JSON, as recorded attempts at tasks."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from env_service.domain.text import with_article
from env_service.suites.alfred.goals import SLICED
from env_service.suites.alfred.skills.steps import Verb
from env_service.suites.alfred.skills.vocabulary import split_skill
from env_service.suites.alfred.task import Goal, TaskType

# --- The goal of a logged task: from the name of the task, or from "target goal" in the log

NAME = re.compile(
    r"(?P<name>(?P<type>pick_\w{1,60}|look_at_obj_in_light)-(?P<object>\w{1,60})"
    r"-(?P<movable>\w{1,60})-(?P<place>\w{1,60})-(?P<scene>\d{1,9}))"
)
TRIAL = re.compile(r"trial_T\d{8}_\d{6}_\d{6}")
REPEAT = re.compile(r"repeat_idx['\"]?\s*[:=]\s*(\d+)")

_KEYS = ("object", "parent", "toggle", "mrecep")
_TYPES = frozenset(each.value for each in TaskType)


def goal_of_name(text: str) -> Goal | None:
    """The goal of the task whose name is in a text; None if the text has no name."""
    found = NAME.search(text)
    if found is None or found["type"] not in _TYPES:
        return None
    kind, place = TaskType(found["type"]), found["place"]
    looks = kind is TaskType.LOOK
    return Goal(
        type=kind,
        object=found["object"].removesuffix(SLICED),
        parent="" if looks else place,
        movable="" if found["movable"] == "None" else found["movable"],
        toggle=place if looks else "",
        sliced=found["object"].endswith(SLICED),
    )


def read_targets(text: str) -> Mapping[str, Any] | None:
    """The four targets in the text after "target goal:"; None for anything else."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text[start : end + 1])
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict) and "object" in found:
            return {key: str(found.get(key) or "") for key in _KEYS}
    return None


def goal_of_targets(targets: Mapping[str, Any], name: str, kind: str = "") -> Goal:
    """The goal that targets tell. They have no state change: that is in the name, or in the task's
    type; without either none is wanted."""
    named = goal_of_name(name)
    if named is not None:
        task_type = named.type
    elif kind in _TYPES:
        task_type = TaskType(kind)
    else:
        task_type = _guessed(targets)
    return Goal(
        type=task_type,
        object=targets["object"].removesuffix(SLICED),
        parent="" if task_type is TaskType.LOOK else targets["parent"],
        movable=targets["mrecep"],
        toggle=targets["toggle"],
        sliced=targets["object"].endswith(SLICED) or (named is not None and named.sliced),
    )


def _guessed(targets: Mapping[str, Any]) -> TaskType:
    if targets["toggle"] and not targets["parent"]:
        return TaskType.LOOK
    return TaskType.MOVABLE if targets["mrecep"] else TaskType.SIMPLE


# --- Reads a text log

MOST_LINES = 2_000_000
"""Lines of one log; a longer file cannot be a log of finished tasks."""

MOST_TARGET = 2_000
"""Characters that are read behind "target goal:" for its JSON to end."""

_PREFIX = re.compile(
    r"^\s*(?:"
    r"\[[^\]\n]{1,60}\]\s*"
    r"|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\s*"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?\s+"
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b(?::[\w.]+)?:?\s*"
    r"|-\s+"
    r")"
)
_STEP = re.compile(r"^(?:step\s*)?(\d{1,4})\s*[.):]\s*(\S.*)$", re.IGNORECASE)
_COMMAND = re.compile(
    r"^(?:task(?: description| instruction)?|instruction|command|query|human|goal instr(?:uction)?"
    r"|goal_instr|user)\s*[:=]\s*(\S.*)$",
    re.IGNORECASE,
)
_GOAL = re.compile(r"^target[ _]goals?\s*[:=]?\s*(.*)$", re.IGNORECASE)
_SUCCESS = re.compile(
    r"^(?:task\s+)?success(?:ful)?\s*[:=]\s*(true|false|1|0|yes|no|success|fail\w*)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"whole[_ ]sequence\W*(.*)$", re.IGNORECASE)
_NOISE = re.compile(
    r"^[\s=\-*#_~]*$|^\d+%\||it/s\b|success rate|^robot\s*:?\s*$|floorplan\d", re.IGNORECASE
)
_TYPE = re.compile("|".join(each.value for each in TaskType))


@dataclass(slots=True)
class _Draft:
    """An episode while it is read."""

    line: int
    name: str = ""
    trial: str = ""
    kind: str = ""
    repeat: int | None = None
    command: str = ""
    whole: str = ""
    numbered: bool = False
    steps: list[tuple[str, list[str]]] = field(default_factory=list)
    targets: dict[str, str] | None = None
    success: bool | None = None
    awaiting: str = ""


def read_log(text: str, source: str) -> tuple[LoggedEpisode, ...]:
    """The tasks of a log, in its order. A task that was cut off, such as the last of a stopped run,
    has a ``problem``; the tasks before it are whole.

    Args:
        source: the file's name, for messages.

    Raises:
        LogError: the text is not such a log.
    """
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise LogError(source, MOST_LINES, f"the log has more than {MOST_LINES} lines; split it")
    drafts: list[_Draft] = []
    for number, line in enumerate(lines, start=1):
        _take(drafts, _bare(line), number)
    if not drafts:
        raise LogError(
            source,
            1,
            "this is not a log of LoTa-Bench: it has no line with a task's name"
            ' ("pick_and_place_simple-SoapBar-None-Cart-401/trial_…") and no command'
            ' ("Task: …") before numbered steps',
        )
    return tuple(map(_finished, drafts))


def _bare(line: str) -> str:
    """A line without what a logger puts before it."""
    while (found := _PREFIX.match(line)) is not None and found.end():
        line = line[found.end() :]
    return line.strip()


def _take(drafts: list[_Draft], line: str, number: int) -> None:
    """Adds a line to the episode that it belongs to, or begins a new one."""
    if not line or _NOISE.search(line):
        return
    draft = drafts[-1] if drafts else None
    if _begins(draft, line):
        draft = _Draft(number)
        drafts.append(draft)
    if draft is not None and not (_taken_header(draft, line) or _taken_end(draft, line)):
        _take_middle(draft, line)


def _begins(draft: _Draft | None, line: str) -> bool:
    """Whether a line is the first of another task."""
    named, shown = bool(NAME.search(line) or TRIAL.search(line)), bool(_COMMAND.match(line))
    if draft is None:
        return named or shown
    if draft.success is not None:
        return named or shown or bool(_STEP.match(line))
    other = NAME.search(line)
    return bool(other and draft.name and draft.steps and other["name"] != draft.name)


def _taken_header(draft: _Draft, line: str) -> bool:
    command = _COMMAND.match(line)
    name, trial, repeat = NAME.search(line), TRIAL.search(line), REPEAT.search(line)
    kind = _TYPE.search(line)
    if kind is not None and not draft.kind:
        draft.kind = kind.group()
    if repeat is not None:
        draft.repeat = int(repeat.group(1))
    if name is not None or trial is not None:
        draft.name = draft.name or (name["name"] if name else "")
        draft.trial = draft.trial or (trial.group() if trial else "")
        return True
    if command is not None:
        if _TYPE.fullmatch(command.group(1).strip()) is None:
            draft.command = draft.command or command.group(1).strip().strip("\"'")
        return True
    return repeat is not None and not draft.steps


def _taken_end(draft: _Draft, line: str) -> bool:
    goal, success = _GOAL.match(line), _SUCCESS.match(line)
    if success is not None:
        draft.success = success.group(1).lower() in ("true", "1", "yes", "success")
        return True
    if goal is not None or draft.awaiting:
        shown = draft.awaiting + (line if goal is None else goal.group(1))
        targets = read_targets(shown)
        if targets is not None:
            draft.targets, draft.awaiting = dict(targets), ""
        else:
            draft.awaiting = shown + " " if len(shown) < MOST_TARGET else ""
        return True
    return False


def _take_middle(draft: _Draft, line: str) -> None:
    whole, step = _WHOLE.search(line), _STEP.match(line)
    if whole is not None:
        draft.whole = whole.group(1)
    elif _is_plan(line):
        draft.whole = draft.whole or line
    elif step is not None:
        if step.group(1) == "1":
            draft.steps.clear()
        draft.numbered = True
        draft.steps.append((step.group(2).strip(), []))
    elif draft.command and not draft.numbered and _is_skill(line):
        draft.steps.append((line, []))
    elif draft.steps:
        if line.lower() != draft.steps[-1][0].lower():
            draft.steps[-1][1].append(line)
    elif not draft.command:
        draft.command = line.strip("\"'")


def _is_skill(line: str) -> bool:
    """Whether a line without a number is a step: "slice the bread", not "Slice action failed"."""
    return split_skill(line)[0] is not None and not line.lower().endswith("failed")


def _is_plan(line: str) -> bool:
    """Whether a line is several steps with commas between."""
    parts = line.split(",")
    return len(parts) > 1 and all(split_skill(each.strip())[0] for each in parts[:2])


def _finished(draft: _Draft) -> LoggedEpisode:
    goal = None if draft.targets is None else goal_of_targets(draft.targets, draft.name, draft.kind)
    goal = goal or goal_of_name(draft.name)
    steps = [LoggedStep(said, tuple(shown)) for said, shown in draft.steps]
    steps = steps or list(_steps_of(draft.whole))
    done = bool(steps) and split_skill(steps[-1].said)[0] is Verb.DONE
    return LoggedEpisode(
        trial=draft.trial,
        name=draft.name,
        repeat=draft.repeat,
        command=draft.command,
        steps=tuple(_without_done(steps)),
        said_done=done,
        goal=goal,
        success=bool(draft.success),
        outcomes_known=bool(draft.steps),
        line=draft.line,
        problem=_CUT if draft.success is None else "",
    )


_CUT = (
    'the task that begins here has no line "success: …": the log was cut, or it is of another kind'
)


def _steps_of(plan: str) -> Iterator[LoggedStep]:
    """The steps of a whole plan in one line, as LoTa-Bench splits it (docs/alfred.md,
    "Conditions")."""
    for part in re.split(r"[,\n]", plan.strip("[] ")):
        said = part.strip(" 0123456789.'\"")
        if said:
            yield LoggedStep(said)


def _without_done(steps: Sequence[LoggedStep]) -> Iterator[LoggedStep]:
    return (each for each in steps if split_skill(each.said)[0] is not Verb.DONE)


# --- Reads LoTa-Bench's result file of one task (docs/alfred-rules.md, "Scores")

KEYS = ("trial", "type", "goal_instr", "inferred_steps", "success")
"""Keys that it has to have; ``scene`` and ``repeat_idx`` are read where they are."""


_LOG_LINE = re.compile(r"\bsuccess:\s*(true|false)\s*$", re.IGNORECASE | re.MULTILINE)


def looks_like_result(text: str) -> bool:
    """Whether a file is meant to be such a result, or a list of them."""
    bare = text.strip()
    begins = bare.startswith("{") or bare[:1] + bare[1:].lstrip()[:1] == "[{" or bare == "[]"
    return begins and bare.endswith(("}", "]")) and not _LOG_LINE.search(text)


def read_results(text: str, source: str) -> tuple[LoggedEpisode, ...]:
    """The task of a result file, or those of a list of results. Such files contain neither the
    steps that failed nor the goal; the goal comes from the task.

    Raises:
        LogError: the text is not JSON, or lacks a key.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise LogError(source, line, f"this is not JSON: {error}") from error
    entries = found if isinstance(found, list) else [found]
    if not entries:
        raise LogError(source, 1, "the list has no result")
    return tuple(_episode(entry, source, at) for at, entry in enumerate(entries))


def _episode(entry: Any, source: str, at: int) -> LoggedEpisode:
    where = f"result {at}: "
    if not isinstance(entry, dict):
        raise LogError(source, 1, f"{where}is {with_article(type(entry).__name__)}, no object")
    missing = [key for key in KEYS if key not in entry]
    if missing:
        raise LogError(
            source, 1, f"{where}lacks {', '.join(missing)}; a result of LoTa-Bench has {KEYS}"
        )
    steps, success = entry["inferred_steps"], entry["success"]
    if not isinstance(steps, list) or not all(isinstance(each, str) for each in steps):
        raise LogError(source, 1, f"{where}inferred_steps is not a list of texts")
    if not isinstance(success, bool | int):
        raise LogError(source, 1, f"{where}success is {success!r:.40}, neither true nor false")
    if not isinstance(entry["trial"], str) or not isinstance(entry["goal_instr"], str):
        raise LogError(source, 1, f"{where}trial or goal_instr is not a text")
    repeat = entry.get("repeat_idx")
    return LoggedEpisode(
        trial=entry["trial"],
        name="",
        repeat=repeat if isinstance(repeat, int) else None,
        command=entry["goal_instr"].strip(),
        steps=tuple(LoggedStep(each) for each in _steps_without_done(steps)),
        said_done=bool(steps) and split_skill(steps[-1])[0] is Verb.DONE,
        goal=None,
        success=bool(success),
        outcomes_known=False,
    )


def _steps_without_done(steps: Sequence[str]) -> list[str]:
    return [each for each in steps if split_skill(each)[0] is not Verb.DONE]


# --- A recorded attempt at a task, as LoTa-Bench writes it down


class LogError(ValueError):
    """A log cannot be read. The message names file, line and reason, and what to do."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}, line {line}: {reason}")
        self.source, self.line = source, line


@dataclass(frozen=True, slots=True)
class LoggedStep:
    """One step: its words, and what the connector said of it; nothing if it worked."""

    said: str
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """One task of a log.

    Attributes:
        trial: the trial's id; empty if the log does not give it.
        name: ALFRED's name of the task ("pick_and_place_simple-SoapBar-None-Cart-401"); may be
            empty too.
        repeat: the number of the annotation; None if the log does not give it.
        command: the agent's; empty if the log does not give it.
        steps: in order, without "done".
        said_done: whether the plan ended with it.
        goal: the log's; None if it does not give one.
        success: whether the goal was met.
        outcomes_known: whether the log shows which steps failed.
        line: where it begins, counted from 1.
        problem: why it cannot be judged; empty if it can.
    """

    trial: str
    name: str
    repeat: int | None
    command: str
    steps: tuple[LoggedStep, ...]
    said_done: bool
    goal: Goal | None
    success: bool
    outcomes_known: bool = True
    line: int = 1
    problem: str = ""
