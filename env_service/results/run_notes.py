"""Notes in a run's folder that help users and prove nothing: its command and crashed agents."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from env_service.domain.failure import LostAgent
from env_service.results.run_layout import MOST_LOG
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.plain_files import read_plain

LOG = logging.getLogger(__name__)
FAILURES_FILE = "lost-guests.jsonl"
"""In the folder of logs: it explains a run, and proves nothing."""

LARGEST_FAILURES_FILE = 4 * 2**20
"""In bytes. An agent that crashes in thousands of episodes need not be noted each time."""


class AgentFailures:
    """Writes one line for each failure, while the file is smaller than LARGEST."""

    def __init__(self, logs: Path) -> None:
        self._path = logs / FAILURES_FILE

    def note(self, lost: LostAgent) -> None:
        """Adds a failure. If the disk is full, the line is dropped and the run continues."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                if file.tell() < LARGEST_FAILURES_FILE:
                    file.write(json.dumps(lost.to_json(), ensure_ascii=True) + "\n")
        except OSError:
            LOG.exception("could not record a lost agent")


def read_agent_failures(logs: Path) -> Iterator[dict[str, Any]]:
    """Each failure, as ``LostAgent.to_json`` gives it; invalid lines are left out.

    Raises OSError.
    """
    try:
        text = read_plain(logs / FAILURES_FILE, MOST_LOG, within=logs.parent).decode(
            errors="replace"
        )
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            failure = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(failure, dict) and "failure" in failure:
            yield failure


# --- How a run was started, for a user who wants to repeat it. It proves nothing

STARTED_FILE = "started.json"
"""In the folder of logs."""

RUN, PLAY = "run", "play"
_LARGEST_STARTED_FILE = 2**20
_SPENDING = ("max_cost_usd", "max_tokens")
_LONGEST_PATH = 4096
_MOST_SPENT = 2**53
_MOST_PATTERNS = 1000
"""How many tasks are noted; the manifest names every task anyway."""


@dataclass(frozen=True, slots=True)
class RunStart:
    """How a run was started.

    ``command`` is RUN or PLAY, the command of `houseguest`. ``places`` has the path, as the user
    typed it, of each word of the agent's label that names a content by its digest. ``tasks`` are
    the ids, groups and shell patterns that the user typed, empty for all; None if they were not
    recorded. ``limit`` takes the first of them, 0 all.
    """

    command: str = RUN
    places: Mapping[str, str] = field(default_factory=dict)
    tasks: tuple[str, ...] | None = None
    limit: int = 0
    max_cost_usd: float = 0.0
    max_tokens: int = 0


def write_run_start(logs: Path, started: RunStart) -> None:
    """Writes the note. If the disk is full, the note is dropped and the run continues."""
    try:
        value: dict[str, Any] = {"command": started.command, "places": dict(started.places)}
        if started.tasks is not None and len(started.tasks) <= _MOST_PATTERNS:
            value |= {"tasks": list(started.tasks), "limit": started.limit}
        for name in _SPENDING:
            value |= {name: limit} if (limit := getattr(started, name)) else {}
        logs.mkdir(parents=True, exist_ok=True)
        write_atomically(logs / STARTED_FILE, document(value))
    except (OSError, UnicodeEncodeError):
        LOG.exception("could not record how the run was started")


def read_run_start(logs: Path) -> RunStart:
    """Reads the note. Of an invalid file, only the valid parts are used."""
    path = logs / STARTED_FILE
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_STARTED_FILE:
            return RunStart()
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return RunStart()
    if not isinstance(value, dict):
        return RunStart()
    places = value.get("places")
    kept = {
        word: place
        for word, place in (places.items() if isinstance(places, dict) else ())
        if _can_be_typed(place)
    }
    command = PLAY if value.get("command") == PLAY else RUN
    tasks, limit = value.get("tasks"), value.get("limit")
    cost, tokens = (_positive(value.get(name)) for name in _SPENDING)
    spending = RunStart(command, kept, max_cost_usd=float(cost), max_tokens=int(tokens))
    if isinstance(tasks, list) and all(map(_can_be_typed, tasks)) and type(limit) is int:
        return replace(spending, tasks=tuple(tasks), limit=max(limit, 0))
    return spending


def _positive(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if 0 < value < _MOST_SPENT else 0


def _can_be_typed(word: object) -> bool:
    return isinstance(word, str) and 0 < len(word) <= _LONGEST_PATH and word.isprintable()
