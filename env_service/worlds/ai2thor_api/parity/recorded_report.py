"""What came of playing recorded sessions, in one table by kind and one by session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.domain.text import counted
from env_service.worlds.ai2thor_api.parity import markdown_report
from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits
from env_service.worlds.ai2thor_api.parity.answers import CODE, MESSAGE, RETURN, SUCCESS
from env_service.worlds.ai2thor_api.parity.comparison import EFFECTS
from env_service.worlds.ai2thor_api.parity.recorded_play import (
    BEGUN,
    BOX,
    LEFT_OUT,
    PICTURE,
    PLACED,
)
from env_service.worlds.ai2thor_api.parity.recorded_sessions import RecordedSession
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.report import ComparisonSetup, make_report
from env_service.worlds.ai2thor_api.parity.states import (
    ACTIONS,
    EXISTS,
    FLAGS,
    INTERACTABLE,
    QUANTITIES,
    VISIBLE,
    Tallies,
    by_quantity,
)

NEAR = 0.10
"""Metres between the two places of an object that count as the same place."""

STATES = (EXISTS, "traits", *FLAGS, "temperature", "openness")
POSES = ("position", "rotation", "fixture position", "fixture rotation")
AGENT = ("agent position", "agent rotation", "agent horizon", "agent standing", "inventory")


@dataclass(frozen=True)
class Kind:
    """One line: how much of something agrees. ``value`` is a share, or for colours a mean of 255;
    None if nothing was compared. ``least`` is the aim, for colours the most; None without one."""

    name: str
    value: float | None
    agreed: int = 0
    compared: int = 0
    least: float | None = None
    lower_is_better: bool = False

    @property
    def missed(self) -> bool:
        """Whether there is an aim that it misses."""
        if self.least is None or self.value is None:
            return False
        return self.value > self.least if self.lower_is_better else self.value < self.least

    def to_json(self) -> dict[str, Any]:
        """For a report."""
        value = None if self.value is None else round(self.value, 6)
        return {
            "kind": self.name,
            "value": value,
            "agreed": self.agreed,
            "compared": self.compared,
            "aim": self.least,
            "missed": self.missed,
        }


def recorded_report(
    setup: ComparisonSetup, sessions: Sequence[RecordedSession], records: Sequence[Record]
) -> dict[str, Any]:
    """The report of `make_report` with the key "recorded": "kinds" over all sessions, "sessions",
    each with its own "kinds" and what was left out of it, and "placed", where each object that
    left the hand came to be."""
    report = make_report(setup, records, AgreementLimits(0.0))
    kinds = list(_kinds(records))
    report["recorded"] = {
        "kinds": [each.to_json() for each in kinds],
        "sessions": [
            {
                "session": record.id,
                "scene": session.scene,
                "events": len(session.events),
                "kinds": [each.to_json() for each in _kinds([record])],
                "left_out": _left_out(session, record),
            }
            for session, record in zip(sessions, records, strict=True)
        ],
        "placed": [
            {"session": record.id, "index": index, "action": row["action"], **row[PLACED]}
            for record in records
            for index, row in enumerate(record.rows)
            if PLACED in row
        ],
    }
    missed = [each.name for each in kinds if each.missed]
    voided = report["verdict"]["voided"]
    report["verdict"] = {"agrees": not missed and not voided, "missed": missed, "voided": voided}
    return report


def _left_out(session: RecordedSession, record: Record) -> list[str]:
    parts = [*session.notes]
    if session.lacking:
        parts.append(f"keys that no object has: {', '.join(sorted(session.lacking))}")
    if session.unknown:
        parts.append(f"objects of unknown types: {', '.join(sorted(session.unknown))}")
    unknown = dict.fromkeys(row["action"] for row in record.rows if LEFT_OUT in row)
    if unknown:
        parts.append(f"unknown actions: {', '.join(unknown)}")
    if record.voided:
        parts += [f"all events: {fault.detail}" for fault in record.faults[:1]]
    return parts


# --- The kinds


_Line = tuple[str, tuple[str, ...], float | None]
"""A kind's name, the quantities whose counts it adds up, and its aim."""


def _kinds(records: Sequence[Record]) -> Iterator[Kind]:
    tallies = Tallies.sum(record.tallies for record in records)
    actions = by_quantity(tallies.section(ACTIONS))
    states = by_quantity(tallies.section(QUANTITIES))
    rows = [row for record in records for row in record.rows]
    of_actions: tuple[_Line, ...] = (
        ("success of actions", (SUCCESS,), 1.0),
        ("error codes", (CODE,), 1.0),
        ("error messages", (MESSAGE,), 1.0),
        ("return values", (RETURN,), None),
        ("effects of actions", (EFFECTS,), None),
    )
    of_states: tuple[_Line, ...] = (
        ("agent", AGENT, 1.0),
        ("states of objects", STATES, 1.0),
        ("parents of objects", ("parentReceptacles",), 1.0),
        ("positions and rotations", POSES, None),
        ("bounding boxes", ("bounds",), None),
        ("hand position", ("hand position",), 1.0),
        ("scene bounds", ("scene bounds",), 1.0),
    )
    for counts, lines in ((actions, of_actions), (states, of_states)):
        for name, parts, least in lines:
            yield _share(name, counts, parts, least)
    yield from _placed(rows)
    begun = [row[BEGUN] for row in rows if BEGUN in row]
    for name, keys in (
        ("start pose of scenes", ("position", "yaw")),
        ("start bounds of scenes", ("bounds",)),
    ):
        near = sum(all(each.get(key, 0) <= NEAR for key in keys) for each in begun)
        yield _counted(name, near, len(begun), 1.0)
    boxes = [row[BOX] for row in rows if BOX in row]
    near = sum(max(each["centre"], each["size"]) <= NEAR for each in boxes)
    yield _counted(f"boxes within {NEAR:.2f} m after opening, closing", near, len(boxes), None)
    for quantity, least in ((VISIBLE, 0.95), (INTERACTABLE, 0.93)):
        yield from _seen(tallies, quantity, least)
    colours = [row[PICTURE] for row in rows if PICTURE in row]
    mean = sum(colours) / len(colours) if colours else None
    yield Kind("mean colour difference, of 255", mean, 0, len(colours), 25.0, lower_is_better=True)


def _placed(rows: Sequence[Mapping[str, Any]]) -> Iterator[Kind]:
    for name, put in (("PutObject", True), ("dropping or throwing", False)):
        placed = [
            row[PLACED] for row in rows if PLACED in row and (row["action"] == "PutObject") == put
        ]
        total = len(placed)
        near = sum(each["metres"] <= NEAR for each in placed)
        yield _counted(f"within {NEAR:.2f} m after {name}", near, total, 0.8 if put else None)
        yield _counted(
            f"same turn after {name}", sum(each["degrees"] <= 5 for each in placed), total, None
        )
        on = sum(each["surface"] for each in placed)
        yield _counted(f"same receptacles after {name}", on, total, 1.0 if put else None)


def _seen(tallies: Tallies, quantity: str, least: float) -> Iterator[Kind]:
    counts = tallies.sight().get(quantity)
    if counts is None:
        return
    both, ours, theirs = counts["both"], counts["left"], counts["right"]
    yield _counted(f"{quantity}: precision", both, both + ours, None)
    yield _counted(f"{quantity}: recall", both, both + theirs, None)
    yield _counted(f"{quantity}: F1", 2 * both, 2 * both + ours + theirs, least)


def _share(
    name: str, counts: Mapping[str, Sequence[int]], parts: Sequence[str], least: float | None
) -> Kind:
    found = [counts[part] for part in parts if part in counts]
    return _counted(name, sum(each[0] for each in found), sum(each[1] for each in found), least)


def _counted(name: str, agreed: int, compared: int, least: float | None) -> Kind:
    return Kind(name, agreed / compared if compared else None, agreed, compared, least)


# --- As Markdown


def recorded_summary(report: Mapping[str, Any]) -> str:
    """The report as Markdown: the tables of this module, then all others."""
    recorded, left = report["recorded"], report["left"]["world"]
    missed = report["verdict"]["missed"]
    verdict = f"{left} misses {counted(len(missed), 'aim')}: {', '.join(missed)}."
    sessions = counted(len(recorded["sessions"]), "session")
    events = counted(sum(each["events"] for each in recorded["sessions"]), "event")
    parts = [
        f"# {left} against recorded sessions of AI2-THOR",
        f"**{verdict if missed else left + ' reaches every aim.'}**",
        f"{sessions}, {events}. Each session starts in the state that its first event shows.",
        f"## By kind\n\n{_table_of_kinds(recorded['kinds'])}",
        f"## By session\n\n{_table_of_sessions(recorded['sessions'])}",
        *_lines("Left out", [
            f"{each['session']}: {text}" for each in recorded["sessions"]
            for text in each["left_out"]
        ]),
        *_placed_table(recorded["placed"]),
        markdown_report.summarise_details(report),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _table_of_kinds(kinds: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            each["kind"],
            _value(each),
            f"{each['agreed']} of {each['compared']}" if _is_share(each) else "",
            _aim(each),
            "missed" if each["missed"] else "",
        ]
        for each in kinds
        if each["value"] is not None
    ]
    return markdown_report.table(["kind", "value", "agreed", "aim", ""], rows)


def _table_of_sessions(sessions: Sequence[Mapping[str, Any]]) -> str:
    shown = {
        "success of actions": "success",
        "states of objects": "states",
        "parents of objects": "parents",
        f"within {NEAR:.2f} m after PutObject": "put near",
        "same receptacles after PutObject": "put on",
        f"{VISIBLE}: F1": "visible F1",
        f"{INTERACTABLE}: F1": "interactable F1",
        "mean colour difference, of 255": "colour",
    }
    rows = []
    for each in sessions:
        values = {kind["kind"]: kind for kind in each["kinds"]}
        cells = [_short(values[name]) if name in values else "" for name in shown]
        rows.append([each["session"], each["scene"], str(each["events"]), *cells])
    return markdown_report.table(["session", "scene", "events", *shown.values()], rows)


def _placed_table(placed: Sequence[Mapping[str, Any]]) -> list[str]:
    if not placed:
        return []
    rows = [
        [
            each["session"],
            f"{each['index']} {each['action']}",
            each["id"],
            f"{each['metres']:.2f}",
            f"{each['degrees']:.0f}",
            "yes" if each["surface"] else "no",
        ]
        for each in placed
    ]
    columns = ["session", "action", "object", "metres apart", "degrees", "same receptacles"]
    return [f"## Where objects came to be\n\n{markdown_report.table(columns, rows)}"]


def _lines(heading: str, lines: Sequence[str]) -> list[str]:
    return [f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines)] if lines else []


def _is_share(kind: Mapping[str, Any]) -> bool:
    return not kind["kind"].startswith("mean")


def _value(kind: Mapping[str, Any]) -> str:
    if not _is_share(kind):
        return f"{kind['value']:.1f}"
    if kind["kind"].endswith("F1"):
        return f"{kind['value']:.3f}"
    return markdown_report.percent(kind["value"])


def _aim(kind: Mapping[str, Any]) -> str:
    if kind["aim"] is None:
        return ""
    return f"{'at least' if _is_share(kind) else 'at most'} {kind['aim']:g}"


def _short(kind: Mapping[str, Any]) -> str:
    if kind["value"] is None:
        return ""
    if _is_share(kind) and not kind["kind"].endswith("F1"):
        return f"{kind['agreed']}/{kind['compared']}"
    return _value(kind)
