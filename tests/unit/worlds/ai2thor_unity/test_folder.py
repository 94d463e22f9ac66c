"""Players' folders: made for one owner, removed when it is dead."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity import player_folder


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_a_folder_is_private_and_its_owners_own(place: Path) -> None:
    first, second = player_folder.make(), player_folder.make()
    assert first != second
    assert first.stat().st_mode & 0o777 == 0o700
    assert str(os.getpid()) in first.name
    player_folder.sweep()
    assert names(place) == sorted([first.name, second.name])
    player_folder.remove(first)
    player_folder.remove(first)
    assert names(place) == [second.name]


def test_folders_of_dead_owners_are_swept(place: Path) -> None:
    mine = player_folder.make()
    namespace, process, started, ending = mine.name.removeprefix("houseguest-thor-").split("-")
    dead = [
        f"houseguest-thor-{namespace}-{process}-{int(started) - 1}-{ending}",
        f"houseguest-thor-{namespace}-4194305-{started}-{ending}",
    ]
    others = [
        f"houseguest-thor-1{namespace}-4194305-{started}-{ending}",
        "houseguest-thor-of-somebody",
        "anything",
    ]
    for name in (*dead, *others):
        (place / name).mkdir()
        (place / name / "server.pipe").touch()
    player_folder.sweep()
    assert names(place) == sorted([mine.name, *others])


def test_a_link_is_not_followed(place: Path) -> None:
    mine = player_folder.make()
    treasure = place / "treasure"
    treasure.mkdir()
    (treasure / "gold").touch()
    parts = mine.name.split("-")
    link = place / "-".join([*parts[:3], "4194305", *parts[4:]])
    link.symlink_to(treasure)
    player_folder.sweep()
    assert (treasure / "gold").exists()
