"""What things are called towards agents."""

from __future__ import annotations

from env_service.worlds.activity.categories import lemma_of


def label(instance: str, category: str) -> str:
    """A name that agents use: "candle.n.01_2" of "candle.n.01" is "candle_2"."""
    number = instance.rpartition("_")[2]
    return f"{lemma_of(category)}_{number}" if number.isdigit() else lemma_of(category)
