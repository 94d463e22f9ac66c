"""The check of data packs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from env_service.datasets.errors import DataPackError
from env_service.datasets.folder import PackFolder, data_root
from env_service.datasets.registry import definition, pack_names
from env_service.datasets.survey import OTHER_BYTES, FileState, PackSurvey
from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.doctor.host import check_folder


def data_packs(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the folder of data packs and the state of each pack. Absent packs share one finding.

    Files that changed after their download or import are hashed again.
    """
    del subject
    another = "Set HOUSEGUEST_DATA to another folder."
    try:
        root = data_root()
    except DataPackError as error:
        yield Diagnosis("folder for data", DiagnosisState.WARNING, str(error), another)
        return
    yield _folder(root, another)
    absent = []
    for name in pack_names():
        try:
            found = PackFolder(definition(name), root).survey()
        except (DataPackError, OSError) as error:
            mend = f"houseguest data verify {name}"
            yield Diagnosis(f"data {name}", DiagnosisState.PROBLEM, str(error), mend)
            continue
        if found.held or found.lost or found.paths(*OTHER_BYTES):
            yield _pack(found)
        else:
            absent.append(name)
    if absent:
        mend = (
            "You need a pack only for suites that report it as missing. To download it: houseguest"
            " data fetch NAME; to import your own copy: houseguest data import NAME FOLDER"
        )
        yield Diagnosis(
            "data packs", DiagnosisState.NOTE, f"not installed: {', '.join(absent)}", mend
        )


def _folder(root: Path, mend: str) -> Diagnosis:
    """Checks whether packs can be stored there. A read-only folder with packs, as in a container
    image, is only a note."""
    finding = check_folder("folder for data", root, mend, needed=False)
    if root.is_dir() and any(root.iterdir()) and not os.access(root, os.W_OK):
        found = f"{root} is read-only"
        return replace(finding, state=DiagnosisState.NOTE, found=found, mend=mend)
    return finding


def _pack(found: PackSurvey) -> Diagnosis:
    pack = found.definition.name
    name = f"data {pack}"
    if found.paths(FileState.CORRUPT) or found.lost:
        lost = f", {len(found.lost)} lost" if found.lost else ""
        mend = f"houseguest data verify {pack} lists the files; data fetch {pack} downloads them."
        return Diagnosis(name, DiagnosisState.PROBLEM, f"{found.label}{lost}", mend)
    if found.paths(FileState.MODIFIED):
        mend = f"Results record this. To restore upstream's files: houseguest data fetch {pack}"
        return Diagnosis(name, DiagnosisState.WARNING, found.label, mend)
    if len(found.held) < len(found.states):
        mend = f"To download the rest: houseguest data fetch {pack}"
        return Diagnosis(name, DiagnosisState.NOTE, found.label, mend)
    return Diagnosis(name, DiagnosisState.OK, found.label)
