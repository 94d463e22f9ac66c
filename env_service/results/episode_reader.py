"""An episode's transcript, part by part: the beginning, pages of steps, the end.

Reads lines by their number and parses only those of a page. A line that cannot be read is a step
with a ``problem``. Also works while the episode is played.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.results.pictures import ENCODINGS, RecordingError
from env_service.results.run_layout import MOST_TRANSCRIPT, TRANSCRIPTS
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import open_plain

Decode = Callable[[bytes], Any]
"""The value of a line. Raises ValueError for what is none."""
MOST_LINE = 16 * 2**20
"""Bytes of a line that are read; a longer one is cut."""
MOST_PAGE = 32 * 2**20
"""Bytes of lines after which a page of steps ends sooner."""
_BEFORE_STEPS = 2
"""Lines before the first step: the header and the beginning."""
_LARGEST = 1e300
"""Larger numbers of a transcript cannot be seconds."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[^/\0.][^/\0]{0,199}")


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture that the agent was shown. ``showable``: ``read_picture`` reads its kind."""

    channel: str
    encoding: str
    role: str
    view: str
    width: int
    height: int
    sha256: str
    showable: bool


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """The outcome of an action: its code by name, and the feedback."""

    code: str
    feedback: str


@dataclass(frozen=True, slots=True)
class Said:
    """What the agent claims about itself: ``trace`` has all of it but the prompt.

    ``prompt`` is the request to the model, as the difference from the episode's last prompt that
    docs/run-folder.md describes; None if the agent sent none.
    """

    thought: str
    raw_reply: str
    prompt: Mapping[str, Any] | None
    trace: Mapping[str, Any] | None
    usage: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class BeginView:
    """The beginning. ``told``: the settings that the agent was shown; ``settings``: all of them."""

    instruction: str
    language: str
    mode: str
    context: Mapping[str, Any]
    max_steps: int | None
    action_space: Mapping[str, Any]
    state_digest: str
    text: str
    pictures: tuple[Shot, ...]
    told: Mapping[str, Any]
    task: Mapping[str, Any]
    settings: Mapping[str, Any]
    environment_seconds: float


@dataclass(frozen=True, slots=True)
class StepView:
    """A step. ``place`` counts from 0, ``line`` is its line in the transcript, from 1.

    ``shown`` is what the agent saw of the outcomes, ``true`` what they were. ``problem`` says why
    the line cannot be read; the rest is then empty.
    """

    place: int
    line: int
    problem: str
    index: int
    epoch: int
    action: Mapping[str, Any]
    said: Said
    text: str
    pictures: tuple[Shot, ...]
    shown: tuple[OutcomeView, ...]
    true: tuple[OutcomeView, ...]
    status: str
    steps_left: int | None
    state_digest: str
    agent_seconds: float
    environment_seconds: float


@dataclass(frozen=True, slots=True)
class StepPage:
    """Steps from ``offset``. ``next`` is the offset of the next page, None at the end of what is
    written so far; ``total`` counts the steps that are written."""

    offset: int
    total: int
    next: int | None
    rows: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class GoalView:
    """A goal condition at the end. ``held_at_start`` is None if that was not recorded."""

    name: str
    met: bool
    held_at_start: bool | None


@dataclass(frozen=True, slots=True)
class EndView:
    """The end. ``fault`` and ``withdrawn`` say why the result is missing."""

    reason: str
    status: str
    success: bool | None
    failure: str
    fault: str
    withdrawn: str
    goal_conditions: tuple[GoalView, ...]
    metrics: Mapping[str, Any]
    said: Said


@dataclass(frozen=True, slots=True)
class Outline:
    """An episode without its steps, which it counts. ``begin`` is None if it cannot be read,
    ``end`` while the episode is played."""

    begin: BeginView | None
    steps: int
    end: EndView | None


def transcript_path(run: Path, episode_id: str) -> Path:
    """Raises RecordingError for a name that no transcript has."""
    if _NAME.fullmatch(episode_id) is None:
        raise RecordingError("no such episode", missing=True)
    return run / TRANSCRIPTS / f"{episode_id}.jsonl"


def transcript_lines(run: Path, episode_id: str) -> Iterator[tuple[int, bytes]]:
    """Whole lines with their numbers; of a line that is too long, its beginning.

    Raises RecordingError if the transcript cannot be read.
    """
    number = 0
    try:
        with open_plain(transcript_path(run, episode_id), MOST_TRANSCRIPT, within=run) as file:
            while line := file.readline(MOST_LINE):
                whole = line.endswith(b"\n")
                rest = line
                while not whole and (rest := file.readline(MOST_LINE)):
                    whole = rest.endswith(b"\n")
                if not whole:
                    # It is being written.
                    return
                number += 1
                yield number, line
    except OSError as error:
        problem = f"the transcript cannot be read: {error.strerror}"
        raise RecordingError(problem, missing=True) from error


def read_outline(run: Path, episode_id: str, decode: Decode = parse) -> Outline:
    """Raises RecordingError if the transcript cannot be read."""
    header: Mapping[str, Any] = {}
    begin: BeginView | None = None
    count, last = 0, b""
    for number, line in transcript_lines(run, episode_id):
        count, last = number, line
        if number == 1:
            header = _parsed(line, decode)
        elif number == _BEFORE_STEPS:
            begin = _begin(header, _parsed(line, decode))
    closing = _parsed(last, decode) if count else {}
    end = _end(closing) if closing.get("kind") == "close" else None
    return Outline(begin, max(count - _BEFORE_STEPS - (end is not None), 0), end)


def read_steps_page(
    run: Path, episode_id: str, offset: int, limit: int, decode: Decode = parse
) -> StepPage:
    """Raises RecordingError if the transcript cannot be read."""
    rows: list[StepView] = []
    size, count, last = 0, 0, b""
    for number, line in transcript_lines(run, episode_id):
        count, last = number, line
        place = number - _BEFORE_STEPS - 1
        fits = not rows or size + len(line) <= MOST_PAGE
        if place == offset + len(rows) and len(rows) < limit and fits:
            size += len(line)
            value = _parsed(line, decode)
            if value.get("kind") != "close":
                rows.append(_step(place, number, value))
    closed = count > 0 and _parsed(last, decode).get("kind") == "close"
    total = max(count - _BEFORE_STEPS - closed, 0)
    after = offset + len(rows)
    return StepPage(offset, total, after if after < total else None, tuple(rows))


def _parsed(line: bytes, decode: Decode) -> Mapping[str, Any]:
    try:
        value = decode(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _begin(header: Mapping[str, Any], line: Mapping[str, Any]) -> BeginView | None:
    if line.get("kind") != "begin":
        return None
    shown, truth, order = (
        _mapping(line, "shown"),
        _mapping(line, "truth"),
        _mapping(header, "order"),
    )
    return BeginView(
        instruction=_text(truth, "instruction"),
        language=_text(truth, "language"),
        mode=_text(truth, "mode"),
        context=_mapping(truth, "context"),
        max_steps=_whole_or_none(truth, "max_steps"),
        action_space=_mapping(truth, "action_space"),
        state_digest=_text(truth, "state_digest"),
        text=_text(shown, "text"),
        pictures=shots_of(shown),
        told=_mapping(shown, "told"),
        task=_mapping(order, "task"),
        settings={key: value for key, value in order.items() if key != "task"},
        environment_seconds=_number(line, "environment_seconds"),
    )


def _step(place: int, number: int, line: Mapping[str, Any]) -> StepView:
    shown, truth = _mapping(line, "shown"), _mapping(line, "truth")
    readable = line.get("kind") == "step"
    return StepView(
        place=place,
        line=number,
        problem="" if readable else "this line of the transcript cannot be read",
        index=_whole_or_none(line, "index") or 0,
        epoch=_whole_or_none(line, "epoch") or 0,
        action=_mapping(line, "action"),
        said=_said(line),
        text=_text(shown, "text"),
        pictures=shots_of(shown),
        shown=_outcomes(shown),
        true=_outcomes(truth),
        status=_text(truth, "status"),
        steps_left=_whole_or_none(truth, "steps_left"),
        state_digest=_text(truth, "state_digest"),
        agent_seconds=_number(line, "agent_seconds"),
        environment_seconds=_number(line, "environment_seconds"),
    )


def _end(line: Mapping[str, Any]) -> EndView:
    result = _mapping(line, "result")
    success = result.get("success")
    return EndView(
        reason=_text(line, "reason"),
        status=_text(line, "status"),
        success=success if isinstance(success, bool) else None,
        failure=_text(result, "failure"),
        fault=_text(line, "fault"),
        withdrawn=_text(line, "withdrawn"),
        goal_conditions=tuple(_goals(result)),
        metrics=_mapping(result, "metrics"),
        said=_said(line),
    )


def _said(line: Mapping[str, Any]) -> Said:
    trace = _mapping(line, "trace")
    return Said(
        thought=_text(trace, "thought"),
        raw_reply=_text(trace, "raw_model_output"),
        prompt=_mapping(trace, "prompt") or None,
        trace={name: value for name, value in trace.items() if name != "prompt"} or None,
        usage=_mapping(line, "usage") or None,
    )


def _goals(result: Mapping[str, Any]) -> Iterator[GoalView]:
    for each in _list(result, "goal_conditions"):
        match each:
            case [str(name), bool(met)]:
                yield GoalView(name, met, None)
            case [str(name), bool(met), bool(held)]:
                yield GoalView(name, met, held)


def _outcomes(exchange: Mapping[str, Any]) -> tuple[OutcomeView, ...]:
    pairs = _list(exchange, "outcomes")
    return tuple(
        OutcomeView(pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
    )


def shots_of(shown: Mapping[str, Any]) -> tuple[Shot, ...]:
    """The pictures of what an exchange showed."""
    return tuple(_shot(each) for each in _list(shown, "images") if isinstance(each, dict))


def _shot(image: Mapping[str, Any]) -> Shot:
    encoding, digest = _text(image, "encoding"), _text(image, "sha256")
    return Shot(
        channel=_text(image, "channel"),
        encoding=encoding,
        role=_text(image, "role"),
        view=_text(image, "view"),
        width=_whole_or_none(image, "width") or 0,
        height=_whole_or_none(image, "height") or 0,
        sha256=digest,
        showable=encoding in ENCODINGS and _DIGEST.fullmatch(digest) is not None,
    )


def _mapping(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _list(fields: Mapping[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    return value if isinstance(value, list) else []


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _whole_or_none(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return value if type(value) is int else None


def _number(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if abs(value) < _LARGEST else 0.0
