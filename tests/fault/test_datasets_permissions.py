"""Data packs where permissions stand in the way."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import definition
from tests.support.pack_server import TOY_FILES, use_toy, write_files

NOBODY = 65534


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the toy pack's registry, as somebody whom permissions bind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        use_toy(monkeypatch, path)
        user = os.geteuid()
        if user == 0:
            # Python itself may lie where nobody can read.
            assert run(["data", "list"]) == 0
            import_module("env_service.cli.output")
            import_module("env_service.datasets.download")
            os.chown(path, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield path
        finally:
            os.seteuid(user)


def error_of(capsys: pytest.CaptureFixture[str], *arguments: object, status: int) -> Any:
    """The error that a command ends with."""
    assert run(["data", *map(str, arguments), "--json"]) == status
    return json.loads(capsys.readouterr().out)["error"]


def test_a_folder_that_cannot_be_written_is_named(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = write_files(place / "copy", TOY_FILES)
    (place / "data").mkdir(mode=0o500)
    error = error_of(capsys, "import", "toy", copy, status=1)
    assert error["kind"] == "DataFolderError"
    assert "data/toy: Permission denied. Data packs cannot be stored there" in error["message"]


def test_a_shared_folder_that_cannot_be_written_can_be_used(place: Path) -> None:
    folder = PackFolder(definition("toy"))
    assert run(["data", "import", "toy", str(write_files(place / "copy", TOY_FILES))]) == 0
    os.utime(folder.path / "scenes/FloorPlan1.json", (1, 1))
    folder.path.chmod(0o500)
    (folder.path / ".lock").chmod(0o400)
    for command in ("verify", "path", "fetch"):
        assert run(["data", command, "toy"]) == 0
    folder.path.chmod(0o700)


@pytest.mark.parametrize("path", ["copy/scenes", "copy/scenes/FloorPlan1.json"])
def test_what_cannot_be_read_is_named(
    place: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    copy = write_files(place / "copy", TOY_FILES)
    (place / path).chmod(0)
    error = error_of(capsys, "import", "toy", copy, status=2)
    (place / path).chmod(0o700)
    assert error["kind"] == "ImportSourceError"
    assert f"{path} cannot be read: Permission denied" in error["message"]
