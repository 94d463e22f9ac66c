"""Lease tokens as files, for guests in containers that share a folder with the house."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from env_service.results.atomic import write_atomically


def hand_over(folder: Path, tokens: Mapping[int, str]) -> None:
    """Writes each seat's token to its `seat_file`, in place of an older one.

    Whoever can read the folder can take the seats: it is for the guests of this run alone.
    Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, token in tokens.items():
        write_atomically(seat_file(folder, number), f"{token}\n".encode())


def seat_file(folder: Path, number: int) -> Path:
    """Where the token of a seat lies."""
    return folder / f"seat-{number}"
