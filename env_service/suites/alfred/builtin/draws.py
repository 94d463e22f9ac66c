"""The generators that built-in tasks are drawn with."""

from __future__ import annotations

from random import Random


def draw_for(*words: object) -> Random:
    """A generator for a purpose, the same for the same words on every machine: a text as a seed is
    hashed with SHA-512 (`random.Random.seed`, version 2)."""
    text = " ".join(map(str, ("alfred builtin", *words)))
    return Random(text)  # noqa: S311 - no secret
