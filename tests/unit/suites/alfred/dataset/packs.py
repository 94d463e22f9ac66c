"""Both data packs with a few made-up tasks, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.datasets import registry
from env_service.datasets.folder import PackFolder
from env_service.datasets.pack_import import import_source, read_source
from env_service.suites.alfred.dataset.splits import SPLITS_FILE
from tests.support.pack_server import use_registry, write_files, write_registry
from tests.unit.suites.alfred.dataset.builders import record_data, trajectory_text

CLEAN = "pick_clean_then_place_in_recep"
KINDS = (CLEAN, "pick_two_obj_and_place", "pick_heat_then_place_in_recep")


def folder(split: str, kind: str, number: int) -> str:
    """ "NAME/TRIAL" of a task."""
    return f"{kind}-Mug-None-Cabinet-7/{trial(split, kind, number)}"


def trial(split: str, kind: str, number: int) -> str:
    return f"trial_{split.removeprefix('valid_')}_{KINDS.index(kind)}{number}"


def trajectory_path(split: str, kind: str, number: int) -> str:
    return f"data/json_2.1.0/{split}/{folder(split, kind, number)}/traj_data.json"


def alfred_files() -> dict[str, bytes]:
    """The pack ``alfred``: in each split four tasks of three types."""
    files = {}
    splits: dict[str, list[dict[str, object]]] = {"train": []}
    for split in ("valid_seen", "valid_unseen"):
        splits[split] = []
        for kind in KINDS:
            for number in range(4):
                changes = {"task_id": trial(split, kind, number), "task_type": kind}
                text = trajectory_text(changes)
                files[trajectory_path(split, kind, number)] = text.encode()
                splits[split] += [
                    {"task": folder(split, kind, number), "repeat_idx": place} for place in (0, 1)
                ]
    files[SPLITS_FILE] = json.dumps(splits).encode()
    return files


def refined_files() -> dict[str, bytes]:
    """The pack ``alfred-refined``, for these tasks."""
    return {
        f"refined_{split}_commands.json": json.dumps(
            [
                record_data({"task_id": trial(split, kind, number), "task_type": kind})
                for kind in KINDS
                for number in range(4)
            ]
        ).encode()
        for split in ("valid_seen", "valid_unseen")
    }


def use_packs(
    monkeypatch: pytest.MonkeyPatch, folder: Path, packs: Mapping[str, Mapping[str, bytes]]
) -> None:
    """Makes these the data that are here, of packs as `alfred_files` and `refined_files` have
    them; other bytes are as after an import of a changed copy."""
    pinned = {"alfred": alfred_files(), "alfred-refined": refined_files()}
    write_registry(folder / "registry", pinned)
    use_registry(monkeypatch, folder / "registry")
    monkeypatch.setenv("HOUSEGUEST_DATA", str(folder / "data"))
    for name, files in packs.items():
        definition = registry.definition(name)
        copy = write_files(folder / "copies" / name, files)
        import_source(PackFolder(definition), read_source(definition, copy))
