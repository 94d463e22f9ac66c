"""The files that activities and circumstances are read from and written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.suites.actplan.dataset.published_files import SPLIT_FILE, read_splits
from env_service.suites.actplan.making.files import (
    CircumstanceError,
    QuestionResult,
    SourceError,
    Stage,
    StatedCircumstance,
    TaskFolder,
    WrittenVariant,
    chosen,
    find_activities,
    read_circumstances,
    read_result,
    written,
)
from env_service.suites.actplan.task import Circumstance, Variant
from tests.support.making_home import CLEAN_TABLE, NAME, NORMAL, write_home


def test_a_folder_that_was_written_is_found_again(tmp_path: Path) -> None:
    folder = TaskFolder(tmp_path)
    folder.write(WrittenVariant(NAME, Variant.NORMAL, NORMAL, "Pack."))
    folder.write(WrittenVariant(NAME, Variant.COUNTERFACTUAL, CLEAN_TABLE, "Pack and wipe."))
    folder.write(WrittenVariant("b", Variant.NORMAL, NORMAL, "Pack."))
    (_, found) = find_activities([tmp_path])
    assert found.name == NAME
    assert (found.normal, found.counterfactual) == (NORMAL, CLEAN_TABLE)
    assert (found.description, found.counterfactual_description) == ("Pack.", "Pack and wipe.")
    splits = (tmp_path / SPLIT_FILE).read_text(encoding="utf-8")
    assert read_splits(splits, "x") == {NAME: "test", "b": "test"}


def test_published_copies_beside_scenes_are_the_same_activity(tmp_path: Path) -> None:
    write_home(tmp_path / "definitions", CLEAN_TABLE)
    for number, text in enumerate((NORMAL, CLEAN_TABLE)):
        copy = tmp_path / "annotation" / "Rs_int" / NAME / str(number)
        copy.mkdir(parents=True)
        (copy / f"problem{number}.bddl").write_text(text, encoding="utf-8")
    (found,) = find_activities([tmp_path])
    assert found.counterfactual == CLEAN_TABLE
    (alone,) = find_activities([tmp_path / "annotation"])
    assert alone.name == NAME
    assert alone.counterfactual == CLEAN_TABLE


def test_two_activities_of_a_name_have_to_be_equal(tmp_path: Path) -> None:
    one, two = write_home(tmp_path / "one"), write_home(tmp_path / "two")
    (two / "problem0.bddl").write_text(CLEAN_TABLE, encoding="utf-8")
    with pytest.raises(SourceError, match=f"{NAME} differently"):
        find_activities([one, two])


def test_a_place_without_activities_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"{tmp_path} has no problem0.bddl"):
        find_activities([tmp_path])


def test_activities_are_chosen_by_pattern_and_number(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_home(tmp_path / name).rename(tmp_path / f"packing_{name}")
    found = find_activities([tmp_path])
    assert [each.name for each in chosen(found, ["*_b"], 0)] == ["packing_b"]
    assert [each.name for each in chosen(found, [], 1)] == ["packing_a"]
    with pytest.raises(SourceError, match="no activity is called c"):
        chosen(found, ["packing_a", "c"], 0)


def test_circumstances_come_back(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    some = (
        StatedCircumstance(NAME, Circumstance.PROPERTY, "Wet.", rule="wet"),
        StatedCircumstance(NAME, Circumstance.CAUSALITY, "Gone – really.", by="tiny"),
    )
    path.write_bytes(written(some))
    assert read_circumstances(path) == some


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"activity": "a", "text": "b"}',
        '{"activity": "a", "text": "b", "kind": "none"}',
        '{"activity": "a", "text": " ", "kind": "event_causality"}',
        '{"activity": "a", "text": 3, "kind": "event_causality"}',
    ],
)
def test_a_line_that_is_no_circumstance_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "c.jsonl"
    good = '{"activity": "a", "text": "b", "kind": "event_causality"}\n\n'
    path.write_text(good + line, encoding="utf-8")
    with pytest.raises(CircumstanceError, match=r"line 3 is not a circumstance .*object_property"):
        read_circumstances(path)


def test_an_answer_comes_back_from_its_line() -> None:
    made = QuestionResult(NAME, Stage.COUNTERFACTUAL, "Wet.", ("x", "y"), "abc", requests=3)
    assert read_result(made.to_json()) == made
    with pytest.raises(TypeError):
        read_result({**made.to_json(), "texts": [1]})
