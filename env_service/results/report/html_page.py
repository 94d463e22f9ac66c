"""A report as one self-contained HTML page, without network access or other files."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound

from env_service.domain.text import safe
from env_service.results.report import content, palette
from env_service.results.report.content import RUN, Cell, Row, RowKind, TableData
from env_service.results.report.number_format import number_formats
from env_service.suites.reporting import Unit

MOST_ROWS = 500
"""How many rows of a list the page shows; the CSV file has all of them."""

_LONG_NAME = 24
"""A name of more letters than this gets a wider column."""
_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)


class _Packaged(BaseLoader):
    """Loads the templates next to this file, wherever the package is installed."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        del environment
        path = files(__package__) / "templates" / template
        if not path.is_file():
            raise TemplateNotFound(template)
        return path.read_text(encoding="utf-8"), template, lambda: True


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as SVG, in the widths of a text column and of a phone."""

    wide: str
    narrow: str


def as_page(document: content.Document, pictures: Mapping[tuple[str, str], Drawn]) -> str:
    """The page. ``pictures`` are the figures by (section id, figure id)."""
    script = _text("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    inline = {
        key: _inline(drawn.wide, "-".join(key), "wide")
        + _inline(drawn.narrow, "-".join(key), "narrow")
        for key, drawn in pictures.items()
    }
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            document=document,
            pictures=inline,
            contents=[(section, _contents(section)) for section in document.sections],
            style=_text("page.css"),
            script=script,
            policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=_Packaged(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["safe_text"] = safe
    environment.globals.update(
        kind=lambda block: type(block).__name__,
        sheet=_sheet,
        anchor=_anchor,
        most_rows=MOST_ROWS,
    )
    return environment


def _sheet(table: TableData, viewer: str) -> dict[str, Any]:
    """The table as the template needs it, with every value formatted."""
    columns = number_formats(table)
    headings = _headings(table)
    rows = table.rows[:MOST_ROWS]
    return {
        "rows": [
            {
                "kind": row.kind.value,
                "mark": table.sources.index(row.source) + 1 if row.source else 0,
                "published": row.kind is RowKind.PUBLISHED,
                "span": span,
                "cells": [
                    {
                        "text": writer.value(cell),
                        "link": viewer + cell.link if viewer and cell.link else "",
                        "interval": writer.interval(cell),
                        "bounded": heading["bounded"],
                        "track": _track(cell, column.unit) if heading["tracked"] else "",
                        "tracked": heading["tracked"],
                        "number": column.unit is not None,
                    }
                    for writer, heading, column, cell in zip(
                        columns, headings, table.columns, row.cells, strict=True
                    )
                ],
            }
            for row, span in zip(rows, _spans(table, rows), strict=True)
        ],
        "above": _above(table, headings),
        "headings": headings,
        "more": max(0, len(table.rows) - MOST_ROWS),
    }


def _spans(table: TableData, rows: Sequence[Row]) -> list[int]:
    """For each row, how many rows its first cell covers (several runs); 0 if it is covered."""
    if len(table.columns) < 2 or table.columns[1].id != RUN:
        return [1] * len(rows)
    spans: list[int] = []
    for _, together in groupby(rows, lambda row: (row.cells[0].value, row.kind, row.source)):
        count = len(list(together))
        spans += [count, *[0] * (count - 1)]
    return spans


def _headings(table: TableData) -> list[dict[str, Any]]:
    """Each column's heading, and how many columns of the page it covers.

    An interval has its column, so that the browser aligns numbers and bounds. Only the first column
    of shares has a bar that shows the interval. There is none if columns are the values of one key,
    because several bars would make the table too wide.
    """
    found: list[dict[str, Any]] = []
    drawable = not any(column.above for column in table.columns)
    for place, column in enumerate(table.columns):
        cells = [row.cells[place] for row in table.rows]
        bounded = any(cell.interval for cell in cells)
        tracked = drawable and any(_track(cell, column.unit) for cell in cells)
        drawable = drawable and not tracked
        classes = ["number"] if column.unit is not None else []
        classes += ["bounded"] if bounded else []
        if place == 0 and any(len(str(cell.value)) > _LONG_NAME for cell in cells):
            classes.append("long")
        found.append(
            {
                "text": column.heading,
                "classes": " ".join(classes),
                "bounded": bounded,
                "tracked": tracked,
                "span": 1 + bounded + tracked,
            }
        )
    return found


def _above(table: TableData, headings: Sequence[dict[str, Any]]) -> list[tuple[str, int]]:
    """Headings over neighbouring columns, with how many they cover; empty without any."""
    if not any(column.above for column in table.columns):
        return []
    spans: list[tuple[str, int]] = []
    for column, heading in zip(table.columns, headings, strict=True):
        if spans and spans[-1][0] == column.above and column.above:
            spans[-1] = (column.above, spans[-1][1] + heading["span"])
        else:
            spans.append((column.above, heading["span"]))
    return spans


def _track(cell: Cell, unit: Unit | None) -> str:
    """The position of a share's interval between 0 and 100 %, as CSS; empty for other values."""
    if unit is not Unit.PERCENT or cell.interval is None or not isinstance(cell.value, float):
        return ""
    low, high = cell.interval
    return f"--low:{100 * low:.1f}%;--high:{100 * (1 - high):.1f}%;--at:{100 * cell.value:.1f}%"


def _contents(section: content.Section) -> list[tuple[str, str]]:
    """The anchor and the title of each block, for the table of contents.

    If each of several runs has such a block, only the first is listed.
    """
    found: list[tuple[str, str]] = []
    facts = False
    for number, block in enumerate(section.blocks):
        match block:
            case content.Headline(table=table) | (TableData() as table):
                found.append((_anchor(section, number), table.title))
            case content.FigureData(title=title) | content.Commands(title=title):
                found.append((_anchor(section, number), title))
            case content.Facts(title=title) if not facts:
                facts = True
                found.append((_anchor(section, number), title.partition(":")[0]))
    return found


def _anchor(section: content.Section, number: int) -> str:
    """The id of a block on the page: its name, or its position."""
    match section.blocks[number]:
        case content.Headline(table=table):
            name = table.id
        case TableData(id=name) | content.FigureData(id=name):
            pass
        case _:
            name = f"block-{number}"
    return f"{section.id}-{name}"


def _inline(svg: str, name: str, kind: str) -> str:
    """An SVG document as a part of the page, with the page's colours and unique ids.

    ``kind`` is its class, wide or narrow; the page shows one of them.
    """
    text = _PROLOGUE.sub("", svg)
    for colour, variable in palette.ON_PAGE.items():
        text = text.replace(colour, variable)
    own = name if kind == "wide" else f"{name}-{kind}"
    text = re.sub(r'id="([^"]+)"', rf'id="{own}-\1"', text)
    text = re.sub(r'(url\(#|href="#)', rf"\g<1>{own}-", text)
    attributes = f'<svg class="{kind}" role="img" aria-labelledby="title-{name} words-{name}" '
    return text.replace("<svg ", attributes, 1)


def _text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
