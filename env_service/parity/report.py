"""A report: one JSON document, small enough to be sent by mail."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from env_service.parity import judging
from env_service.parity.disagreements import group
from env_service.parity.judging import Limits
from env_service.parity.playing import Manner
from env_service.parity.records import Record
from env_service.parity.tallies import ACTIONS, TYPES, Tallies
from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.results.atomic import write_atomically
from env_service.results.host import hardware, host_versions, package_versions

SCHEMA = 1
"""Of the document. A reader of another one is told so."""

KIND = "houseguest parity"

PACKAGES = ("ai2thor", "msgpack", "numpy", "numba", "moderngl")


class ReportError(ValueError):
    """A file is no report that can be read; the message says why."""


@dataclass(frozen=True)
class Setting:
    """What was compared, and how: the names of both worlds with `describe_world`'s facts, where
    the actions came from, and the manner. Records of equal settings belong together."""

    left: str
    right: str
    left_facts: Mapping[str, str]
    right_facts: Mapping[str, str]
    source: Mapping[str, Any]
    manner: Manner

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "left": {"world": self.left, "facts": dict(self.left_facts)},
            "right": {"world": self.right, "facts": dict(self.right_facts)},
            "source": dict(self.source),
            "manner": asdict(self.manner),
        }


def make_report(setting: Setting, records: Sequence[Record], limits: Limits) -> dict[str, Any]:
    """The document. Keys: "schema", "kind", "made", "versions", "hardware", those of
    `Setting.to_json`, "totals", "verdict", "limits", "rates", "actions", "object_types", "sight",
    "disagreements" and "records"."""
    tallies = Tallies.sum(record.tallies for record in records)
    missed = judging.too_low(tallies, limits)
    voided = [record.id for record in records if record.voided]
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {**host_versions(), **package_versions(PACKAGES)},
        "hardware": hardware(),
        **setting.to_json(),
        "totals": _totals(records),
        "verdict": {
            "agrees": not missed and not voided,
            "missed": [{**each.to_json(), "least": limits.of(each.name)} for each in missed],
            "voided": voided,
        },
        "limits": {"all": limits.all, "by_name": dict(limits.by_name)},
        "rates": [rate.to_json() for rate in judging.overall(tallies)],
        "actions": [rate.to_json() for rate in judging.detailed(tallies, ACTIONS)],
        "object_types": [rate.to_json() for rate in judging.detailed(tallies, TYPES)],
        "sight": judging.sight(tallies),
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
        raise ReportError(f"{path} is no report: {error}") from None
    if not isinstance(report, dict) or report.get("kind") != KIND:
        raise ReportError(f"{path} is no report of `houseguest parity`")
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
