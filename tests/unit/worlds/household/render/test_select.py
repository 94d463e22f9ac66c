"""Which renderer is chosen."""

from __future__ import annotations

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render import selection
from env_service.worlds.household.render.interface import NOTHING, Camera, Channel
from env_service.worlds.household.render.scene_graph import SceneGraph

CAMERA = Camera(Vec3(0, 1, 0), 0, 0, 60, 8, 6)


def test_a_name_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(selection.VARIABLE, "none")
    assert selection.choose("soft").name.startswith("soft")
    assert selection.choose().name == "none"


def test_an_unknown_name_is_answered_with_the_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="auto, soft, gl, none, not 'fast'"):
        selection.choose("fast")
    monkeypatch.setenv(selection.VARIABLE, "fast")
    with pytest.raises(ValueError, match="not 'fast'"):
        selection.choose()


def test_without_a_graphics_card_the_software_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(selection.VARIABLE, raising=False)
    monkeypatch.setattr(selection, "graphics_card", lambda: None)
    assert selection.choose().name.startswith("soft")
    assert selection.choose("auto").name.startswith("soft")


def test_a_graphics_card_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnCard:
        name = "gl (a card)"

    monkeypatch.setattr(selection, "graphics_card", lambda: "a card")
    monkeypatch.setattr(selection, "GlRenderer", OnCard)
    assert selection.choose("auto").name == "gl (a card)"


def test_no_pictures_still_means_eyes() -> None:
    renderer = selection.choose("none")
    frames = renderer.render(SceneGraph(), CAMERA, Channel.INSTANCES | Channel.DEPTH)
    assert frames.instances is not None
    assert (frames.instances == NOTHING).all()
    with pytest.raises(selection.NoPicturesError, match="pictures are switched off"):
        renderer.render(SceneGraph(), CAMERA, Channel.COLOR)
    renderer.close()
