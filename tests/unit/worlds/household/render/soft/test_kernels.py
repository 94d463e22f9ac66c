"""When compiled loops are loaded, and what is kept of them on disk."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.worlds.household.render.interface import Channel
from env_service.worlds.household.render.soft import kernels, materials, renderer
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from tests.support.household_scene import WIDE, kitchen

SMALL = replace(WIDE, width=64, height=48)
NOW = 1_800_000_000.0


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one whenever the compiled loops are asked for; there are none."""
    found: list[int] = []
    monkeypatch.setattr(kernels, "installed", lambda: True)
    monkeypatch.setattr(kernels, "loaded", lambda: False)
    monkeypatch.setattr(kernels, "compiled", lambda: found.append(1))
    monkeypatch.setattr(renderer, "PATIENCE", 3 * 64 * 48)
    return found


def test_compiled_loops_are_loaded_when_enough_was_drawn(asked: list[int]) -> None:
    graph, drawing = kitchen(), SoftRenderer()
    assert drawing.name == "soft+numba"
    for turn in range(5):
        drawing.render(graph, replace(SMALL, yaw=turn), Channel.COLOR)
        assert len(asked) == (turn >= 2)
    assert drawing.name == "soft"


def test_finding_out_what_is_seen_never_loads_them(asked: list[int]) -> None:
    graph, drawing = kitchen(), SoftRenderer()
    for turn in range(5):
        drawing.render(graph, replace(SMALL, yaw=turn), Channel.INSTANCES)
    assert not asked


def test_without_compiling_they_are_never_loaded(asked: list[int]) -> None:
    drawing = SoftRenderer(compiled=False)
    drawing.render(kitchen(), replace(SMALL, width=640, height=480), Channel.COLOR)
    assert not asked
    assert drawing.name == "soft"


def test_finding_out_what_is_seen_needs_no_textures(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a texture was made ready")

    monkeypatch.setattr(materials, "pack", refuse)
    drawing = SoftRenderer(compiled=False)
    drawing.render(kitchen(), SMALL, Channel.INSTANCES | Channel.DEPTH)
    with pytest.raises(AssertionError, match="a texture"):
        drawing.render(kitchen(), SMALL, Channel.COLOR)


def test_what_other_versions_compiled_goes_after_a_week(tmp_path: Path) -> None:
    for name, age in (("current", 30.0), ("recent", 2.0), ("old", 8.0)):
        (tmp_path / name / "soft").mkdir(parents=True)
        (tmp_path / name / "soft" / "code.nbc").write_bytes(b"code")
        os.utime(tmp_path / name, (NOW, NOW - age * 86400))
    kernels.tidy(tmp_path, "current", NOW)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["current", "recent"]
    kernels.tidy(tmp_path, "recent", NOW + 6 * 86400)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["current", "recent"]
    kernels.tidy(tmp_path, "recent", NOW + 8 * 86400)
    assert [path.name for path in tmp_path.iterdir()] == ["recent"]


def test_tidying_where_there_is_nothing_does_nothing(tmp_path: Path) -> None:
    kernels.tidy(tmp_path / "nowhere", "current", NOW)
    assert not (tmp_path / "nowhere").exists()
