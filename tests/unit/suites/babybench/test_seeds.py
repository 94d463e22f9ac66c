"""Seeds as users write them."""

from __future__ import annotations

import pytest

from env_service.suites.babybench.task_sets import Seeds, SeedsError


@pytest.mark.parametrize(
    ("text", "seeds", "again"),
    [
        ("7", [7], "7"),
        ("1-3", [1, 2, 3], "1-3"),
        ("9, 1-3,0", [0, 1, 2, 3, 9], "0-3,9"),
        ("1-5,3-4,5", [1, 2, 3, 4, 5], "1-5"),
        ("2147483647", [2147483647], "2147483647"),
    ],
)
def test_they_are_told_apart_and_put_in_order(text: str, seeds: list[int], again: str) -> None:
    read = Seeds.read(text)
    assert list(read) == seeds
    assert len(read) == len(seeds)
    assert all(seed in read for seed in seeds)
    assert max(seeds) + 1 not in read
    assert str(read) == again
    assert Seeds.read(again) == read


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "1.5", "1,,2", "1 2", "9" * 5000])
def test_what_names_none_is_told_what_would(text: str) -> None:
    with pytest.raises(SeedsError, match="such as 1-500"):
        Seeds.read(text)


def test_a_span_runs_upwards_and_has_an_end() -> None:
    with pytest.raises(SeedsError, match="write 1-5"):
        Seeds.read("5-1")
    with pytest.raises(SeedsError, match="0 to 2147483647"):
        Seeds.read("0-2147483648")
