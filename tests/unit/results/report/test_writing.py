"""How numbers are written."""

from __future__ import annotations

import pytest

from env_service.domain.text import safe
from env_service.results.report.content import Cell
from env_service.results.report.number_format import NumberFormat, one
from env_service.suites.reporting import Unit


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.4567, Unit.PERCENT, "45.7 %"),
        (-0.1, Unit.POINTS, "−10.0 pp"),
        (-0.0001, Unit.POINTS, "0.0 pp"),
        (12.0, Unit.NUMBER, "12"),
        (12.25, Unit.NUMBER, "12.2"),
        (1.256, Unit.NUMBER, "1.26"),
        (12345.6, Unit.NUMBER, "12,346"),
        (0.0123, Unit.DOLLARS, "$0.0123"),
        (1234.5, Unit.DOLLARS, "$1,234.50"),
        (-2.0, Unit.DOLLARS, "−$2.000"),
        (9.25, Unit.SECONDS, "9.25 s"),
        (0.0004, Unit.PROBABILITY, "< 0.001"),
        (1.0, Unit.PROBABILITY, "1.000"),
        (None, Unit.NUMBER, "–"),
    ],
)
def test_a_number_is_written_by_its_unit(value: float | None, unit: Unit, text: str) -> None:
    assert one(value, unit) == text


def test_a_column_has_the_same_decimals_throughout() -> None:
    cells = [Cell(3.0, 2.25, 4.0), Cell(250.0, 240.0, 260.5)]
    writer = NumberFormat(Unit.NUMBER, cells)
    assert [writer.value(cell) for cell in cells] == ["3.0", "250.0"]
    assert writer.interval(cells[0]) == "2.2 – 4.0"


def test_texts_lose_what_a_terminal_or_xml_cannot_take() -> None:
    assert safe("a\x1b[2J\x00b\nc\u202e") == "a�[2J�b�c�"
