"""What a prompt set asks a model to answer with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

FIELDS = ("thought", "plan", "memory")
"""What a reply may hold beside its action. Plan and memory come back in the next prompt."""

ENDINGS = ("done", "give_up")
"""How a model may end an episode by itself, where its prompt set offers that."""


class Form(Enum):
    """How an action stands in a reply."""

    JSON = "json"
    """An object with the fields and the action."""
    CALL = "call"
    """Text with skill calls: one after the marker, or one a line where a plan is asked for."""
    WORDS = "words"
    """Text, for the service to parse by the suite's rules."""


@dataclass(frozen=True, slots=True)
class Section:
    """A field inside a text: from behind ``start`` up to the first of ``until``, or the end.

    Letter case does not matter. One of ``until`` that begins with a line break ends the section
    where a line begins with it, Markdown before it or not. ``header``: ``start`` is a header,
    and the rest of its line belongs to it where lines follow. ``paragraph``: a blank line ends
    the section. ``anywhere``: where the answer lacks it, it may stand in what is before that.
    """

    start: str
    until: tuple[str, ...] = ()
    header: bool = False
    paragraph: bool = False
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The answer that one mode of play asks for.

    ``fields`` are those in use. ``marker``: in texts, what stands before the action; its last
    occurrence counts. ``begin``: in texts, where the answer begins, if it is there; what is
    before is a thought. ``pattern``: how the service finds an action in words, the first group of
    its last match; for the history alone. ``sections``: in texts, where the fields stand.
    ``endings`` are those on offer. ``behind``: in words, what stands before all that the service
    is sent, where it is there; its last occurrence counts, and what is before is a thought.
    ``unlisted``: skills that a model does without which chooses among all calls.
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
