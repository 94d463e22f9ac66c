"""``houseguest data``, as far as it needs no server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from env_service.cli.output import listed, size_text
from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import PackDefinition
from tests.support.pack_server import TOY_FILES, use_toy, write_files

SCENE = "scenes/FloorPlan1.json"
SMALL = "scenes/FloorPlan2.json"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    return use_toy(monkeypatch, tmp_path)


@pytest.fixture
def copy(toy: PackDefinition, tmp_path: Path) -> Path:
    """A whole copy of the pack."""
    return write_files(tmp_path / "copy", TOY_FILES)


def data(*arguments: object) -> int:
    return run(["data", *map(str, arguments)])


def document(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = 0) -> Any:
    """What a command with ``--json`` prints."""
    capsys.readouterr()
    assert data(*arguments, "--json") == status
    return json.loads(capsys.readouterr().out)


def test_nothing_is_here_at_first(
    toy: PackDefinition, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert data("list") == 0
    printed = capsys.readouterr().out
    assert "toy    absent      5  97.6 kB  MIT\n" in printed
    assert "toy: what toy is for\n" in printed
    assert f"No data pack is installed yet. Packs go to {tmp_path / 'data'}." in printed
    assert data("verify") == 0
    assert "No data pack is installed" in capsys.readouterr().out
    assert not (tmp_path / "data").exists()


def test_list_tells_the_state_of_each(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / SMALL).write_bytes(b"[]")
    (copy / SCENE).unlink()
    assert data("import", "toy", copy) == 0
    other, listed_toy = document(capsys, "list")["packs"]
    assert (other["name"], other["state"], other["held"]) == ("other", "absent", 0)
    assert listed_toy["state"] == "partial 4 of 5, 1 modified"
    assert listed_toy["modified"] == [SMALL]
    assert listed_toy["commit"] == toy.commit
    assert listed_toy["path"] == str(PackFolder(toy).path)
    assert data("list") == 0
    assert f"toy: what toy is for\n  in {PackFolder(toy).path}\n" in capsys.readouterr().out


def test_import_says_what_it_took_and_left(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(copy, {SMALL: b"[]", "LICENSE": b"MIT", "ours.json": b"1"})
    assert data("import", "toy", copy) == 0
    out, err = capsys.readouterr()
    assert out == f"toy: complete, 1 modified, in {PackFolder(toy).path}; 5 files copied\n"
    assert f"warning: differs from upstream: {SMALL}" in err
    assert "left out, not part of the pack: 2 files: 'LICENSE', 'ours.json'" in err
    again = document(capsys, "import", "toy", copy)
    assert (again["copied"], again["kept"]) == (1, 4)
    assert (again["modified"], again["left_out"]) == ([SMALL], ["LICENSE", "ours.json"])


MISUSE = {
    "fetch tyo": (2, "UnknownNameError", "Did you mean 'toy'"),
    "path tyo": (2, "UnknownNameError", "Did you mean 'toy'"),
    "verify tyo": (2, "UnknownNameError", "Did you mean 'toy'"),
    "import toy nowhere": (2, "ImportSourceError", "nowhere does not exist"),
    "import other copy": (2, "ImportSourceError", "houseguest data import toy"),
    "path toy": (1, "DataPackMissingError", "houseguest data fetch toy"),
    "verify toy": (1, "DataPackMissingError", "houseguest data import toy FOLDER"),
    "fetch toy": (2, "NoConsent", "pass --yes to download without asking"),
    "fetch toy --mirror ftp://a/b": (2, "MirrorError", "REPOSITORY/COMMIT/PATH"),
    "fetch toy --mirror http:///b": (2, "MirrorError", "invalid mirror"),
    "fetch toy --mirror http://[::1": (2, "MirrorError", "Invalid IPv6 URL"),
    "fetch toy --mirror https://me:secret@a/b": (2, "MirrorError", "netrc"),
    "fech toy": (2, "UnknownNameError", "Did you mean 'data fetch'"),
}


@pytest.mark.parametrize("line", MISUSE)
def test_misuse_is_explained(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    status, kind, message = MISUSE[line]
    monkeypatch.chdir(copy.parent)
    error = document(capsys, *line.split(), status=status)["error"]
    assert error["kind"] == kind
    assert message in error["message"]
    assert "secret" not in error["message"]


def test_the_mirrors_variable_is_checked_like_the_option(
    toy: PackDefinition, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA_MIRROR", "mirror.example.org")
    assert document(capsys, "fetch", "toy", "--yes", status=2)["error"]["kind"] == "MirrorError"
    monkeypatch.setenv("HOUSEGUEST_DATA_MIRROR", "")
    assert document(capsys, "fetch", "toy", status=2)["error"]["kind"] == "NoConsent"


def test_a_download_shows_source_licence_and_size_before_anything_else(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / SCENE).unlink()
    write_files(copy, {SMALL: b"[]"})
    data("import", "toy", copy)
    capsys.readouterr()
    assert data("fetch", "toy") == 2
    shown = capsys.readouterr().err
    assert f"source   https://github.com/someone/toy/tree/{toy.commit}" in shown
    assert "licence  MIT, copyright 2026 Someone" in shown
    assert "state    partial 4 of 5, 1 modified, to be replaced" in shown
    assert "size     76.8 kB in 2 files" in shown
    assert "through  https://raw.githubusercontent.com" in shown


def test_what_is_complete_is_not_fetched(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data("import", "toy", copy)
    fetched = document(capsys, "fetch", "toy")
    assert (fetched["state"], fetched["fetched"], fetched["failed"]) == ("complete", 0, [])


def test_verify_names_every_problem_and_its_remedy(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(copy, {SMALL: b"[]"})
    data("import", "toy", copy)
    path = PackFolder(toy).path
    kept = (path / SCENE).stat()
    (path / SCENE).write_bytes(bytes(kept.st_size))
    # The disk has gone bad: size and time are as they were.
    os.utime(path / SCENE, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    (path / "plans/mug [1]/plan.json").unlink()
    capsys.readouterr()

    assert data("verify") == 1
    out, err = capsys.readouterr()
    assert f"toy: corrupt: {SCENE}" in err
    assert "toy: missing: plans/mug [1]/plan.json" in err
    assert f"toy: modified: {SMALL}" in err
    assert "houseguest data fetch toy" in err
    assert "with problems" in out
    (found,) = document(capsys, "verify", "toy", status=1)["packs"]
    assert (found["good"], found["held"], found["files"]) == (False, 3, 5)
    assert found["corrupt"] == [SCENE]


def test_a_part_is_no_problem(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / SCENE).unlink()
    data("import", "toy", copy)
    assert data("verify", "toy") == 0
    assert "toy: partial 4 of 5; 4 files" in capsys.readouterr().out


def test_a_damaged_receipt_is_told_and_mended(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data("import", "toy", copy)
    receipt = PackFolder(toy).path / "pack.json"
    receipt.write_bytes(b"{")
    _, listed_toy = document(capsys, "list")["packs"]
    assert listed_toy["state"] == "damaged receipt"
    assert "houseguest data fetch toy" in listed_toy["problem"]
    assert data("verify", "toy") == 1
    assert "pack.json is damaged" in capsys.readouterr().err
    assert data("path", "toy") == 1
    assert data("fetch", "toy") == 0
    assert data("verify", "toy") == 0


def test_path_prints_the_folder_and_nothing_else(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data("import", "toy", copy)
    capsys.readouterr()
    assert data("path", "toy") == 0
    assert capsys.readouterr().out == f"{PackFolder(toy).path}\n"
    assert document(capsys, "path", "toy") == {"name": "toy", "path": str(PackFolder(toy).path)}


def test_sizes_are_for_people() -> None:
    sizes = (0, 999, 1000, 22_190_449, 3_000_000_000)
    assert [size_text(size) for size in sizes] == ["0 B", "999 B", "1.0 kB", "22.2 MB", "3.0 GB"]


def test_long_lists_end_with_a_count() -> None:
    lines = list(listed("corrupt", [f"file {number}" for number in range(25)]))
    assert lines[19:] == ["corrupt: file 19", "corrupt: 5 more; --json lists all"]


def test_help_says_in_whole_words_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert data("--help") == 0
    lines = capsys.readouterr().out.splitlines()
    commands = lines[lines.index("Commands:") + 1 :][:5]
    assert [line.split()[0] for line in commands] == ["list", "fetch", "import", "verify", "path"]
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


def test_a_damaged_receipt_is_not_nothing(
    toy: PackDefinition, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert data("import", "toy", copy) == 0
    (PackFolder(toy).path / "pack.json").write_text("{")
    capsys.readouterr()
    assert data("list") == 0
    printed = capsys.readouterr().out
    assert "damaged receipt" in printed
    assert f"  in {PackFolder(toy).path}" in printed
    assert "No data pack is installed" not in printed
