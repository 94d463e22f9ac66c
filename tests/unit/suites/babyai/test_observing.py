import numpy as np
import pytest

from env_service.domain.action import Text
from env_service.domain.observation import (
    Channel,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    ObservationRequest,
)
from env_service.worlds.babyai.world import BabyAiWorld
from tests.unit.suites.babyai.builders import SUITE, make_order, open_episode, play

ROOM = "PickupLoc/2"
PNG = ImageRequest(Channel.RGB, (ImageEncoding.PNG,))
PAIR = ImageRequest(Channel.RGB, previous_frame=True)


def see(request=None, **condition):
    return SUITE.open_episode(make_order(ROOM, request, **condition)).start().observation


def test_text_comes_without_pictures_by_default():
    seen = see()
    assert seen.text.startswith("The grid is 8 cells wide")
    assert seen.frames == ()


def test_pictures_come_without_text():
    seen = see(observation="picture")
    assert seen.text == ""
    assert [(frame.channel, frame.role) for frame in seen.frames] == [
        (Channel.RGB, ImageRole.CURRENT)
    ]


@pytest.mark.parametrize("view", ["full", "partial"])
def test_what_was_not_granted_is_not_even_made(view, monkeypatch):
    def forbidden(world):
        raise AssertionError("made, though not granted")

    for name in ("grid_picture", "view_picture"):
        monkeypatch.setattr(BabyAiWorld, name, forbidden)
    both = {"observation": "text+picture", "view": view}
    assert see(ObservationRequest(text=True), **both).frames == ()
    monkeypatch.undo()
    for name in ("describe_grid", "describe_view"):
        monkeypatch.setattr(f"env_service.suites.babyai.episode.{name}", forbidden)
    assert see(ObservationRequest((PNG,)), **both).text == ""


def test_a_partial_view_shows_less_than_the_grid():
    full = see(observation="text+picture")
    partial = see(observation="text+picture", view="partial")
    assert "purple ball" in full.text or "green ball" in full.text
    assert "You are at" in full.text
    assert "You are at" not in partial.text
    assert partial.text.count("\n- ") < full.text.count("\n- ")
    assert not np.array_equal(full.frames[0].pixels, partial.frames[0].pixels)


def test_the_frame_before_is_what_was_seen_before_the_last_action():
    episode = SUITE.open_episode(
        make_order(ROOM, ObservationRequest((PAIR,)), observation="picture")
    )
    shown = [episode.start().observation.frames]
    assert [frame.role for frame in shown[0]] == [ImageRole.CURRENT]
    for action in ("left", Text("hm"), "forward"):
        current, previous = play(episode, action).observation.frames
        assert (current.role, previous.role) == (ImageRole.CURRENT, ImageRole.PREVIOUS)
        assert np.array_equal(previous.pixels, shown[-1][0].pixels)
        shown.append((current, previous))


def test_the_frame_before_is_not_sent_to_who_did_not_ask():
    episode = open_episode(ROOM, ObservationRequest((PNG,)), observation="picture")
    assert len(play(episode, "left").observation.frames) == 1
