"""A data set while it is made: begun, interrupted, gone on with, finished.

The folder holds ``unfinished/`` until all rows are there; then the files are put together in it
and moved up, ``manifest.json`` last, and ``unfinished/`` is removed.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any

from env_service.suites.babybench.dataset.columns import columns_of
from env_service.suites.babybench.dataset.digest import ContentDigest
from env_service.suites.babybench.dataset.formats import check_formats, open_writer
from env_service.suites.babybench.dataset.manifest import (
    MANIFEST,
    Content,
    FileSum,
    Manifest,
    document,
    file_name,
    read_manifest,
)
from env_service.suites.babybench.dataset.recipe import Recipe, differences
from env_service.suites.babybench.dataset.shards import Made, Piece, Shard, ShardError

UNFINISHED = "unfinished"
_RECIPE = "recipe.json"
_LOCK = "lock"
_SEEDS_PER_PIECE = 10
"""Rows that one process makes in one go: some tenths of a second's work, which a kill can cost."""


class DataSetFolderError(Exception):
    """A folder in which this data set cannot be made; the message says why and what to do."""


class Building:
    """One data set that is being made in a folder. Use it as a context manager.

    ``finished`` is the manifest where the folder holds the whole data set already.
    """

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        """Begins, or takes up what is there. Changes nothing where it raises.

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
        """How many of the recipe's rows are done with, those that failed included."""
        return sum(map(len, self._shards.values()))

    def pieces(self) -> Iterator[Piece]:
        """What is left to make, level by level."""
        for level, shard in self._shards.items():
            left = (seed for seed in self.recipe.seeds if seed not in shard)
            while seeds := tuple(islice(left, _SEEDS_PER_PIECE)):
                yield Piece(level, seeds)

    def add(self, made: list[Made]) -> None:
        """Keeps what came of a piece. It outlives this process when this returns."""
        self._shards[made[0].level].add(made)

    def finish(self) -> Manifest:
        """Puts the files together, once nothing is left to make."""
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
        """Lets the folder go. May be called twice."""
        for shard in self._shards.values():
            shard.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Building:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise DataSetFolderError(f"{path} cannot be read: {error}. Remove its folder.") from error


def _write(path: Path, told: Mapping[str, Any]) -> None:
    """Replaces a file by one JSON document; a reader sees the old or the new one."""
    draft = path.with_name(f".{path.name}")
    text = json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False)
    draft.write_text(text + "\n", encoding="utf-8")
    draft.replace(path)
