import pytest

from env_service.domain.observation import Channel, ImageEncoding
from env_service.domain.outcome import FeedbackMode
from env_service.suites.babyai.wording import explain_rules
from env_service.suites.registry import load_suite
from tests.unit.suites.babyai.builders import SUITE

DEFAULT = {setting.name: setting.default for setting in SUITE.settings}


def test_the_registry_knows_the_suite():
    assert load_suite("babyai").name == "babyai"


def test_the_evaluation_set_is_the_default_and_goes_level_by_level():
    sets = SUITE.task_sets()
    assert next(iter(sets)) == "evaluation"
    tasks = sets["evaluation"].tasks
    assert len(tasks) == 16 * 20
    assert [task.id for task in tasks[:3]] == ["GoToObj/2", "GoToObj/3", "GoToObj/5"]
    local = [task.id for task in tasks if task.group == "GoToLocal"]
    assert (local[0], local[-1]) == ("GoToLocal/2", "GoToLocal/71")


def test_the_dataset_has_five_hundred_seeds_of_each_level():
    tasks = SUITE.task_sets()["dataset"].tasks
    assert len(tasks) == 8000
    assert {task.data["seed"] for task in tasks if task.group == "Open"} == set(range(1, 501))


def test_a_task_means_the_same_in_both_sets():
    dataset = {task.id: task for task in SUITE.task_sets()["dataset"].tasks}
    assert all(task == dataset[task.id] for task in SUITE.task_sets()["evaluation"].tasks)


def test_levels_of_one_scenery_and_seed_form_one_cluster():
    clusters = {task.id: task.cluster for task in SUITE.task_sets()["evaluation"].tasks}
    assert clusters["SynthSeq/2"] == clusters["BossLevel/2"] == clusters["Synth/2"]
    assert clusters["GoToLocal/2"] == clusters["PutNextLocal/2"]
    assert clusters["GoTo/2"] == clusters["Pickup/2"] == clusters["Open/2"]
    assert clusters["SynthSeq/2"] != clusters["SynthSeq/3"]
    assert clusters["GoToLocal/2"] != clusters["GoToRedBall/2"]


@pytest.mark.parametrize("mode", FeedbackMode)
def test_feedback_is_told_as_the_setting_says(mode):
    assert SUITE.disclosure(DEFAULT | {"feedback": mode.value}).feedback is mode


def test_feedback_is_simple_and_the_limit_told_by_default():
    disclosure = SUITE.disclosure(DEFAULT)
    assert disclosure.feedback is FeedbackMode.SIMPLE
    assert disclosure.step_limit


def test_a_hidden_limit_is_not_told():
    assert not SUITE.disclosure(DEFAULT | {"step_limit": "hidden"}).step_limit


@pytest.mark.parametrize(
    ("observation", "text", "pictures"),
    [("text", True, False), ("picture", False, True), ("text+picture", True, True)],
)
def test_the_offer_follows_the_observation_setting(observation, text, pictures):
    offer = SUITE.offer(DEFAULT | {"observation": observation})
    encodings = (ImageEncoding.RAW, ImageEncoding.PNG, ImageEncoding.WEBP_LOSSLESS)
    assert offer.text is text
    assert offer.channels == (((Channel.RGB, encodings),) if pictures else ())
    assert offer.previous_frame is pictures


def test_the_rules_explain_what_is_shown_and_nothing_else():
    by_text = explain_rules(DEFAULT)
    by_picture = explain_rules(DEFAULT | {"observation": "picture", "view": "partial"})
    assert "x + 1" in by_text
    assert "picture" not in by_text
    assert "Each picture" in by_picture
    assert "x + 1" not in by_picture
