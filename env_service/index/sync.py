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
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, select

from env_service.domain.text import counted
from env_service.index import schema
from env_service.index.beside import (
    BESIDE,
    EVENTS,
    LOST_AGENTS,
    read_lost_agents,
    read_scores,
    read_times,
)
from env_service.index.journals import (
    JOURNALS,
    FileState,
    ReplacedError,
    read_journal,
    stat_of,
    take_records,
    words_of,
)
from env_service.index.locks import held_locks, is_held
from env_service.index.rows import (
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
    uncounted_row,
    void_row,
)
from env_service.index.run_digest import run_digest
from env_service.index.run_writer import (
    Found,
    Known,
    RacedError,
    RunStatus,
    RunWriter,
    few_of,
)
from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.run_layout import (
    EPISODES,
    MANIFEST,
    MOST_MANIFEST,
    SCORES,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import read_plain

R = TypeVar("R")
Connect = Callable[[], AbstractContextManager[Connection]]

_CHUNK_STEPS = 30_000
"""Steps of episodes, with which a transaction ends sooner."""
_WATCHED = 100
"""Transcripts of a run that could not be read and are looked at again."""
_TRIES = 20
"""How often a run is read when other processes keep changing its rows."""
_LINK = "this is a link, and links are not followed: put the folder itself in its place"


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


def _read_known(connection: Connection, root: str, name: str | None = None) -> dict[str, Known]:
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
        path: Known((key, revision), run_id, status, problem, states.get(key, {}))
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


def _watched(files: Mapping[str, FileState]) -> dict[str, FileState]:
    """The transcripts that could not be read, and are looked at again."""
    return {name: state for name, state in files.items() if name.startswith(f"{TRANSCRIPTS}/")}


def _watched_changed(folder: Path, files: Mapping[str, FileState]) -> bool:
    watched = _watched(files)
    return any(stat_of(folder / name) != state.stat for name, state in watched.items())


class _Sync:
    """The work of one sync, with what it came to."""

    def __init__(self, read: Connect, write: Connect, folder: Path, root: str) -> None:
        self._read, self._write, self._folder, self._root = read, write, folder, root
        self._locks = held_locks()
        self.new: list[str] = []
        self.changed: list[str] = []
        self.vanished: list[str] = []
        self.episodes = self.steps = 0

    def look(self, name: str, known: Known | None, *, linked: bool) -> None:
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
            except RacedError:
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

    def _changed(self, name: str, known: Known, *, linked: bool) -> bool:
        if linked:
            return known.problem != _LINK
        if not known.files:
            return True
        # Of thousands of files: paths as objects would take longer than the kernel's answer.
        place = f"{self._folder}/{name}"
        if any(stat_of(f"{place}/{file}") != state.stat for file, state in known.files.items()):
            return True
        if known.status == RunStatus.UNREADABLE:
            return False
        folder = self._folder / name
        held = is_held(folder, self._folder, self._locks)
        return held != (known.status == RunStatus.RUNNING)

    def _find(self, name: str, known: Known | None, *, linked: bool) -> Found | None:
        """Reads what the index lacks of a run, or its next chunk; None if the run has vanished."""
        unreadable = RunStatus.UNREADABLE.value
        if linked:
            return Found(anew=True, status=unreadable, manifest=NO_MANIFEST, problem=_LINK)
        folder = self._folder / name
        held = is_held(folder, self._folder, self._locks)
        status = (RunStatus.RUNNING if held else RunStatus.STOPPED).value
        before = stat_of(folder / MANIFEST)
        if known is not None and _watched_changed(folder, known.files):
            known = None
        same = known is not None and known.files.get(MANIFEST) == FileState(*before)
        try:
            if known is not None and same:
                unread = Found(anew=False, status=status)
                return self._journals(folder, known, unread, FileState(*before))
        except ReplacedError:
            known = None
        try:
            data = read_plain(folder / MANIFEST, MOST_MANIFEST, within=self._folder)
            manifest = Manifest.from_json(parse(data))
            row = manifest_row(manifest)
        except (OSError, ValueError, RecursionError) as error:
            if not os.path.lexists(folder / MANIFEST):
                return None
            problem = cut(f"{MANIFEST}: {words_of(error)}")
            files = {MANIFEST: FileState(*before, problem=problem)}
            return Found(
                anew=True,
                status=unreadable,
                manifest=NO_MANIFEST,
                files=files,
                problem=problem,
            )
        try:
            if known is not None and known.run_id == manifest.run_id:
                found = Found(anew=False, status=status, manifest=row)
                return self._journals(folder, known, found, FileState(*before))
        except ReplacedError:
            pass
        found = Found(anew=True, status=status, manifest=row)
        return self._journals(folder, None, found, FileState(*before))

    def _journals(
        self, folder: Path, known: Known | None, found: Found, manifest: FileState
    ) -> Found:
        """Reads what was appended to the journals; all of them without ``known``. Raises
        ReplacedError."""
        states = known.files if known else {}
        found.files[MANIFEST] = manifest
        found.files |= _watched(states)
        read: dict[str, Callable[[list[bytes], int], tuple[int, str]]] = {
            EPISODES: partial(self._take_episodes, folder, known, found),
            VOIDS: partial(take_records, found.voids, VoidRecord.from_json, void_row),
            UNCOUNTED: partial(
                take_records, found.uncounted, UncountedRecord.from_json, uncounted_row
            ),
        }
        for name in JOURNALS:
            state = states.get(name, FileState())
            found.files[name], more = read_journal(folder / name, self._folder, state, read[name])
            found.more |= more
        problems = (f"{name}, {p}" for name in JOURNALS if (p := found.files[name].problem))
        found.problem = next(problems, "")
        if found.problem:
            found.status = RunStatus.UNREADABLE.value
        self._beside(folder, states, found)
        return found

    def _beside(self, folder: Path, states: Mapping[str, FileState], found: Found) -> None:
        """Reads what is not a journal: the summary, scores that were added, lost agents."""
        for name in BESIDE:
            found.files[name] = FileState(*stat_of(folder / name))
        if found.files[SCORES] != states.get(SCORES):
            found.scores = read_scores(folder)
        if found.files[LOST_AGENTS] != states.get(LOST_AGENTS):
            found.lost_agents = read_lost_agents(folder)
        if found.status == RunStatus.RUNNING:
            # The log grows with every episode, and is complete when the run ends.
            del found.files[EVENTS]
            found.times = [] if EVENTS in states else None
        elif found.files[EVENTS] != states.get(EVENTS):
            found.times = read_times(folder)
        found.digest = "" if found.status != RunStatus.STOPPED else run_digest(folder)

    def _take_episodes(
        self, folder: Path, known: Known | None, found: Found, lines: list[bytes], seq: int
    ) -> tuple[int, str]:
        """As ``take_records``, with each episode's transcript."""
        records: list[EpisodeRecord] = []
        rows: list[Row] = []
        problem = ""
        for taken, line in enumerate(lines):
            try:
                records.append(EpisodeRecord.from_json(parse(line)))
                rows.append({"seq": seq + taken, **episode_row(records[-1])})
            except ValueError as error:
                problem = words_of(error)
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
                return taken, words_of(error)
            said = self._read_transcript(folder, record, found)
            found.episodes.append(({**row, **said.columns()}, {**below, "steps": said.rows}))
            steps += len(said.rows)
        return len(rows), problem

    def _scored(self, known: Known | None, tasks: set[str]) -> set[tuple[str, int]]:
        """The (task id, repeat) of these tasks that were scored further up in the journal."""
        if known is None or not known.files.get(EPISODES, FileState()).lines:
            return set()
        table, found = schema.EPISODES, set()
        with self._read() as connection:
            for few in few_of(tasks):
                wanted = select(table.c.task_id, table.c.repeat).where(
                    table.c.run == known.key[0],
                    table.c.task_id.in_(few),
                    table.c.fault.is_(None),
                )
                found |= {(task, repeat) for task, repeat in connection.execute(wanted)}
        return found

    def _read_transcript(self, folder: Path, record: EpisodeRecord, found: Found) -> EpisodeSteps:
        name = f"{TRANSCRIPTS}/{record.episode_id}.jsonl"
        before = stat_of(folder / name)
        said = read_steps(folder / name, self._folder, record.transcript_head)
        if said.problem and len(found.files) < _WATCHED:
            found.files[name] = FileState(*before, problem=said.problem)
        return said

    def _store(self, name: str, known: Known | None, found: Found) -> Known:
        """Writes what was found, in one transaction. Raises RacedError."""
        with self._write() as connection:
            writer = RunWriter(connection, self._root, name)
            stored = writer.store(known, found)
        self.episodes += len(found.episodes)
        self.steps += sum(len(below["steps"]) for _, below in found.episodes)
        return stored
