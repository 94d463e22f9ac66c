"""What a run's folder has beside its journals, and that proves nothing: scores that a command added
afterwards, notes of lost agents, and the times of events. Each is read whole when it changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from env_service.domain.data_node import FormatError
from env_service.index.rows import Row, cut
from env_service.index.schema import LONGEST_LOG_TAIL, LONGEST_NAME
from env_service.results.posthoc_scores import PosthocScores, read_posthoc_scores
from env_service.results.run_layout import EVENT_LOG, LOGS, MOST_LOG, SCORES, SUMMARY
from env_service.results.run_notes import FAILURES_FILE, read_agent_failures
from env_service.storage.canonical_json import MOST_WHOLE, parse
from env_service.storage.plain_files import open_plain

LOST_AGENTS = f"{LOGS}/{FAILURES_FILE}"
EVENTS = f"{LOGS}/{EVENT_LOG}"
BESIDE = (SUMMARY, SCORES, LOST_AGENTS, EVENTS)
"""The paths, in a run's folder, of what is looked at. A file in SCORES is always replaced as a
whole, which changes the folder."""
MOST_LOST_AGENTS = 500
"""Lost agents of a run that the index has, the last ones."""
_MOST_SESSIONS = 64
"""Sessions of an agent that are named."""
_LATEST = 9e9
"""Seconds since 1970 that the index can hold as ns."""
_MOST_FILES = 20
"""Files with added scores of a run that are read."""
_LARGEST_FILE = 32 * 2**20
"""Bytes of such a file; about 100,000 episodes."""


@dataclass(slots=True)
class AddedScores:
    """Rows of ``added_scores`` and of ``added_metrics``, without the run."""

    files: list[Row] = field(default_factory=list)
    metrics: list[Row] = field(default_factory=list)


def read_scores(run: Path) -> AddedScores:
    """All scores that were added to a run. A file that cannot be read is named with its problem."""
    found = AddedScores()
    for path in sorted(_score_files(run))[:_MOST_FILES]:
        name, problem = path.stem, ""
        scores: PosthocScores | None = None
        try:
            if path.lstat().st_size > _LARGEST_FILE:
                problem = f"the file is larger than {_LARGEST_FILE // 2**20} MiB"
            else:
                scores = read_posthoc_scores(run, name)
        except OSError as error:
            problem = error.strerror or type(error).__name__
        except (FormatError, RecursionError) as error:
            problem = str(error).removeprefix(f"{path}: ")
        description = cut(scores.description) if scores else ""
        found.files.append({"name": name, "description": description, "problem": cut(problem)})
        found.metrics += _metrics(name, scores) if scores else ()
    return found


def _score_files(run: Path) -> Iterator[Path]:
    try:
        for path in (run / SCORES).iterdir():
            # Another name would not be found again by its row.
            if path.suffix == ".json" and path.stem == cut(path.stem, LONGEST_NAME):
                yield path
    except OSError:
        return


def _metrics(name: str, scores: PosthocScores) -> Iterator[Row]:
    seen = set()
    for each in scores.episodes:
        for metric, value in each.metrics.items():
            key = (cut(each.episode_id, LONGEST_NAME), cut(metric, LONGEST_NAME))
            if key in seen or not math.isfinite(value):
                continue
            seen.add(key)
            yield {
                "score": name,
                "episode_id": key[0],
                "name": key[1],
                "transcript_head": cut(each.transcript_head, LONGEST_NAME),
                "value": float(value),
            }


def read_lost_agents(run: Path) -> list[Row]:
    """Rows of ``lost_agents``, without the run: the last MOST_LOST_AGENTS notes."""
    try:
        failures = list(read_agent_failures(run / LOGS))
    except OSError:
        return []
    first = max(len(failures) - MOST_LOST_AGENTS, 0)
    return [_lost_agent(failures[at]) | {"seq": at + 1} for at in range(first, len(failures))]


def _lost_agent(failure: Mapping[str, Any]) -> Row:
    place = failure.get("first_offending_step")
    position = place if isinstance(place, dict) else {}
    return {
        "failure": cut(str(failure["failure"]), LONGEST_NAME),
        "sessions": ", ".join(_sessions(failure.get("seats"))),
        "exit_code": _whole(failure.get("exit_code")),
        "times": max(_whole(failure.get("times")) or 1, 1),
        "final": failure.get("final") is True,
        "episode_id": cut(str(position.get("episode_id", "")), LONGEST_NAME),
        "step": _whole(position.get("step")),
        "problem": cut(str(failure.get("problem") or failure.get("offence") or "")),
        "log_tail": cut(str(failure.get("log_tail", ""))[-LONGEST_LOG_TAIL:], LONGEST_LOG_TAIL),
    }


def _sessions(seats: object) -> list[str]:
    listed = seats if isinstance(seats, list) else []
    return [str(each) for each in listed[:_MOST_SESSIONS] if _whole(each) is not None]


def read_times(run: Path) -> list[Row]:
    """Rows of ``episode_times``, without the run: when each episode began and ended, as far as the
    log of events has it. A line that cannot be read is left out."""
    found: dict[str, Row] = {}
    try:
        with open_plain(run / EVENTS, MOST_LOG, within=run) as file:
            for line in file:
                _take_time(found, line)
    except OSError:
        return []
    return [{"episode_id": name, **times} for name, times in found.items()]


def _take_time(found: dict[str, Row], line: bytes) -> None:
    try:
        event = parse(line)
    except (ValueError, RecursionError):
        return
    match event:
        case {"kind": "opened" | "closed" as kind, "episode_id": str(name), "time": float(time)}:
            if 0 < len(name) <= LONGEST_NAME and name == cut(name) and 0 < time < _LATEST:
                times = found.setdefault(name, {"began_ns": 0, "ended_ns": 0})
                times["began_ns" if kind == "opened" else "ended_ns"] = round(time * 1000) * 10**6


def _whole(value: object) -> int | None:
    return value if type(value) is int and abs(value) <= MOST_WHOLE else None
