"""Texts from elsewhere, fit for a terminal, a log or a page."""

from __future__ import annotations


def safe(text: str) -> str:
    """The text on one line, with nothing in it that a terminal or XML cannot take: a tab is shown
    as spaces, any other such character as one of replacement."""
    plain = text.expandtabs(4)
    shown = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in plain)
    return "".join(shown)
