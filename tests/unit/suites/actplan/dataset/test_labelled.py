"""Labelled plans: what a line says, and how a broken one is told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.suites.actplan.dataset.labelled_plans import (
    GEMINI,
    GPT_4V,
    load_labelled,
    read_labelled,
)
from env_service.suites.actplan.dataset.published_files import (
    LABELLED_FILE,
    SPLIT_FILE,
    PublishedError,
)
from env_service.suites.actplan.task import Variant
from tests.unit.suites.actplan.dataset.packs import (
    GOLD_1,
    GOLD_2,
    RECORDS,
    SPLITS,
    actplan_files,
    lines,
    record,
    use_pack,
)


def problem_of(*records: dict[str, object]) -> str:
    with pytest.raises(PublishedError) as caught:
        read_labelled(lines(*records), "plans.jsonl", SPLITS)
    return str(caught.value)


def test_a_line_has_golds_plans_and_what_people_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_pack(monkeypatch, tmp_path)
    plans = load_labelled()
    assert len(plans) == len(RECORDS)
    first = plans.by_id()["Rs_int/storing_cups/0/sample_0"]
    assert (first.gold_1, first.gold_2, first.golds) == (GOLD_1, GOLD_2, (GOLD_1, GOLD_2))
    assert (first.plans[GPT_4V].text, first.plans[GPT_4V].correct) == ("grab(cup)", True)
    assert (first.plans[GEMINI].text, first.plans[GEMINI].correct) == ("walk_to(cup)", False)
    assert (first.split, first.problem_id, first.line) == ("train", "storing_cups/0", 1)


def test_instances_are_ordered_and_chosen() -> None:
    plans = read_labelled(lines(*RECORDS), "plans.jsonl", SPLITS)
    assert [each.id for each in plans] == [
        "Rs_int/baking_pie/0/sample_0",
        "Merom_1_int/storing_cups/0/sample_0",
        "Rs_int/storing_cups/0/sample_0",
        "Rs_int/storing_cups/1/sample_0",
    ]
    assert [each.split for each in plans.of(split="val")] == ["val"]
    assert len(plans.of(variant=Variant.COUNTERFACTUAL)) == 1
    assert len(plans.of(split="val", variant=Variant.COUNTERFACTUAL)) == 0


def test_lengths_of_golds_are_means_by_instance_and_by_problem() -> None:
    more = record(scene="Merom_1_int", gold_gemini=[])
    plans = read_labelled(lines(record(), more), "plans.jsonl", SPLITS)
    steps = plans.gold_steps()
    assert steps["Rs_int/storing_cups/0/sample_0"] == 3
    assert steps["Merom_1_int/storing_cups/0/sample_0"] == 4
    assert steps["storing_cups/0"] == 3.5


def test_a_line_that_is_no_json_is_named() -> None:
    text = lines(record()) + '{"path": \n'
    with pytest.raises(PublishedError, match=r"plans.jsonl, line 2: is not JSON: .* column"):
        read_labelled(text, "plans.jsonl", SPLITS)


@pytest.mark.parametrize("key", sorted(record()))
def test_a_line_that_lacks_a_key_is_named(key: str) -> None:
    broken = {name: value for name, value in record(variant=1).items() if name != key}
    assert problem_of(record(), broken) == f"plans.jsonl, line 2: lacks the key {key!r}"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"path": "annotation/Rs_int/storing_cups"}, "does not end in annotation/SCENE/ACTIVITY"),
        ({"path": "../annotation/Rs_int/storing_cups/2/sample_0"}, "path: is "),
        ({"activity": "baking_pie"}, "activity: is 'baking_pie', and the path says 'storing_cups'"),
        ({"pos_gpt": []}, "one of pos_gpt and neg_gpt has to be filled, and neither of them is"),
        ({"pos_gemini": ["grab(x)"]}, "pos_gemini and neg_gemini .* both of them are"),
        ({"neg_gemini": ["a(b)", "c(d)"]}, "neg_gemini: has 2 plans; it has to have one at most"),
        ({"gold_gpt": "grab(cup)"}, "gold_gpt: is 'grab\\(cup\\)', not a list"),
        ({"gold_gpt": [3]}, r"gold_gpt\[0\]: is 3, not a text"),
        ({"gold_gpt": [], "gold_gemini": []}, "one gold plan is needed"),
    ],
)
def test_a_wrong_value_is_named(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(PublishedError, match=f"plans.jsonl, line 1: .*{problem}"):
        read_labelled(lines({**record(), **changes}), "plans.jsonl", SPLITS)


def test_an_activity_of_no_split_is_named() -> None:
    found = problem_of(record("juggling"))
    assert "line 1: activity: is 'juggling', which is in no split" in found
    assert SPLIT_FILE in found


def test_an_instance_that_comes_twice_is_named_with_both_lines() -> None:
    found = problem_of(record(), record(variant=1), record())
    assert found == "plans.jsonl: line 3: is of Rs_int/storing_cups/0/sample_0, as line 1 is"


def test_a_line_break_inside_a_plan_parts_no_lines() -> None:
    odd = json.dumps(record(gold_gpt=["grab(a)\u2028grab(b)"]), ensure_ascii=False)
    (found,) = read_labelled(f"{odd}\r\n", "plans.jsonl", SPLITS)
    assert found.gold_steps == 2


def test_a_damaged_file_of_the_pack_says_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = {**actplan_files(), LABELLED_FILE: lines(record()).encode() + b"half of a l"}
    use_pack(monkeypatch, tmp_path, files)
    with pytest.raises(DataPackCorruptError, match=r"jsonl, line 2: is not JSON.* data fetch actp"):
        load_labelled()


@pytest.mark.parametrize("file", [LABELLED_FILE, SPLIT_FILE])
def test_a_missing_file_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str
) -> None:
    files = {path: data for path, data in actplan_files().items() if path != file}
    use_pack(monkeypatch, tmp_path, files)
    with pytest.raises(DataPackMissingError, match=file):
        load_labelled()
