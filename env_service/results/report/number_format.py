"""Numbers for readers: all numbers of a column have the same decimals."""

from collections.abc import Iterable

from env_service.domain.text import safe
from env_service.results.report.content import Cell, Column, TableData
from env_service.suites.reporting import Unit

NOTHING = "–"
_SHARES = (Unit.PERCENT, Unit.POINTS)


class NumberFormat:
    """Formats the numbers of one column."""

    def __init__(self, unit: Unit | None, cells: Iterable[Cell]) -> None:
        cells = tuple(cells)
        numbers = [
            abs(number)
            for cell in cells
            for number in (cell.value, cell.low, cell.high)
            if isinstance(number, float | int)
        ]
        self._unit = unit
        self._digits = _digits(unit, numbers)
        self._mark = max((len(cell.mark) for cell in cells), default=0)

    def value(self, cell: Cell) -> str:
        """The value with its unit and its mark; a dash for a missing value."""
        # Of one width, so that the numbers of a column stay aligned.
        return self._with_unit(cell) + cell.mark.ljust(self._mark)

    def bare(self, cell: Cell) -> str:
        """The value without its unit and its mark; a dash for a missing value."""
        if isinstance(cell.value, float | int) and self._unit is not Unit.PROBABILITY:
            return self._number(cell.value)
        return self._with_unit(cell)

    def _with_unit(self, cell: Cell) -> str:
        if cell.value is None:
            return NOTHING
        if isinstance(cell.value, str):
            return safe(cell.value)
        if self._unit is Unit.PROBABILITY:
            return "< 0.001" if cell.value < 0.001 else f"{cell.value:.3f}"
        number = self._number(cell.value)
        match self._unit:
            case Unit.PERCENT:
                return f"{number} %"
            case Unit.POINTS:
                return f"{number} pp"
            case Unit.SECONDS:
                return f"{number} s"
            case Unit.DOLLARS:
                return f"−${number[1:]}" if number.startswith("−") else f"${number}"
            case _:
                return number

    def interval(self, cell: Cell) -> str:
        """Both ends, without the unit; empty without an interval."""
        if cell.interval is None:
            return ""
        low, high = cell.interval
        return f"{self._number(low)} – {self._number(high)}"

    def _number(self, number: float) -> str:
        scaled = 100 * number if self._unit in _SHARES else number
        text = f"{scaled:,.{self._digits}f}"
        if float(text.replace(",", "")) == 0:
            text = text.removeprefix("-")
        return text.replace("-", "−")


def number_formats(table: TableData) -> list[NumberFormat]:
    """A formatter for each column."""
    return [
        NumberFormat(column.unit, (row.cells[place] for row in table.rows))
        for place, column in enumerate(table.columns)
    ]


def has_intervals(table: TableData, column: Column) -> bool:
    """Whether any cell of the column has an interval."""
    place = table.columns.index(column)
    return any(row.cells[place].interval is not None for row in table.rows)


def one(value: float | None, unit: Unit) -> str:
    """A single number, formatted."""
    cell = Cell(value)
    return NumberFormat(unit, (cell,)).value(cell)


def bounded(cell: Cell, unit: Unit) -> str:
    """A single number with its interval: ``45.0 % (26.4 – 65.1)``."""
    writer = NumberFormat(unit, (cell,))
    interval = writer.interval(cell)
    return f"{writer.value(cell)} ({interval})" if interval else writer.value(cell)


def squeezed(text: str, most: int) -> str:
    """Shortens a long text in its middle, because names often differ at their end."""
    if len(text) <= most:
        return text
    head = most // 2 - 3
    first, last = text[:head], text[len(text) - most + head + 3 :]
    # Cut between words if possible, because half an option is hard to recognise.
    if " " in first.strip() and text[head] != " ":
        first = first.rpartition(" ")[0]
    if " " in last.strip() and text[len(text) - len(last) - 1] != " ":
        last = last.partition(" ")[2]
    return f"{first.rstrip()} … {last.lstrip()}"


def _digits(unit: Unit | None, numbers: list[float]) -> int:
    if unit in _SHARES:
        return 1
    if unit is not Unit.DOLLARS and all(number == int(number) for number in numbers):
        return 0
    largest = max(numbers, default=0.0)
    if unit is Unit.DOLLARS:
        return 2 if largest >= 10 else 3 if largest >= 1 else 4
    return 0 if largest >= 1000 else 1 if largest >= 10 else 2
