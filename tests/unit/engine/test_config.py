"""A setup that cannot work is refused at once, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.placement import Place


@pytest.mark.parametrize("name", ["start", "begin", "step", "finish"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_a_deadline_is_greater_than_nothing(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"deadline '{name}'"):
        Deadlines(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("workers", 0), ("worker_episodes", 0), ("log_bytes", 9), ("starts_at_once", 0)],
)
def test_a_number_out_of_range_is_named(name: str, value: int) -> None:
    settings: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        LocalEngineConfig("babyai", "babyai", Path("log"), **settings)


def test_every_worker_has_its_place_or_none_has() -> None:
    config = LocalEngineConfig("lab", "heavy", Path("log"), workers=2, places=(Place(0), Place(1)))
    assert config.place(1) == Place(1)
    assert LocalEngineConfig("lab", "heavy", Path("log")).place(0) is None
    with pytest.raises(ValueError, match="1 places for 2 workers"):
        LocalEngineConfig("lab", "heavy", Path("log"), workers=2, places=(Place(0),))
