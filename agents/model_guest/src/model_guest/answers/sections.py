"""Finds the parts of a text that a prompt set has marked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .form import AnswerForm, Section

_DECORATION = " \t\r\n:*#_`"
_BLANK_LINE = re.compile(r"\n[ \t\r]*(?:\n|$)")


def after_last(text: str, marker: str) -> str | None:
    """What follows the last occurrence of ``marker``; all of it where there is no marker.

    None where the marker is missing. Letter case does not matter.
    """
    if not marker:
        return text
    found = list(re.finditer(re.escape(marker), text, re.IGNORECASE))
    return text[found[-1].end() :] if found else None


def split_answer(text: str, begin: str) -> tuple[str, str]:
    """What stands before the answer, and the answer: all from the first ``begin`` on.

    Without one, and where ``begin`` is empty, everything is the answer.
    """
    place = text.find(begin) if begin else -1
    return ("", text) if place < 0 else (text[:place], text[place:])


def split_behind(text: str, behind: str) -> tuple[str, str]:
    """What stands before the last ``behind``, and what the house is sent: all behind it.

    Without one, and where nothing follows it, everything is sent. Letter case does not matter.
    """
    found = list(re.finditer(re.escape(behind), text, re.IGNORECASE)) if behind else []
    sent = text[found[-1].end() :].strip(_DECORATION) if found else ""
    return (text[: found[-1].start()].strip(_DECORATION), sent) if sent else ("", text)


def said_action(text: str, form: AnswerForm) -> str:
    """The action in a text as the house reads it, in one line; "" where it finds none.

    The whole text where the form does not say how the house reads.
    """
    if form.pattern is None:
        return text
    _, answer = split_answer(text, form.begin)
    found = [match.group(1) for match in form.pattern.finditer(answer)]
    return " ".join(found[-1].split()) if found else ""


def cut_sections(text: str, sections: Mapping[str, Section], elsewhere: str = "") -> dict[str, str]:
    """The sections that stand in a text, without white space and decoration around them.

    ``elsewhere`` is looked through for those that may stand anywhere.
    """
    found = {}
    for name, section in sections.items():
        cut = _cut(text, section)
        if cut is None and section.anywhere:
            cut = _cut(elsewhere, section)
        if cut is not None:
            found[name] = cut
    return found


def _cut(text: str, section: Section) -> str | None:
    start = re.search(re.escape(section.start), text, re.IGNORECASE)
    if start is None:
        return None
    rest = text[start.end() :]
    ends = (re.search(_end(end), rest, re.IGNORECASE) for end in section.until)
    rest = rest[: min((each.start() for each in ends if each), default=len(rest))]
    if section.header:
        head, _, below = rest.partition("\n")
        rest = below if below.strip(_DECORATION) else head
    if section.paragraph:
        rest = _BLANK_LINE.split(rest.lstrip(_DECORATION), maxsplit=1)[0]
    return rest.strip(_DECORATION)


def _end(end: str) -> str:
    if not end.startswith("\n"):
        return re.escape(end)
    return r"\n[ \t>*#_`]*" + re.escape(end[1:])
