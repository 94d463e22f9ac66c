"""A table of numbers with their intervals, whatever it will be shown as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from env_service.suites.reporting import Unit

RUN = "run"
"""The id of a second column that tells runs apart."""
Value = float | int | str | None
_OURS = ("kind", "source", "label")
"""What else a row of a table says of itself."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value; ``low`` and ``high`` bound it with 95 % confidence, ``n`` episodes are behind it.

    A number that there is not is None.
    """

    value: Value
    low: float | None = None
    high: float | None = None
    n: int | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, where there are."""
        return None if self.low is None or self.high is None else (self.low, self.high)


EMPTY = Cell(None)


@dataclass(frozen=True, slots=True)
class Column:
    """``unit`` is None for words. ``above`` heads several neighbours; ``id`` names it in CSV."""

    id: str
    heading: str
    unit: Unit | None = None
    above: str = ""


class RowKind(Enum):
    """Where a row's numbers come from."""

    OURS = "ours"
    TOTAL = "total"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Row:
    """A cell for each column. ``source`` says where published numbers are from."""

    cells: tuple[Cell, ...]
    kind: RowKind = RowKind.OURS
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableData:
    """``shown``: how many rows a terminal gets, where it should not get all. ``told``: its cells
    are sentences, and a terminal gets each row as a paragraph."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    folded: bool = False
    shown: int | None = None
    told: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is called in JSON and, where it holds numbers, in CSV; all differ.

        Names may come from a run's labels, which know nothing of ours: "kind", "key" or "run".
        """
        found: list[str] = []
        for column in self.columns:
            name, number = column.id, 2
            while name in found or name in _OURS:
                name, number = f"{column.id} {number}", number + 1
            found.append(name)
        return tuple(found)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of published rows, each once, in order."""
        return tuple(dict.fromkeys(row.source for row in self.rows if row.source))

    def to_json(self) -> dict[str, Any]:
        """For ``--json``: a mapping a row, shares as fractions."""
        return {
            "id": self.id,
            "title": self.title,
            "note": self.note,
            "rows": [
                {
                    "kind": row.kind.value,
                    **({"source": row.source} if row.source else {}),
                    **{
                        name: _cell_json(cell)
                        for name, cell in zip(self.names, row.cells, strict=True)
                    },
                }
                for row in self.rows
            ],
        }


def words_table(
    table_id: str, title: str, headings: Sequence[str], rows: Sequence[Sequence[Value]]
) -> TableData:
    """A table without intervals; a column whose heading starts with ``#`` holds numbers."""
    return TableData(
        id=table_id,
        title=title,
        columns=tuple(
            Column(
                heading.removeprefix("#").replace(" ", "_"),
                heading.removeprefix("#"),
                Unit.NUMBER if heading.startswith("#") else None,
            )
            for heading in headings
        ),
        rows=tuple(Row(tuple(Cell(value) for value in row)) for row in rows),
    )


def _cell_json(cell: Cell) -> Any:
    if cell.interval is None and cell.n is None:
        return cell.value
    whole: dict[str, Any] = {"value": cell.value}
    if cell.interval is not None:
        whole["interval_95"] = list(cell.interval)
    return whole if cell.n is None else whole | {"n": cell.n}
