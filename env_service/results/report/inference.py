"""How the models were run: what agents declared, and what is published of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from env_service.domain.printable import safe
from env_service.results.mixture import configured
from env_service.results.report.runs import Family, agent_name
from env_service.results.report.tables import Cell, Column, Row, RowKind, TableData
from env_service.suites.reporting import INFERENCE, ReportDesign

ID = "inference"


def inference_table(family: Family, design: ReportDesign) -> TableData | None:
    """A row for each agent with a model and each way in which it was run; None for none."""
    ours: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    suite = family.manifest.suite
    for run in family.runs:
        for item in run.manifest.declared:
            told = _settings(item, suite)
            if item.get("model") and any(told):
                ours.setdefault((agent_name(run.manifest), told), []).append(run.mark)
    if not ours:
        return None
    rows = [_ours(name, told, marks, family) for (name, told), marks in ours.items()]
    rows += [
        Row(
            (Cell(each.agent), Cell(""), *(Cell(dict(each.settings).get(n)) for n in INFERENCE)),
            RowKind.PUBLISHED,
            each.source,
        )
        for each in design.agents
    ]
    columns = (Column("key", "agent"), Column("runs", "runs"), *(Column(n, n) for n in INFERENCE))
    return _told(
        TableData(
            id=ID,
            title="How the models were run",
            columns=columns,
            rows=tuple(rows),
            note="As the agents declared it; of those published, as their source says. Pictures are"
            " shown, and replies held to a schema, only where settings and prompts ask for that.",
        )
    )


def _ours(name: str, told: Sequence[str], marks: Sequence[str], family: Family) -> Row:
    runs = ", ".join(dict.fromkeys(marks)) if len(family.runs) > 1 else ""
    return Row((Cell(name), Cell(runs), *(Cell(value or None) for value in told)))


def _settings(declaration: Mapping[str, Any], suite: str) -> tuple[str, ...]:
    """The value of each of INFERENCE, empty where the agent does not tell it."""
    said = configured(declaration)
    return tuple(
        safe(next((str(said[name]) for name in _names(names, suite) if said.get(name)), ""))
        for names in INFERENCE.values()
    )


def _names(names: Sequence[str], suite: str) -> tuple[str, ...]:
    """A guest that has prompts for several suites declares each by its suite."""
    return (*names, *(f"{name}.{suite}" for name in names))


def _told(table: TableData) -> TableData:
    """Without the settings that nobody tells."""
    kept = [
        place
        for place in range(len(table.columns))
        if place == 0 or any(row.cells[place].value for row in table.rows)
    ]
    return TableData(
        id=table.id,
        title=table.title,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(
            Row(tuple(row.cells[place] for place in kept), row.kind, row.source)
            for row in table.rows
        ),
        note=table.note,
    )
