import json
import os
from pathlib import Path

import pytest

from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans

PROBLEMS = ("making_tea/0", "making_tea/1", "storing_food/0")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_has_a_file_for_each_problem(tmp_path: Path) -> None:
    write(tmp_path / "making_tea" / "0.txt", "walk_to(stove)\n")
    write(tmp_path / "making_tea" / "1.txt", "grab(teapot)\n")
    write(tmp_path / "making_tea" / "notes.txt", "not a plan")
    found = read_plans(tmp_path, PROBLEMS)
    assert [(each.problem, each.text) for each in found] == [
        ("making_tea/0", "walk_to(stove)\n"),
        ("making_tea/1", "grab(teapot)\n"),
    ]


def test_a_published_folder_has_a_plan_for_each_scene(tmp_path: Path) -> None:
    for scene in ("Rs_int", "Merom_1_int"):
        place = tmp_path / "annotation" / scene / "making_tea" / "0" / "sample_0"
        write(place / "plan_gemini.txt", f"walk_to({scene})")
        write(place / "plan_gold_1.txt", "walk_to(nowhere)")
    found = read_plans(tmp_path, PROBLEMS)
    assert [each.task for each in found] == [
        "Merom_1_int/making_tea/0/sample_0",
        "Rs_int/making_tea/0/sample_0",
    ]
    assert {each.problem for each in found} == {"making_tea/0"}
    assert {each.text for each in found} == {"walk_to(Merom_1_int)", "walk_to(Rs_int)"}


def test_of_several_models_one_has_to_be_named(tmp_path: Path) -> None:
    place = tmp_path / "Rs_int" / "making_tea" / "0" / "sample_0"
    write(place / "plan_gemini.txt", "one")
    write(place / "plan_gpt-4v.txt", "two")
    with pytest.raises(PlanFileError, match=r"gemini, gpt-4v; name one"):
        read_plans(tmp_path, PROBLEMS)
    assert [each.text for each in read_plans(tmp_path, PROBLEMS, "gpt-4v")] == ["two"]
    with pytest.raises(PlanFileError, match="no plan of 'claude'"):
        read_plans(tmp_path, PROBLEMS, "claude")


def test_lines_and_mappings_hold_texts_or_steps(tmp_path: Path) -> None:
    rows = [
        {"task": "making_tea/0", "plan": "walk_to(stove)"},
        {"task": "Rs_int/storing_food/0/sample_0", "plan": ["walk_to(table)", "grab(sugar)"]},
    ]
    lines = write(tmp_path / "plans.jsonl", "\n".join(json.dumps(each) for each in rows) + "\n\n")
    mapping = write(
        tmp_path / "plans.json", json.dumps({each["task"]: each["plan"] for each in rows})
    )
    for path in (lines, mapping):
        found = read_plans(path, PROBLEMS)
        assert [(each.problem, each.text) for each in found] == [
            ("making_tea/0", "walk_to(stove)"),
            ("storing_food/0", "walk_to(table)\ngrab(sugar)"),
        ]


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("making_teas/0", "Did you mean 'making_tea/0'"),
        ("making_tea", "Did you mean 'making_tea/0'"),
        ("making_tea/2", "Did you mean 'making_tea/0'"),
        ("../annotation/Rs_int/fly_to_the_moon/0/sample_0", "ACTIVITY/0 or ACTIVITY/1"),
    ],
)
def test_an_unknown_task_is_told_with_its_line(tmp_path: Path, task: str, told: str) -> None:
    path = write(tmp_path / "plans.jsonl", json.dumps({"task": task, "plan": "x"}))
    with pytest.raises(PlanFileError, match=told) as caught:
        read_plans(path, PROBLEMS)
    assert f"{path}:1" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("plans.jsonl", '{"task": "making_tea/0"}', "lacks the key 'plan'"),
        ("plans.jsonl", "walk_to(stove)", "is not JSON"),
        ("plans.json", '{"making_tea/0": 3}', "is 3, not a text"),
        ("plans.json", "{}", "has no plan"),
        ("plans.csv", "", "is none of .jsonl, .json, .txt"),
    ],
)
def test_what_is_no_plan_file_is_told(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(PlanFileError, match=told):
        read_plans(write(tmp_path / name, text), PROBLEMS)


def test_two_plans_of_one_task_are_refused(tmp_path: Path) -> None:
    row = json.dumps({"task": "making_tea/0", "plan": "x"})
    path = write(tmp_path / "plans.jsonl", f"{row}\n{row}\n")
    with pytest.raises(PlanFileError, match=r"two plans of 'making_tea/0'.*:1 and .*:2"):
        read_plans(path, PROBLEMS)


def test_a_task_of_ones_own_folder_needs_no_more_than_its_activity(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "making_tea" / "0.txt", "grab(cup)")
    plans = read_plans(tmp_path, ["own/making_tea/0", "own/storing_tea/0"])
    assert [(each.problem, each.task) for each in plans] == [("own/making_tea/0", "making_tea/0")]
    with pytest.raises(PlanFileError, match="unknown task"):
        read_plans(tmp_path, ["own/making_tea/0", "other/making_tea/0"])


def test_an_empty_folder_tells_the_layouts(tmp_path: Path) -> None:
    with pytest.raises(PlanFileError, match=r"ACTIVITY/0\.txt"):
        read_plans(tmp_path, PROBLEMS)


def test_a_task_in_an_object_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "plans.json", '{"making_tea/0": "a", "making_tea/0": "b"}')
    with pytest.raises(PlanFileError, match=r"2 plans of 'making_tea/0'"):
        read_plans(path, PROBLEMS)


def test_a_line_ends_where_json_lines_say_and_nowhere_else(tmp_path: Path) -> None:
    plan = "grab(a)\u2028grab(b)\x85"
    row = json.dumps({"task": "making_tea/0", "plan": plan}, ensure_ascii=False)
    path = write(tmp_path / "plans.jsonl", f"{row}\r\n")
    assert [each.text for each in read_plans(path, PROBLEMS)] == [plan]


def test_a_linked_file_is_of_the_task_whose_name_it_bears(tmp_path: Path) -> None:
    blob = write(tmp_path / "blobs" / "storing_food" / "5f3a", "grab(sugar)")
    plans = tmp_path / "plans"
    (plans / "making_tea").mkdir(parents=True)
    (plans / "making_tea" / "0.txt").symlink_to(blob)
    assert [each.problem for each in read_plans(plans, PROBLEMS)] == ["making_tea/0"]


def test_what_has_the_name_of_a_file_and_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "making_tea" / "0.txt").mkdir(parents=True)
    with pytest.raises(PlanFileError, match=r"0\.txt: is not a regular file"):
        read_plans(tmp_path, PROBLEMS)
    (tmp_path / "making_tea" / "0.txt").rmdir()
    os.mkfifo(tmp_path / "making_tea" / "0.txt")
    with pytest.raises(PlanFileError, match=r"0\.txt: is not a regular file"):
        read_plans(tmp_path, PROBLEMS)


def published(**changes: object) -> str:
    row = {
        "path": "../annotation/Rs_int/making_tea/0/sample_0",
        "activity": "making_tea",
        **{"pos_gpt": [], "neg_gpt": ["grab(a) grab(b)"], "gold_gpt": ["grab(first)"]},
        **{"pos_gemini": ["grab(c) "], "neg_gemini": [], "gold_gemini": []},
    }
    return json.dumps({**row, **changes}) + "\n"


def test_the_published_file_has_plans_of_several(tmp_path: Path) -> None:
    path = write(tmp_path / "finetuning_data.jsonl", published())
    for name, text in (("gpt-4v", "grab(a) grab(b)"), ("gemini", "grab(c) ")):
        found = read_plans(path, PROBLEMS, name)
        assert [(each.problem, each.task, each.text) for each in found] == [
            ("making_tea/0", "Rs_int/making_tea/0/sample_0", text)
        ]
    assert [each.text for each in read_plans(path, PROBLEMS, "gold_1")] == ["grab(first)"]
    with pytest.raises(PlanFileError, match="has no plan"):
        read_plans(path, PROBLEMS, "gold_2")


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("", {}, r":1: has plans of several; name one of gpt-4v, gemini, gold_1, gold_2"),
        ("claude", {}, "no plan of 'claude'; name one of gpt-4v"),
        ("gemini", {"path": "making_tea"}, "is the path of no instance"),
        ("gemini", {"neg_gemini": ["grab(d)"]}, "has 2 plans of 'gemini'"),
        ("gemini", {"pos_gemini": "grab(c)"}, "not a list"),
        ("gemini", {"path": "../annotation/Rs_int/making_teas/0/sample_0"}, "Did you mean"),
    ],
)
def test_what_is_wrong_in_the_published_file_is_told(
    tmp_path: Path, name: str, changes: dict[str, object], told: str
) -> None:
    path = write(tmp_path / "plans.jsonl", published(**changes))
    with pytest.raises(PlanFileError, match=told):
        read_plans(path, PROBLEMS, name)
