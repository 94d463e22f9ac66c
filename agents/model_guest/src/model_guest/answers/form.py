"""What a prompt set asks a model to answer with."""

from __future__ import annotations

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
    """Text, for the house to parse by the suite's rules."""


@dataclass(frozen=True, slots=True)
class Section:
    """A field inside a text: from behind ``start`` up to the first of ``until``, or the end.

    Letter case does not matter.
    """

    start: str
    until: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The answer that one mode of play asks for.

    ``fields`` are those in use. ``marker``: in texts, what stands before the action; its last
    occurrence counts. ``sections``: in texts, where the fields stand. ``endings`` are those
    on offer.
    """

    form: Form = Form.JSON
    fields: tuple[str, ...] = ()
    marker: str = ""
    sections: Mapping[str, Section] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
