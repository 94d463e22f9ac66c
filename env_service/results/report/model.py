"""What a report consists of, before anything is drawn: every renderer reads this and no more."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.results.canonical import writable
from env_service.results.reading import RunText
from env_service.results.report.drawings import Drawing
from env_service.results.report.tables import TableData


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureData:
    """A figure: what is drawn, what it shows in words, and the same numbers as a table."""

    id: str
    title: str
    drawing: Drawing
    description: str
    table: TableData
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What something is: (term, text) pairs."""

    title: str
    pairs: tuple[tuple[str, str], ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines to copy, and above them what they are for."""

    title: str
    lines: tuple[str, ...]
    note: str = ""


class Tone(Enum):
    """How a notice is meant."""

    PLAIN = "plain"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a reader has to know before the numbers."""

    text: str
    tone: Tone = Tone.WARNING


@dataclass(frozen=True, slots=True)
class Headline:
    """What is read first: a row a run."""

    table: TableData


@dataclass(frozen=True, slots=True)
class Omissions:
    """What the suite declares and these runs have nothing for: (title, why).

    ``tables`` are the titles of those that are no figures, which a terminal would show.
    """

    pairs: tuple[tuple[str, str], ...]
    tables: tuple[str, ...] = ()


Block = TableData | FigureData | Facts | Commands | Headline | Omissions


@dataclass(frozen=True, slots=True)
class Section:
    """Runs that can be compared with each other. ``id`` names files and anchors."""

    id: str
    title: str
    lead: str
    notices: tuple[Notice, ...]
    blocks: tuple[Block, ...]

    def tables(self) -> tuple[TableData, ...]:
        """Every table, those of figures included."""
        found = []
        for block in self.blocks:
            match block:
                case TableData():
                    found.append(block)
                case FigureData(table=table) | Headline(table=table):
                    found.append(table)
        return tuple(found)

    def figures(self) -> tuple[FigureData, ...]:
        """Every figure."""
        return tuple(block for block in self.blocks if isinstance(block, FigureData))


@dataclass(frozen=True, slots=True)
class Document:
    """A report or a comparison."""

    title: str
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()
    label: str = ""
    """What every output has to say of it, each file for itself; empty: nothing."""
    extra: dict[str, Any] = field(default_factory=dict)
    """What ``--json`` says beside the tables."""
    runs: tuple[RunText, ...] = ()
    """Whose episodes it is about."""

    def to_json(self) -> dict[str, Any]:
        """For ``--json``: every table's numbers, as they are."""
        found = {
            "title": self.title,
            "label": self.label,
            "notices": [notice.text for notice in self.notices],
            **self.extra,
            "sections": [
                {
                    "id": section.id,
                    "title": section.title,
                    "notices": [notice.text for notice in section.notices],
                    "facts": {
                        block.title: dict(block.pairs)
                        for block in section.blocks
                        if isinstance(block, Facts)
                    },
                    "not_shown": {
                        title: why
                        for block in section.blocks
                        if isinstance(block, Omissions)
                        for title, why in block.pairs
                    },
                    "tables": [table.to_json() for table in section.tables()],
                }
                for section in self.sections
            ],
        }
        return {str(key): writable(value) for key, value in found.items()}
