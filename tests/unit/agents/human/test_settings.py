"""The guest's command line agrees with its manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
from houseguest_agent import ImageRequest

from agents.human.human_guest.main import observation_requests
from agents.human.human_guest.settings import Settings, read_settings
from env_service.sandbox.agent_manifest import read_manifest

FOLDER = Path(__file__).resolve().parents[4] / "agents" / "human"


def test_every_option_of_the_manifest_is_read() -> None:
    values = {"--player": ["ada"], "--page-port": ["8000"]}
    words = [
        word
        for option in read_manifest(FOLDER).options
        for word in (option.name, *values.get(option.name, []))
    ]
    assert read_settings(words) == Settings("ada", True, 8000, open_page=False, pictures=False)


def test_the_person_and_the_face_are_declared() -> None:
    assert Settings("ada").configuration() == {"player": "ada", "face": "terminal"}
    assert Settings(browser=True).configuration() == {"face": "browser"}


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(SystemExit):
        read_settings(["--page-port", port])


def test_the_richest_observation_is_asked_for_first_and_whatever_there_is_last() -> None:
    first, *_, last = observation_requests()
    assert first.text
    assert isinstance(first.images[0], ImageRequest)
    assert first.images[0].previous_frame
    assert (last.images, last.text) == ((), False)
