"""Reads LoTa-Bench's result file of one task (spec section 3.7, "LoTa output")."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from env_service.domain.english import with_article
from env_service.suites.alfred.judging.session import LogError, LoggedStep, Session
from env_service.suites.alfred.skills.step import Verb
from env_service.suites.alfred.skills.vocabulary import split_skill

KEYS = ("trial", "type", "goal_instr", "inferred_steps", "success")
"""Keys that it has to have; ``scene`` and ``repeat_idx`` are read where they are."""


_LOG_LINE = re.compile(r"\bsuccess:\s*(true|false)\s*$", re.IGNORECASE | re.MULTILINE)


def looks_like_result(text: str) -> bool:
    """Whether a file is meant to be such a result, or a list of them."""
    bare = text.strip()
    begins = bare.startswith("{") or bare[:1] + bare[1:].lstrip()[:1] == "[{" or bare == "[]"
    return begins and bare.endswith(("}", "]")) and not _LOG_LINE.search(text)


def read_results(text: str, source: str) -> tuple[Session, ...]:
    """The task of a result file, or those of a list of results. Such files do not tell which steps
    failed, nor the goal: that is the task's.

    Raises:
        LogError: it is no JSON, or lacks a key.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise LogError(source, line, f"this is no JSON: {error}") from error
    entries = found if isinstance(found, list) else [found]
    if not entries:
        raise LogError(source, 1, "the list has no result")
    return tuple(_session(entry, source, at) for at, entry in enumerate(entries))


def _session(entry: Any, source: str, at: int) -> Session:
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
        raise LogError(source, 1, f"{where}inferred_steps is no list of texts")
    if not isinstance(success, bool | int):
        raise LogError(source, 1, f"{where}success is {success!r:.40}, neither true nor false")
    if not isinstance(entry["trial"], str) or not isinstance(entry["goal_instr"], str):
        raise LogError(source, 1, f"{where}trial or goal_instr is no text")
    repeat = entry.get("repeat_idx")
    return Session(
        trial=entry["trial"],
        name="",
        repeat=repeat if isinstance(repeat, int) else None,
        command=entry["goal_instr"].strip(),
        steps=tuple(LoggedStep(each) for each in _without_done(steps)),
        said_done=bool(steps) and split_skill(steps[-1])[0] is Verb.DONE,
        goal=None,
        success=bool(success),
        outcomes_told=False,
    )


def _without_done(steps: Sequence[str]) -> list[str]:
    return [each for each in steps if split_skill(each)[0] is not Verb.DONE]
