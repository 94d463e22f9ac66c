from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from env_service.domain.observation import Channel, ImageRequest, ImageRole, ObservationRequest
from env_service.suites.asgard.observation import (
    NOTHING_DISCLOSED,
    NOTHING_DONE,
    AsgardObserver,
    grayscale,
)
from env_service.suites.asgard.wording import PastStep
from tests.support.asgard import TEXT_ONLY, make_order

PAIR = ObservationRequest((ImageRequest(Channel.RGB, (), previous_frame=True),))
ALONE = ObservationRequest((ImageRequest(Channel.RGB),))
WORDS = ObservationRequest(text=True)


@dataclass
class Event:
    """An event of one colour, in which a mug fills the lower middle; it counts who looks."""

    color: tuple[int, int, int] = (200, 100, 50)
    drawn: bool = True
    looks: list[str] = field(default_factory=list)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def frame(self):
        self.looks.append("frame")
        if not self.drawn:
            return None
        return np.full((60, 60, 3), self.color, np.uint8)

    @property
    def instance_masks(self):
        self.looks.append("masks")
        mask = np.zeros((60, 60), bool)
        mask[40:58, 22:38] = True
        return {"Mug|1": mask}


def observer(request, **condition):
    return AsgardObserver(request, make_order(condition).condition)


def test_the_first_picture_comes_alone_and_later_ones_with_the_one_before():
    eye = observer(PAIR)
    (first,) = eye.observe(Event((1, 1, 1)), None).frames
    assert first.role is ImageRole.CURRENT
    current, previous = eye.observe(Event((2, 2, 2)), None).frames
    assert (current.role, previous.role) == (ImageRole.CURRENT, ImageRole.PREVIOUS)
    assert (current.pixels == 2).all()
    assert (previous.pixels == 1).all()


def test_the_picture_before_is_shown_to_those_alone_that_asked_for_it():
    eye = observer(ALONE)
    eye.observe(Event(), None)
    assert len(eye.observe(Event(), None).frames) == 1


def test_the_picture_before_is_grey_where_the_condition_says_so():
    eye = observer(PAIR, previous_image="grayscale")
    eye.observe(Event(), None)
    current, previous = eye.observe(Event(), None).frames
    assert (current.pixels == (200, 100, 50)).all()
    assert (previous.pixels == round(0.299 * 200 + 0.587 * 100 + 0.114 * 50)).all()
    assert previous.pixels.flags.c_contiguous


@pytest.mark.parametrize("value", [0, 77, 255])
def test_grey_stays_the_grey_that_it_is(value):
    pixels = np.full((2, 3, 3), value, np.uint8)
    assert np.array_equal(grayscale(pixels), pixels)


def test_a_hand_holds_what_is_held():
    (bare,) = observer(ALONE).observe(Event(), None).frames
    (held,) = observer(ALONE).observe(Event(), "Mug|1").frames
    assert (bare.pixels == (200, 100, 50)).all()
    assert np.any(held.pixels != bare.pixels)


def test_no_hand_is_drawn_nor_looked_for_where_the_condition_has_none():
    event = Event()
    (shown,) = observer(ALONE, hand="0").observe(event, "Mug|1").frames
    assert (shown.pixels == (200, 100, 50)).all()
    assert event.looks == ["frame"]


def test_no_hand_is_drawn_for_what_is_out_of_the_picture():
    (shown,) = observer(ALONE).observe(Event(), "Plate|1").frames
    assert (shown.pixels == (200, 100, 50)).all()


def test_the_hand_of_the_picture_before_stays_in_it():
    eye = observer(PAIR)
    (first,) = eye.observe(Event(), "Mug|1").frames
    _, previous = eye.observe(Event(), None).frames
    assert np.array_equal(previous.pixels, first.pixels)


def test_text_alone_draws_no_picture():
    event = Event()
    seen = observer(WORDS, **TEXT_ONLY).observe(event, "Mug|1", PastStep("FIND Mug", True))
    assert not seen.frames
    assert event.looks == []


def test_a_world_without_pictures_is_told_as_what_it_is():
    with pytest.raises(RuntimeError, match="no picture"):
        observer(ALONE).observe(Event(drawn=False), None)


@pytest.mark.parametrize(
    ("feedback", "past", "text"),
    [
        ("simple", None, NOTHING_DONE),
        ("none", None, NOTHING_DONE),
        ("simple", PastStep("FIND Mug", True), "FIND Mug  Success"),
        ("simple", PastStep("OPEN Mug", False, "no door"), "OPEN Mug  Failure"),
        (
            "detailed",
            PastStep("OPEN Mug", False, "Mug_12 is shut."),
            "OPEN Mug  Failure: Mug is shut.",
        ),
        ("none", PastStep("FIND Mug", True), NOTHING_DISCLOSED),
        ("none", PastStep("None None", False), NOTHING_DISCLOSED),
    ],
)
def test_the_text_says_of_the_last_turn_what_the_feedback_allows(feedback, past, text):
    eye = observer(WORDS, **TEXT_ONLY, feedback=feedback)
    assert eye.observe(Event(), None, past).text == text
