"""How a run was started, for whoever wants to start it again. No part of what proves it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from env_service.results.atomic import document, write_atomically

LOG = logging.getLogger(__name__)
FILE = "started.json"
"""In the folder of logs."""

RUN, PLAY = "run", "play"
_LARGEST = 2**20
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Started:
    """``command`` is RUN or PLAY, the command of `houseguest`. ``places`` has the path, as it was
    typed, of each word of the agent's label that names a content by its digest."""

    command: str = RUN
    places: Mapping[str, str] = field(default_factory=dict)


def note_start(logs: Path, started: Started) -> None:
    """Writes it. A disk that takes no more costs the note, never the run."""
    try:
        value = {"command": started.command, "places": dict(started.places)}
        logs.mkdir(parents=True, exist_ok=True)
        write_atomically(logs / FILE, document(value))
    except (OSError, UnicodeEncodeError):
        LOG.exception("how the run was started could not be noted")


def read_start(logs: Path) -> Started:
    """What was noted. Of a file that somebody else wrote only what can be meant is taken."""
    path = logs / FILE
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
            return Started()
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return Started()
    if not isinstance(value, dict):
        return Started()
    places = value.get("places")
    kept = {
        word: place
        for word, place in (places.items() if isinstance(places, dict) else ())
        if isinstance(place, str) and 0 < len(place) <= _LONGEST_PATH and place.isprintable()
    }
    return Started(PLAY if value.get("command") == PLAY else RUN, kept)
