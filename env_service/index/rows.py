"""What the tables hold of a manifest, of a journal's records and of a transcript.

Names are refused where they are too long, because rows are found by them; texts for people are cut.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

from env_service.domain.data_node import FormatError
from env_service.domain.observation import Channel, ImageRole
from env_service.domain.outcome import OutcomeCode
from env_service.domain.usage import MOST, Usage
from env_service.index.schema import (
    LONGEST_ACTION,
    LONGEST_FEEDBACK,
    LONGEST_NAME,
    LONGEST_TEXT,
)
from env_service.results.manifest import Manifest, mixture
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.run_layout import MOST_TRANSCRIPT
from env_service.results.transcript import GENESIS
from env_service.storage.canonical_json import MOST_WHOLE, canonical, parse
from env_service.storage.plain_files import open_plain

Row = dict[str, Any]

MOST_LINE = 64 * 2**20
"""Bytes that are read of one line of a journal or a transcript."""
MOST_STEPS = 20_000
"""Steps of an episode that get into the index; a task of our suites has 3,000 at most."""
_MOST_ACTIONS = 8
"""Actions of a plan that are put into words."""

_SUCCEEDED = OutcomeCode.SUCCEEDED.name
_CURRENT, _RGB = ImageRole.CURRENT.name, Channel.RGB.name
_USAGE = {
    item.name: "model_seconds" if item.name == "seconds" else item.name for item in fields(Usage)
}


class ActionKind(StrEnum):
    """What an agent sent as its action."""

    SKILL = "skill"
    TEXT = "text"
    PLAN = "plan"
    UNREADABLE = "unreadable"


def cut(text: str, most: int = LONGEST_TEXT) -> str:
    """A text that every database can hold, of at most so many characters."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    if not text.isascii():
        # JSON can hold half of a character, which no database can.
        text = text.encode(errors="replace").decode()
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _name(text: str, what: str) -> str:
    if len(text) > LONGEST_NAME or "\0" in text:
        raise FormatError(
            f"{what} {text[:60]!r}… is longer than {LONGEST_NAME} characters"
            if len(text) > LONGEST_NAME
            else f"{what} {text!r:.80} has a zero byte"
        )
    return text


def _whole(number: int, what: str, most: int = MOST_WHOLE) -> int:
    if abs(number) > most:
        bits = most.bit_length()
        raise FormatError(f"{what} {number!r:.40} is larger than 2^{bits} - 1")
    return number


def _joined(manifest: Manifest, key: str) -> str:
    """The distinct values of a key that agents declared, in the order of their first mention."""
    values = dict.fromkeys(str(each[key]) for each in manifest.declared if each.get(key))
    return cut(", ".join(values), LONGEST_NAME)


def manifest_row(manifest: Manifest) -> Row:
    """The columns of ``runs`` that a manifest decides. Raises FormatError."""
    condition = canonical(dict(manifest.condition)).decode()
    tasks = sha256(canonical(list(manifest.task_ids))).hexdigest()
    setting = [
        *(manifest.suite, manifest.suite_version, manifest.task_set, manifest.task_set_digest),
        *(tasks, manifest.world, condition, sorted(manifest.budgets.items())),
    ]
    first = manifest.agents[0] if manifest.agents else {}
    names = {
        name: _name(getattr(manifest, name), name)
        for name in (
            *("run_id", "suite", "suite_version", "task_set", "task_set_digest"),
            *("world", "created"),
        )
    }
    return names | {
        "identity": manifest.identity(),
        "setting": sha256(canonical(setting)).hexdigest(),
        "condition": condition,
        "budgets": canonical(dict(manifest.budgets)).decode(),
        "seed": _whole(manifest.seed, "seed", MOST),
        "repeats": _whole(manifest.repeats, "repeats"),
        "planned": _whole(len(manifest.task_ids) * manifest.repeats, "the number of episodes"),
        "agent": cut(manifest.agent, LONGEST_NAME),
        "agent_digest": cut(str(first.get("digest", "")), LONGEST_NAME),
        "agent_name": _joined(manifest, "agent_name"),
        "model": _joined(manifest, "model"),
        "mixture": cut("; ".join(mixture(manifest))),
    }


NO_MANIFEST: Row = {
    **dict.fromkeys(
        (
            *("run_id", "identity", "setting", "suite", "suite_version", "task_set"),
            *("task_set_digest", "world", "condition", "budgets", "agent", "agent_digest"),
            *("agent_name", "model", "mixture", "created"),
        ),
        "",
    ),
    **dict.fromkeys(("seed", "repeats", "planned"), 0),
}
"""The same columns of a run whose manifest cannot be read."""


def usage_row(usage: Usage) -> Row:
    """The columns of a usage."""
    return {
        column: _whole(value, name, MOST)
        if isinstance(value := getattr(usage, name), int)
        else value
        for name, column in _USAGE.items()
    }


def read_usage(row: Mapping[str, Any]) -> Usage:
    """The usage that ``usage_row`` wrote."""
    return Usage(**{name: row[column] for name, column in _USAGE.items()})


def _attempt(record: EpisodeRecord | VoidRecord | UncountedRecord) -> Row:
    """The columns that the three journals share."""
    return {
        "episode_id": record.episode_id,
        "task_id": _name(record.task_id, "task_id"),
        "repeat": _whole(record.repeat, "repeat"),
        "session": cut(record.session, LONGEST_NAME),
        "agent": cut(record.guest, LONGEST_NAME),
        "exchanges": _whole(record.exchanges, "exchanges"),
        **usage_row(record.usage),
    }


def void_row(record: VoidRecord) -> Row:
    """A row of ``voids``, without run and seq. Raises FormatError."""
    return _attempt(record) | {
        "attempt": _whole(record.attempt, "attempt"),
        "fault": record.fault,
        "detail": cut(record.detail),
        "collateral": record.collateral,
    }


def uncounted_row(record: UncountedRecord) -> Row:
    """A row of ``uncounted``, without run and seq. Raises FormatError."""
    return _attempt(record) | {
        "cause": record.cause.value,
        "steps": _whole(record.steps, "steps"),
        "reason": record.reason,
        "message": cut(record.message),
    }


def episode_row(record: EpisodeRecord) -> Row:
    """A row of ``episodes``, without run, seq and what the transcript holds. Raises FormatError."""
    return _attempt(record) | {
        "group": _name(record.group, "group"),
        "cluster": _name(record.cluster, "cluster"),
        "seed": _whole(record.seed, "seed", MOST),
        "success": record.success,
        "failure": record.failure,
        "fault": record.fault,
        "goals_met": record.goals_met,
        "goals_gained": record.goals_gained,
        "steps": _whole(record.steps, "steps"),
        "agent_seconds": record.agent_seconds,
        "environment_seconds": record.environment_seconds,
        "transcript_head": cut(record.transcript_head, LONGEST_NAME),
    }


def label_rows(record: EpisodeRecord) -> list[Row]:
    """Rows of ``episode_labels``, without run and episode. Raises FormatError."""
    return [
        {"name": _name(name, "the label"), "value": cut(value)}
        for name, value in sorted(record.labels.items())
    ]


def metric_rows(record: EpisodeRecord) -> list[Row]:
    """Rows of ``episode_metrics``, without run and episode. Raises FormatError."""
    return [
        {"name": _name(name, "the metric"), "value": value}
        for name, value in sorted(record.metrics.items())
    ]


def goal_rows(record: EpisodeRecord) -> list[Row]:
    """Rows of ``goal_conditions``, without run and episode."""
    return [
        {
            "place": place,
            "name": cut(each.name),
            "met": each.met,
            "held_at_start": each.held_at_start,
        }
        for place, each in enumerate(record.goal_conditions)
    ]


# --- Transcripts


@dataclass(slots=True)
class EpisodeSteps:
    """What the index keeps of a transcript: the columns of ``episodes`` that it decides, and rows
    of ``steps`` without run and episode. ``problem`` says why reading ended early, ``ended_ns``
    when the transcript was written last."""

    instruction: str = ""
    first_frame: str = ""
    last_frame: str = ""
    frame_encoding: str = ""
    problem: str = ""
    ended_ns: int = 0
    rows: list[Row] = field(default_factory=list)

    def columns(self) -> Row:
        """The columns of ``episodes``."""
        return {
            "instruction": self.instruction,
            "first_frame": self.first_frame,
            "last_frame": self.last_frame,
            "frame_encoding": self.frame_encoding,
            "steps_problem": self.problem,
            "ended_ns": self.ended_ns,
        }


def read_steps(path: Path, within: Path, head: str) -> EpisodeSteps:
    """Reads a transcript up to the first line that cannot be read.

    Never raises for its content. ``within`` is the folder of runs, below which no link is
    followed; ``head`` (hex) is the chain's end that the record states.
    """
    steps = EpisodeSteps()
    chain = GENESIS
    try:
        with open_plain(path, MOST_TRANSCRIPT, within=within) as file:
            steps.ended_ns = os.fstat(file.fileno()).st_mtime_ns
            number = 0
            while line := file.readline(MOST_LINE + 1):
                number += 1
                value = _object(line)
                if value is None:
                    steps.problem = f"line {number} is not a JSON object"
                    return steps
                if len(steps.rows) >= MOST_STEPS and value.get("kind") == "step":
                    steps.problem = f"only the first {MOST_STEPS} steps are indexed"
                    return steps
                _take(steps, value)
                chain = sha256(chain + line).digest()
    except OSError as error:
        steps.problem = cut(f"{error.strerror or type(error).__name__}")
        return steps
    if chain.hex() != head:
        steps.problem = "the transcript is not the one that the episode's record names"
    return steps


def _object(line: bytes) -> Mapping[str, Any] | None:
    if len(line) > MOST_LINE:
        return None
    try:
        value = parse(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _take(steps: EpisodeSteps, line: Mapping[str, Any]) -> None:
    kind = line.get("kind")
    if kind == "begin":
        steps.instruction = cut(_text(_mapping(line.get("truth")).get("instruction")))
        steps.first_frame, steps.frame_encoding = _frame(line.get("shown"))
        steps.last_frame = steps.first_frame
    elif kind == "step":
        row = _step_row(line)
        frame, encoding = _frame(line.get("shown"))
        row["place"], row["frame"] = len(steps.rows), frame
        steps.rows.append(row)
        steps.last_frame = frame or steps.last_frame
        steps.frame_encoding = steps.frame_encoding or encoding


def _step_row(line: Mapping[str, Any]) -> Row:
    kind, words = _action(line.get("action"))
    outcome, feedback = _outcome(_mapping(line.get("truth")).get("outcomes"))
    usage = line.get("usage")
    return {
        "kind": kind.value,
        "action": cut(words, LONGEST_ACTION),
        "outcome": cut(outcome, LONGEST_NAME),
        "feedback": cut(feedback, LONGEST_FEEDBACK),
        "agent_seconds": _seconds(line.get("agent_seconds")),
        "environment_seconds": _seconds(line.get("environment_seconds")),
        "tokens": _tokens(usage) if usage else 0,
    }


def _action(value: object) -> tuple[ActionKind, str]:
    match value:
        case {"skill": _}:
            return ActionKind.SKILL, _call(value)
        case {"text": str(text)}:
            return ActionKind.TEXT, text[: 2 * LONGEST_ACTION]
        case {"plan": [*calls]}:
            more = "; …" if len(calls) > _MOST_ACTIONS else ""
            return ActionKind.PLAN, "; ".join(map(_call, calls[:_MOST_ACTIONS])) + more
        case {"unreadable": str(problem)}:
            return ActionKind.UNREADABLE, problem[: 2 * LONGEST_ACTION]
    return ActionKind.UNREADABLE, ""


def _call(value: object) -> str:
    match value:
        case {"skill": str(name), "arguments": [*arguments]}:
            given = [each[1] for each in arguments if isinstance(each, list) and len(each) == 2]
            return f"{name}({', '.join(map(_text, given))})" if given else name
    return "?"


def _outcome(outcomes: object) -> tuple[str, str]:
    chosen = ("", "")
    for each in outcomes if isinstance(outcomes, list) else ():
        match each:
            case [str(code), str(feedback)]:
                chosen = code, feedback
                if code != _SUCCEEDED:
                    break
    return chosen


def _frame(shown: object) -> tuple[str, str]:
    """The digest and the encoding of the current colour picture, or of the first one."""
    images = _mapping(shown).get("images")
    found = [each for each in images if isinstance(each, dict)] if isinstance(images, list) else []
    current = (e for e in found if e.get("role") == _CURRENT and e.get("channel") == _RGB)
    image = next(current, found[0] if found else {})
    digest, encoding = _text(image.get("sha256")), _text(image.get("encoding"))
    return (digest, cut(encoding, 40)) if _is_digest(digest) else ("", "")


def _is_digest(text: str) -> bool:
    return len(text) == 64 and not set(text) - set("0123456789abcdef")


def _tokens(usage: object) -> int:
    given = _mapping(usage)
    counts: Sequence[object] = (given.get("input_tokens"), given.get("output_tokens"))
    return min(sum(each for each in counts if isinstance(each, int) and each > 0), MOST)


def _seconds(value: object) -> float:
    if isinstance(value, int | float) and abs(value) <= MOST and math.isfinite(value):
        return float(value)
    return 0.0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
