"""The index of a folder of runs: where its database is, its connections, its migrations."""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from env_service.index.episode_queries import EpisodeQueries
from env_service.index.leaderboards import LeaderboardQueries
from env_service.index.schema import REVISION, RUNS
from env_service.index.sync import SyncReport, synchronize
from env_service.results.run_layout import INDEX_FILE

FILE = INDEX_FILE
"""The index's file in a folder of runs, where no other place is given."""

_PATIENCE = 30.0
"""Seconds that a connection waits for another process that writes."""
_MIGRATION_LOCK = 0x686F757365
"""PostgreSQL's advisory lock of those that migrate."""
_WRITES = "houseguest_writes"
"""The execution option of connections that write."""


class IndexUnavailableError(Exception):
    """The database of an index cannot be used. The message says why, and how to mend it."""


class IndexReader(EpisodeQueries, LeaderboardQueries):
    """Questions to one folder's index, in one transaction. Get it from ``Index.read``."""


class Index:
    """The index of one folder of runs.

    The database may hold several folders' indexes; ``root`` says which rows are this one's: empty
    if the database is a file in the folder itself, which may then be moved with it, and the
    folder's absolute path otherwise. May be used by several threads; each call takes its own
    connection.
    """

    def __init__(self, engine: Engine, folder: Path, root: str) -> None:
        """Opens nothing; ``open`` makes one."""
        self.engine, self.folder, self.root = engine, folder, root

    @staticmethod
    def open(folder: Path, location: str = "", *, rebuild: bool = False) -> Index:
        """Opens the index of a folder of runs, made or migrated if need be.

        ``location`` is the path of a SQLite file or the URL of a database, by default FILE in the
        folder. ``rebuild`` forgets what the index holds of this folder's runs, and replaces FILE,
        with its annotations, where it is damaged. Raises IndexUnavailableError.
        """
        own = folder / FILE
        url = _url(location) if location else URL.create("sqlite", database=str(own))
        if url.get_backend_name() == "sqlite":
            _check_place(Path(url.database or ""))
            is_own = Path(url.database or "").absolute() == own.absolute()
        else:
            is_own = False
        index = Index(_engine(url), folder, "" if is_own else str(folder.resolve()))
        try:
            index._prepare()
        except IndexUnavailableError:
            index.close()
            if not (rebuild and is_own):
                raise
            for suffix in ("", "-wal", "-shm"):
                Path(f"{own}{suffix}").unlink(missing_ok=True)
            index._prepare()
        if rebuild:
            with index.write() as connection:
                connection.execute(RUNS.delete().where(RUNS.c.root == index.root))
        return index

    @property
    def place(self) -> str:
        """The database in words: the path of a file, or a URL without its password."""
        return _shown(self.engine.url)

    def sync(
        self,
        progress: Callable[[int, int], None] | None = None,
        *,
        only: Collection[str] | None = None,
    ) -> SyncReport:
        """Reads what changed in the folder since the last time.

        ``progress`` is called with the number of runs that were looked at and of all. ``only``
        names the runs to look at; without it, all of them and those that vanished. May be
        stopped at any time, also by SIGKILL: the next call continues from there. Raises OSError if
        the folder cannot be listed, and IndexUnavailableError.
        """
        return synchronize(self.reading, self.write, self.folder, self.root, progress, only=only)

    @contextmanager
    def read(self) -> Iterator[IndexReader]:
        """A consistent view: what others write meanwhile is not seen."""
        with self.reading() as connection:
            yield IndexReader(connection, self.root)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads."""
        with _named_errors(self.engine), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may write: all of it or nothing."""
        with _named_errors(self.engine), self.engine.connect() as connection:
            writing = connection.execution_options(**{_WRITES: True})
            with writing.begin():
                yield writing

    def close(self) -> None:
        """Closes all connections. May be called twice, and the index used again after it."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        """Makes or migrates the tables, unless they are as they have to be."""
        with self.reading() as connection:
            if _revision(connection) == REVISION:
                return
        with self.write() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execute(
                    text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK}
                )
            found = _revision(connection)
            if found == REVISION:
                return
            # Importing Alembic takes longer than most reads.
            from env_service.index.migrations.upgrade import (  # noqa: PLC0415
                known_revisions,
                upgrade,
            )

            if found not in (None, *known_revisions()):
                raise IndexUnavailableError(
                    f"the index {_shown(self.engine.url)} was made by a newer houseguest (its"
                    f" revision is {found!r:.40}): install that, or give --index another place"
                )
            upgrade(connection)


def _url(location: str) -> URL:
    """Raises IndexUnavailableError for a database that is neither SQLite nor PostgreSQL."""
    if "://" not in location:
        return URL.create("sqlite", database=location)
    try:
        url = make_url(location)
    except ArgumentError as error:
        raise IndexUnavailableError(f"{location!r} is not a database's URL") from error
    backend = url.get_backend_name()
    if backend == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and url.database not in (None, "", ":memory:"):
        return url.set(drivername="sqlite")
    raise IndexUnavailableError(
        f"{_shown(url)} cannot hold an index: give the path of a SQLite file, or"
        " postgresql+psycopg://USER@HOST/DATABASE"
    )


def _check_place(path: Path) -> None:
    """Raises IndexUnavailableError for a link or anything else that is not a plain file: a folder
    of runs may come from somebody else, and SQLite would write to where the link leads."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise IndexUnavailableError(f"{path}: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise IndexUnavailableError(
            f"{path} is not a plain file: remove it, or give the index another place with --index"
        )


def _engine(url: URL) -> Engine:
    """Raises IndexUnavailableError if the driver is not installed."""
    try:
        if url.get_backend_name() == "sqlite":
            engine = create_engine(url, connect_args={"timeout": _PATIENCE})
            event.listen(engine, "connect", _connected)
            event.listen(engine, "begin", _begun)
            return engine
        return create_engine(url, pool_pre_ping=True)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise IndexUnavailableError(
            "an index in PostgreSQL needs psycopg: pip install 'houseguest[postgres]'"
        ) from error


def _connected(connection: sqlite3.Connection, _record: Any) -> None:
    # Transactions begin where we say so, not where Python's module thinks that they should.
    connection.isolation_level = None
    for pragma in ("trusted_schema=OFF", "foreign_keys=ON", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}")
    deadline = time.monotonic() + _PATIENCE
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchone()
            return
        except sqlite3.OperationalError:
            # SQLite does not wait where two processes change the mode of a new file.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _begun(connection: Connection) -> None:
    # One that reads first and then writes cannot wait for another one that did the same.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


@contextmanager
def _named_errors(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        words = str(error.orig).strip().splitlines() or [type(error).__name__]
        raise IndexUnavailableError(
            f"the index {_shown(engine.url)} cannot be used: {words[0]}{_mend(engine, words[0])}"
        ) from error


def _mend(engine: Engine, problem: str) -> str:
    if engine.dialect.name != "sqlite":
        return ""
    if "locked" in problem:
        return f". Another process has been writing to it for {_PATIENCE:.0f} s: try again"
    if "readonly" in problem or "unable to open" in problem:
        return ". Give it another place with --index"
    return ". Build it again with --rebuild; your runs are not touched"


def _shown(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    return url.render_as_string(hide_password=True)
