from env_service.domain.action import SkillCall
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.suites.babybench.episode import player
from tests.unit.suites.babybench.builders import SUITE, make_order, opened

LEVEL = "interactive:GoToLocal/2"


def test_a_level_is_played_as_babyai_plays_it():
    order = make_order(LEVEL)
    ours, theirs = SUITE.open_episode(order), player().open_episode(order)
    first = ours.start()
    assert first.mode is Mode.STEPWISE
    assert first.observation.text == theirs.start().observation.text
    assert ours.act(SkillCall("left")) == theirs.act(SkillCall("left"))
    assert ours.state_digest() == theirs.state_digest()


def test_results_have_labels():
    episode, _ = opened(LEVEL)
    for action in SUITE.expert(make_order(LEVEL)).actions:
        report = episode.act(action)
    assert report.status is EpisodeStatus.TERMINATED
    result = episode.finish(FinishReason.OVER)
    assert result.success
    assert result.labels == {"question": "interactive", "grid": "8x8", "difficulty": "Medium"}


def test_all_settings_of_babyai_are_there_with_its_values():
    ours = {setting.name: set(setting.values) for setting in SUITE.settings}
    for setting in player().settings:
        assert ours[setting.name] == set(setting.values)
