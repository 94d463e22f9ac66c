"""Disagreements put together: alike ones become one line with a count and an example."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.parity.answers import PARTS, normalised
from env_service.parity.comparing import COLOUR, EFFECTS, MASKS, OVERLAP
from env_service.parity.quantities import CONTINUOUS, SIGHT
from env_service.parity.records import Record

ANSWER, CHANGE, STATE, SEEN, CALL, TOLD, PICTURE = (
    "answer",
    "effect",
    "state",
    "sight",
    "call",
    "told",
    "picture",
)
KINDS = (ANSWER, CHANGE, STATE, SEEN, CALL, TOLD, PICTURE)
"""One world answers otherwise; changes something otherwise; is otherwise; sees something
otherwise; is asked for something else by the suite; lets the agent be told otherwise; or looks
otherwise."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement. ``what`` is the part of an answer or the quantity; ``index`` the row."""

    kind: str
    action: str
    what: str
    object_id: str
    left: Any
    right: Any
    record: str
    index: int
    row: Row

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for those that are alike."""
        values = (_likeness(self.kind, self.what, value) for value in (self.left, self.right))
        # What is seen depends on the view, hardly on the action that led to it.
        about = type_of(self.object_id) if self.kind == SEEN else self.action
        return (self.kind, about, self.what, *values)


@dataclass
class Group:
    """Findings that are alike: how many, of which types of objects, and the first of them."""

    example: Finding
    count: int = 0
    types: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """For a report."""
        first = self.example
        call = {
            name: first.row[name] for name in ("action", "arguments", "said") if name in first.row
        }
        return {
            "kind": first.kind,
            "action": first.action,
            "what": first.what,
            "count": self.count,
            "types": dict(self.types.most_common(8)),
            "example": {
                "record": first.record,
                "index": first.index,
                **{name: first.row[name] for name in ("turn", OVERLAP) if name in first.row},
                "call": call,
                "object": first.object_id,
                "left": first.left,
                "right": first.right,
            },
        }


def group(records: Iterable[Record]) -> list[dict[str, Any]]:
    """All disagreements of some records, by kind and then the most frequent first."""
    groups: dict[tuple[str, ...], Group] = {}
    for record in records:
        for index, row in enumerate(record.rows):
            for finding in _findings(record.id, index, row):
                found = groups.setdefault(finding.key, Group(finding))
                found.count += 1
                if finding.object_id:
                    found.types[type_of(finding.object_id)] += 1
    ordered = sorted(groups.values(), key=lambda g: (KINDS.index(g.example.kind), -g.count))
    return [each.to_json() for each in ordered]


def type_of(object_id: str) -> str:
    """The type in an object's id, as "SinkBasin" in "Sink|-01.00|+00.90|+02.00|SinkBasin"."""
    parts = object_id.split("|")
    last = parts[-1] if len(parts) > 4 else parts[0]
    return re.sub(r"_\d+$", "", last)


def _findings(record: str, index: int, row: Row) -> Iterator[Finding]:
    def finding(kind: str, what: str, object_id: str, left: Any, right: Any) -> Finding:
        action = str(row.get("action", "(agent)"))
        return Finding(kind, action, what, object_id, left, right, record, index, row)

    target = str(row.get("arguments", {}).get("objectId", ""))
    differs = row.get("differs", ())
    if "said" in row:
        for part in differs:
            yield finding(TOLD, part, "", row["left"][part], row["right"][part])
        return
    for part in differs:
        if part in PARTS:
            yield finding(ANSWER, part, target, row["left"], row["right"])
    if EFFECTS in differs:
        for id_, quantity, left, right in row[EFFECTS]:
            yield finding(CHANGE, quantity, id_, left, right)
    for id_, quantity, left, right in row.get("new", ()):
        yield finding(SEEN if quantity in SIGHT else STATE, quantity, id_, left, right)
    if "apart" in row:
        yield finding(CALL, "calls", target, row.get("arguments"), row["apart"])
    for id_, overlap in row.get(MASKS, {}).items():
        yield finding(PICTURE, MASKS, id_, overlap, None)
    if COLOUR in row:
        yield finding(PICTURE, COLOUR, "", row[COLOUR], None)


def _likeness(kind: str, what: str, value: Any) -> str:
    """A value as far as it makes a difference between disagreements."""
    if kind in (CALL, PICTURE, TOLD) or what in CONTINUOUS:
        return "" if kind != CHANGE else str(value)
    if kind == ANSWER and isinstance(value, Mapping):
        if value["success"]:
            return "success"
        return f"{value['code']} {normalised(str(value['message']))}"
    if isinstance(value, list):
        return json.dumps(sorted(type_of(str(each)) for each in value))
    return str(value)
