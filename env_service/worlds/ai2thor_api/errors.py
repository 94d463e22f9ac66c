"""What simulators say, in short."""

from __future__ import annotations


def first_line(text: str) -> str:
    """The first line of a simulator's words that says something, 300 characters at most: refusing
    a scene, AI2-THOR lists all others below it."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_LONGEST = 300
