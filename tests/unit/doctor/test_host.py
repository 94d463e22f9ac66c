"""Disk, key, sockets, memory, data: what this machine gives."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import definition, pack_names
from env_service.doctor.data import data_packs
from env_service.doctor.diagnosis import DiagnosisState, DoctorRequest
from env_service.doctor.host import check_folder, disk, memory, signing_key, sockets
from env_service.storage.signing_key import SigningKey


def subject(folder: Path) -> DoctorRequest:
    return DoctorRequest(folder / "runs", folder / "keys" / "key.pem")


def test_a_folder_that_is_yet_to_be_made_is_fine(tmp_path: Path) -> None:
    found = check_folder("runs", tmp_path / "a" / "b", "elsewhere")

    assert (found.state, found.mend) == (DiagnosisState.OK, "")
    assert not (tmp_path / "a").exists()


def test_a_file_in_the_way_is_a_problem_with_its_cure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    found = check_folder("runs", tmp_path / "file" / "runs", "elsewhere")

    assert (found.state, found.mend) == (DiagnosisState.PROBLEM, "elsewhere")
    assert str(tmp_path / "file") in found.found
    assert (
        check_folder("data", tmp_path / "file", "elsewhere", needed=False).state
        is DiagnosisState.WARNING
    )


@pytest.mark.parametrize(
    ("free", "state"),
    [(2**40, DiagnosisState.OK), (2**30, DiagnosisState.WARNING), (2**20, DiagnosisState.PROBLEM)],
)
def test_too_little_room_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: DiagnosisState
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))

    runs, temporary = disk(subject(tmp_path))

    assert runs.state is temporary.state is state
    assert bool(runs.mend) is (state is not DiagnosisState.OK)


def test_a_key_that_is_yet_to_be_made_is_not_made(tmp_path: Path) -> None:
    (found,) = signing_key(subject(tmp_path))

    assert found.state is DiagnosisState.OK
    assert list(tmp_path.iterdir()) == []


def test_a_key_is_known_by_its_public_half(tmp_path: Path) -> None:
    asked = subject(tmp_path)
    key = SigningKey.load_or_create(asked.signing_key)

    (found,) = signing_key(asked)

    assert found.state is DiagnosisState.OK
    assert key.public_hex[:16] in found.found


def test_a_key_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    asked = subject(tmp_path)
    SigningKey.load_or_create(asked.signing_key)
    assert asked.signing_key is not None
    asked.signing_key.chmod(0o644)

    (found,) = signing_key(asked)

    assert (found.state, found.mend) == (DiagnosisState.WARNING, f"chmod 600 {asked.signing_key}")


def test_a_file_that_is_no_key_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "key.pem").write_text("not a key")

    (found,) = signing_key(subject(tmp_path))

    assert found.state is DiagnosisState.PROBLEM
    assert "key.pem" in found.found
    assert "--signing-key" in found.mend


def test_sockets_work_here(tmp_path: Path) -> None:
    assert [each.state for each in sockets(subject(tmp_path))] == [
        DiagnosisState.OK,
        DiagnosisState.OK,
    ]


def test_a_temporary_folder_with_a_long_name_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))

    unix, _ = sockets(subject(tmp_path))

    assert unix.state is DiagnosisState.PROBLEM
    assert "too long" in unix.found
    assert "TMPDIR" in unix.mend


def test_shared_memory_works_here(tmp_path: Path) -> None:
    shared, *_ = memory(subject(tmp_path))
    assert shared.state is DiagnosisState.OK


def test_few_open_files_are_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))

    *_, files = memory(subject(tmp_path))

    assert files.state is DiagnosisState.WARNING
    assert files.mend == "ulimit -n 4096"


def test_absent_packs_are_one_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "data"))

    folder, packs = data_packs(subject(tmp_path))

    assert folder.state is DiagnosisState.OK
    assert packs.state is DiagnosisState.NOTE
    assert all(name in packs.found for name in pack_names())
    assert "houseguest data fetch" in packs.mend


def test_a_damaged_pack_is_a_problem_and_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    pack = definition("asgard")
    path = PackFolder(pack).path / next(iter(pack.files))
    path.parent.mkdir(parents=True)
    path.write_text("something else")

    _, damaged, rest = data_packs(subject(tmp_path))

    assert (damaged.name, damaged.state) == ("data asgard", DiagnosisState.PROBLEM)
    assert "houseguest data verify asgard" in damaged.mend
    assert "asgard," not in rest.found.replace("asgard-recorded,", "")


def test_a_folder_of_packs_that_is_read_only_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    monkeypatch.setattr("env_service.doctor.data.os.access", lambda *_: False)
    (tmp_path / "asgard").mkdir()

    folder, *_ = data_packs(subject(tmp_path))

    assert (folder.name, folder.state) == ("folder for data", DiagnosisState.NOTE)
    assert "read-only" in folder.found


def test_a_home_that_there_is_not_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", "~no-such-user/data")

    (found,) = data_packs(DoctorRequest(Path()))

    assert found.state is DiagnosisState.WARNING
    assert "no such home" in found.found


def test_a_limit_that_cannot_be_raised_is_not_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 100))

    files = next(found for found in memory(DoctorRequest(Path())) if found.name == "open files")

    assert files.state is DiagnosisState.WARNING
    assert "ulimit" not in files.mend
