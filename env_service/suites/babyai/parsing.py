"""Reads an action out of an agent's own words."""

from __future__ import annotations

import string

from env_service.worlds.babyai.actions import ACTIONS

_SURROUNDINGS = string.whitespace + string.punctuation + "“”‘’«»…"


def parse_action(text: str) -> str | None:
    """The action that a text names, or None.

    Either the whole text is the name of one action, or its last line is "Action: " and that
    name. Case, and punctuation and space around the name, do not matter; anything else does.
    """
    whole = _bare(text)
    if whole in ACTIONS:
        return whole
    last_line = text.strip().rpartition("\n")[2]
    label, _, name = last_line.partition(":")
    found = _bare(name)
    return found if _bare(label) == "action" and found in ACTIONS else None


def _bare(text: str) -> str:
    return text.strip(_SURROUNDINGS).lower()
