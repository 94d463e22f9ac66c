"""Runs in Weights & Biases. Each becomes a W&B run with the same id.

W&B reads its settings and keys itself: `wandb login`, ``WANDB_API_KEY``, ``WANDB_PROJECT``,
``WANDB_MODE`` and others. It gets nothing of the machine, the process or the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import wandb

from env_service.exports.job import Job
from env_service.exports.tracking import (
    PLACE,
    Pictured,
    Point,
    TrackerError,
    errors_of,
    export,
    run_key,
)
from env_service.results.report.episode_table import Table
from env_service.results.run_reader import RunContents

_LONGEST = 128
"""Letters of a run's name or group."""
_PATIENCE = 30.0
"""Seconds until a server that does not answer at the start is an error."""
_PRIVATE = {
    "console": "off",
    "disable_code": True,
    "disable_git": True,
    "save_code": False,
    "host": "",
    "x_disable_machine_info": True,
    "x_disable_meta": True,
    "x_disable_stats": True,
    "x_save_requirements": False,
}


def write(job: Job) -> None:
    """Sends the runs. Raises TrackerError, in offline mode also for a run that already exists."""
    with errors_of("W&B", wandb.Error):
        known = wandb.setup().settings
        for run in job.runs if known.mode == "offline" else ():
            for folder in Path(known.wandb_dir).glob(f"offline-run-*-{run_key(run)}"):
                raise TrackerError(
                    f"{folder} contains {run.path.name}. Upload it with `wandb sync`, or remove it"
                    " to export the run again."
                )
        export(job, open_run)


def open_run(run: RunContents) -> WandbRun:
    """Opens the W&B run, a new one if there is none. Raises wandb.Error and TrackerError.

    In offline mode W&B cannot continue a run: each call writes a new folder, with the same id.
    """
    known = wandb.setup().settings
    opened = wandb.init(
        project=known.project or PLACE,
        id=run_key(run),
        name=run.path.name[:_LONGEST],
        group=f"{run.manifest.suite}/{run.manifest.task_set}"[:_LONGEST],
        resume=None if known.mode == "offline" else "allow",
        settings=wandb.Settings(silent=True, init_timeout=_PATIENCE, **_PRIVATE),
    )
    if opened.disabled:
        raise TrackerError("W&B is switched off; `wandb enabled` or WANDB_MODE=online turns it on.")
    opened.define_metric("*", step_metric="episodes")
    return WandbRun(opened)


class WandbRun:
    """See ``Tracker``."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self.id = str(run.id)
        offline = f"wandb sync {run.sync_dir}"
        self.link = offline if run.offline else str(run.url)
        self.sent = int(run.summary.get("episodes", 0)) if run.resumed else 0
        self.content = str(run.summary.get("content", "")) if run.resumed else ""

    def describe(self, parameters: Mapping[str, str | int | float]) -> None:
        """See ``Tracker``."""
        self._run.config.update(dict(parameters), allow_val_change=True)

    def log(self, points: Sequence[Point]) -> None:
        """See ``Tracker``."""
        for point in points:
            self._run.log(dict(point.numbers))
            self.sent = point.episodes

    def summarize(self, numbers: Mapping[str, float]) -> None:
        """See ``Tracker``."""
        self._run.summary.update(dict(numbers))

    def add(self, table: Table, pictures: Sequence[Pictured]) -> None:
        """See ``Tracker``."""
        names = [column.name for column in table.columns]
        rows = [list(row) for row in zip(*(table.values[name] for name in names), strict=True)]
        found: dict[str, Any] = {"table/episodes": wandb.Table(columns=names, data=rows)}
        if pictures:
            shown = {
                "first": [wandb.Image(each.first, caption=each.caption) for each in pictures],
                "last": [wandb.Image(each.last, caption=each.caption) for each in pictures],
            }
            found |= {f"pictures/{name}": images for name, images in shown.items()}
        self._run.log(found)

    def close(self, *, complete: bool, content: str) -> None:
        """See ``Tracker``."""
        if content:
            self._run.summary.update({"content": content})
        self._run.finish(exit_code=0 if complete else 1)
