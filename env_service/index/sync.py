"""Reads into the index what changed in a folder of runs.

A run whose files have the size, time and inode of the last time is not opened. Of a journal that
grew, the new lines are read, and the transcripts of the new episodes. A run is read anew where a
journal was replaced, shortened or changed before the place that was read. Whatever order things
happened in, the rows are those of an index that is built now.

Of a journal's beginning, the last CHECKED bytes are compared, and a transcript is not looked at
again once it was read; `houseguest verify` finds every change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from env_service.domain.text import counted
from env_service.domain.usage import MOST, Usage
from env_service.index import schema
from env_service.index.rows import (
    MOST_LINE,
    NO_MANIFEST,
    EpisodeSteps,
    Row,
    cut,
    episode_row,
    goal_rows,
    label_rows,
    manifest_row,
    metric_rows,
    read_steps,
    read_usage,
    uncounted_row,
    usage_row,
    void_row,
)
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.run_layout import (
    EPISODES,
    LOCK,
    MANIFEST,
    MOST_MANIFEST,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.statistics import rate_interval
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import open_plain, read_plain
from env_service.storage.signed_journal import MOST_JOURNAL

R = TypeVar("R")
Connect = Callable[[], AbstractContextManager[Connection]]

CHECKED = 2**20
"""Bytes before the place to which a journal was read that have to be the same the next time."""
_FILES = (MANIFEST, EPISODES, VOIDS, UNCOUNTED)
_JOURNALS = (EPISODES, VOIDS, UNCOUNTED)
_CHUNK_LINES = 1000
"""Lines of a journal that are written in one transaction."""
_CHUNK_STEPS = 30_000
"""Steps of episodes, with which a transaction ends sooner."""
_WATCHED = 100
"""Transcripts of a run that could not be read and are looked at again."""
_TRIES = 20
"""How often a run is read when other processes keep changing its rows."""
_LINK = "this is a link, and links are not followed: put the folder itself in its place"


class RunStatus(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """A process of this machine holds its folder."""
    COMPLETE = "complete"
    """Every planned episode was scored."""
    STOPPED = "stopped"
    """Something is unplayed or unscored, and nothing plays it."""
    UNREADABLE = "unreadable"
    """A file of it cannot be read; the index has what could be read."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found: names of runs, and counts.

    ``runs`` counts all that are in the folder now. ``new``, ``changed`` and ``vanished`` name
    those whose rows changed. ``episodes`` and ``steps`` count those that were read. ``problems``
    has each run that cannot be read, changed or not, with the reason; ``notes`` each that has
    episodes without all of their steps.
    """

    runs: int
    new: tuple[str, ...]
    changed: tuple[str, ...]
    vanished: tuple[str, ...]
    episodes: int
    steps: int
    problems: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        """Whether anything in the index changed."""
        return bool(self.new or self.changed or self.vanished)

    def to_json(self) -> dict[str, Any]:
        """As `houseguest index --json` prints it."""
        pairs = {
            name: [{"run": run, "problem": problem} for run, problem in getattr(self, name)]
            for name in ("problems", "notes")
        }
        return asdict(self) | pairs


class FileState(NamedTuple):
    """A row of ``files``."""

    size: int = -1
    mtime_ns: int = 0
    inode: int = 0
    offset: int = 0
    lines: int = 0
    head: str = ""
    problem: str = ""

    @property
    def stat(self) -> tuple[int, int, int]:
        """The numbers that show whether the file changed."""
        return self[:3]


@dataclass(frozen=True, slots=True)
class _Known:
    """What the index holds about a run; ``key`` is its id and revision."""

    key: tuple[int, int]
    run_id: str
    status: str
    problem: str
    files: Mapping[str, FileState]


class _ReplacedError(Exception):
    """A file is not the one that was read before, with more at its end."""


class _RacedError(Exception):
    """Another process has written the run's rows since they were read."""


def synchronize(  # noqa: PLR0913 - the parts of an index, and what to look at
    read: Connect,
    write: Connect,
    folder: Path,
    root: str,
    progress: Callable[[int, int], None] | None = None,
    *,
    only: Collection[str] | None = None,
) -> SyncReport:
    """Reads what changed; see ``Index.sync``. ``read`` and ``write`` begin a transaction each."""
    present, problems = _list_runs(folder)
    if only is not None:
        present = {name: linked for name, linked in present.items() if name in only}
    with read() as connection:
        known = _read_known(connection, root)
    done = _Sync(read, write, folder, root)
    for number, (name, linked) in enumerate(sorted(present.items()), 1):
        done.look(name, known.get(name), linked=linked)
        if progress is not None:
            progress(number, len(present))
    vanished = set(known) - set(present) if only is None else set(known) & set(only) - set(present)
    for name in sorted(vanished):
        done.forget(name, known[name].key)
    with read() as connection:
        problems += _unreadable(connection, root)
        notes = _incomplete(connection, root)
    return SyncReport(
        runs=len(present),
        new=tuple(done.new),
        changed=tuple(done.changed),
        vanished=tuple(done.vanished),
        episodes=done.episodes,
        steps=done.steps,
        problems=tuple(problems),
        notes=tuple(notes),
    )


def _list_runs(folder: Path) -> tuple[dict[str, bool], list[tuple[str, str]]]:
    """The folders of runs, by name, with whether each is a link; and those of unusable names."""
    found, problems = {}, []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir() or not os.path.lexists(f"{folder}/{entry.name}/{MANIFEST}"):
                continue
            name = cut(entry.name)
            if name == entry.name:
                found[name] = entry.is_symlink()
            else:
                problems.append((name, "the folder's name is not UTF-8: rename it"))
    return found, problems


def _read_known(connection: Connection, root: str, name: str | None = None) -> dict[str, _Known]:
    runs, files = schema.RUNS, schema.FILES
    chosen = runs.c.root == root if name is None else (runs.c.root == root) & (runs.c.path == name)
    states: dict[int, dict[str, FileState]] = {}
    columns = [files.c[each] for each in FileState._fields]
    wanted = select(files.c.run, files.c.name, *columns).join(runs, runs.c.id == files.c.run)
    for run, file, *state in connection.execute(wanted.where(chosen)).all():
        states.setdefault(run, {})[file] = FileState(*state)
    columns_of_run = (
        *(runs.c.path, runs.c.id, runs.c.revision),
        *(runs.c.run_id, runs.c.status, runs.c.problem),
    )
    return {
        path: _Known((key, revision), run_id, status, problem, states.get(key, {}))
        for path, key, revision, run_id, status, problem in connection.execute(
            select(*columns_of_run).where(chosen)
        ).all()
    }


def _unreadable(connection: Connection, root: str) -> list[tuple[str, str]]:
    runs = schema.RUNS
    wanted = select(runs.c.path, runs.c.problem).where(runs.c.root == root, runs.c.problem != "")
    return [(path, problem) for path, problem in connection.execute(wanted.order_by(runs.c.path))]


def _incomplete(connection: Connection, root: str) -> list[tuple[str, str]]:
    """The runs with transcripts that cannot be read, each with a sentence about the first."""
    runs, episodes = schema.RUNS, schema.EPISODES
    here = (runs.c.root == root) & (runs.c.without_steps > 0)
    first = (
        select(episodes.c.run, func.min(episodes.c.seq).label("seq"))
        .join(runs, runs.c.id == episodes.c.run)
        .where(here, episodes.c.steps_problem != "")
        .group_by(episodes.c.run)
        .subquery()
    )
    wanted = (
        select(
            *(runs.c.path, runs.c.without_steps),
            *(episodes.c.episode_id, episodes.c.steps_problem),
        )
        .join(first, first.c.run == runs.c.id)
        .join(episodes, (episodes.c.run == first.c.run) & (episodes.c.seq == first.c.seq))
        .order_by(runs.c.path)
    )
    return [
        (path, f"{counted(count, 'episode')} without all steps; {episode}: {problem}")
        for path, count, episode, problem in connection.execute(wanted)
    ]


# --- Whether a process plays a run


def _locks() -> frozenset[tuple[str, str, int]]:
    """(process, device, inode) of each file that a process has locked with flock(2).

    The kernel's list is read, because trying the lock could keep the run from taking it.
    """
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = set()
    for line in lines:
        words = line.split()
        if len(words) >= 6 and words[1] == "FLOCK":
            major, minor, inode = words[5].split(":")
            found.add((words[4], f"{major}:{minor}", int(inode)))
    return frozenset(found)


def _is_held(folder: Path, root: Path, locks: frozenset[tuple[str, str, int]]) -> bool:
    """Whether the run's lock is held. A container's file system may give it another device; then
    the number of the process that the file names decides."""
    try:
        found = os.lstat(f"{folder}/{LOCK}")
        same = [each for each in locks if each[2] == found.st_ino]
        if not same:
            return False
        device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
        holder = read_plain(folder / LOCK, 64, within=root).decode(errors="replace").strip()
    except OSError:
        return False
    return any(each[1] == device or each[0] == holder for each in same)


# --- One run


@dataclass(slots=True)
class _Found:
    """What was read of a run and is not written yet. ``anew``: all rows of before go.

    ``episodes`` has a row of ``episodes`` each with its rows of the other tables; ``more`` says
    that there is more to read.
    """

    anew: bool
    status: str
    manifest: Row | None = None
    files: dict[str, FileState] = field(default_factory=dict)
    episodes: list[tuple[Row, dict[str, list[Row]]]] = field(default_factory=list)
    voids: list[Row] = field(default_factory=list)
    uncounted: list[Row] = field(default_factory=list)
    problem: str = ""
    more: bool = False


class _Sync:
    """The work of one sync, with what it came to."""

    def __init__(self, read: Connect, write: Connect, folder: Path, root: str) -> None:
        self._read, self._write, self._folder, self._root = read, write, folder, root
        self._locks = _locks()
        self.new: list[str] = []
        self.changed: list[str] = []
        self.vanished: list[str] = []
        self.episodes = self.steps = 0

    def look(self, name: str, known: _Known | None, *, linked: bool) -> None:
        """Brings the rows of one run up to date."""
        if known is not None and not self._changed(name, known, linked=linked):
            return
        first, tries = known, 0
        while True:
            try:
                found = self._find(name, known, linked=linked)
                if found is None:
                    if known is not None:
                        self.forget(name, known.key)
                    return
                known = self._store(name, known, found)
            except _RacedError:
                tries += 1
                if tries >= _TRIES:
                    # The others keep the run up to date.
                    return
                with self._read() as connection:
                    known = _read_known(connection, self._root, name).get(name)
                continue
            if not found.more:
                break
        (self.new if first is None else self.changed).append(name)

    def forget(self, name: str, key: tuple[int, int]) -> None:
        """Deletes the rows of a run that is not in the folder any more."""
        runs = schema.RUNS
        gone = delete(runs).where(runs.c.id == key[0], runs.c.revision == key[1])
        with self._write() as connection:
            if connection.execute(gone).rowcount:
                self.vanished.append(name)

    def _changed(self, name: str, known: _Known, *, linked: bool) -> bool:
        if linked:
            return known.problem != _LINK
        if not known.files:
            return True
        # Of thousands of files: paths as objects would take longer than the kernel's answer.
        place = f"{self._folder}/{name}"
        if any(_stat(f"{place}/{file}") != state.stat for file, state in known.files.items()):
            return True
        if known.status == RunStatus.UNREADABLE:
            return False
        folder = self._folder / name
        held = _is_held(folder, self._folder, self._locks)
        return held != (known.status == RunStatus.RUNNING)

    def _find(self, name: str, known: _Known | None, *, linked: bool) -> _Found | None:
        """Reads what the index lacks of a run, or its next chunk; None if the run has vanished."""
        unreadable = RunStatus.UNREADABLE.value
        if linked:
            return _Found(anew=True, status=unreadable, manifest=NO_MANIFEST, problem=_LINK)
        folder = self._folder / name
        held = _is_held(folder, self._folder, self._locks)
        status = (RunStatus.RUNNING if held else RunStatus.STOPPED).value
        before = _stat(folder / MANIFEST)
        if known is not None and _watched_changed(folder, known.files):
            known = None
        same = known is not None and known.files.get(MANIFEST) == FileState(*before)
        try:
            if known is not None and same:
                unread = _Found(anew=False, status=status)
                return self._journals(folder, known, unread, FileState(*before))
        except _ReplacedError:
            known = None
        try:
            data = read_plain(folder / MANIFEST, MOST_MANIFEST, within=self._folder)
            manifest = Manifest.from_json(parse(data))
            row = manifest_row(manifest)
        except (OSError, ValueError, RecursionError) as error:
            if not os.path.lexists(folder / MANIFEST):
                return None
            problem = cut(f"{MANIFEST}: {_words(error)}")
            files = {MANIFEST: FileState(*before, problem=problem)}
            return _Found(
                anew=True,
                status=unreadable,
                manifest=NO_MANIFEST,
                files=files,
                problem=problem,
            )
        try:
            if known is not None and known.run_id == manifest.run_id:
                found = _Found(anew=False, status=status, manifest=row)
                return self._journals(folder, known, found, FileState(*before))
        except _ReplacedError:
            pass
        found = _Found(anew=True, status=status, manifest=row)
        return self._journals(folder, None, found, FileState(*before))

    def _journals(
        self, folder: Path, known: _Known | None, found: _Found, manifest: FileState
    ) -> _Found:
        """Reads what was appended to the journals; all of them without ``known``. Raises
        _ReplacedError."""
        states = known.files if known else {}
        found.files[MANIFEST] = manifest
        found.files |= {name: s for name, s in states.items() if name not in _FILES}
        read: dict[str, Callable[[list[bytes], int], tuple[int, str]]] = {
            EPISODES: partial(self._take_episodes, folder, known, found),
            VOIDS: partial(_take_records, found.voids, VoidRecord.from_json, void_row),
            UNCOUNTED: partial(
                _take_records, found.uncounted, UncountedRecord.from_json, uncounted_row
            ),
        }
        for name in _JOURNALS:
            state = states.get(name, FileState())
            found.files[name], more = _read_journal(folder / name, self._folder, state, read[name])
            found.more |= more
        problems = (f"{name}, {p}" for name in _JOURNALS if (p := found.files[name].problem))
        found.problem = next(problems, "")
        if found.problem:
            found.status = RunStatus.UNREADABLE.value
        return found

    def _take_episodes(
        self, folder: Path, known: _Known | None, found: _Found, lines: list[bytes], seq: int
    ) -> tuple[int, str]:
        """As ``_take_records``, with each episode's transcript."""
        records: list[EpisodeRecord] = []
        rows: list[Row] = []
        problem = ""
        for taken, line in enumerate(lines):
            try:
                records.append(EpisodeRecord.from_json(parse(line)))
                rows.append({"seq": seq + taken, **episode_row(records[-1])})
            except ValueError as error:
                problem = _words(error)
                break
        scored = self._scored(known, {row["task_id"] for row in rows})
        steps = 0
        for taken, (record, row) in enumerate(zip(records, rows, strict=False)):
            played = (row["task_id"], row["repeat"])
            if row["fault"] is None and played in scored:
                again = f"repeat {played[1]} of task {played[0]!r} was scored further up"
                return taken, again
            if steps >= _CHUNK_STEPS:
                return taken, ""
            scored |= {played} if row["fault"] is None else set()
            try:
                below = {
                    "episode_labels": label_rows(record),
                    "episode_metrics": metric_rows(record),
                    "goal_conditions": goal_rows(record),
                }
            except ValueError as error:
                return taken, _words(error)
            said = self._read_transcript(folder, record, found)
            found.episodes.append(({**row, **said.columns()}, {**below, "steps": said.rows}))
            steps += len(said.rows)
        return len(rows), problem

    def _scored(self, known: _Known | None, tasks: set[str]) -> set[tuple[str, int]]:
        """The (task id, repeat) of these tasks that were scored further up in the journal."""
        if known is None or not known.files.get(EPISODES, FileState()).lines:
            return set()
        table, found = schema.EPISODES, set()
        with self._read() as connection:
            for few in _few(tasks):
                wanted = select(table.c.task_id, table.c.repeat).where(
                    table.c.run == known.key[0],
                    table.c.task_id.in_(few),
                    table.c.fault.is_(None),
                )
                found |= {(task, repeat) for task, repeat in connection.execute(wanted)}
        return found

    def _read_transcript(self, folder: Path, record: EpisodeRecord, found: _Found) -> EpisodeSteps:
        name = f"{TRANSCRIPTS}/{record.episode_id}.jsonl"
        before = _stat(folder / name)
        said = read_steps(folder / name, self._folder, record.transcript_head)
        if said.problem and len(found.files) < _WATCHED:
            found.files[name] = FileState(*before, problem=said.problem)
        return said

    def _store(self, name: str, known: _Known | None, found: _Found) -> _Known:
        """Writes what was found, in one transaction. Raises _RacedError."""
        with self._write() as connection:
            writer = _Writer(connection, self._root, name)
            stored = writer.store(known, found)
        self.episodes += len(found.episodes)
        self.steps += sum(len(below["steps"]) for _, below in found.episodes)
        return stored


def _stat(path: Path | str) -> tuple[int, int, int]:
    """Size, time of change and inode, without following a link; those of no file where none is."""
    try:
        return _stat_of(os.lstat(path))
    except OSError:
        return FileState().stat


def _stat_of(found: os.stat_result) -> tuple[int, int, int]:
    # Some file systems number files up to 2^64, and databases hold less.
    return found.st_size, found.st_mtime_ns, found.st_ino & MOST


def _few(names: Iterable[str]) -> Iterator[list[str]]:
    """The names in lists of 500: databases bound how many parameters a query has."""
    ordered = sorted(names)
    return (ordered[start : start + 500] for start in range(0, len(ordered), 500))


def _watched_changed(folder: Path, files: Mapping[str, FileState]) -> bool:
    return any(
        _stat(folder / name) != state.stat for name, state in files.items() if name not in _FILES
    )


def _words(error: Exception) -> str:
    """An error without the path of its file, which the message already names."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return " ".join(str(error).split())


# --- One journal


def _read_journal(
    path: Path,
    root: Path,
    state: FileState,
    take: Callable[[list[bytes], int], tuple[int, str]],
) -> tuple[FileState, bool]:
    """Reads the lines that were appended, or the first of them, and whether there are more.

    ``take`` gets lines and the number of the first, and returns how many of them it took and what
    is wrong with the next one. A last line without a line end is being written, and waits.
    Raises _ReplacedError.
    """
    before = _stat(path)
    if before == state.stat:
        return state, False
    try:
        file = open_plain(path, MOST_JOURNAL, within=root)
    except FileNotFoundError:
        if state.offset:
            raise _ReplacedError from None
        return FileState(), False
    except OSError as error:
        if state.offset:
            raise _ReplacedError from error
        return FileState(*before, problem=cut(_words(error))), False
    with file:
        size, mtime_ns, inode = _stat_of(os.fstat(file.fileno()))
        if state.offset and (inode != state.inode or _head(file, state) != state.head):
            raise _ReplacedError
        file.seek(state.offset)
        lines, problem, ended = _read_lines(file, size - state.offset)
        taken, wrong = take(lines, state.lines + 1)
        problem = wrong or (problem if taken == len(lines) else "")
        number = state.lines + taken
        offset = state.offset + sum(map(len, lines[:taken]))
        if problem:
            problem = cut(f"line {number + 1}: {problem}")
        more = not problem and (not ended or taken < len(lines))
        # A file that was not read to its end must not look unchanged the next time.
        stat = (offset, 0) if more else (size, mtime_ns)
        after = FileState(*stat, inode, offset, number, "", problem)
        return after._replace(head=_head(file, after)), more


def _read_lines(file: Any, most: int) -> tuple[list[bytes], str, bool]:
    """Whole lines from here on, what is wrong with the next one, and whether these are all."""
    lines: list[bytes] = []
    size = 0
    while size < most and len(lines) < _CHUNK_LINES:
        line = file.readline(min(most - size, MOST_LINE + 1))
        if not line.endswith(b"\n"):
            too_long = len(line) > MOST_LINE
            return lines, f"longer than {MOST_LINE} bytes" if too_long else "", True
        lines.append(line)
        size += len(line)
    return lines, "", size >= most


def _head(file: Any, state: FileState) -> str:
    """SHA-256 (hex) of the last CHECKED bytes before the offset."""
    start = max(0, state.offset - CHECKED)
    file.seek(start)
    return sha256(file.read(state.offset - start)).hexdigest() if state.offset else ""


def _take_records(
    rows: list[Row],
    read: Callable[[object], R],
    make: Callable[[R], Row],
    lines: list[bytes],
    seq: int,
) -> tuple[int, str]:
    """Adds a row for each line. Returns how many lines were taken, and what is wrong with the
    next one."""
    for taken, line in enumerate(lines):
        try:
            rows.append({"seq": seq + taken, **make(read(parse(line)))})
        except ValueError as error:
            return taken, _words(error)
    return len(lines), ""


# --- The rows of one run


class _Writer:
    """Writes the rows of one run in a transaction."""

    def __init__(self, connection: Connection, root: str, name: str) -> None:
        self._connection, self._root, self._name = connection, root, name

    def store(self, known: _Known | None, found: _Found) -> _Known:
        """Raises _RacedError if the rows are not those of ``known``."""
        runs = schema.RUNS
        wanted = select(runs).where(runs.c.root == self._root, runs.c.path == self._name)
        found_row = self._connection.execute(wanted.with_for_update()).mappings().one_or_none()
        row = None if found_row is None else dict(found_row)
        if (row and (row["id"], row["revision"])) != (known and known.key):
            raise _RacedError
        revision = (row["revision"] if row else 0) + 1
        total = _Totals.of(None if found.anew else row)
        if row is not None and found.anew:
            self._connection.execute(delete(runs).where(runs.c.id == row["id"]))
            row = None
        base = {"root": self._root, "path": self._name, "revision": revision}
        key = self._insert_run(base, found) if row is None else int(row["id"])
        self._insert_records(key, found)
        self._insert_episodes(key, found, total)
        self._replace_files(key, found.files)
        columns = total.columns() | self._counted(key, found)
        status = found.status
        decided = found.manifest or row or NO_MANIFEST
        planned = decided["planned"]
        if status == RunStatus.STOPPED and total.scored == planned:
            status = RunStatus.COMPLETE.value
        columns |= {"status": status, "problem": found.problem, "revision": revision}
        columns["changed_ns"] = max(
            (state.mtime_ns for name, state in found.files.items() if name in _FILES), default=0
        )
        columns |= found.manifest or {}
        self._connection.execute(update(runs).where(runs.c.id == key).values(columns))
        return _Known((key, revision), decided["run_id"], status, found.problem, found.files)

    def _insert_run(self, base: Row, found: _Found) -> int:
        columns = base | (found.manifest or NO_MANIFEST) | _Totals.of(None).columns() | _UNCOUNTED
        columns |= {"status": found.status, "problem": found.problem, "changed_ns": 0}
        try:
            done = self._connection.execute(insert(schema.RUNS).values(columns))
        except IntegrityError as error:
            raise _RacedError from error
        key = done.inserted_primary_key
        if key is None:
            raise AssertionError("unreachable: the database numbers the runs")
        return int(key[0])

    def _insert_records(self, key: int, found: _Found) -> None:
        self._insert("voids", key, found.voids)
        self._insert("uncounted", key, found.uncounted)

    def _insert_episodes(self, key: int, found: _Found, total: _Totals) -> None:
        rows = [row for row, _ in found.episodes]
        tasks = self._read_tasks(key, {row["task_id"] for row in rows})
        self._insert("episodes", key, rows)
        for table in ("episode_labels", "episode_metrics", "goal_conditions", "steps"):
            below = [
                {"episode": row["seq"], **each}
                for row, others in found.episodes
                for each in others[table]
            ]
            self._insert(table, key, below)
        before = set(tasks)
        for row in rows:
            total.add(row)
            _add_to_task(tasks, row)
        new = [row for name, row in tasks.items() if name not in before]
        self._insert("tasks", key, new)
        for name in before:
            changed = update(schema.TASKS).where(
                schema.TASKS.c.run == key, schema.TASKS.c.task_id == name
            )
            self._connection.execute(changed.values(tasks[name]))

    def _read_tasks(self, key: int, names: set[str]) -> dict[str, Row]:
        """The rows of these tasks that there are."""
        table = schema.TASKS
        columns = [column for column in table.c if column.name != "run"]
        found: dict[str, Row] = {}
        for few in _few(names):
            wanted = select(*columns).where(table.c.run == key, table.c.task_id.in_(few))
            for row in self._connection.execute(wanted).mappings():
                found[row["task_id"]] = dict(row)
        return found

    def _insert(self, table: str, key: int, rows: Iterable[Row]) -> None:
        given = [{"run": key, **row} for row in rows]
        if given:
            self._connection.execute(insert(schema.METADATA.tables[table]), given)

    def _replace_files(self, key: int, files: Mapping[str, FileState]) -> None:
        self._connection.execute(delete(schema.FILES).where(schema.FILES.c.run == key))
        self._insert("files", key, [{"name": n, **s._asdict()} for n, s in files.items()])

    def _counted(self, key: int, found: _Found) -> Row:
        """The columns that are computed from the run's rows; only those that can have changed."""
        columns: Row = {}
        if found.episodes:
            columns |= self._interval(key)
        given_up = any(row["fault"] is not None for row, _ in found.episodes)
        if found.voids or found.uncounted or given_up:
            columns |= self._uncounted(key)
        return columns

    def _interval(self, key: int) -> Row:
        table = schema.EPISODES
        wanted = select(table.c.success, table.c.cluster, table.c.task_id)
        wanted = wanted.where(table.c.run == key, table.c.fault.is_(None)).order_by(table.c.seq)
        scored = self._connection.execute(wanted).all()
        if not scored:
            return {"low": None, "high": None}
        successes, clusters, tasks = zip(*scored, strict=True)
        low, high = rate_interval([float(each) for each in successes], clusters, tasks)
        return {"low": float(low), "high": float(high)}

    def _uncounted(self, key: int) -> Row:
        """What was used by whatever was not scored, added up in the order of the summary."""
        usage = Usage()
        counts = {}
        for name in ("episodes", "voids", "uncounted"):
            table = schema.METADATA.tables[name]
            wanted = select(table).where(table.c.run == key).order_by(table.c.seq)
            if name == "episodes":
                wanted = wanted.where(table.c.fault.is_not(None))
            rows = self._connection.execute(wanted).mappings().all()
            counts[name] = len(rows)
            for row in rows:
                usage += read_usage(dict(row))
        return {
            "voids": counts["voids"],
            "uncounted": counts["uncounted"],
            "uncounted_tokens": usage.tokens,
            "uncounted_cost_usd": usage.cost_usd,
        }


_UNCOUNTED: Row = {
    **dict.fromkeys(("voids", "uncounted", "uncounted_tokens"), 0),
    "uncounted_cost_usd": 0.0,
    "low": None,
    "high": None,
}


@dataclass(slots=True)
class _Totals:
    """The sums over a run's episodes, added up in the journal's order: a sum of floating-point
    numbers depends on it."""

    final: int = 0
    scored: int = 0
    successes: int = 0
    gained_n: int = 0
    gained_sum: float = 0.0
    met_sum: float = 0.0
    steps: int = 0
    agent_seconds: float = 0.0
    environment_seconds: float = 0.0
    without_steps: int = 0
    usage: Usage = field(default_factory=Usage)

    @staticmethod
    def of(row: Mapping[str, Any] | None) -> _Totals:
        """The sums so far, from the run's row."""
        if row is None:
            return _Totals()
        names = [name for name in _Totals.__slots__ if name != "usage"]
        return _Totals(**{name: row[name] for name in names}, usage=read_usage(row))

    def add(self, row: Row) -> None:
        """Adds a row of ``episodes``."""
        self.final += 1
        self.without_steps += bool(row["steps_problem"])
        if row["fault"] is not None:
            return
        self.scored += 1
        self.successes += row["success"]
        self.met_sum += row["goals_met"]
        if row["goals_gained"] is not None:
            self.gained_n += 1
            self.gained_sum += row["goals_gained"]
        self.steps += row["steps"]
        self.agent_seconds += row["agent_seconds"]
        self.environment_seconds += row["environment_seconds"]
        self.usage += read_usage(row)

    def columns(self) -> Row:
        """The columns of ``runs``."""
        names = [name for name in _Totals.__slots__ if name != "usage"]
        return {name: getattr(self, name) for name in names} | usage_row(self.usage)


def _add_to_task(tasks: dict[str, Row], row: Row) -> None:
    task = tasks.setdefault(
        row["task_id"],
        {
            **{name: row[name] for name in ("task_id", "group", "cluster", "instruction")},
            **dict.fromkeys(("scored", "successes", "steps", "gained_n"), 0),
            "gained_sum": 0.0,
        },
    )
    if row["fault"] is not None:
        return
    task["scored"] += 1
    task["successes"] += row["success"]
    task["steps"] += row["steps"]
    if row["goals_gained"] is not None:
        task["gained_n"] += 1
        task["gained_sum"] += row["goals_gained"]
