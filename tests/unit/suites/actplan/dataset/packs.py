"""The data pack ``actplan`` with a few made-up activities, for tests."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from env_service.datasets import registry
from env_service.datasets.folder import PackFolder
from env_service.datasets.pack_import import import_source, read_source
from env_service.suites.actplan import data_packs
from env_service.suites.actplan.dataset.published_files import LABELLED_FILE, SPLIT_FILE
from tests.support.pack_server import use_registry, write_files, write_registry

PUBLISHED = Path(data_packs.__file__).with_name("actplan.toml")

SPLITS = {"storing_cups": "train", "baking_pie": "val", "washing_cups": "test"}
"""The activities; the last one has a normal variant alone."""

PROBLEM = """(define (problem storing_cups_0)
 (:domain igibson)
 (:objects cup.n.01_1 cup.n.01_2 - cup.n.01 cabinet.n.01_1 - cabinet.n.01
  agent.n.01_1 - agent.n.01)
 (:init (onfloor cup.n.01_1 cabinet.n.01_1) (inroom cabinet.n.01_1 kitchen))
 (:goal (and (forall (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?cabinet.n.01_1))
  (not (open ?cabinet.n.01_1)))))
"""
GOLD_1 = "walk_to(cup_1) grab(cup_1) walk_to(cabinet) place_inside(cabinet, cup_1)"
GOLD_2 = "walk_to(cup) grab(cup) "
PICTURE = (64, 80)
"""Width and height."""


def record(
    activity: str = "storing_cups", variant: int = 0, scene: str = "Rs_int", **changes: object
) -> dict[str, object]:
    """A line of the labelled plans: GPT-4V's is correct, Gemini's is not."""
    return {
        "path": f"../annotation/{scene}/{activity}/{variant}/sample_0",
        "activity": activity,
        "pos_gpt": ["grab(cup)"],
        "neg_gpt": [],
        "gold_gpt": [GOLD_1],
        "pos_gemini": [],
        "neg_gemini": ["walk_to(cup)"],
        "gold_gemini": [GOLD_2],
        **changes,
    }


RECORDS = (
    record(),
    record(scene="Merom_1_int"),
    record(variant=1),
    record("baking_pie", gold_gemini=[]),
)


def lines(*records: Mapping[str, object]) -> str:
    """Labelled plans as the file has them."""
    return "".join(f"{json.dumps(each)}\n" for each in records)


def picture(shade: int, size: tuple[int, int] = PICTURE, mode: str = "RGB") -> bytes:
    """A PNG of one shade of grey."""
    pixels = np.full((size[1], size[0], 3), shade, np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(stream, "PNG")
    return stream.getvalue()


def sample_files(folder: str, *frames: str) -> dict[str, bytes]:
    """A sample's folder: a picture for each frame, whose shade is its number, and plans."""
    pictures = {f"{folder}/{each}.png": picture(int(each)) for each in frames}
    plans = {
        f"{folder}/plan_gold_1.txt": GOLD_1.replace(") ", ")\n").encode() + b"\n",
        f"{folder}/plan_gpt-4v.txt": b"grab(cup)",
    }
    return {**pictures, **plans}


def actplan_files() -> dict[str, bytes]:
    """The files of the pack, as its upstream has them."""
    files = {
        SPLIT_FILE: "".join(f"{name}\t{split}\n" for name, split in SPLITS.items()).encode(),
        LABELLED_FILE: lines(*RECORDS).encode(),
    }
    for name in SPLITS:
        folder = f"bddl/activity_definitions/{name}"
        for variant in (0, 1):
            files[f"{folder}/problem{variant}.bddl"] = PROBLEM.encode()
        for variant in (0, 1) if name != "washing_cups" else (0,):
            text = f"Variant {variant} of {name}.\n"
            files[f"{folder}/task_description_{variant}.txt"] = text.encode()
    sample = "annotation/Rs_int/storing_cups/0/sample_0"
    return {**files, **sample_files(sample, "00102", "00020", "8")}


def archive_files() -> dict[str, bytes]:
    """What the authors publish apart: more samples, and copies of definitions."""
    above = "annotation/Rs_int/baking_pie/1"
    return {
        f"{above}/problem1.bddl": PROBLEM.encode(),
        f"{above}/task_description_1.txt": b"Variant 1 of baking_pie.",
        **sample_files(f"{above}/sample_0", "00001", "00002"),
        **sample_files(f"{above}/sample_2", "00007"),
        **sample_files(f"{above}/sample_10"),
    }


def use_pack(
    monkeypatch: pytest.MonkeyPatch, folder: Path, files: Mapping[str, bytes] | None = None
) -> Path:
    """Makes these files the data that are here, by default all of `actplan_files`, of a pack that
    has those; other bytes are as after an import of a changed copy. Returns the pack's folder."""
    write_registry(folder / "registry", {"actplan": actplan_files()})
    published = PUBLISHED.read_text(encoding="utf-8")
    archive = re.search(r"^archive = .*$", published, re.MULTILINE)
    assert archive is not None
    with (folder / "registry" / "actplan.toml").open("a", encoding="utf-8") as head:
        head.write(f"{archive[0]}\n")
    use_registry(monkeypatch, folder / "registry")
    monkeypatch.setenv("HOUSEGUEST_DATA", str(folder / "data"))
    return add_files(folder / "copy", actplan_files() if files is None else files)


def add_files(copy: Path, files: Mapping[str, bytes]) -> Path:
    """Imports files into the pack. Returns its folder."""
    definition = registry.definition("actplan")
    pack = PackFolder(definition)
    import_source(pack, read_source(definition, write_files(copy, files)))
    return pack.path
