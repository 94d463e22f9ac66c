"""A run's folder when processes die, files are torn, and two want to write it."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.results.manifest import read_manifest
from env_service.results.run_folder import RunFolder, RunFolderBusyError, RunFolderMismatchError
from env_service.results.run_reader import read_run
from env_service.results.verification import verify
from env_service.storage.signed_journal import CorruptFileError
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LAB, LOSING, WINNING, Player, episode_name, lab_manifest

ROOT = Path(__file__).resolve().parents[2]

ENDLESS = """
import sys
from pathlib import Path
from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import WINNING, Player, lab_manifest

root = Path(sys.argv[1])
key = SigningKey.load_or_create(root / "key.pem")
folder = RunFolder.open(root / "runs", lab_manifest(tasks=50), key)
player = Player(folder)
for task_id in folder.manifest.task_ids:
    player.play(task_id, 0, WINNING)
    print(task_id, flush=True)
"""


@contextmanager
def opened(root: Path, key: SigningKey, *, tasks: int = 4) -> Iterator[RunFolder]:
    folder = RunFolder.open(root, lab_manifest(tasks=tasks), key)
    try:
        yield folder
    finally:
        folder.close()


@pytest.fixture
def key() -> SigningKey:
    return SigningKey.generate()


def test_the_same_run_is_taken_up_where_it_was_left(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        first = Player(folder).play("lab/0", 0, WINNING)
        Player(folder).void("lab/1")
    later = replace(lab_manifest(), run_id="run-2", created="2026-01-01T00:00:00+00:00")
    folder = RunFolder.open(tmp_path, later, key)

    assert folder.finished() == (first,)
    assert [void.task_id for void in folder.voids()] == ["lab/1"]
    assert folder.manifest.run_id == "run-1"
    folder.close()
    assert [path.name for path in tmp_path.iterdir()] == [lab_manifest().folder_name()]


def test_a_summary_goes_when_it_no_longer_holds(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        folder.write_summary()
        Player(folder).play("lab/0", 0, WINNING)

    assert not (folder.path / "summary.json").exists()
    assert verify(folder.path, suite=LAB).problems == ()


def test_an_episode_that_was_begun_and_left_is_noted(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        Player(folder).play("lab/0", 0, WINNING)
    transcripts = folder.path / "transcripts"
    shutil.copy(transcripts / "ep-lab-0-0.jsonl", transcripts / "ep-first-try.jsonl")

    notes = verify(folder.path, replay=False).notes

    assert any("was killed: 1 " in note for note in notes)


def test_another_seed_is_another_run(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        Player(folder).play("lab/0", 0, WINNING)
    other = RunFolder.open(tmp_path, replace(lab_manifest(), seed=8), key)

    assert other.finished() == ()
    other.close()


def test_a_fresh_run_stands_beside_the_old_one_and_is_the_one_taken_up(
    tmp_path: Path, key: SigningKey
) -> None:
    name = lab_manifest().folder_name()
    folders = [RunFolder.open(tmp_path, lab_manifest(), key, fresh=True) for _ in range(3)]

    assert [folder.path.name for folder in folders] == [name, f"{name}-2", f"{name}-3"]
    for folder in folders:
        folder.close()
    with opened(tmp_path, key) as again:
        assert again.path.name == f"{name}-3"


@pytest.mark.parametrize("cut", [1, 2, 40, 300])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, key: SigningKey, cut: int) -> None:
    with opened(tmp_path, key) as folder:
        for task_id in ("lab/0", "lab/1"):
            Player(folder).play(task_id, 0, WINNING)
        path = folder.path / "episodes.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    (folder.path / "transcripts" / "ep-lab-1-0.jsonl").rename(tmp_path / "aside")

    with opened(tmp_path, key) as folder:
        kept = [record.task_id for record in folder.finished()]
        # Without its line end alone, a line is whole.
        assert kept == (["lab/0", "lab/1"] if cut == 1 else ["lab/0"])
        if cut > 1:
            Player(folder).play("lab/1", 0, WINNING)
    assert [line.count(b'"episode_id"') for line in path.read_bytes().splitlines()] == [1, 1]


def test_a_damaged_line_further_up_is_named_and_nothing_is_touched(
    tmp_path: Path, key: SigningKey
) -> None:
    with opened(tmp_path, key) as folder:
        for task_id in ("lab/0", "lab/1", "lab/2"):
            Player(folder).play(task_id, 0, WINNING)
        path = folder.path / "episodes.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:50] + b"\n"
    path.write_bytes(b"".join(lines))

    with pytest.raises(CorruptFileError, match=r"episodes\.jsonl, line 2: not a JSON object"):
        RunFolder.open(tmp_path, lab_manifest(), key)
    assert path.read_bytes() == b"".join(lines)


def test_a_line_of_another_shape_is_named(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        Player(folder).void("lab/0")
        path = folder.path / "voids.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"attempt":1', b'"attempt":-1'))

    with pytest.raises(CorruptFileError, match=r"voids.jsonl, line 1: void: attempt: is -1; it"):
        RunFolder.open(tmp_path, lab_manifest(), key)


def test_a_second_writer_is_told_who_holds_the_folder(tmp_path: Path, key: SigningKey) -> None:
    with (
        opened(tmp_path, key) as folder,
        pytest.raises(RunFolderBusyError, match=f"process {os.getpid()}") as caught,
    ):
        RunFolder.open(tmp_path, lab_manifest(), key)
    assert caught.value.path == folder.path
    with opened(tmp_path, key):
        pass


def test_a_process_that_is_being_started_does_not_keep_a_closed_folder(
    tmp_path: Path, key: SigningKey
) -> None:
    """Between fork(2) and execve(2) a child has the lock's file, too. So has a duplicate."""
    with opened(tmp_path, key) as folder:
        lock = next(
            int(each.name)
            for each in Path("/proc/self/fd").iterdir()
            if os.path.realpath(each) == str(folder.path / ".lock")
        )
        copy = os.dup(lock)
    try:
        with opened(tmp_path, key) as again:
            assert again.path == folder.path
    finally:
        os.close(copy)


def test_a_run_is_not_mixed_from_two_keys_or_two_worlds(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key):
        pass

    with pytest.raises(RunFolderMismatchError, match="signed with the key"):
        RunFolder.open(tmp_path, lab_manifest(), SigningKey.generate())
    newer = replace(lab_manifest(), packages={"numpy": "9.9"})
    with pytest.raises(RunFolderMismatchError, match=r"numpy 0\.0 → 9\.9"):
        RunFolder.open(tmp_path, newer, key)


def test_other_hardware_is_noted(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key):
        pass
    elsewhere = replace(lab_manifest(), hardware={"cpu": "better"})
    for _ in range(2):
        folder = RunFolder.open(tmp_path, elsewhere, key)
        folder.close()

    assert [host["hardware"] for host in read_manifest(folder.path).resumed] == [{"cpu": "better"}]


def test_what_cannot_count_is_refused(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        record = Player(folder).play("lab/0", 0, LOSING)

        with pytest.raises(ValueError, match="already counted"):
            folder.record(record)
        with pytest.raises(ValueError, match="not part of this run"):
            folder.record(replace(record, task_id="lab/49"))
        with pytest.raises(ValueError, match="no transcript"):
            folder.record(replace(record, episode_id="ep-none", task_id="lab/1"))
        with pytest.raises(ValueError, match="cannot be an episode's id"):
            folder.record(replace(record, episode_id="../../evil", task_id="lab/1"))
        assert folder.finished() == (record,)


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file of this process can grow beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, key: SigningKey) -> None:
    with opened(tmp_path, key) as folder:
        player = Player(folder)
        player.play("lab/0", 0, WINNING)
        player.void("lab/1")
        path = folder.path / "voids.jsonl"
        before = path.read_bytes()

        with full_disk(len(before) + 20), pytest.raises(OSError, match="too large"):
            folder.record_void(folder.voids()[0])

        assert path.read_bytes() == before
        player.play("lab/1", 0, WINNING)
        folder.record_void(folder.voids()[0])
    with opened(tmp_path, key) as folder:
        assert len(folder.voids()) == 2


def test_finished_episodes_survive_a_killed_process(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(3)]
    os.kill(process.pid, signal.SIGKILL)
    told += process.stdout.read().split()
    process.wait()
    process.stdout.close()

    key = SigningKey.load_or_create(tmp_path / "key.pem")
    with opened(tmp_path / "runs", key, tasks=50) as folder:
        kept = [record.task_id for record in folder.finished()]
        assert told == kept[: len(told)]
        left = [task for task in folder.manifest.task_ids if task not in kept]
        for orphan in left:
            # What was begun is kept as it is: no two attempts share an id.
            Player(folder).play(orphan, 0, LOSING, name=f"again-{episode_name(orphan, 0)}")
        folder.write_summary()

    report = verify(folder.path, suite=LAB, public_key=key.public_hex)
    assert report.problems == ()
    assert (report.episodes, report.replayed) == (50, 50)
    assert read_run(folder.path).summary.overall.successes == len(kept)


def test_a_run_is_not_mixed_from_two_builds_of_a_world(tmp_path: Path, key: SigningKey) -> None:
    facts = {"platform": "Linux64", "commit": "f0825767", "driver": "535"}
    manifest = replace(lab_manifest(), world="ai2thor", world_facts=facts)
    RunFolder.open(tmp_path, manifest, key).close()

    elsewhere = replace(manifest, world_facts={**facts, "platform": "CloudRendering"})
    with pytest.raises(RunFolderMismatchError) as refused:
        RunFolder.open(tmp_path, elsewhere, key)
    told = str(refused.value)
    assert "another build of the world ai2thor: platform Linux64 → CloudRendering" in told
    assert "start a new run with `--fresh`" in told

    newer = replace(manifest, world_facts={**facts, "driver": "570"})
    folder = RunFolder.open(tmp_path, newer, key)
    folder.close()
    (noted,) = read_manifest(folder.path).resumed
    assert noted["world_facts"]["driver"] == "570"
