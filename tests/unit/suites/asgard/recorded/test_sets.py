import pytest

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.suites.asgard.recorded.task_set import VIEWER, data_patterns, load_recorded
from tests.support.asgard import NAME
from tests.support.asgard_recorded import FakePack, entry, frame, page, plans_pack, recorded_pack


@pytest.fixture
def plans(tmp_path):
    return plans_pack(tmp_path / "plans")


def test_every_step_with_its_pictures_is_a_task(tmp_path, plans, caplog):
    loaded = load_recorded(recorded_pack(tmp_path / "pack"), plans)
    tasks = loaded.task_set.tasks
    assert [task.id for task in tasks] == [f"{NAME}#{n}" for n in range(1, 11)]
    assert loaded.task_set.name == "recorded"
    assert "10 steps of 1 plan" in loaded.task_set.description
    assert "not the benchmark's score" in loaded.task_set.description
    assert (loaded.problems, caplog.records) == ((), [])


def test_steps_without_pictures_are_left_out_and_counted(tmp_path, plans, caplog):
    loaded = load_recorded(recorded_pack(tmp_path / "pack", numbers=(1, 2, 3, 7)), plans)
    assert [task.id for task in loaded.task_set.tasks] == [f"{NAME}#{n}" for n in (1, 2, 3)]
    assert "Left out for want of a picture: 7" in loaded.task_set.description
    (record,) = caplog.records
    assert "7 of 10 recorded steps" in record.getMessage()
    assert "houseguest data fetch asgard-recorded" in record.getMessage()


def test_a_picture_with_other_bytes_than_published_is_not_asked_about(tmp_path, plans):
    pack = FakePack(recorded_pack(tmp_path / "pack").folder, modified=[frame(4)])
    found = load_recorded(pack, plans).task_set.tasks
    assert {f"{NAME}#4", f"{NAME}#5"}.isdisjoint(task.id for task in found)
    assert len(found) == 8


def test_without_any_picture_the_pack_is_missing(tmp_path, plans):
    with pytest.raises(DataPackMissingError, match="houseguest data fetch asgard-recorded"):
        load_recorded(recorded_pack(tmp_path / "pack", numbers=()), plans)


def test_solutions_that_cannot_be_used_are_told_of_and_the_others_are_there(tmp_path, plans):
    unknown_object = entry(actions=("FIND Piano",))
    unknown_plan = entry("clean_mirror__FloorPlan1_V1")
    other = entry("other__A_V1") | {"steps": 7}
    pack = recorded_pack(tmp_path / "one", page(unknown_plan, other, entry()))
    loaded = load_recorded(pack, plans)
    assert len(loaded.task_set.tasks) == 10
    assert [each.where for each in loaded.problems] == [
        "PLANS[1].steps",
        "clean_mirror__FloorPlan1_V1",
    ]
    with pytest.raises(DataPackMissingError):
        load_recorded(recorded_pack(tmp_path / "two", page(unknown_object), numbers=()), plans)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (page({"name": 3}), "no solution"),
        ("<html></html>", "no list"),
        ("\ufffd".encode("utf-16"), "utf-8"),
    ],
)
def test_a_page_of_which_nothing_can_be_used_is_damaged(text, problem, tmp_path, plans):
    pack = recorded_pack(tmp_path / "pack")
    path = pack.folder / VIEWER
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataPackCorruptError, match=problem) as caught:
        load_recorded(pack, plans)
    assert "houseguest data fetch asgard-recorded" in str(caught.value)


def test_a_run_needs_the_page_and_the_plans_and_not_every_picture():
    assert {name: len(patterns) for name, patterns in data_patterns().items()} == {
        "asgard-recorded": 1,
        "asgard": 2,
    }
