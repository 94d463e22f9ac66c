"""Which Unity build is taken from a home folder, and what is said of one that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity import build
from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Platform
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.household.player.stand_in_build import install

CLOUD = Platform.CLOUD_RENDERING
OTHER = "0" * 40


def refusal(home: Path, platform: Platform = CLOUD) -> str:
    """What is said of a home without a usable build."""
    with pytest.raises(WorldUnavailableError) as refused:
        build.installed(platform, home)
    return str(refused.value)


@pytest.mark.parametrize("platform", build.PLATFORMS)
def test_a_build_that_is_there_is_found(tmp_path: Path, platform: Platform) -> None:
    executable = install(tmp_path, platform.value)
    found = build.installed(platform, tmp_path)
    assert found.executable == executable
    assert found.folder == executable.parent
    assert (found.platform, found.commit, found.server_types) == (platform, COMMIT_ID, ("FIFO",))


def test_without_a_home_folder_given_the_users_own_is_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    executable = install(tmp_path, "Linux64")
    assert build.installed(Platform.LINUX64).executable == executable


def test_the_package_looks_for_it_in_the_same_place(tmp_path: Path) -> None:
    package = pytest.importorskip("ai2thor.build")
    theirs = package.Build("CloudRendering", COMMIT_ID, False, str(build.releases(tmp_path)))
    install(tmp_path)
    assert theirs.executable_path == str(build.installed(CLOUD, tmp_path).executable)
    assert theirs.server_types == list(build.installed(CLOUD, tmp_path).server_types)


def test_a_missing_build_comes_with_the_command_that_installs_it(tmp_path: Path) -> None:
    assert f"houseguest thor install --platform CloudRendering --home {tmp_path}" in refusal(
        tmp_path
    )


def test_a_build_of_another_commit_is_told_apart(tmp_path: Path) -> None:
    install(tmp_path, commit=OTHER)
    install(tmp_path, "Linux64")
    assert build.other_commits(CLOUD, tmp_path) == (OTHER,)
    words = refusal(tmp_path)
    assert f"only of commit {OTHER}" in words
    assert f"of commit {COMMIT_ID} for CloudRendering" in words


def test_a_build_without_its_player_is_damaged(tmp_path: Path) -> None:
    install(tmp_path).unlink()
    with pytest.raises(build.DamagedBuildError, match="is missing"):
        build.installed(CLOUD, tmp_path)


def test_a_player_that_may_not_be_executed_is_named(tmp_path: Path) -> None:
    executable = install(tmp_path)
    executable.chmod(0o644)
    assert f"{executable} may not be executed" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ("", "cannot be read"),
        ("[]", "without FIFO"),
        ('{"server_types": ["WSGI"]}', "['WSGI'], without FIFO"),
        ('{"server_types": "FIFO"}', "without FIFO"),
    ],
)
def test_a_build_that_does_not_speak_fifo_is_damaged(
    tmp_path: Path, metadata: str, told: str
) -> None:
    install(tmp_path).with_name("metadata.json").write_text(metadata)
    assert told in refusal(tmp_path)


def test_a_build_without_metadata_is_damaged(tmp_path: Path) -> None:
    install(tmp_path).with_name("metadata.json").unlink()
    assert "metadata.json is missing" in refusal(tmp_path)


def test_a_path_that_the_package_would_take_apart_is_refused(tmp_path: Path) -> None:
    install(tmp_path / "my home")
    assert "spaces or quotes" in refusal(tmp_path / "my home")


@pytest.mark.parametrize("platform", [Platform.AUTO, Platform.EXECUTABLE])
def test_a_platform_without_builds_is_refused(tmp_path: Path, platform: Platform) -> None:
    with pytest.raises(ValueError, match="CloudRendering and Linux64"):
        build.installed(platform, tmp_path)
