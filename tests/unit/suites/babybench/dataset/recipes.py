"""Small data sets, and making them in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from env_service.suites.babybench.dataset.builder import DataSetBuilder, make_all
from env_service.suites.babybench.dataset.formats import Format, Row
from env_service.suites.babybench.dataset.manifest import Manifest
from env_service.suites.babybench.dataset.rows import Recipe, make_row
from env_service.suites.babybench.task_sets import Seeds

LEVELS = {
    "predict": ("GoToObj", "GoToLocal"),
    "plan": ("Small-4Dists",),
    "decompose": ("GoToObj", "PutNextLocal"),
}


def recipe(question: str = "predict", **changed: Any) -> Recipe:
    """Single rooms, which are quick to make: two levels of six seeds, in two formats."""
    usual = Recipe(
        question=question,
        levels=LEVELS[question],
        seeds=Seeds.read("1-6"),
        formatter="structured",
        expert="fixed",
        formats=(Format.CSV, Format.JSONL),
    )
    return replace(usual, **changed)


def row(question: str, level: str, seed: int, **changed: Any) -> Row:
    """One row."""
    return make_row(recipe(question, **changed), level, seed)


def build(folder: Path, wanted: Recipe) -> Manifest:
    """Makes a data set, or finishes it."""
    with DataSetBuilder(folder, wanted) as building:
        for made in make_all(wanted, building.pieces(), jobs=1):
            building.add(made)
        return building.finish()


def files(folder: Path) -> Mapping[str, bytes]:
    """The bytes of all files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
