"""``manifest.json``: what a finished data set says of itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.suites.babybench.dataset.columns import Column, Kind, columns_of
from env_service.suites.babybench.dataset.formats import Format, libraries
from env_service.suites.babybench.dataset.recipe import Recipe

MANIFEST = "manifest.json"
_BLOCK = 1 << 20


class ManifestError(Exception):
    """A folder without a manifest, or with one that cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file's size in bytes and its SHA-256 (hex)."""

    size: int
    sha256: str

    @staticmethod
    def of(path: Path) -> FileSum:
        """Of a file as it is. Raises OSError."""
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
        return FileSum(path.stat().st_size, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class Content:
    """What was written: rows by level, rows that could not be made, and the content's digest.

    ``failed`` is (level, seed, problem) for each of the latter.
    """

    rows: Mapping[str, int]
    failed: Sequence[tuple[str, int, str]]
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was read. ``recipe`` is its ``document`` (see recipe), versions included."""

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
    """As ``predict.csv``."""
    return f"{question}.{form.value}"


def document(recipe: Recipe, content: Content, files: Mapping[str, FileSum]) -> dict[str, Any]:
    """The manifest as JSON. Nothing in it changes from one run to the next."""
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
        raise ManifestError(f"{folder} holds no finished data set: there is no {path}")
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(
            path=path,
            recipe=dict(told["recipe"]),
            columns=tuple(
                Column(each["name"], Kind(each["type"]), each["meaning"], bool(each["published"]))
                for each in told["columns"]
            ),
            content=Content(
                rows={str(level): int(rows) for level, rows in told["rows_by_level"].items()},
                failed=[(each["level"], each["seed"], each["problem"]) for each in told["failed"]],
                digest=str(told["content_sha256"]),
            ),
            files={
                _checked(name): FileSum(int(each["bytes"]), str(each["sha256"]))
                for name, each in told["files"].items()
            },
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ManifestError(f"{path} is no manifest of a data set: {error!r}") from error


def _checked(name: str) -> str:
    """The name of a file beside the manifest, in a known format. Raises ValueError."""
    if Path(name).name != name or name.rpartition(".")[2] not in {form.value for form in Format}:
        raise ValueError(f"{name!r} is no file of a data set")
    return name
