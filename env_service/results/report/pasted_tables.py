"""Tables for papers and web pages: LaTeX with booktabs, and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.text import safe
from env_service.results.report.content import TableData
from env_service.results.report.number_format import number_formats
from env_service.suites.reporting import Unit

_UNITS = {
    Unit.PERCENT: "%",
    Unit.POINTS: "percentage points",
    Unit.SECONDS: "s",
    Unit.DOLLARS: "USD",
}
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "×": r"$\times$",
    "<": "$<$",
    ">": "$>$",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}


def as_latex(table: TableData, label: str = "") -> str:
    """A table environment that needs the package booktabs. ``label`` is a statement that has to
    accompany the numbers; empty for none."""
    words = [column.unit is None for column in table.columns]
    headings = [_latex(heading) for heading in _headings(table)]
    rows = []
    for value in _values(table):
        cells = [
            _latex(text)
            + (f"$^{{{_latex(mark)}}}$" if mark else "")
            + (rf" {{\scriptsize [{_latex(interval)}]}}" if interval else "")
            for text, mark, interval in value
        ]
        rows.append(f"{' & '.join(cells)} \\\\")
    caption = ". ".join(filter(None, (table.title, label, table.note)))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(safe(caption))}}}",
        rf"\label{{tab:{table.id}}}",
        rf"\begin{{tabular}}{{{''.join('l' if word else 'r' for word in words)}}}",
        r"\toprule",
        f"{' & '.join(headings)} \\\\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_markdown(table: TableData, label: str = "") -> str:
    """A table with pipes, as GitHub and most editors show it. ``label`` as in ``as_latex``."""
    rules = ["---" if column.unit is None else "---:" for column in table.columns]
    rows = [
        [
            _markdown(text + mark) + (f" [{interval}]" if interval else "")
            for text, mark, interval in value
        ]
        for value in _values(table)
    ]
    head = [_markdown(heading) for heading in _headings(table)]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, rules, *rows)]
    notes = [_markdown(safe(text)) for text in (label, table.note) if text]
    return "\n\n".join([f"**{_markdown(safe(table.title))}**", "\n".join(lines), *notes]) + "\n"


def _headings(table: TableData) -> list[str]:
    """Each heading with its unit, so that cells are numbers alone."""
    found = []
    for column in table.columns:
        unit = _UNITS.get(column.unit, "") if column.unit else ""
        above = f"{column.above}: " if column.above else ""
        shown = f" ({unit})" if unit else ""
        found.append(safe(f"{above}{column.heading}{shown}"))
    return found


def _values(table: TableData) -> list[Sequence[tuple[str, str, str]]]:
    """The value, the mark and the interval of each cell."""
    writers = number_formats(table)
    return [
        [
            (writer.bare(cell), cell.mark, writer.interval(cell).replace(" – ", ", "))
            for writer, cell in zip(writers, row.cells, strict=True)
        ]
        for row in table.rows
    ]


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)


def _markdown(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_|<[]" else char for char in text)
