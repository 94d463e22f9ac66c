"""What things are called towards agents."""

from __future__ import annotations

import re

from env_service.worlds.activity.categories import lemma_of

_NUMBER = re.compile(r"_([0-9]{1,9})\Z")


def label(instance: str, category: str) -> str:
    """A name that agents use: "candle.n.01_2" of "candle.n.01" is "candle_2"."""
    number = instance.rpartition("_")[2]
    return f"{lemma_of(category)}_{number}" if number.isdigit() else lemma_of(category)


def number_of(instance: str) -> int:
    """3 of "basket.n.01_3"; 0 where there is none, or one of more than nine digits."""
    found = _NUMBER.search(instance)
    return int(found[1]) if found else 0
