"""Contact sheets: several pictures with captions in one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

PAPER, INK = (250, 249, 246), (40, 40, 40)
MARGIN, CAPTION, TITLE = 8, 20, 44


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture, uint8 [H, W, 3], and its caption."""

    caption: str
    picture: NDArray[np.uint8]


def sheet(title: str, panels: Sequence[Panel], columns: int) -> Image.Image:
    """Draws a contact sheet. All pictures must have the size of the first.

    Raises ValueError without panels.
    """
    if not panels:
        raise ValueError(f"the contact sheet {title!r} has no panels: give at least one")
    height, width = panels[0].picture.shape[:2]
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    across, down = width + MARGIN, height + CAPTION + MARGIN
    page = Image.new("RGB", (columns * across + MARGIN, rows * down + TITLE + MARGIN), PAPER)
    pen = ImageDraw.Draw(page)
    pen.text((MARGIN + 2, 12), title, fill=INK, font=_font(20))
    for number, panel in enumerate(panels):
        x = MARGIN + number % columns * across
        y = TITLE + number // columns * down
        page.paste(Image.fromarray(panel.picture), (x, y))
        pen.text((x + 2, y + height + 3), panel.caption, fill=INK, font=_font(12))
    return page


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
