"""What runs took: time, tokens, money."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.report.episodes import Episodes
from env_service.results.report.tables import TableData
from env_service.results.report.tabulate import tabulate
from env_service.suites.reporting import (
    AGENT_SECONDS,
    COST,
    TOKENS,
    WORLD_SECONDS,
    Field,
    Quantity,
    ReportDesign,
    Table,
    mean,
    total,
)


def _used(name: str, words: str) -> Quantity:
    return Quantity("usage", name, words)


USAGE = Table(
    id="usage",
    title="Time and cost",
    rows=Field.RUN,
    columns=(
        total(AGENT_SECONDS, "agent time"),
        total(WORLD_SECONDS, "world time"),
        total(_used("calls", "calls"), "model calls"),
        total(_used("input_tokens", "tokens"), "tokens sent"),
        total(_used("cached_input_tokens", "tokens"), "of them cached"),
        total(_used("output_tokens", "tokens"), "tokens received"),
        total(_used("reasoning_tokens", "tokens"), "of them reasoning"),
        total(_used("images", "pictures"), "pictures"),
        total(COST, "cost"),
        mean(TOKENS, "tokens an episode"),
    ),
    note=(
        "Sums over scored episodes. What a model used is the agent's own claim, and the cost is"
        " by its own price list."
    ),
)


def usage_table(design: ReportDesign, episodes: Episodes) -> TableData | None:
    """Time and cost, without columns in which all is 0."""
    table = tabulate(USAGE, design, episodes)
    if table is None:
        return None
    kept = [
        place
        for place, column in enumerate(table.columns)
        if column.unit is None or any(row.cells[place].value for row in table.rows)
    ]
    rows = (replace(row, cells=tuple(row.cells[place] for place in kept)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=tuple(rows))
