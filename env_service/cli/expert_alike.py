"""Tasks that open with the same words: only their first pictures tell them apart.

The pictures are drawn for such tasks alone, as drawing is dear, and as a script with a picture
fits no other size of pictures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from env_service.suites.base import EpisodeOrder

Line = Mapping[str, Any]


def words_of(opening: Mapping[str, Any]) -> tuple[object, ...]:
    """All that an opening says without pictures."""
    return tuple(opening.get(name, "") for name in ("instruction", "text", "context"))


def to_draw(orders: Iterable[EpisodeOrder], lines: Mapping[str, Line]) -> list[EpisodeOrder]:
    """The orders whose lines, by task id, are still taken for others and could have pictures."""
    mistaken = set(look_alikes(lines.values()))
    return [order for order in orders if order.task.id in mistaken and order.request.images]


def look_alikes(lines: Iterable[Line]) -> Sequence[str]:
    """The ids of tasks that have no picture, and open with the same words as another."""
    openings = {line["task"]: line["opening"] for line in lines}
    known = Counter(map(words_of, openings.values()))
    return [
        task
        for task, opening in openings.items()
        if known[words_of(opening)] > 1 and not opening["images"]
    ]


def with_images(line: Line, images: Sequence[str]) -> dict[str, Any]:
    """A line whose opening has these pictures."""
    return {**line, "opening": {**line["opening"], "images": list(images)}}
