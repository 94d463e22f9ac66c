"""A report in words and tables, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from env_service.domain.text import counted
from env_service.worlds.ai2thor_api.parity.report import (
    ANSWER,
    CALL,
    CHANGE,
    DISCLOSED,
    KINDS,
    PICTURE,
    SEEN,
    STATE,
)
from env_service.worlds.ai2thor_api.parity.states import ACTIONS, EPISODES, PICTURES, QUANTITIES

SHOWN = 12
"""Disagreements of each kind that are shown, types of objects, and scripts that parted."""

LONGEST = 160
"""Characters of a value in an example."""

_HEADINGS = {
    QUANTITIES: "The state, over all objects after each action",
    ACTIONS: "Answers and effects, over all actions",
    EPISODES: "Texts for agents, and the score",
    PICTURES: "Pictures",
}
_NOTES = {
    QUANTITIES: "Each object counts once after each action, although most stay unchanged. The"
    " intervals assume independent counts, so they are too narrow.",
}
_KINDS = {
    ANSWER: "The answers differ",
    CHANGE: "An action changes something in only one world, or differently",
    STATE: "The states differ",
    SEEN: "Something is visible or within reach in only one world",
    CALL: "The suite sends different calls to the two worlds",
    DISCLOSED: "The agent gets different texts",
    PICTURE: "The pictures differ",
}

Report = Mapping[str, Any]


def summarise(report: Report) -> str:
    """The report as Markdown, without its rows."""
    return f"{_head(report)}\n\n{summarise_details(report)}\n"


def summarise_details(report: Report) -> str:
    """The report's tables: everything after its head."""
    parts = [*_rates(report), _by_action(report), _by_type(report)]
    parts += [_sight(report), _parted(report), *_disagreements(report), _voided(report)]
    return "\n\n".join(part for part in parts if part)


def _head(report: Report) -> str:
    left, right = report["left"], report["right"]
    total, verdict = report["totals"], report["verdict"]
    lines = [f"# {left['world']} against {right['world']}", "", f"**{_verdict(verdict)}**", ""]
    lines += [
        f"{counted(total['records'], 'script')} with {counted(total['rows'], 'row')};"
        f" the worlds parted in {total['parted']}, {total['voided']} voided,"
        f" {total['retried']} played twice.",
        "",
    ]
    for side in (left, right):
        facts = ", ".join(f"{name} {value}" for name, value in side["facts"].items() if value)
        lines.append(f"- {side['world']}: {facts or 'no facts'}")
    versions = ", ".join(f"{name} {value}" for name, value in report["versions"].items())
    lines += [f"- made {report['made']}; {versions}", f"- actions: {_listed(report['source'])}"]
    return "\n".join(lines)


def _verdict(verdict: Mapping[str, Any]) -> str:
    if verdict["agrees"]:
        return "They agree."
    why = [
        f"{each['name']} agrees in {percent(each['rate'])}"
        + ("" if each["least"] == 1 else f" (at least {percent(each['least'])} is required)")
        for each in verdict["missed"]
    ]
    if verdict["voided"]:
        why.append(f"{counted(len(verdict['voided']), 'script')} voided")
    return f"They do not agree: {'; '.join(why)}."


def _rates(report: Report) -> Iterator[str]:
    for section, heading in _HEADINGS.items():
        rates = [rate for rate in report["rates"] if rate["section"] == section]
        if rates:
            rows = [[rate["name"], *_cells(rate)] for rate in rates]
            columns = ["what", "agrees", "95 % interval", "agreed", "compared"]
            note = f"\n\n{_NOTES[section]}" if section in _NOTES else ""
            yield f"## {heading}\n\n{table(columns, rows)}{note}"


def _cells(rate: Mapping[str, Any]) -> list[str]:
    interval = f"{percent(rate['low'])} – {percent(rate['high'])}"
    return [percent(rate["rate"]), interval, str(rate["agreed"]), str(rate["compared"])]


def _by_action(report: Report) -> str:
    names = list(dict.fromkeys(rate["name"] for rate in report["actions"]))
    rows: dict[str, dict[str, str]] = {}
    for rate in report["actions"]:
        cell = f"{rate['agreed']}/{rate['compared']}"
        rows.setdefault(rate["row"], {})[rate["name"]] = cell
    lines = [[row, *(cells.get(name, "") for name in names)] for row, cells in rows.items()]
    return f"## By action: agreed of compared\n\n{table(['action', *names], lines)}" if rows else ""


def _by_type(report: Report) -> str:
    worst: dict[str, list[Mapping[str, Any]]] = {}
    for rate in report["object_types"]:
        if rate["agreed"] < rate["compared"]:
            worst.setdefault(rate["row"], []).append(rate)
    if not worst:
        return ""
    ordered = sorted(worst.items(), key=lambda item: -sum(map(_missing, item[1])))
    rows = [
        [
            type_,
            str(sum(map(_missing, rates))),
            ", ".join(
                f"{rate['name']} {_missing(rate)}/{rate['compared']}"
                for rate in sorted(rates, key=_missing, reverse=True)[:4]
            ),
        ]
        for type_, rates in ordered[:SHOWN]
    ]
    return f"## Types of objects that differ most\n\n{table(['type', 'differs', 'in'], rows)}"


def _sight(report: Report) -> str:
    if not report["sight"]:
        return ""
    left, right = report["left"]["world"], report["right"]["world"]
    rows = [
        [each["quantity"], _ratio(each["precision"]), _ratio(each["recall"]),
         *(str(each[name]) for name in ("both", "left", "right", "neither"))]
        for each in report["sight"]
    ]  # fmt: skip
    columns = ["what", "precision", "recall", "both", f"{left} alone", f"{right} alone", "neither"]
    return f"## Sight: {left} measured by {right}\n\n{table(columns, rows)}"


def _ratio(ratio: Mapping[str, Any] | None) -> str:
    if ratio is None:
        return ""
    return f"{percent(ratio['rate'])} ({percent(ratio['low'])} – {percent(ratio['high'])})"


def _parted(report: Report) -> str:
    lines = []
    for record in report["records"]:
        index = record["divergence"]
        if index is None:
            continue
        row = record["rows"][index]
        rest = " The rest was left out." if record["stopped"] else ""
        lines.append(f"- `{record['id']}` at {_where(row, index)}: {_reason(row)}.{rest}")
    if not lines:
        return ""
    more = [f"- … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "## Where the worlds parted first\n\n" + "\n".join([*lines[:SHOWN], *more])


def _where(row: Mapping[str, Any], index: int) -> str:
    turn = f" (turn {row['turn']})" if "turn" in row else ""
    return f"row {index}{turn}, {_code(row.get('action') or row.get('said'))}"


def _reason(row: Mapping[str, Any]) -> str:
    parts = list(row.get("differs", ()))
    for id_, quantity, left, right in row.get("new", ())[:2]:
        parts.append(f"{quantity} of `{id_}` {_code(left)} and {_code(right)}")
    rest = len(row.get("new", ())) - 2 + row.get("more", 0)
    return ", ".join(parts) + (f", and {rest} more" if rest > 0 else "")


def _disagreements(report: Report) -> Iterator[str]:
    for kind in KINDS:
        found = [each for each in report["disagreements"] if each["kind"] == kind]
        if not found:
            continue
        lines = [_disagreement(each) for each in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append(f"- … and {len(found) - SHOWN} kinds more in the file")
        yield f"## {_KINDS[kind]}\n\n" + "\n".join(lines)


def _disagreement(found: Mapping[str, Any]) -> str:
    example = found["example"]
    types = ", ".join(f"{type_} {n}" for type_, n in found["types"].items())
    where = f"`{example['record']}` row {example['index']}"
    if "turn" in example:
        where += f", turn {example['turn']}"
    thing = f", `{example['object']}`" if example["object"] else ""
    share = f", overlap {example['overlap']}" if "overlap" in example else ""
    call = example["call"]
    lines = [
        f"- **{_title(found)}**, {counted(found['count'], 'time')}"
        + (f" ({types})" if types else ""),
        f"  - {where}{thing}{share}: {_code(call.get('arguments', call.get('said')))}",
        f"  - left: {_code(example['left'])}",
        f"  - right: {_code(example['right'])}",
    ]
    return "\n".join(lines)


def _title(found: Mapping[str, Any]) -> str:
    if found["kind"] == SEEN:
        return str(found["what"])
    return f"{found['action']}: {found['what']}"


def _voided(report: Report) -> str:
    lines = []
    for record in report["records"]:
        for fault in record["faults"]:
            what = "voided" if record["voided"] else "played again"
            lines.append(
                f"- `{record['id']}`, action {fault['at']}: {fault['fault']} in {fault['world']},"
                f" {what}: {_code(fault['detail'])}"
            )
    return "## Worlds that broke\n\n" + "\n".join(lines) if lines else ""


def _missing(rate: Mapping[str, Any]) -> int:
    return int(rate["compared"]) - int(rate["agreed"])


def percent(rate: float) -> str:
    """A share in per cent; never 100 % for what is less."""
    text = f"{100 * rate:.2f}"
    return f"{'99.99' if text == '100.00' and rate < 1 else text} %"


def _listed(source: Mapping[str, Any]) -> str:
    """A source's facts by their names, in a line."""
    shown = []
    for name, value in source.items():
        if isinstance(value, Mapping):
            shown.append(f"{name}: {_listed(value)}")
        elif value not in ("", None):
            shown.append(f"{name} {value if isinstance(value, str) else _json(value)}")
    return ", ".join(shown)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _code(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    text = " ".join(text.replace("`", "'").split())
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}`"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An aligned table in Markdown, readable as plain text too."""
    cells = [list(columns), *([each.replace("|", "\\|") for each in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
