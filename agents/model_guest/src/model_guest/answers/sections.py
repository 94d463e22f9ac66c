"""Finds the parts of a text that a prompt set has marked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .form import Section


def after_last(text: str, marker: str) -> str | None:
    """What follows the last occurrence of ``marker``; all of it where there is no marker.

    None where the marker is missing. Letter case does not matter.
    """
    if not marker:
        return text
    found = list(re.finditer(re.escape(marker), text, re.IGNORECASE))
    return text[found[-1].end() :] if found else None


def cut_sections(text: str, sections: Mapping[str, Section]) -> dict[str, str]:
    """The sections that stand in a text, without white space and colons around them."""
    found = {}
    for name, section in sections.items():
        start = re.search(re.escape(section.start), text, re.IGNORECASE)
        if start is None:
            continue
        rest = text[start.end() :]
        ends = (re.search(re.escape(end), rest, re.IGNORECASE) for end in section.until)
        end = min((each.start() for each in ends if each), default=len(rest))
        found[name] = rest[:end].strip(" \t\r\n:*#")
    return found
