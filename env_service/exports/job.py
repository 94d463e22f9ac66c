"""What to export, where to, and how to write it so that nothing half-written is left."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path

from env_service.results.manifest import Manifest
from env_service.results.records import EpisodeRecord
from env_service.results.run_reader import RunContents
from env_service.storage.atomic_files import document

MARKER = "export.json"
"""In every exported folder: the format, and the runs. A folder with it may be replaced."""


class Chosen(StrEnum):
    """Which episodes are exported."""

    ALL = "all"
    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which episodes are exported: those that fit all of it.

    ``min_score`` is a share of goal conditions that hold at the end, 0 to 1. Episodes that the
    service could not score fit only a selection without limits.
    """

    chosen: Chosen = Chosen.ALL
    min_score: float | None = None
    max_steps: int | None = None

    @property
    def everything(self) -> bool:
        """Whether it has no limit."""
        return self == Selection()

    def fits(self, record: EpisodeRecord) -> bool:
        """Whether the episode is exported."""
        if record.fault is not None:
            return self.everything
        return (
            self.chosen in (Chosen.ALL, Chosen.SUCCESS if record.success else Chosen.FAILURE)
            and (self.min_score is None or record.goals_met >= self.min_score)
            and (self.max_steps is None or record.steps <= self.max_steps)
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One export.

    ``out`` is an empty folder to write to. ``pictures`` says whether pictures are exported.
    ``selection`` and ``fits`` select the episodes. ``license`` is the data's, for a card; empty if
    the user names none. ``evaluation_tasks`` allows demonstrations of tasks that are for
    evaluation. Writers call ``advance`` after each episode. A format without a folder ignores
    ``out``, and calls ``say`` with the place of each run.
    """

    runs: tuple[RunContents, ...]
    out: Path
    pictures: bool = True
    selection: Selection = Selection()
    fits: Callable[[RunContents, EpisodeRecord], bool] = lambda _run, _record: True
    license: str = ""
    evaluation_tasks: bool = False
    advance: Callable[[], None] = lambda: None
    say: Callable[[str], object] = lambda _: None

    def episodes(self, run: RunContents) -> Iterator[EpisodeRecord]:
        """The selected episodes of a run, by task in playing order, then by repeat."""
        places = {task: place for place, task in enumerate(run.manifest.task_ids)}
        last = len(places)
        for record in sorted(
            run.episodes, key=lambda each: (places.get(each.task_id, last), each.repeat)
        ):
            if self.selection.fits(record) and self.fits(run, record):
                yield record

    def name(self, run: RunContents) -> str:
        """A name for a run's file or folder: of its folder, with a number from the second on."""
        name = run.path.name
        before = self.runs[: self.runs.index(run)]
        earlier = sum(each.path.name == name for each in before)
        return f"{name}-{earlier + 1}" if earlier else name

    @property
    def total(self) -> int:
        """How many episodes are exported."""
        return sum(1 for run in self.runs for _ in self.episodes(run))


class OccupiedError(Exception):
    """The folder to write to exists."""


def check_free(out: Path, *, replace: bool) -> None:
    """Raises OccupiedError if an export may not be written there."""
    if not out.exists() and not out.is_symlink():
        return
    if out.is_dir() and not out.is_symlink() and not any(out.iterdir()):
        return
    is_export = out.is_dir() and not out.is_symlink() and (out / MARKER).is_file()
    if is_export and replace:
        return
    hint = (
        "pass --replace to replace that export, or name another folder"
        if is_export
        else "it is not an export, so it is never replaced: name another folder"
    )
    raise OccupiedError(f"{out} exists: {hint}.")


@contextmanager
def drafted(out: Path, form: str, runs: Sequence[RunContents], *, replace: bool) -> Iterator[Path]:
    """A folder beside ``out`` to write to; it becomes ``out`` at the end, and vanishes after an
    exception. Raises OccupiedError."""
    check_free(out, replace=replace)
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield draft
        (draft / MARKER).write_bytes(document(_marker(form, runs)))
        draft.chmod(0o755)
        if out.exists():
            check_free(out, replace=replace)
            old = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
            out.replace(old)
            draft.replace(out)
            shutil.rmtree(old)
        else:
            draft.replace(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _marker(form: str, runs: Sequence[RunContents]) -> dict[str, object]:
    return {
        "format": form,
        "houseguest": version("houseguest"),
        "runs": [{"name": run.path.name, "run_id": run.manifest.run_id} for run in runs],
    }


def model_of(manifest: Manifest) -> str:
    """The models that the agent declared, separated by commas; empty if it declared none."""
    names = (str(each["model"]) for each in manifest.declared if each.get("model"))
    return ", ".join(dict.fromkeys(names))
