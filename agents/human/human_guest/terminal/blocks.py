"""A picture as coloured half blocks: two pixels a character, in 24-bit colour."""

from __future__ import annotations

from collections.abc import Mapping

UPPER = "▀"
_RESET = "\x1b[0m"
_SAMPLES = 3
"""Samples a side that make one block's colour: enough to tell things apart, and fast."""
_TRUE_COLOUR = ("truecolor", "24bit")


def can_draw(environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether the terminal says that it has 24-bit colours, and nobody asked for none."""
    return (
        is_terminal
        and environment.get("COLORTERM", "").lower() in _TRUE_COLOUR
        and not environment.get("NO_COLOR")
    )


def draw(rgb: bytes, size: tuple[int, int], columns: int, rows: int) -> list[str]:
    """The picture in at most so many columns and rows of characters, in its proportions.

    ``size`` is its width and height in pixels; ``rgb`` holds 3 bytes a pixel, row by row.
    """
    width, height = size
    scale = min(columns / width, 2 * rows / height)
    across, down = max(1, int(width * scale)), max(1, int(height * scale) // 2)
    return [
        "".join(_block(rgb, size, (across, 2 * down), (x, 2 * y)) for x in range(across)) + _RESET
        for y in range(down)
    ]


def _block(rgb: bytes, size: tuple[int, int], grid: tuple[int, int], cell: tuple[int, int]) -> str:
    x, y = cell
    upper, lower = _colour(rgb, size, grid, (x, y)), _colour(rgb, size, grid, (x, y + 1))
    return "\x1b[38;2;{};{};{};48;2;{};{};{}m".format(*upper, *lower) + UPPER


def _colour(
    rgb: bytes, size: tuple[int, int], grid: tuple[int, int], cell: tuple[int, int]
) -> tuple[int, int, int]:
    """The mean of a few samples in one cell of the grid."""
    width, height = size
    steps = [(2 * i + 1) / (2 * _SAMPLES) for i in range(_SAMPLES)]
    xs = [min(width - 1, int((cell[0] + s) * width / grid[0])) for s in steps]
    ys = [min(height - 1, int((cell[1] + s) * height / grid[1])) for s in steps]
    starts = [3 * (y * width + x) for y in ys for x in xs]
    red, green, blue = (sum(rgb[at + i] for at in starts) // len(starts) for i in range(3))
    return red, green, blue
