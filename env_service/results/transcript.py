"""Transcripts: all exchanges of one agent in one episode, in a chain of hashes.

A transcript is a file of JSON lines: a header, the beginning, the steps, the close. Each exchange
holds what the agent was ``shown`` and the ``truth``. An image is stored as its digest. The chain
covers the bytes of the lines, including line ends::

    head_0 = SHA-256(b"houseguest transcript v1\n")
    head_n = SHA-256(head_{n-1} + line_n)

Each line also repeats the head before it (``after``, hex). The last head proves that a transcript
was changed; the others show where.
"""

import os
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from env_service.domain.action import Action
from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason
from env_service.domain.outcome import Outcome
from env_service.domain.usage import Usage
from env_service.engine.base import EncodedStep, Opening
from env_service.results.domain_json import (
    STATUSES,
    action_json,
    observation_json,
    opening_json,
    order_json,
    outcomes_json,
    result_json,
)
from env_service.results.prompts import PromptShortener
from env_service.results.run_layout import MOST_TRANSCRIPT
from env_service.storage.atomic_files import append_whole
from env_service.storage.canonical_json import canonical, parse, writable
from env_service.storage.plain_files import open_plain
from env_service.suites.base import EpisodeOrder

GENESIS = sha256(b"houseguest transcript v1\n").digest()
"""The head of a transcript without lines."""


@dataclass(frozen=True, slots=True)
class TranscriptHeader:
    """The episode of a transcript. ``ordinal`` is the episode's position in its session."""

    run_id: str
    episode_id: str
    task_id: str
    repeat: int
    order: EpisodeOrder
    session: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class BeginExchange:
    """The opening of the episode. ``disclosed`` is the disclosed part of the opening, as JSON."""

    opening: Opening
    disclosed: Mapping[str, Any]
    environment_seconds: float


@dataclass(frozen=True, slots=True)
class StepExchange:
    """One action and its result.

    ``disclosed`` is the disclosed part of ``step.outcomes``. ``trace`` is the agent's claim, as
    JSON, and ``usage`` what it reports about its model for this step. ``agent_seconds`` are the
    seconds from our last answer to this request.
    """

    index: int
    epoch: int
    action: Action
    trace: Mapping[str, Any] | None
    disclosed: tuple[Outcome, ...]
    step: EncodedStep
    agent_seconds: float
    environment_seconds: float
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CloseExchange:
    """The end of the episode. ``result`` is None if and only if it was voided or withdrawn.

    ``fault`` is then a FaultClass's value, or ``withdrawn`` a WithdrawReason's. ``trace`` is the
    agent's claim if it ended the episode itself, as JSON, and ``usage`` what its model used after
    the last step in the transcript.
    """

    reason: FinishReason | None
    status: EpisodeStatus
    result: EpisodeResult | None
    fault: str | None
    trace: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    withdrawn: str = ""


_BROKEN = "the line was changed, or lines after it are missing: the next one does not follow"

Exchange = BeginExchange | StepExchange | CloseExchange


class Transcript:
    """Writes one transcript. Each line is in the file when ``append`` returns."""

    def __init__(self, path: Path, header: TranscriptHeader) -> None:
        """Creates the file. Raises FileExistsError if it exists."""
        self._file = path.open("xb", buffering=0)
        self._head = GENESIS
        self._prompts = PromptShortener()
        self.count = 0
        """The number of exchanges; the header does not count."""
        self._write(_header_json(header))

    @property
    def head(self) -> str:
        """The head of the chain so far, hex."""
        return self._head.hex()

    def append(self, exchange: Exchange) -> None:
        """Writes one exchange. After an OSError the transcript is as before."""
        match exchange:
            case StepExchange():
                self._write(_step_json(exchange))
            case BeginExchange():
                self._write(_begin_json(exchange))
            case CloseExchange():
                self._write(_close_json(exchange))
        self.count += 1

    def close(self) -> str:
        """Flushes the file to the disk and returns the head. You may call it twice."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
        return self.head

    def _write(self, body: dict[str, Any]) -> None:
        prompts = copy(self._prompts)
        if (trace := body.get("trace")) and "prompt" in trace:
            body["trace"] = {**trace, "prompt": prompts.shorten(trace["prompt"])}
        body["after"] = self._head.hex()
        try:
            line = canonical(body) + b"\n"
        except ValueError:
            # Only an agent's trace can contain values that JSON lacks.
            body["trace"] = writable(body.get("trace"))
            line = canonical(body) + b"\n"
        append_whole(self._file, line)
        self._head = sha256(self._head + line).digest()
        self._prompts = prompts


def _header_json(header: TranscriptHeader) -> dict[str, Any]:
    return {
        "kind": "header",
        "run_id": header.run_id,
        "episode_id": header.episode_id,
        "task_id": header.task_id,
        "repeat": header.repeat,
        "order": order_json(header.order),
        "session": header.session,
        "ordinal": header.ordinal,
    }


def _begin_json(begin: BeginExchange) -> dict[str, Any]:
    opening = begin.opening
    return {
        "kind": "begin",
        "shown": {**observation_json(opening.observation), "told": dict(begin.disclosed)},
        "truth": opening_json(opening.first, opening.state_digest),
        "environment_seconds": round(begin.environment_seconds, 6),
    }


def _step_json(exchange: StepExchange) -> dict[str, Any]:
    step = exchange.step
    shown = observation_json(step.observation)
    shown["outcomes"] = outcomes_json(exchange.disclosed)
    line = {
        "kind": "step",
        "index": exchange.index,
        "epoch": exchange.epoch,
        "action": action_json(exchange.action),
        "trace": exchange.trace,
        "shown": shown,
        "truth": {
            "outcomes": outcomes_json(step.outcomes),
            "status": STATUSES[step.status],
            "steps_left": step.steps_left,
            "state_digest": step.state_digest,
        },
        "agent_seconds": round(exchange.agent_seconds, 6),
        "environment_seconds": round(exchange.environment_seconds, 6),
    }
    if exchange.usage:
        line["usage"] = exchange.usage.to_json()
    return line


def _close_json(close: CloseExchange) -> dict[str, Any]:
    extras: dict[str, Any] = {"usage": close.usage.to_json()} if close.usage else {}
    if close.withdrawn:
        extras["withdrawn"] = close.withdrawn
    return extras | {
        "kind": "close",
        "reason": close.reason.value if close.reason else None,
        "status": STATUSES[close.status],
        "result": result_json(close.result) if close.result else None,
        "fault": close.fault,
        "trace": close.trace,
    }


@dataclass(frozen=True, slots=True)
class TranscriptContents:
    """The contents of a transcript.

    ``lines`` are (number from 1, value) of the lines that can be read; ``head`` is the hex head
    over all bytes; ``breaks`` are (number, error) of lines that cannot be read or were changed.
    """

    head: str
    lines: tuple[tuple[int, Mapping[str, Any]], ...]
    breaks: tuple[tuple[int, str], ...]

    @property
    def steps(self) -> int:
        """Steps that were executed."""
        return sum(line.get("kind") == "step" for _, line in self.lines)

    def usage(self) -> Usage:
        """What the agent reports about its model. Raises FormatError."""
        usages = (line["usage"] for _, line in self.lines if "usage" in line)
        return Usage.total(map(Usage.from_json, usages))


def read_transcript(path: Path) -> TranscriptContents:
    """Reads a transcript and follows its chain.

    ``path`` is ``TRANSCRIPTS/<episode id>.jsonl`` in a run's folder; no link below that folder is
    followed. Raises OSError if the file is missing, not a plain file, or larger than
    MOST_TRANSCRIPT.
    """
    head = stated = GENESIS
    lines: list[tuple[int, Mapping[str, Any]]] = []
    breaks: list[tuple[int, str]] = []
    with open_plain(path, MOST_TRANSCRIPT, within=path.parents[1]) as file:
        for number, line in enumerate(file, 1):
            value = _read_line(line)
            if value is None:
                breaks.append((number, "the line is not a JSON object"))
            else:
                lines.append((number, value))
                before = _after(value)
                place = max(number - 1, 1)
                if before != stated and place not in [known for known, _ in breaks[-1:]]:
                    breaks.append((place, _BROKEN))
                # Continuing from the head that the line states reports each change once.
                stated = before or stated
            head = sha256(head + line).digest()
            stated = sha256(stated + line).digest()
    return TranscriptContents(head.hex(), tuple(lines), tuple(breaks))


def _after(line: Mapping[str, Any]) -> bytes | None:
    try:
        return bytes.fromhex(line["after"])
    except (KeyError, TypeError, ValueError):
        return None


def _read_line(line: bytes) -> Mapping[str, Any] | None:
    try:
        value = parse(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
