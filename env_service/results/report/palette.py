"""Colours of figures. An SVG contains each colour in this spelling, and no other.

A page replaces them by its CSS variables (see ``html_page``), so that figures follow its light or
dark mode. The series are Okabe and Ito's colours, darkened for contrast on white; colour-blind
readers can distinguish them.
"""

from collections.abc import Sequence

from env_service.suites.reporting import SUCCEEDED

INK = "#24292f"
MUTED = "#6e7781"
GRID = "#d8dee4"
PAPER = "#ffffff"

SERIES = ("#0072b2", "#d55e00", "#009e73", "#b5568f", "#a07800", "#4a9bc9", "#7a6fd0", "#8a8f98")
ON_PAGE = {INK: "var(--ink)", MUTED: "var(--muted)", GRID: "var(--rule)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(SERIES)
}
"""The CSS variable for each colour on the page."""

GOOD = "#2a8c5f"
REST = ("#c05a2e", "#6f63c9", "#96700a", "#ab4d86", "#44809f", "#7c828b", "#5d6b3a", "#9b4550")


def part_colours(parts: Sequence[str]) -> list[str]:
    """A colour for each part of a stack; success has a fixed one."""
    rest = iter(range(len(parts)))
    return [GOOD if part == SUCCEEDED else REST[next(rest) % len(REST)] for part in parts]
