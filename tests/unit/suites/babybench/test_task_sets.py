import pytest

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.tasks import Question, read_task
from env_service.suites.selection import pick_task_set
from tests.unit.suites.babybench.builders import SUITE

SETS = SUITE.task_sets()


def test_the_evaluation_of_predict_is_the_default():
    assert next(iter(SETS)) == "predict"
    tasks = SETS["predict"].tasks
    assert len(tasks) == 16 * 20
    assert [task.id for task in tasks[:3]] == ["GoToObj/2", "GoToObj/3", "GoToObj/5"]
    assert tasks[-1].id == "BossLevel/71"


@pytest.mark.parametrize("question", ["predict", "plan", "decompose"])
def test_data_sets_have_five_hundred_seeds_of_sixteen_levels(question):
    tasks = SETS[f"{question}-dataset"].tasks
    assert len(tasks) == 8000
    assert {task.data["seed"] for task in tasks} == set(range(1, 501))
    assert {read_task(task).question.value for task in tasks} == {question}


def test_plan_asks_about_rooms_of_its_own():
    groups = list(dict.fromkeys(task.group for task in SETS["plan"].tasks))
    assert len(groups) == 16
    assert (groups[0], groups[-1]) == ("Small-4Dists", "Ultra-180Dists")


def test_levels_that_often_look_alike_form_one_cluster():
    clusters = {task.id: task.cluster for task in SETS["predict"].tasks}
    assert clusters["SynthSeq/2"] == clusters["BossLevel/2"] != clusters["BossLevel/3"]
    rooms = {task.id: task.cluster for task in SETS["plan"].tasks}
    assert rooms["Small-4Dists/2"] == rooms["Small-7Dists/2"] != rooms["Large-60Dists/2"]


def test_a_name_can_spell_out_levels_and_seeds():
    found = pick_task_set(SUITE, "babybench/decompose:GoToLocal,BabyAI-Open-v0:1-3,50")
    assert found.name == "decompose:GoToLocal,BabyAI-Open-v0:1-3,50"
    assert [task.id for task in found.tasks[:4]] == [f"GoToLocal/{seed}" for seed in (1, 2, 3, 50)]
    assert found.tasks[4].id == "Open/1"
    assert read_task(found.tasks[0]).question is Question.DECOMPOSE


def test_all_names_every_level():
    assert len(pick_task_set(SUITE, "plan:all:0").tasks) == 16


def test_a_task_means_the_same_in_every_set():
    (task,) = pick_task_set(SUITE, "predict:GoTo:2").tasks
    assert task in SETS["predict"].tasks
    assert task in SETS["predict-dataset"].tasks


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("guess:GoTo:1", "predict, plan, decompose"),
        ("predict:GoTwo:1", "Did you mean 'GoTo'"),
        ("predict:Small-4Dists:1", "GoToObj"),
        ("plan:GoTo:1", "Small-4Dists"),
        ("predict:GoTo:", "1-50"),
        ("predict:GoTo", "1-50"),
        ("predict:GoTo:5-1", "write 1-5"),
        ("predict:GoTo:-1", "1-50"),
        ("predict:GoTo:x", "1-50"),
        ("predict:GoTo:2147483648", "0 to 2147483647"),
        ("predict:GoTo:0-2000000000", "100000 of these levels"),
        ("predict:all:1-100000", "6250 of these levels"),
    ],
)
def test_what_is_wrong_in_such_a_name_is_said_with_the_choices(name, told):
    with pytest.raises(UnknownNameError, match=told):
        pick_task_set(SUITE, name)


def test_any_other_name_is_unknown():
    with pytest.raises(UnknownNameError, match="predict-dataset"):
        pick_task_set(SUITE, "predict-datset")
