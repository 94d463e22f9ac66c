"""A pack's folder: where it is, what is in it, and what the receipt is trusted with."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from env_service.datasets import survey as surveying
from env_service.datasets.errors import DataFolderError, DataPackBusyError, DataPackCorruptError
from env_service.datasets.folder import PackFolder, data_root
from env_service.datasets.pack_import import import_source, read_source
from env_service.datasets.registry import PackDefinition
from env_service.datasets.survey import FileState
from tests.support.pack_server import TOY_COMMIT, TOY_FILES, use_toy, write_files

SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


def imported(toy: PackDefinition, tmp_path: Path, **changes: bytes) -> PackFolder:
    """The whole pack, imported; ``changes`` replaces FloorPlan files by the name's end."""
    files = {
        path: next((data for end, data in changes.items() if path.endswith(f"{end}.json")), data)
        for path, data in TOY_FILES.items()
    }
    folder = PackFolder(toy)
    import_source(folder, read_source(toy, write_files(tmp_path / "copy", files)))
    return folder


def state(folder: PackFolder, path: str) -> FileState:
    return folder.survey().states[path]


def test_packs_are_kept_in_the_users_cache_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOUSEGUEST_DATA", "")
    assert data_root().name == "houseguest"
    monkeypatch.setenv("HOUSEGUEST_DATA", "some/where")
    assert data_root() == Path.cwd() / "some" / "where"
    monkeypatch.setenv("HOUSEGUEST_DATA", "~/packs")
    assert data_root() == Path.home() / "packs"


def test_who_has_no_home_has_to_name_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", "~nobody-of-that-name/packs")
    with pytest.raises(DataFolderError, match="Set HOUSEGUEST_DATA to a folder"):
        data_root()


def test_each_commit_has_a_folder_of_its_own(toy: PackDefinition, tmp_path: Path) -> None:
    assert PackFolder(toy).path == tmp_path / "data" / "toy" / TOY_COMMIT[:12]


def test_a_folder_that_is_not_there_is_absent(toy: PackDefinition) -> None:
    found = PackFolder(toy).survey()
    assert found.label == "absent"
    assert len(found.wanting()) == len(TOY_FILES)


def test_states_follow_the_bytes(toy: PackDefinition, tmp_path: Path) -> None:
    folder = imported(toy, tmp_path)
    assert folder.survey().label == "complete"
    path = folder.path / SCENE
    whole = path.read_bytes()

    path.write_bytes(whole[:-1])
    assert state(folder, SCENE) is FileState.CORRUPT
    path.write_bytes(whole[:-1] + b"x")
    assert state(folder, SCENE) is FileState.CORRUPT
    assert folder.survey().label == "partial 4 of 5, 1 corrupt"
    path.unlink()
    found = folder.survey()
    assert found.states[SCENE] is FileState.MISSING
    assert found.lost == (SCENE,)
    path.mkdir()
    assert state(folder, SCENE) is FileState.CORRUPT
    path.rmdir()
    path.symlink_to(tmp_path / "copy" / SCENE)
    assert state(folder, SCENE) is FileState.CORRUPT
    path.unlink()
    path.write_bytes(whole)
    assert folder.survey().label == "complete"


def test_a_modified_file_that_changes_again_is_corrupt(toy: PackDefinition, tmp_path: Path) -> None:
    folder = imported(toy, tmp_path, FloorPlan2=b"[]")
    assert state(folder, SMALL) is FileState.MODIFIED
    assert folder.survey().label == "complete, 1 modified"
    os.utime(folder.path / SMALL, (1, 1))
    assert state(folder, SMALL) is FileState.MODIFIED
    (folder.path / SMALL).write_bytes(b"()")
    assert state(folder, SMALL) is FileState.CORRUPT


def test_files_that_are_as_the_receipt_has_them_are_not_read(
    toy: PackDefinition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = imported(toy, tmp_path)
    read: list[Path] = []
    real = surveying.sha256_of
    monkeypatch.setattr(surveying, "sha256_of", lambda path: read.append(path) or real(path))
    assert folder.survey().label == "complete"
    assert read == []
    os.utime(folder.path / SCENE, (1, 1))
    assert folder.survey().label == "complete"
    assert read == [folder.path / SCENE]
    folder.refresh()
    read.clear()
    assert folder.survey().label == "complete"
    assert read == []
    folder.survey(rehash=True)
    assert len(read) == len(TOY_FILES)


def test_right_files_without_a_receipt_are_recognised(toy: PackDefinition, tmp_path: Path) -> None:
    folder = PackFolder(toy)
    write_files(folder.path, {**TOY_FILES, SMALL: b"[]"})
    found = folder.survey()
    assert found.label == "partial 4 of 5, 1 corrupt"
    assert found.lost == ()


def test_the_receipt_says_what_is_held_and_what_differs(
    toy: PackDefinition, tmp_path: Path
) -> None:
    folder = imported(toy, tmp_path, FloorPlan2=b"[]")
    receipt = json.loads((folder.path / "pack.json").read_bytes())
    assert (receipt["pack"], receipt["repository"]) == ("toy", "someone/toy")
    assert receipt["commit"] == TOY_COMMIT
    assert receipt["files"].keys() == TOY_FILES.keys()
    assert receipt["files"][SMALL]["bytes"] == 2
    assert receipt["modified"] == [SMALL]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "Expecting value"),
        (b"\xff", "utf-8"),
        (b"[]", "is [], not an object"),
        (b"{}", "lacks the key 'format'"),
        (b'{"format": 1, "pack": "toy", "commit": "0"}', "it belongs to"),
    ],
)
def test_a_damaged_receipt_is_named(
    toy: PackDefinition, tmp_path: Path, content: bytes, problem: str
) -> None:
    folder = imported(toy, tmp_path)
    (folder.path / "pack.json").write_bytes(content)
    with pytest.raises(DataPackCorruptError, match=r"pack\.json is damaged") as caught:
        folder.survey()
    assert problem in str(caught.value)
    assert "houseguest data fetch toy" in str(caught.value)


def test_writing_replaces_a_damaged_receipt(toy: PackDefinition, tmp_path: Path) -> None:
    folder = imported(toy, tmp_path)
    (folder.path / "pack.json").write_bytes(b"{")
    folder.refresh()
    assert folder.survey().label == "complete"


def test_one_process_writes_at_a_time(toy: PackDefinition) -> None:
    with (
        PackFolder(toy).writing(),
        pytest.raises(DataPackBusyError, match=f"process {os.getpid()}"),
        PackFolder(toy).writing(),
    ):
        pass
    with PackFolder(toy).writing():
        pass


def test_drafts_of_a_killed_process_are_removed(toy: PackDefinition) -> None:
    folder = PackFolder(toy)
    left = write_files(folder.path / ".drafts", {"half": b"half"}) / "half"
    with folder.writing():
        assert not left.exists()
    assert sorted(path.name for path in folder.path.iterdir()) == [".lock", "pack.json"]
