"""Importing a copy: what is taken, what is left, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from env_service.datasets.errors import ImportSourceError
from env_service.datasets.folder import PackFolder
from env_service.datasets.pack_import import ImportReport, import_source, read_source
from env_service.datasets.registry import PackDefinition, definition, pack_names
from env_service.datasets.survey import FileState
from tests.support.data import reference_data
from tests.support.pack_server import TOY_FILES, use_toy, write_files

PLAN = "plans/mug [1]/plan.json"
SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


def take(toy: PackDefinition, source: Path) -> ImportReport:
    return import_source(PackFolder(toy), read_source(toy, source))


def test_a_whole_copy_is_taken(toy: PackDefinition, tmp_path: Path) -> None:
    report = take(toy, write_files(tmp_path / "copy", TOY_FILES))
    assert report == ImportReport(5, 0, ())
    folder = PackFolder(toy)
    assert folder.survey().label == "complete"
    assert {path: (folder.path / path).read_bytes() for path in TOY_FILES} == TOY_FILES


def test_parts_add_up(toy: PackDefinition, tmp_path: Path) -> None:
    first = write_files(tmp_path / "first", {PLAN: TOY_FILES[PLAN]})
    assert take(toy, first).copied == 1
    assert PackFolder(toy).survey().label == "partial 1 of 5"
    assert take(toy, write_files(tmp_path / "all", TOY_FILES)) == ImportReport(4, 1, ())
    assert PackFolder(toy).survey().label == "complete"


def test_what_the_pack_does_not_have_is_left_out(toy: PackDefinition, tmp_path: Path) -> None:
    others = {"LICENSE": b"MIT", "scenes/ours.json": b"1", ".git/config": b"", ".git/a/b": b""}
    clone = write_files(tmp_path / "clone", {**TOY_FILES, **others})
    (clone / "latest").symlink_to("LICENSE")
    source = read_source(toy, clone)
    assert source.others == ("LICENSE", "latest", "scenes/ours.json")
    import_source(PackFolder(toy), source)
    assert not (PackFolder(toy).path / "LICENSE").exists()


def test_other_bytes_are_taken_and_recorded(toy: PackDefinition, tmp_path: Path) -> None:
    report = take(toy, write_files(tmp_path / "copy", {**TOY_FILES, SMALL: b"[1, 2]"}))
    assert report == ImportReport(5, 0, (SMALL,))
    assert PackFolder(toy).survey().paths(FileState.MODIFIED) == (SMALL,)


def test_other_bytes_never_replace_upstreams(toy: PackDefinition, tmp_path: Path) -> None:
    take(toy, write_files(tmp_path / "right", TOY_FILES))
    report = take(toy, write_files(tmp_path / "wrong", {SMALL: b"[1, 2]"}))
    assert report == ImportReport(0, 1, ())
    assert (PackFolder(toy).path / SMALL).read_bytes() == TOY_FILES[SMALL]


def test_upstreams_bytes_mend_modified_and_damaged_files(
    toy: PackDefinition, tmp_path: Path
) -> None:
    take(toy, write_files(tmp_path / "wrong", {SMALL: b"[1, 2]", SCENE: TOY_FILES[SCENE]}))
    folder = PackFolder(toy)
    (folder.path / SCENE).write_bytes(b"damaged")
    report = take(toy, write_files(tmp_path / "right", TOY_FILES))
    assert report == ImportReport(5, 0, ())
    assert folder.survey().label == "complete"


@pytest.mark.parametrize("place", [SMALL, "scenes"])
def test_links_are_refused(toy: PackDefinition, tmp_path: Path, place: str) -> None:
    copy = write_files(tmp_path / "copy", TOY_FILES)
    (copy / place).rename(tmp_path / "elsewhere")
    (copy / place).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ImportSourceError, match=f"'{place}' should be plain files"):
        read_source(toy, copy)
    assert not PackFolder(toy).path.exists()


def test_a_pipe_in_a_files_place_is_refused(toy: PackDefinition, tmp_path: Path) -> None:
    copy = write_files(tmp_path / "copy", {PLAN: b"x"})
    (copy / "scenes").mkdir()
    os.mkfifo(copy / SMALL)
    with pytest.raises(ImportSourceError, match=r"FloorPlan2\.json' should be plain files"):
        read_source(toy, copy)


def test_a_file_that_goes_away_is_named(toy: PackDefinition, tmp_path: Path) -> None:
    copy = write_files(tmp_path / "copy", TOY_FILES)
    source = read_source(toy, copy)
    (copy / SMALL).unlink()
    with pytest.raises(ImportSourceError, match=r"FloorPlan2.json cannot be read: No such file"):
        import_source(PackFolder(toy), source)
    # What was copied before stays, and is known.
    assert PackFolder(toy).survey().label == "partial 3 of 5"


def test_what_is_no_folder_is_refused(toy: PackDefinition, tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match="does not exist"):
        read_source(toy, tmp_path / "nowhere")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ImportSourceError, match="is neither a folder nor"):
        read_source(toy, tmp_path / "file")


def test_a_folder_of_another_pack_names_that(toy: PackDefinition, tmp_path: Path) -> None:
    copy = write_files(tmp_path / "copy", {"other.txt": b"other"})
    with pytest.raises(ImportSourceError, match=f"houseguest data import other {copy}"):
        read_source(toy, copy)


def test_a_folder_above_names_the_right_one(toy: PackDefinition, tmp_path: Path) -> None:
    write_files(tmp_path / "downloads" / "deep" / "toy-main", TOY_FILES)
    right = tmp_path / "downloads" / "deep" / "toy-main"
    with pytest.raises(ImportSourceError, match=f"houseguest data import toy {right}$"):
        read_source(toy, tmp_path / "downloads")


def test_a_folder_below_names_what_lies_above(toy: PackDefinition, tmp_path: Path) -> None:
    copy = write_files(tmp_path / "copy", TOY_FILES)
    with pytest.raises(ImportSourceError, match="Give the folder that contains 'scenes'"):
        read_source(toy, copy / "scenes")


def test_a_folder_of_nothing_known_says_what_was_looked_for(
    toy: PackDefinition, tmp_path: Path
) -> None:
    with pytest.raises(ImportSourceError, match="as 'plans/mug"):
        read_source(toy, write_files(tmp_path / "copy", {"a.txt": b""}))


HELD = {
    "ithor": ("complete", 120, 3),
    "asgard": ("complete", 111, 2),
    "asgard-recorded": ("partial 311 of 3512, 1 modified", 311, 1),
    "alfred": ("partial 252 of 507", 252, 1),
    "alfred-refined": ("partial 1 of 2", 1, 1),
    "actplan": ("complete, 1 modified", 349, 1),
}


@pytest.mark.data
@pytest.mark.parametrize("name", pack_names())
def test_the_reference_copies_are_taken(name: str, tmp_path: Path) -> None:
    source = read_source(definition(name), reference_data(name))
    folder = PackFolder(definition(name), tmp_path)
    report = import_source(folder, source)
    found = folder.survey(rehash=True)
    assert (found.label, report.copied, len(source.others)) == HELD[name]
    assert found.paths(FileState.MODIFIED) == report.modified
