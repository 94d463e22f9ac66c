"""Tables for papers: every number with its interval, units in the headings, special characters."""

from __future__ import annotations

from env_service.results.report.content import Cell, Column, Row, TableData
from env_service.results.report.pasted_tables import as_latex, as_markdown
from env_service.suites.reporting import Unit

TABLE = TableData(
    id="success",
    title="Success rate",
    columns=(
        Column("agent", "agent"),
        Column("a_b", "a_b", Unit.PERCENT),
        Column("usd", "dollars", Unit.DOLLARS),
    ),
    rows=(
        Row((Cell("A&B | 1%"), Cell(0.5, 0.25, 0.755, 20, mark="*"), Cell(12.5))),
        Row((Cell("{x}\\"), Cell(None), Cell(None))),
    ),
    note="95 % interval.",
)


def test_latex_has_intervals_marks_and_escaped_names() -> None:
    lines = as_latex(TABLE, "not comparable").splitlines()
    assert r"agent & a\_b (\%) & dollars (USD) \\" in lines
    assert r"A\&B | 1\% & 50.0$^{*}$ {\scriptsize [25.0, 75.5]} & 12.50 \\" in lines
    assert r"\{x\}\textbackslash{} & -- & -- \\" in lines
    assert r"\begin{tabular}{lrr}" in lines
    assert r"\caption{Success rate. not comparable. 95 \% interval.}" in lines


def test_markdown_has_a_cell_for_each_column() -> None:
    text = as_markdown(TABLE, "not comparable")
    assert "| agent | a\\_b (%) | dollars (USD) |\n| --- | ---: | ---: |" in text
    assert "| A&B \\| 1% | 50.0\\* [25.0, 75.5] | 12.50 |" in text
    assert "| {x}\\\\ | – | – |" in text
    assert "not comparable" in text
