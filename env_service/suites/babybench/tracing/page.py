"""A trace as one self-contained HTML page, without network access or other files."""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from env_service.domain.text import safe
from env_service.suites.babybench.answers.readings import State
from env_service.suites.babybench.tracing.answer_trace import (
    AnswerTrace,
    StackLine,
    Step,
    Track,
    pieces,
)
from env_service.worlds.babyai.state import Thing

Facts = Sequence[tuple[str, str]]
"""(term, text) pairs about the answer and its result."""


def as_page(title: str, trace: AnswerTrace, facts: Facts, thoughts: str = "") -> str:
    """The page. ``thoughts`` is the trace that the agent sent with its answer; it may be empty."""
    script = _text("trace.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["safe_text"] = safe
    environment.filters["safe_lines"] = safe_lines
    side = max(trace.start.width, trace.start.height)
    return environment.from_string(_text("trace.html.j2")).render(
        title=title,
        trace=trace,
        facts=facts,
        answer=list(pieces(trace.answer, side)),
        thoughts=list(pieces(thoughts, side)),
        style=_text("trace.css"),
        script=script,
        data=_embedded(story_json(trace)),
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
    )


def safe_lines(text: str) -> str:
    """The text with its line breaks, without anything unsafe for a page."""
    return "\n".join(safe(line) for line in text.replace("\r\n", "\n").split("\n"))


def story_json(trace: AnswerTrace) -> dict[str, Any]:
    """The data that the page draws: the grid at the start, and each track's steps as changes."""
    start = trace.start
    cells = [[n % start.width, n // start.width, _thing(each)] for n, each in _filled(trace)]
    return {
        "width": start.width,
        "height": start.height,
        "cells": cells,
        "start": {**_state(trace.first), "carrying": _thing(start.carrying)},
        "claim": _state(trace.claim) if trace.claim else None,
        "target": list(trace.target) if trace.target else None,
        "said": list(trace.said),
        "tracks": [_track(track) for track in trace.tracks],
    }


def _filled(trace: AnswerTrace) -> list[tuple[int, Thing]]:
    return [(n, thing) for n, thing in enumerate(trace.start.cells) if thing is not None]


def _track(track: Track) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    stack: tuple[StackLine, ...] | None = None
    for step in track.steps:
        steps.append(_step(step, unchanged=step.stack == stack))
        stack = step.stack
    return {"name": track.name, "note": track.note, "steps": steps}


def _step(step: Step, *, unchanged: bool) -> dict[str, Any]:
    """``stack`` is None if it is unchanged, because a long plan's stack would fill the page."""
    change = None
    if step.change is not None:
        (x, y), thing = step.change
        change = [x, y, _thing(thing)]
    return {
        "action": step.action,
        **_state(step.state),
        "carrying": _thing(step.carrying),
        "change": change,
        "idle": step.idle,
        "help": step.help,
        "stack": None if unchanged else [[line.words, line.owner] for line in step.stack],
    }


def _state(state: State) -> dict[str, int]:
    x, y = state.position
    return {"x": x, "y": y, "d": state.heading}


def _thing(thing: Thing | None) -> list[str] | None:
    return None if thing is None else [thing.kind, thing.color, thing.state]


def _embedded(value: object) -> str:
    """JSON that cannot end its HTML element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
