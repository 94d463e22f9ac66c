"""Where an index is, how it is opened and migrated, and what is said where that fails."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from env_service.cli.main import run
from env_service.index.migrations.upgrade import known_revisions
from env_service.index.schema import METADATA, REVISION
from env_service.index.store import FILE, Index, IndexUnavailableError
from tests.support.indexed import differences, new_index, rows_of
from tests.support.made_run import made_text, write_run


def test_the_migrations_make_the_tables_of_the_schema(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index, index.write() as connection:
        assert known_revisions()[0] == REVISION
        assert differences(connection) == []
        made = dict(
            tuple(row)
            for row in connection.execute(
                text("SELECT name, sql FROM sqlite_master WHERE sql > ''")
            )
        )
    numbered = ("runs", "annotations", "verifications")
    # The comparison leaves out the order of a key's columns, and SQLite's own options.
    for table in METADATA.tables:
        options = "AUTOINCREMENT" if table in numbered else "WITHOUT ROWID"
        assert options in made[table], table
        names = ", ".join(column.name for column in METADATA.tables[table].primary_key)
        assert f"PRIMARY KEY ({names})" in made[table] or "AUTOINCREMENT" in made[table]


def test_an_index_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index, index.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'r9999'"))
    with pytest.raises(IndexUnavailableError, match="newer houseguest"):
        Index.open(tmp_path)


def test_a_damaged_index_is_rebuilt_in_its_own_place_alone(tmp_path: Path) -> None:
    write_run(tmp_path, made_text("run", tasks=2))
    (tmp_path / FILE).write_bytes(b"this is no database, and is long enough for its header" * 40)
    with pytest.raises(IndexUnavailableError, match="--rebuild"):
        Index.open(tmp_path)
    with Index.open(tmp_path, rebuild=True) as index:
        assert index.sync().new == ("run",)
    notes = tmp_path / "notes.txt"
    notes.write_text("do not delete me " * 200)
    with pytest.raises(IndexUnavailableError):
        Index.open(tmp_path, str(notes), rebuild=True)
    assert notes.read_text().startswith("do not")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_an_index_that_is_no_plain_file_is_refused(tmp_path: Path, kind: str) -> None:
    place = tmp_path / FILE
    if kind == "link":
        place.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(IndexUnavailableError, match="not a plain file"):
        Index.open(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("mysql://me:secret@host/db", r"mysql://me:\*\*\*@host/db cannot hold an index"),
        ("sqlite://", "cannot hold an index"),
        ("no-such-scheme://x", "not a database's URL"),
        ("://", "not a database's URL"),
        ("no/such/folder/index.sqlite3", "unable to open database file. Give it another place"),
    ],
)
def test_a_place_that_cannot_be_is_named(tmp_path: Path, location: str, said: str) -> None:
    with pytest.raises(IndexUnavailableError, match=said):
        Index.open(tmp_path, location)


def test_several_folders_share_a_database(tmp_path: Path) -> None:
    indexes = []
    for name in ("one", "two"):
        write_run(tmp_path / name, made_text("run", tasks=2))
        index = Index.open(tmp_path / name, f"sqlite:///{tmp_path}/shared.sqlite3")
        assert index.sync().new == ("run",)
        indexes.append(index)
    assert not any(index.sync() for index in indexes)
    with Index.open(tmp_path / "one", str(tmp_path / "shared.sqlite3"), rebuild=True) as one:
        assert rows_of(one)["runs"] == []
    assert len(rows_of(indexes[1])["runs"]) == 1


def test_the_reader_sees_one_state(tmp_path: Path) -> None:
    write_run(tmp_path, made_text("first", tasks=2))
    with new_index(tmp_path, tmp_path / FILE) as index:
        index.sync()
        with index.read() as read:
            assert read.runs().total == 1
            write_run(tmp_path, made_text("second", tasks=2))
            assert index.sync().new == ("second",)
            assert read.runs().total == 1
        with index.read() as read:
            assert read.runs().total == 2


def test_a_writer_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("env_service.index.store._PATIENCE", 0.05)
    write_run(tmp_path, made_text("run", tasks=2))
    with new_index(tmp_path, tmp_path / FILE) as index:
        other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexUnavailableError, match="Another process has been writing"):
            index.sync()
        other.close()
        assert index.sync().new == ("run",)


def test_the_command_line_starts_without_sqlalchemy() -> None:
    program = "import sys, env_service.cli.main; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("env_service.cli.index.find_spec", lambda name: None)
    assert run(["index", str(tmp_path)]) == 1
    assert "pip install 'houseguest[view]'" in capsys.readouterr().err
