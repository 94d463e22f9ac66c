"""What `houseguest verify` finds is kept in the index, until the run changes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from env_service.cli.main import run as houseguest
from env_service.index.annotations import annotations_of
from env_service.index.migrations.upgrade import upgrade
from env_service.index.run_queries import RunFilter, RunRow, Verified
from env_service.index.store import FILE, Index
from env_service.index.verifications import verified_after
from env_service.storage.signing_key import SigningKey
from tests.support.indexed import differences, new_index
from tests.support.played_run import LAB, play_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A played run, beside an index of its folder."""
    (tmp_path / "runs").mkdir()
    path, _ = play_run(tmp_path / "runs", SigningKey.generate())
    new_index(path.parent, path.parent / FILE).close()
    return path


def verify(run: Path, *more: str) -> int:
    return houseguest(["verify", str(run), "--suite", LAB, *more])


def indexed(run: Path, *, rebuild: bool = False) -> RunRow:
    """The run as the index has it now."""
    with Index.open(run.parent, rebuild=rebuild) as index:
        index.sync()
        with index.read() as read:
            (found,) = read.runs().rows
            assert read.runs(RunFilter(verified=[found.verified])).total == 1
            assert read.facets().verified == {found.verified: 1}
    return found


def test_a_verified_run_has_a_badge_until_it_changes(run: Path) -> None:
    assert indexed(run).verified == Verified.NEVER
    assert verify(run) == 0
    found = indexed(run)
    assert found.verified == Verified.PASSED
    assert found.verification is not None
    counts = (found.verification.episodes, found.verification.replayed, found.verification.problems)
    assert counts == (4, 4, 0)
    assert indexed(run, rebuild=True) == found
    moved = run.rename(run.with_name("renamed"))
    assert indexed(moved).verified == Verified.PASSED
    for name in ("manifest.json", "episodes.jsonl", "voids.jsonl", "uncounted.jsonl"):
        whole = (moved / name).read_bytes()
        (moved / name).write_bytes(whole + b"\n")
        assert indexed(moved).verified == Verified.CHANGED, name
        (moved / name).write_bytes(whole)
        assert indexed(moved).verified == Verified.PASSED, name
    (moved / "summary.json").unlink()
    assert indexed(moved).verified == Verified.CHANGED


def test_a_run_with_problems_is_no_verified_one(run: Path) -> None:
    summary = json.loads((run / "summary.json").read_bytes())
    (run / "summary.json").write_text(json.dumps(summary | {"kind": "other"}))
    assert verify(run) == 1
    found = indexed(run)
    assert found.verified == Verified.FAILED
    assert found.verification is not None
    assert found.verification.problems > 0


def test_a_weaker_verification_does_not_replace_a_stricter_one(run: Path) -> None:
    assert verify(run, "--no-replay") == 0
    first = indexed(run).verification
    assert first is not None
    assert first.replayed == 0
    assert verify(run) == 0
    assert verify(run, "--no-replay") == 0
    last = indexed(run).verification
    assert last is not None
    assert last.replayed == 4


def test_one_episode_is_not_the_run(run: Path) -> None:
    assert verify(run, "--episode", "ep-lab-0-0") == 0
    assert indexed(run).verified == Verified.NEVER


def test_newer_verifications_are_found(run: Path) -> None:
    indexed(run)
    with Index.open(run.parent) as index:
        assert verified_after(index, 0) == (0, ())
        verify(run, "--no-replay")
        newest, paths = verified_after(index, 0)
        assert paths == (run.name,)
        assert verified_after(index, newest) == (newest, ())


def test_an_index_that_cannot_be_written_is_a_note(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("env_service.index.store._PATIENCE", 0.05)
    other = sqlite3.connect(run.parent / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert verify(run, "--no-replay") == 0
    assert "note: the index does not keep this result: " in capsys.readouterr().err
    other.close()
    (run.parent / FILE).write_bytes(b"this is no database, and is long enough for its header" * 40)
    assert verify(run, "--no-replay") == 0
    assert "note: the index does not keep this result: " in capsys.readouterr().err


def test_without_an_index_none_is_made_unless_it_is_asked_for(run: Path, tmp_path: Path) -> None:
    (run.parent / FILE).unlink()
    assert verify(run, "--no-replay") == 0
    assert not (run.parent / FILE).exists()
    place = tmp_path / "elsewhere.sqlite3"
    assert verify(run, "--no-replay", "--index", str(place)) == 0
    with Index.open(run.parent, str(place)) as index:
        index.sync()
        with index.read() as read:
            assert read.runs().rows[0].verified == Verified.PASSED


def test_an_older_index_keeps_its_annotations_and_reads_its_runs_again(run: Path) -> None:
    (run.parent / FILE).unlink()
    older = create_engine(f"sqlite:///{run.parent / FILE}")
    with older.begin() as connection:
        upgrade(connection, "r0002")
        connection.execute(
            text(
                "INSERT INTO annotations (root, path, episode_id, tag, comment, created)"
                f" VALUES ('', '{run.name}', 'ep-lab-0-0', 'odd', '', '2026-01-01')"
            )
        )
    older.dispose()
    assert indexed(run).verified == Verified.NEVER
    with Index.open(run.parent) as index, index.write() as connection:
        assert [each.tag for each in annotations_of(index)] == ["odd"]
        assert differences(connection) == []
    assert verify(run) == 0
    assert indexed(run).verified == Verified.PASSED
