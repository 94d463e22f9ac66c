"""An index as tests compare it: every row of every table, without what numbers the rows."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, select

from env_service.index.schema import ANNOTATIONS, METADATA, RUNS, VERIFICATIONS
from env_service.index.store import Index
from tests.support.late import Late

autogenerate = Late("alembic.autogenerate")
migration = Late("alembic.migration")

Rows = dict[str, list[tuple[tuple[str, Any], ...]]]


def rows_of(index: Index) -> Rows:
    """The rows of a folder's runs, sorted; runs by their paths."""
    found: Rows = {}
    with index.write() as connection:
        paths = dict(
            tuple(row)
            for row in connection.execute(
                select(RUNS.c.id, RUNS.c.path).where(RUNS.c.root == index.root)
            )
        )
        for table in METADATA.sorted_tables:
            if table in (ANNOTATIONS, VERIFICATIONS):
                # No part of a run.
                continue
            rows = []
            for row in connection.execute(select(table)).mappings():
                values = dict(row)
                key = values.pop("id", None) or values.pop("run")
                for name in ("root", "revision"):
                    values.pop(name, None) if table is RUNS else None
                if key in paths:
                    rows.append((("run", paths[key]), *sorted(values.items())))
            found[table.name] = sorted(rows, key=repr)
    return found


def differences(connection: Connection) -> list[Any]:
    """Where a database's tables and columns differ from the schema."""
    found = migration.MigrationContext.configure(connection, opts={"compare_type": True})
    listed: list[Any] = autogenerate.compare_metadata(found, METADATA)
    return listed


@cache
def empty_database() -> bytes:
    """A SQLite file with the tables, which take a while to make."""
    with TemporaryDirectory() as place:
        Index.open(Path(place), f"{place}/index.sqlite3").close()
        return Path(place, "index.sqlite3").read_bytes()


def new_index(folder: Path, file: Path) -> Index:
    """An empty index of a folder, in a file that does not exist yet."""
    file.write_bytes(empty_database())
    return Index.open(folder, str(file))


def built_now(folder: Path) -> Rows:
    """The rows of an index of the folder that is built now."""
    with TemporaryDirectory() as place, new_index(folder, Path(place, "index.sqlite3")) as index:
        index.sync()
        return rows_of(index)


def assert_current(index: Index) -> None:
    """The index has exactly the rows of one that is built now."""
    index.sync()
    ours, built = rows_of(index), built_now(index.folder)
    for table, rows in built.items():
        assert ours[table] == rows, table
