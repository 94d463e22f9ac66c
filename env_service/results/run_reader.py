"""Reads a run's folder without writing to it, even during the run."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from env_service.results.manifest import Manifest, read_manifest
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.run_layout import EPISODES, MANIFEST, UNCOUNTED, VOIDS
from env_service.results.summary import Summary, summarize
from env_service.storage.signed_journal import CorruptFileError, read_records


@dataclass(frozen=True, slots=True)
class RunContents:
    """The contents of a run's folder now. They can be read; nothing else is verified."""

    path: Path
    manifest: Manifest
    episodes: tuple[EpisodeRecord, ...]
    voids: tuple[VoidRecord, ...]
    uncounted: tuple[UncountedRecord, ...] = ()

    @property
    def summary(self) -> Summary:
        """The summary, recomputed from the episodes."""
        return summarize(self.manifest, self.episodes, self.voids, self.uncounted)


def is_run(path: Path) -> bool:
    """Whether a folder is a run's: it has a manifest, which may be invalid."""
    return os.path.lexists(path / MANIFEST)


def find_runs(folder: Path) -> list[Path]:
    """The runs directly below a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_run(path))


def read_run(path: Path) -> RunContents:
    """Reads a run. Raises OSError, FormatError and CorruptFileError, which name the file.

    An episode that was scored twice is such an error, because it would count twice.
    """
    manifest = read_manifest(path)
    episodes = tuple(read_records(path / EPISODES, EpisodeRecord.from_json, within=path))
    _check_once(path / EPISODES, episodes)
    return RunContents(
        path,
        manifest,
        episodes,
        tuple(read_records(path / VOIDS, VoidRecord.from_json, within=path)),
        tuple(read_records(path / UNCOUNTED, UncountedRecord.from_json, within=path)),
    )


def _check_once(path: Path, episodes: Sequence[EpisodeRecord]) -> None:
    scored: set[tuple[str, int]] = set()
    for line, record in enumerate(episodes, 1):
        if record.fault is not None:
            continue
        if (record.task_id, record.repeat) in scored:
            problem = f"repeat {record.repeat} of task {record.task_id!r} was scored before"
            raise CorruptFileError(path, line, problem)
        scored.add((record.task_id, record.repeat))
