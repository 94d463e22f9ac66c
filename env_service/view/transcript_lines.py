"""The lines of an episode's transcript, which may still be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from env_service.results.run_layout import MOST_TRANSCRIPT, TRANSCRIPTS
from env_service.storage.plain_files import open_plain
from env_service.view.requests import RefusedError

MOST_LINE = 16 * 2**20
"""Bytes of a line that are read; a longer one is cut."""
_NAME = re.compile(r"[^/\0.][^/\0]{0,199}")


def transcript_path(run: Path, episode_id: str) -> Path:
    """Raises RefusedError for a name that no transcript has."""
    if _NAME.fullmatch(episode_id) is None:
        raise RefusedError(404, "no such episode")
    return run / TRANSCRIPTS / f"{episode_id}.jsonl"


def transcript_lines(run: Path, episode_id: str) -> Iterator[tuple[int, bytes]]:
    """Whole lines with their numbers; of a line that is too long, its beginning."""
    number = 0
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
