"""ProcTHOR houses in files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api.capture.procthor_houses import HouseFile
from tests.support.thor_house import house


@pytest.fixture(params=[".jsonl", ".jsonl.gz"])
def houses(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HouseFile]:
    lines = [json.dumps(house(objects=[number])) for number in range(12)]
    text = "\n\n".join(lines).encode()
    path = tmp_path / f"train{request.param}"
    path.write_bytes(gzip.compress(text) if request.param.endswith(".gz") else text)
    file = HouseFile(path)
    yield file
    file.close()


def numbers(file: HouseFile, *words: str) -> list[int]:
    """The houses that words mean, as told by their content."""
    chosen = file.select(words)
    return [each.house.load()["objects"][0] for each in chosen if each.house is not None]


def test_a_house_goes_by_its_file_and_line(houses: HouseFile) -> None:
    assert len(houses) == 12
    assert [each.name for each in houses.select(["3", "procthor-train-11"])] == [
        "procthor-train-3",
        "procthor-train-11",
    ]


def test_words_mean_houses(houses: HouseFile) -> None:
    assert numbers(houses) == numbers(houses, "all") == list(range(12))
    assert numbers(houses, "7", "2-4") == [2, 3, 4, 7]
    assert numbers(houses, "procthor-train-9", "procthor-train-0-1") == [0, 1, 9]
    assert numbers(houses, "*-1?", "*-1") == [1, 10, 11]


def test_houses_are_told_apart_by_their_text(houses: HouseFile) -> None:
    found = {each.house.digest() for each in houses.select([]) if each.house is not None}
    assert len(found) == 12


@pytest.mark.parametrize(
    ("word", "said"),
    [("12", "it has 12, from 0"), ("5-3", "it must rise"), ("FloorPlan1", "give an index"),
     ("procthor-val-1", "procthor-train-0"), ("*nothing*", "no scene fits")],
)  # fmt: skip
def test_a_word_that_means_no_house_is_told(houses: HouseFile, word: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        houses.select([word])


@pytest.mark.parametrize(
    ("line", "said"),
    [("{", "not JSON"), ("[]", "not a ProcTHOR"), ('{"rooms": []}', "needs rooms")],
)
def test_what_is_no_house_is_told_when_it_is_loaded(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    (subject,) = HouseFile(path).select([])
    assert subject.house is not None
    with pytest.raises(ValueError, match=rf"procthor-train-0.*{said}"):
        subject.house.load()


def test_a_file_without_houses_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"{}\n" * 1000)[:-12])
    (tmp_path / "none.jsonl.gz").write_bytes(b"plain text")
    for name, said in (
        ("empty.jsonl", "is empty"),
        ("torn.jsonl.gz", "no houses can be read"),
        ("none.jsonl.gz", "no houses can be read"),
        ("missing.jsonl", "no houses can be read"),
    ):
        with pytest.raises(ValueError, match=said):
            HouseFile(tmp_path / name)
