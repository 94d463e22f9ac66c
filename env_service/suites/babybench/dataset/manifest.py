"""``manifest.json``, the description of a finished data set, and the check against it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.domain.text import counted
from env_service.suites.babybench.dataset.formats import (
    SCHEMA_VERSION,
    Column,
    ContentDigest,
    Format,
    FormatUnavailableError,
    Kind,
    Row,
    columns_of,
    libraries,
    read_rows,
)
from env_service.suites.babybench.dataset.rows import Recipe, make_row

MANIFEST = "manifest.json"
_BLOCK = 1 << 20


class ManifestError(Exception):
    """A folder without a readable manifest; the message names it."""


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file's size in bytes and its SHA-256 (hex)."""

    size: int
    sha256: str

    @staticmethod
    def of(path: Path) -> FileSum:
        """The sum of a file's current contents. Raises OSError."""
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return FileSum(path.stat().st_size, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class Content:
    """The written content: rows by level, failed rows, and the content's digest.

    ``failed`` is (level, seed, problem) for each row that could not be made.
    """

    rows: Mapping[str, int]
    failed: Sequence[tuple[str, int, str]]
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest. ``recipe`` is its ``document`` (see recipe), including versions."""

    path: Path
    recipe: Mapping[str, Any]
    columns: tuple[Column, ...]
    content: Content
    files: Mapping[str, FileSum]

    @property
    def formats(self) -> dict[str, Format]:
        """Each file's format, by the file's name."""
        return {name: Format(name.rpartition(".")[2]) for name in self.files}


def file_name(question: str, form: Format) -> str:
    """The file's name, such as ``predict.csv``."""
    return f"{question}.{form.value}"


def document(recipe: Recipe, content: Content, files: Mapping[str, FileSum]) -> dict[str, Any]:
    """The manifest as JSON. It is the same on every run."""
    return {
        "recipe": recipe.document(),
        "rows": sum(content.rows.values()),
        "rows_by_level": dict(content.rows),
        "failed": [
            {"level": level, "seed": seed, "problem": problem}
            for level, seed, problem in content.failed
        ],
        "content_sha256": content.digest,
        "columns": [
            {
                "name": column.name,
                "type": column.kind.value,
                "meaning": column.meaning,
                "published": column.published,
            }
            for column in columns_of(recipe.question)
        ],
        "files": {
            name: {"bytes": each.size, "sha256": each.sha256} for name, each in files.items()
        },
        "written_with": libraries(recipe.formats),
    }


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a finished data set. Raises ManifestError."""
    path = folder / MANIFEST
    if not path.is_file():
        raise ManifestError(f"{folder} contains no finished data set: {path} does not exist")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(
            path=path,
            recipe=dict(document["recipe"]),
            columns=tuple(
                Column(each["name"], Kind(each["type"]), each["meaning"], bool(each["published"]))
                for each in document["columns"]
            ),
            content=Content(
                rows={str(level): int(rows) for level, rows in document["rows_by_level"].items()},
                failed=[
                    (each["level"], each["seed"], each["problem"]) for each in document["failed"]
                ],
                digest=str(document["content_sha256"]),
            ),
            files={
                _checked(name): FileSum(int(each["bytes"]), str(each["sha256"]))
                for name, each in document["files"].items()
            },
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ManifestError(f"{path} is not a manifest of a data set: {error!r}") from error


def _checked(name: str) -> str:
    """The name of a file next to the manifest, in a known format. Raises ValueError."""
    if Path(name).name != name or name.rpartition(".")[2] not in {form.value for form in Format}:
        raise ValueError(f"{name!r} is not a file of a data set")
    return name


# --- Checks that a data set matches its manifest


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference from the manifest: where, and what."""

    place: str
    problem: str


def check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Reads every file whole: checks its bytes, its rows, their number, and their digest."""
    for name, form in manifest.formats.items():
        path = folder / name
        try:
            if FileSum.of(path) != manifest.files[name]:
                yield Finding(name, "the file is not the one that was written")
            yield from _check_rows(path, form, manifest)
        except FileNotFoundError:
            yield Finding(name, "the file is missing")
        except FormatUnavailableError as error:
            yield Finding(name, str(error))
        except (OSError, ValueError) as error:
            yield Finding(name, str(error))


def _check_rows(path: Path, form: Format, manifest: Manifest) -> Iterator[Finding]:
    digest = ContentDigest()
    rows: Counter[str] = Counter(dict.fromkeys(manifest.content.rows, 0))
    for row in read_rows(path, form, manifest.columns):
        rows[row["level"]] += 1
        digest.add(row)
    for level, number in rows.items():
        declared = manifest.content.rows.get(level, 0)
        if number != declared:
            yield Finding(path.name, f"{counted(number, 'row')} of {level}, not {declared}")
    if digest.hexdigest() != manifest.content.digest:
        yield Finding(path.name, "the content's digest differs")


def check_sample(folder: Path, manifest: Manifest, number: int) -> Iterator[Finding]:
    """Makes ``number`` rows again, evenly spread over the first file, and compares them.

    Raises OSError and ValueError for a file that cannot be read, as check_files does.
    """
    if manifest.recipe.get("schema_version") != SCHEMA_VERSION:
        yield Finding(
            manifest.path.name,
            f"rows of schema version {manifest.recipe.get('schema_version')} cannot be generated"
            f" again: this is version {SCHEMA_VERSION}",
        )
        return
    recipe = Recipe.read(manifest.recipe)
    for row in _spread(folder, manifest, number):
        level, seed = row["level"], row["seed"]
        try:
            again: Row = make_row(recipe, level, seed)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            yield Finding(f"{level}/{seed}", f"cannot be generated again: {error}")
            continue
        if again != row:
            yield Finding(
                f"{level}/{seed}", f"generated again, it differs in {_differing(row, again)}"
            )


def _spread(folder: Path, manifest: Manifest, number: int) -> Iterator[Row]:
    total = sum(manifest.content.rows.values())
    number = min(number, total)
    wanted = {place * total // number for place in range(number)}
    name, form = next(iter(manifest.formats.items()))
    for place, row in enumerate(read_rows(folder / name, form, manifest.columns)):
        if place in wanted:
            yield row


def _differing(row: Mapping[str, object], again: Mapping[str, object]) -> str:
    return ", ".join(name for name in again if row.get(name) != again[name])
