"""Files that authors publish apart from their repository, and copies in zip files."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.datasets.errors import (
    DataPackCorruptError,
    DataPackMissingError,
    ImportSourceError,
)
from env_service.datasets.folder import PackFolder, check
from env_service.datasets.pack import Pack
from env_service.datasets.pack_import import ImportReport, import_source, read_source
from env_service.datasets.registry import PackDefinition, definition
from env_service.datasets.survey import FileState
from env_service.domain.names import UnknownNameError
from tests.support.pack_server import TOY_FILES, use_registry, use_toy, write_files

SMALL = "scenes/FloorPlan2.json"
MORE = {"more/a_1/photo.png": b"a picture", "more/b_2/photo.png": b"another"}
PHOTO = "more/a_1/photo.png"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    """The pack ``toy``, whose archive has "more/NAME/photo.png"."""
    use_toy(monkeypatch, tmp_path)
    with (tmp_path / "registry" / "toy.toml").open("a") as head:
        head.write("archive = '''more/[\\w-]+/photo\\.png'''\n")
    # A folder of its own: what was read of the other one is remembered.
    (tmp_path / "registry").rename(tmp_path / "packs")
    use_registry(monkeypatch, tmp_path / "packs")
    return definition("toy")


def take(toy: PackDefinition, source: Path) -> ImportReport:
    return import_source(PackFolder(toy), read_source(toy, source))


def zipped(file: Path, files: Mapping[str, bytes], within: str = "") -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, data in files.items():
            packed.writestr(within + path, data)
    return file


def test_files_of_the_archive_are_taken_and_recorded(toy: PackDefinition, tmp_path: Path) -> None:
    report = take(toy, write_files(tmp_path / "copy", {**TOY_FILES, **MORE}))
    assert report == ImportReport(7, 0, ())
    folder = PackFolder(toy)
    assert folder.survey().label == "complete, 2 of the archive"
    receipt = json.loads((folder.path / "pack.json").read_text())
    assert receipt["files"][PHOTO]["bytes"] == len(MORE[PHOTO])
    assert receipt["modified"] == []


def test_an_archive_alone_is_taken_beside_what_is_here(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "first", TOY_FILES))
    assert take(toy, write_files(tmp_path / "second", MORE)) == ImportReport(2, 0, ())
    assert PackFolder(toy).survey().label == "complete, 2 of the archive"
    part = write_files(tmp_path / "third", {PHOTO: MORE[PHOTO]})
    assert take(toy, part) == ImportReport(0, 1, ())


def test_another_version_of_the_archive_replaces_the_former(
    toy: PackDefinition, tmp_path: Path
) -> None:
    take(toy, write_files(tmp_path / "first", MORE))
    newer = {PHOTO: b"A PICTURE"}
    assert take(toy, write_files(tmp_path / "second", newer)) == ImportReport(1, 0, ())
    folder = PackFolder(toy)
    assert (folder.path / PHOTO).read_bytes() == newer[PHOTO]
    assert folder.survey(rehash=True).states[PHOTO] is FileState.INTACT


def test_a_suite_finds_them_and_describes_their_bytes(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "copy", {**TOY_FILES, **MORE}))
    pack = Pack(PackFolder(toy))
    assert pack.require(["more/*"]) == tuple(MORE)
    assert pack.path(PHOTO).read_bytes() == MORE[PHOTO]
    before = pack.describe("more/*")
    assert (before.files, before.modified) == (2, ())
    take(toy, write_files(tmp_path / "newer", {PHOTO: b"A PICTURE"}))
    assert Pack(PackFolder(toy)).describe("more/*").digest != before.digest


def test_without_them_the_pack_has_no_such_files(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "copy", TOY_FILES))
    pack = Pack(PackFolder(toy))
    assert pack.files("more/*") == ()
    with pytest.raises(UnknownNameError):
        pack.path(PHOTO)


def test_damage_and_loss_are_found(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "copy", {**TOY_FILES, **MORE}))
    folder = PackFolder(toy)
    (folder.path / PHOTO).write_bytes(b"b picture")
    (folder.path / "more/b_2/photo.png").unlink()
    found = check(folder)
    assert (found.corrupt, found.survey.lost) == ((PHOTO,), ("more/b_2/photo.png",))
    with pytest.raises(DataPackCorruptError, match=PHOTO):
        Pack(folder).path(PHOTO)
    with pytest.raises(DataPackMissingError, match="b_2"):
        Pack(folder).require(["more/b_2/*"])
    # No web server has them.
    assert folder.survey().wanting() == ()
    take(toy, write_files(tmp_path / "again", MORE))
    assert check(folder).good


def test_fetching_keeps_them(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "copy", MORE))
    folder = PackFolder(toy)
    assert folder.survey().label == "absent, 2 of the archive"
    with folder.writing():
        pass
    assert Pack(folder).files("more/*") == tuple(MORE)


@pytest.mark.parametrize("path", ["more/../photo.png", "more/a/b/photo.png", "more/a/photo.jpg"])
def test_other_paths_are_no_part_of_the_archive(toy: PackDefinition, path: str) -> None:
    assert not toy.takes(path)


def test_a_zip_file_is_as_good_as_a_folder(toy: PackDefinition, tmp_path: Path) -> None:
    copy = zipped(tmp_path / "copy.zip", {**TOY_FILES, **MORE, "LICENSE": b"MIT", ".git/HEAD": b""})
    source = read_source(toy, copy)
    assert source.others == ("LICENSE",)
    assert import_source(PackFolder(toy), source) == ImportReport(7, 0, ())
    folder = PackFolder(toy)
    assert {path: (folder.path / path).read_bytes() for path in TOY_FILES} == TOY_FILES


def test_a_zip_file_may_have_the_layout_below_a_folder(toy: PackDefinition, tmp_path: Path) -> None:
    copy = zipped(tmp_path / "copy.zip", {**TOY_FILES, **MORE}, within="toy-main/data/")
    assert take(toy, copy).copied == 7
    assert check(PackFolder(toy)).good


def test_a_file_that_is_no_zip_file_is_refused(toy: PackDefinition, tmp_path: Path) -> None:
    (tmp_path / "copy.tar").write_bytes(b"no zip file")
    with pytest.raises(ImportSourceError, match="is neither a folder nor a zip file"):
        read_source(toy, tmp_path / "copy.tar")


def test_a_zip_file_of_something_else_is_refused(toy: PackDefinition, tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match="contains no file of data pack 'toy'"):
        read_source(toy, zipped(tmp_path / "copy.zip", {"a.txt": b""}))


def test_a_damaged_zip_file_is_named_with_its_file(toy: PackDefinition, tmp_path: Path) -> None:
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr(SMALL, TOY_FILES[SMALL])
    damaged = copy.read_bytes().replace(TOY_FILES[SMALL], b"[]", 1)
    copy.write_bytes(damaged)
    with pytest.raises(ImportSourceError, match=r"copy\.zip/scenes/FloorPlan2\.json cannot be rea"):
        take(toy, copy)


def test_a_link_in_a_zip_file_is_refused(toy: PackDefinition, tmp_path: Path) -> None:
    copy = tmp_path / "copy.zip"
    with zipfile.ZipFile(copy, "w") as packed:
        entry = zipfile.ZipInfo(PHOTO)
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, "/etc/passwd")
    with pytest.raises(ImportSourceError, match="should be plain files"):
        read_source(toy, copy)
