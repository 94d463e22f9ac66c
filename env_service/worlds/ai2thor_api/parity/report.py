"""A report: one JSON document, small enough to be sent by mail, with alike disagreements put
together.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from env_service.results.manifest import hardware, host_versions, package_versions
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.worlds.ai2thor_api.parity import agreement
from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits
from env_service.worlds.ai2thor_api.parity.answers import PARTS, normalised
from env_service.worlds.ai2thor_api.parity.comparison import COLOUR, EFFECTS, MASKS, OVERLAP
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions
from env_service.worlds.ai2thor_api.parity.states import ACTIONS, CONTINUOUS, SIGHT, TYPES, Tallies

SCHEMA = 1
"""Of the document. Readers refuse another one with a message."""

KIND = "houseguest parity"

PACKAGES = ("ai2thor", "msgpack", "numpy", "numba", "moderngl")


class ReportError(ValueError):
    """A file is not a readable report; the message says why."""


@dataclass(frozen=True)
class ComparisonSetup:
    """What was compared, and how: the names of both worlds with `describe_world`'s facts, where
    the actions came from, and the manner. Records of equal settings belong together."""

    left: str
    right: str
    left_facts: Mapping[str, str]
    right_facts: Mapping[str, str]
    source: Mapping[str, Any]
    options: PlayOptions

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "left": {"world": self.left, "facts": dict(self.left_facts)},
            "right": {"world": self.right, "facts": dict(self.right_facts)},
            "source": dict(self.source),
            "manner": asdict(self.options),
        }


def make_report(
    setup: ComparisonSetup, records: Sequence[Record], limits: AgreementLimits
) -> dict[str, Any]:
    """The document. Keys: "schema", "kind", "made", "versions", "hardware", those of
    `ComparisonSetup.to_json`, "totals", "verdict", "limits", "rates", "actions", "object_types",
    "sight", "disagreements" and "records"."""
    tallies = Tallies.sum(record.tallies for record in records)
    missed = agreement.too_low(tallies, limits)
    voided = [record.id for record in records if record.voided]
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {**host_versions(), **package_versions(PACKAGES)},
        "hardware": hardware(),
        **setup.to_json(),
        "totals": _totals(records),
        "verdict": {
            "agrees": not missed and not voided,
            "missed": [{**each.to_json(), "least": limits.of(each.name)} for each in missed],
            "voided": voided,
        },
        "limits": {"all": limits.all, "by_name": dict(limits.by_name)},
        "rates": [rate.to_json() for rate in agreement.overall(tallies)],
        "actions": [rate.to_json() for rate in agreement.detailed(tallies, ACTIONS)],
        "object_types": [rate.to_json() for rate in agreement.detailed(tallies, TYPES)],
        "sight": agreement.sight(tallies),
        "disagreements": group(records),
        "records": [record.to_json() for record in records],
    }


def file_name(left: str, right: str) -> str:
    """What the report on two worlds is called."""
    return f"parity-{left}-{right}.json.gz"


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """Writes a report, compressed if the name ends with .gz."""
    text = json.dumps(report, ensure_ascii=False, separators=(",", ":")).encode()
    # Without the time, equal reports are equal files.
    write_atomically(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def read_report(path: Path) -> dict[str, Any]:
    """A report, compressed or not.

    Raises:
        ReportError: it is none, or of another schema.
        OSError: it cannot be read.
    """
    data = read_plain(path, MOST_GIVEN)
    try:
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        report: Any = json.loads(text)
    except (ValueError, EOFError, OSError) as error:
        raise ReportError(f"{path} is not a report: {error}") from None
    if not isinstance(report, dict) or report.get("kind") != KIND:
        raise ReportError(f"{path} is not a report of `houseguest parity`")
    if report.get("schema") != SCHEMA:
        raise ReportError(
            f"{path} is a report of schema {report.get('schema')}; this version reads {SCHEMA}:"
            " read it with the version of houseguest that it names"
        )
    return report


def _totals(records: Sequence[Record]) -> dict[str, int]:
    return {
        "records": len(records),
        "rows": sum(len(record.rows) for record in records),
        "parted": sum(record.divergence is not None for record in records),
        "voided": sum(record.voided for record in records),
        "retried": sum(bool(record.faults) and not record.voided for record in records),
    }


# --- Disagreements put together: alike ones become one line with a count and an example

ANSWER, CHANGE, STATE, SEEN, CALL, DISCLOSED, PICTURE = (
    "answer",
    "effect",
    "state",
    "sight",
    "call",
    "told",
    "picture",
)
KINDS = (ANSWER, CHANGE, STATE, SEEN, CALL, DISCLOSED, PICTURE)
"""The kinds of divergence. One world returns another result; changes something else; is in another
state; sees something else; gets other requests from the suite; leads to other texts for the agent;
or gives another picture."""

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
            yield finding(DISCLOSED, part, "", row["left"][part], row["right"][part])
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
    if kind in (CALL, PICTURE, DISCLOSED) or what in CONTINUOUS:
        return "" if kind != CHANGE else str(value)
    if kind == ANSWER and isinstance(value, Mapping):
        if value["success"]:
            return "success"
        return f"{value['code']} {normalised(str(value['message']))}"
    if isinstance(value, list):
        return json.dumps(sorted(type_of(str(each)) for each in value))
    return str(value)
