"""The guests that were lost to a run, as its folder remembers them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from env_service.domain.guest_failure import LostGuest
from env_service.plain_files import read_plain
from env_service.results.layout import MOST_LOG

LOG = logging.getLogger(__name__)
FILE = "lost-guests.jsonl"
"""In the folder of logs: it explains a run, and is no part of what proves it."""

LARGEST = 4 * 2**20
"""Bytes. A guest that dies in each of thousands of episodes need not be told of each time."""


class GuestFailures:
    """Writes one line a failure, as long as the file is smaller than LARGEST."""

    def __init__(self, logs: Path) -> None:
        self._path = logs / FILE

    def note(self, lost: LostGuest) -> None:
        """Adds a failure. A disk that takes no more costs the line, never the run."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                if file.tell() < LARGEST:
                    file.write(json.dumps(lost.to_json(), ensure_ascii=True) + "\n")
        except OSError:
            LOG.exception("a lost guest could not be noted")


def read_guest_failures(logs: Path) -> Iterator[dict[str, Any]]:
    """Each failure, as ``LostGuest.to_json`` gives it; what is no such line is left out.

    Raises OSError.
    """
    try:
        text = read_plain(logs / FILE, MOST_LOG, within=logs.parent).decode(errors="replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            failure = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(failure, dict) and "failure" in failure:
            yield failure
