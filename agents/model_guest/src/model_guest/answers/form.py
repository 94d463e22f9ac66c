"""The form of the answer that a prompt set asks a model for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

FIELDS = ("thought", "plan", "memory")
"""What a reply may hold in addition to its action. Plan and memory appear in the next prompt."""

ENDINGS = ("done", "give_up")
"""How a model may end an episode itself, if its prompt set offers that."""


class Form(Enum):
    """How a reply contains an action."""

    JSON = "json"
    """An object with the fields and the action."""
    CALL = "call"
    """Text with skill calls: one after the marker, or, for a plan, one per line."""
    WORDS = "words"
    """Text, which the service parses by the suite's rules."""


@dataclass(frozen=True, slots=True)
class Section:
    """A field inside a text, from after ``start`` to the first of ``until`` or to the end.

    Letter case does not matter. If one of ``until`` begins with a line break, it ends the section
    at a line that begins with it, with or without Markdown in front.

    Attributes:
        header: ``start`` is a header: if lines follow, the rest of the line belongs to it.
        paragraph: A blank line ends the section.
        anywhere: If the answer lacks the section, it may be in the text before the answer.
    """

    start: str
    until: tuple[str, ...] = ()
    header: bool = False
    paragraph: bool = False
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of the answer in one mode.

    Attributes:
        fields: The fields in use.
        marker: In texts, the word before the action; its last occurrence counts.
        begin: In texts, the word with which the answer begins, if it occurs; text before it is a
            thought.
        pattern: How the service finds an action in words: the first group of the last match.
            Used only for the history.
        sections: In texts, where to find the fields.
        endings: The endings on offer.
        behind: In words, the marker before the text that the service gets, if it occurs; its last
            occurrence counts, and text before it is a thought.
        unlisted: Skills that are not among the candidates of a model that chooses.
    """

    form: Form = Form.JSON
    fields: tuple[str, ...] = ()
    marker: str = ""
    begin: str = ""
    pattern: re.Pattern[str] | None = None
    sections: Mapping[str, Section] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    behind: str = ""
    unlisted: tuple[str, ...] = ()
