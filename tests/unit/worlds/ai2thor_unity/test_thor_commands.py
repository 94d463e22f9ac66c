"""``houseguest thor``, in this process: builds of the stand-in player from a local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from env_service.cli.errors import Failure, Interrupted
from env_service.cli.main import run
from env_service.worlds.ai2thor_unity import install
from env_service.worlds.ai2thor_unity.build import installed
from env_service.worlds.ai2thor_unity.commands import thor_command
from env_service.worlds.ai2thor_unity.settings import Platform
from tests.support.build_server import BuildServer, zipped_build

CLOUD = Platform.CLOUD_RENDERING


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return zipped_build(tmp_path_factory.mktemp("build"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder that commands use."""
    monkeypatch.setenv("HOUSEGUEST_THOR_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def server(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BuildServer]:
    """Where the build is published."""
    with BuildServer.of(archive) as server:
        monkeypatch.setattr(install, "PUBLISHED", server.url)
        yield server


def thor(*arguments: str) -> int:
    """Runs a command; its exit status."""
    return thor_command.main(list(arguments), standalone_mode=False) or 0


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The JSON document of a command."""
    thor(*arguments, "--json")
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_the_published_build_is_installed_and_its_checksum_told(
    home: Path, server: BuildServer, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = asked(capsys, "install")
    assert document["installed"]
    assert document["receipt"]["sha256"] == install.sha256_of(archive)
    assert document["receipt"]["checked_against"] == f"{server.url}/{archive.stem}.sha256"
    assert installed(CLOUD, home).folder == Path(document["folder"])
    assert not asked(capsys, "install")["installed"]


def test_a_download_that_broke_off_goes_on(home: Path, server: BuildServer) -> None:
    server.drops = [3 << 16]
    thor("install")
    assert server.ranges == [f"bytes={3 << 16}-"]
    assert installed(CLOUD, home)


def test_what_was_downloaded_survives_an_interruption(
    home: Path, server: BuildServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("env_service.datasets.download.time.sleep", interrupted)
        server.drops = [3 << 16]
        with pytest.raises(Interrupted, match="run the same command to resume"):
            thor("install")
    thor("install")
    assert server.ranges == [f"bytes={3 << 16}-"]
    assert installed(CLOUD, home)


def test_a_pinned_checksum_needs_none_that_is_published(
    home: Path, server: BuildServer, archive: Path
) -> None:
    del server.files[f"{archive.stem}.sha256"]
    with pytest.raises(Failure, match=r"answered 404 .*\.sha256"):
        thor("install")
    thor("install", "--sha256", install.sha256_of(archive).upper())
    assert installed(CLOUD, home)


def test_other_bytes_are_not_installed_nor_kept(home: Path, server: BuildServer) -> None:
    with pytest.raises(Failure, match="by --sha256 it should be 0000"):
        thor("install", "--sha256", "0" * 64)
    assert not list(home.rglob("*.zip"))
    assert thor("status") == 1


def test_what_is_no_checksum_is_misuse(home: Path) -> None:
    with pytest.raises(click.BadParameter, match="64 hexadecimal digits"):
        thor("install", "--sha256", "abc")


def test_a_zip_file_is_taken_from_this_machine(
    home: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = asked(capsys, "install", "--from", str(archive))["receipt"]
    assert (receipt["source"], receipt["checked_against"]) == (str(archive), "")
    assert archive.exists()


def test_a_kept_zip_file_is_not_downloaded_again(
    home: Path, server: BuildServer, archive: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    thor("install", "--keep", str(kept))
    del server.files[archive.name]
    thor("install", "--keep", str(kept), "--again")
    assert (kept / archive.name).exists()


def test_a_build_of_another_zip_file_is_told_apart(home: Path, archive: Path) -> None:
    thor("install", "--from", str(archive))
    with pytest.raises(Failure, match="--again replaces it"):
        thor("install", "--sha256", "0" * 64)
    assert thor("install", "--sha256", install.sha256_of(archive)) == 0


def test_status_tells_what_is_here(
    home: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thor("install", "--from", str(archive))
    capsys.readouterr()
    cloud, linux = asked(capsys, "status")["builds"]
    assert (cloud["state"], linux["state"]) == ("here", "not installed")
    assert "houseguest thor install --platform Linux64" in linux["problem"]
    installed(CLOUD, home).executable.unlink()
    assert asked(capsys, "status")["builds"][0]["state"] == "damaged"


def test_an_unknown_command_is_told_with_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["thor", "stats"]) == 2
    assert "Did you mean 'thor status'?" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["install", "status"])
def test_every_command_has_examples(command: str) -> None:
    assert "Examples:" in str(thor_command.commands[command].epilog)
