"""Checks that a data set is what its manifest says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from env_service.domain.english import counted
from env_service.suites.babybench.dataset.columns import SCHEMA_VERSION, Row
from env_service.suites.babybench.dataset.digest import ContentDigest
from env_service.suites.babybench.dataset.formats import Format, read_rows
from env_service.suites.babybench.dataset.manifest import FileSum, Manifest
from env_service.suites.babybench.dataset.parquet_format import FormatUnavailableError
from env_service.suites.babybench.dataset.recipe import Recipe
from env_service.suites.babybench.dataset.rows import make_row


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as the manifest says: where, and what."""

    place: str
    problem: str


def check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Reads every file whole: its bytes, its rows, how many, and the digest of its content."""
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
        told = manifest.content.rows.get(level, 0)
        if number != told:
            yield Finding(path.name, f"{counted(number, 'row')} of {level}, not {told}")
    if digest.hexdigest() != manifest.content.digest:
        yield Finding(path.name, "the content's digest differs")


def check_sample(folder: Path, manifest: Manifest, number: int) -> Iterator[Finding]:
    """Makes ``number`` rows anew, evenly spread over the first file, and compares them.

    Raises OSError and ValueError for a file that cannot be read, as check_files tells.
    """
    if manifest.recipe.get("schema_version") != SCHEMA_VERSION:
        yield Finding(
            manifest.path.name,
            f"rows of schema version {manifest.recipe.get('schema_version')} cannot be made anew:"
            f" this is {SCHEMA_VERSION}",
        )
        return
    recipe = Recipe.read(manifest.recipe)
    for row in _spread(folder, manifest, number):
        level, seed = row["level"], row["seed"]
        try:
            again: Row = make_row(recipe, level, seed)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            yield Finding(f"{level}/{seed}", f"cannot be made anew: {error}")
            continue
        if again != row:
            yield Finding(f"{level}/{seed}", f"made anew, it differs in {_differing(row, again)}")


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
