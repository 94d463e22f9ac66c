"""Makes a data set: starts or resumes it, keeps finished rows, and runs the worker processes."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

from env_service.suites.babybench.dataset.formats import (
    ContentDigest,
    Row,
    check_formats,
    columns_of,
    dump,
    open_writer,
)
from env_service.suites.babybench.dataset.manifest import (
    MANIFEST,
    Content,
    FileSum,
    Manifest,
    document,
    file_name,
    read_manifest,
)
from env_service.suites.babybench.dataset.rows import Recipe, differences, make_row
from env_service.suites.process_pool import process_pool

UNFINISHED = "unfinished"
_RECIPE = "recipe.json"
_LOCK = "lock"
_SEEDS_PER_PIECE = 10
"""How many rows a process makes at once: some tenths of a second's work, which a kill can lose."""


class DataSetFolderError(Exception):
    """This data set cannot be made in the folder; the message says why and what to do."""


class DataSetBuilder:
    """One data set that is being made in a folder. Use it as a context manager.

    ``finished`` is the manifest if the folder already holds the complete data set.
    """

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        """Starts or resumes the data set. Changes nothing if it raises.

        Raises DataSetFolderError for a folder that holds anything else, another data set, or one
        that another process is making; FormatUnavailableError; OSError.
        """
        check_formats(recipe.formats)
        self.recipe, self._folder = recipe, folder
        self._place = folder / UNFINISHED
        self._shards: dict[str, Shard] = {}
        self._lock: TextIOWrapper | None = None
        self.finished = self._find_finished()
        if self.finished is None:
            self._begin()

    def _find_finished(self) -> Manifest | None:
        if not (self._folder / MANIFEST).exists():
            return None
        manifest = read_manifest(self._folder)
        self._check_same(manifest.recipe, manifest.path)
        self._check_there(manifest)
        shutil.rmtree(self._place, ignore_errors=True)
        return manifest

    def _check_there(self, manifest: Manifest) -> None:
        for name, written in manifest.files.items():
            path = self._folder / name
            if not path.is_file() or path.stat().st_size != written.size:
                raise DataSetFolderError(
                    f"{path} is missing, or not the file that was written. Remove {self._folder}"
                    " and start again, or choose another folder."
                )

    def _check_same(self, there: Mapping[str, Any], where: Path) -> None:
        different = differences(there, self.recipe.document())
        if different:
            raise DataSetFolderError(
                f"{self._folder} holds another data set ({where}): {'; '.join(different)}."
                " Choose another folder, or remove this one."
            )

    def _begin(self) -> None:
        path = self._place / _RECIPE
        if path.exists():
            self._check_same(_read(path), path)
        elif self._folder.exists() and any(self._folder.iterdir()) and not self._place.exists():
            raise DataSetFolderError(
                f"{self._folder} is not empty, and holds no data set. Choose another folder."
            )
        self._place.mkdir(parents=True, exist_ok=True)
        self._lock = (self._place / _LOCK).open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            raise DataSetFolderError(
                f"another process is making a data set in {self._folder}: wait for it to end,"
                " or choose another folder."
            ) from error
        _write(path, self.recipe.document())
        try:
            self._shards = {level: Shard(self._place, level) for level in self.recipe.levels}
        except ShardError as error:
            raise DataSetFolderError(str(error)) from error

    @property
    def made(self) -> int:
        """How many of the recipe's rows are finished, including those that failed."""
        return sum(map(len, self._shards.values()))

    def pieces(self) -> Iterator[Piece]:
        """The remaining work, level by level."""
        for level, shard in self._shards.items():
            left = (seed for seed in self.recipe.seeds if seed not in shard)
            while seeds := tuple(islice(left, _SEEDS_PER_PIECE)):
                yield Piece(level, seeds)

    def add(self, made: list[Made]) -> None:
        """Keeps the result of a piece. It survives this process once this returns."""
        self._shards[made[0].level].add(made)

    def finish(self) -> Manifest:
        """Assembles the files, once no work is left."""
        names = {form: file_name(self.recipe.question, form) for form in self.recipe.formats}
        content = self._write_files(names)
        sums = {name: FileSum.of(self._place / name) for name in names.values()}
        for name in names.values():
            (self._place / name).replace(self._folder / name)
        draft = self._place / MANIFEST
        _write(draft, document(self.recipe, content, sums))
        draft.replace(self._folder / MANIFEST)
        self.close()
        shutil.rmtree(self._place)
        return read_manifest(self._folder)

    def _write_files(self, names: Mapping[Any, str]) -> Content:
        columns = columns_of(self.recipe.question)
        digest = ContentDigest()
        rows = dict.fromkeys(self.recipe.levels, 0)
        failed = []
        with ExitStack() as stack:
            writers = [
                stack.enter_context(open_writer(self._place / name, form, columns))
                for form, name in names.items()
            ]
            for made in self._in_order():
                if made.row is None:
                    failed.append((made.level, made.seed, made.problem))
                    continue
                rows[made.level] += 1
                digest.add(made.row)
                for writer in writers:
                    writer.write(made.row)
        return Content(rows, failed, digest.hexdigest())

    def _in_order(self) -> Iterator[Made]:
        for shard in self._shards.values():
            yield from shard.in_order()

    def close(self) -> None:
        """Releases the folder. You may call it twice."""
        for shard in self._shards.values():
            shard.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> DataSetBuilder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise DataSetFolderError(f"{path} cannot be read: {error}. Remove its folder.") from error


def _write(path: Path, document: Mapping[str, Any]) -> None:
    """Replaces a file by one JSON document; a reader sees the old or the new one."""
    draft = path.with_name(f".{path.name}")
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    draft.write_text(text + "\n", encoding="utf-8")
    draft.replace(path)


# --- Finished rows of an unfinished data set: a file for each level

_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Piece:
    """Seeds of one level that one process handles at once."""

    level: str
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """The result of one row: the row, or the problem in words."""

    level: str
    seed: int
    row: Row | None
    problem: str = ""


class Shard:
    """The finished rows of one level: JSON Lines, in order of completion.

    Every line is complete except perhaps the last, which a killed process leaves; opening the shard
    cuts it off. Only the positions of lines are in memory.
    """

    def __init__(self, folder: Path, level: str) -> None:
        """Opens the level's file, and creates it if it is missing.

        Raises ShardError for a file that holds anything else.
        """
        self.level, self.path = level, folder / (level + _SUFFIX)
        self._places: dict[int, int] = {}
        self._file = self.path.open("a+b")
        self._read()

    def _read(self) -> None:
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            self._places[self._made(line, number).seed] = end
            end += len(line)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, seed: object) -> bool:
        return seed in self._places

    def add(self, made: Sequence[Made]) -> None:
        """Appends lines. The operating system has them when this returns."""
        place = self._file.seek(0, os.SEEK_END)
        for each in made:
            line = dump({"seed": each.seed, "row": each.row, "problem": each.problem}).encode()
            self._places[each.seed] = place
            place += self._file.write(line + b"\n")
        self._file.flush()

    def in_order(self) -> Iterator[Made]:
        """All finished rows, by ascending seed."""
        for seed, place in sorted(self._places.items()):
            self._file.seek(place)
            yield self._made(self._file.readline(), seed)

    def close(self) -> None:
        """You may call it twice."""
        self._file.close()

    def _made(self, line: bytes, number: int) -> Made:
        try:
            value: dict[str, Any] = json.loads(line)
            return Made(self.level, value["seed"], value["row"], value["problem"])
        except (ValueError, KeyError, TypeError) as error:
            raise ShardError(
                f"{self.path}, line {number}, is not what was written there. Remove the folder"
                f" {self.path.parent} and start again."
            ) from error


class ShardError(Exception):
    """A file of unfinished work that something else changed; the message says what to do."""


# --- Makes rows in several processes

_WAITING = 3
"""How many pieces each process has running or waiting: few, to limit memory."""


def make_all(
    recipe: Recipe, pieces: Iterable[Piece], jobs: int
) -> Generator[list[Made], None, None]:
    """Yields the result of each piece, in any order, from ``jobs`` processes (1: from this one).

    Idle processes take pieces one by one. Closing the generator lets the running pieces finish, and
    starts no others.
    """
    if jobs <= 1:
        yield from (make_piece(recipe, piece) for piece in pieces)
        return
    pool = process_pool(jobs)
    left = iter(pieces)
    running: set[Future[list[Made]]] = set()
    try:
        while True:
            wanted = islice(left, jobs * _WAITING - len(running))
            running |= {pool.submit(make_piece, recipe, piece) for piece in wanted}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def make_piece(recipe: Recipe, piece: Piece) -> list[Made]:
    """Makes the rows of a piece. A failure is a problem of its row only."""
    return [_make(recipe, piece.level, seed) for seed in piece.seeds]


def _make(recipe: Recipe, level: str, seed: int) -> Made:
    try:
        return Made(level, seed, make_row(recipe, level, seed))
    except Exception as error:  # noqa: BLE001 - handed on as this row's problem
        return Made(level, seed, None, f"{type(error).__name__}: {error}")
