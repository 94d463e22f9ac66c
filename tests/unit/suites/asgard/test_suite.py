import json

import pytest

from env_service.datasets.errors import DataPackMissingError
from env_service.domain.names import MalformedNameError
from env_service.domain.observation import LOSSLESS, Channel
from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.conditions import NAMED, named_condition
from env_service.suites.asgard.suite import AsgardSuite, AsgardTaskSets
from env_service.suites.asgard.task_sets import ITEM_CACHE, PLANS
from env_service.suites.base import EpisodeOrder, ExpertRun
from tests.support.asgard import SUITE, TEXT_ONLY, make_order, mirror_plan

DEFAULT = {setting.name: setting.default for setting in SUITE.settings}


@pytest.fixture(autouse=True)
def no_packs(tmp_path, monkeypatch):
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))


def test_the_baseline_is_the_papers():
    assert named_condition("baseline").items() <= DEFAULT.items()
    assert DEFAULT["picture"] == "1024"
    assert DEFAULT["rules"] == "paper"


def test_pictures_are_lossless_and_come_with_the_one_before():
    offer = SUITE.offer(DEFAULT)
    assert offer.channels == ((Channel.RGB, LOSSLESS),)
    assert offer.previous_frame
    assert not offer.text


def test_the_picture_before_is_not_offered_where_the_condition_has_none():
    assert not SUITE.offer({**DEFAULT, "previous_image": "none"}).previous_frame


def test_text_alone_offers_text_alone():
    offer = SUITE.offer({**DEFAULT, **TEXT_ONLY})
    assert (offer.channels, offer.text, offer.previous_frame) == ((), True, False)


@pytest.mark.parametrize("name", NAMED)
def test_every_condition_of_the_paper_can_be_played(name):
    SUITE.offer({**DEFAULT, **named_condition(name)})


@pytest.mark.parametrize("call", ["offer", "disclosure"])
def test_settings_that_do_not_go_together_are_refused_with_the_one_to_change(call):
    with pytest.raises(ValueError, match="set previous_image=none"):
        getattr(SUITE, call)({**DEFAULT, "text_only": "on"})


@pytest.mark.parametrize("mode", FeedbackMode)
def test_feedback_is_told_as_the_setting_says_and_limits_never(mode):
    disclosure = SUITE.disclosure({**DEFAULT, "feedback": mode.value})
    assert disclosure.feedback is mode
    assert not disclosure.step_limit


def test_the_household_world_needs_the_rooms_too():
    assert set(SUITE.data("official", "household")) == {"asgard", "ithor"}
    assert set(SUITE.data("official", "ai2thor")) == {"asgard"}


def test_one_episode_fills_a_worker():
    assert {SUITE.episodes_per_worker(world) for world in ("household", "ai2thor")} == {1}


def test_task_sets_are_known_before_their_data_are_here():
    sets = AsgardSuite().task_sets()
    assert list(sets) == ["official", "sanity", "builtin", "recorded"]
    assert "official" in sets
    assert "offical" not in sets
    with pytest.raises(DataPackMissingError, match="houseguest data fetch asgard"):
        sets["official"]
    with pytest.raises(KeyError):
        sets["offical"]


class OnePlan:
    """A data pack of one sound plan and one that is broken."""

    def __init__(self, folder):
        self.folder = folder
        scene = mirror_plan()["scene"]
        cache = {"types": {scene: ["Mirror"]}, "names": {scene: ["Mirror_2638293f"]}}
        (folder / "cache").write_text(json.dumps(cache))
        (folder / "good").write_text(json.dumps(mirror_plan()))
        (folder / "bad").write_text("{")

    def require(self, patterns):
        assert patterns == [PLANS["official"]]
        return ("bad", "good")

    def path(self, relative):
        return self.folder / ("cache" if relative == ITEM_CACHE else relative)


def test_a_broken_plan_is_left_out_and_told_of_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("env_service.suites.asgard.suite.open_pack", lambda _: OnePlan(tmp_path))
    sets = AsgardTaskSets()
    (task,) = sets["official"].tasks
    assert sets["official"].tasks == (task,)
    assert task.group == "clean_mirror"
    (record,) = caplog.records
    assert "bad" in record.getMessage()


def test_built_in_tasks_are_played_in_rooms_of_ours_and_need_no_data():
    assert SUITE.worlds_of("builtin-3-7") == ("household",)
    assert SUITE.data("builtin-3-7", "household") == {}
    sets = SUITE.task_sets()
    assert "builtin-3-7" in sets
    assert "builtin" in list(sets)
    assert [task.group for task in sets["builtin-2"].tasks] == [
        task.group for task in sets["builtin-3"].tasks[:2]
    ]


def test_a_built_in_set_that_cannot_be_meant_is_told_the_form():
    with pytest.raises(MalformedNameError, match="builtin-COUNT-SEED"):
        SUITE.task_sets()["builtin-many"]


def test_recorded_frames_are_a_world_of_their_own():
    assert SUITE.worlds_of("recorded") == ("recorded",)
    assert "recorded" not in SUITE.worlds_of("official")


def test_the_expert_is_asked_for_when_it_is_needed(monkeypatch):
    order = make_order(TEXT_ONLY)

    class Expert:
        @staticmethod
        def solve(asked: EpisodeOrder) -> ExpertRun:
            assert asked == order
            return ExpertRun((), success=True)

    monkeypatch.setattr("env_service.suites.asgard.suite.import_module", lambda _: Expert)
    assert SUITE.expert(order).success
