"""Runs in MLflow. Each becomes an MLflow run, found again by the tag `houseguest.run_id`.

MLflow reads its settings and keys itself: ``MLFLOW_TRACKING_URI``, ``MLFLOW_EXPERIMENT_NAME``,
``MLFLOW_TRACKING_TOKEN`` and others.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from env_service.exports.job import Job
from env_service.exports.tracking import (
    PLACE,
    Pictured,
    Point,
    errors_of,
    export,
    redacted,
    run_key,
)
from env_service.results.report.episode_table import Table
from env_service.results.run_reader import RunContents

# MLflow reads them on import. Its own defaults wait for minutes until a server that is away is an
# error.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "30")

import mlflow
from mlflow.entities import Metric, Param, RunTag
from mlflow.exceptions import MlflowException

RUN_ID, CONTENT, _TABLES = "houseguest.run_id", "houseguest.content", "mlflow.loggedArtifacts"
TABLE = "episodes.json"
_MOST_METRICS, _MOST_PARAMETERS = 1000, 100
"""Of one request."""
_LONGEST_NAME, _LONGEST_VALUE = 250, 6000
_SQLITE = "sqlite:///"


def write(job: Job) -> None:
    """Sends the runs. Raises TrackerError."""
    with errors_of("MLflow", MlflowException):
        export(job, open_run)


def open_run(run: RunContents) -> MlflowRun:
    """Opens the MLflow run, a new one if there is none. Raises MlflowException."""
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    _make_local_store(mlflow.get_tracking_uri())
    client = mlflow.MlflowClient()
    experiment = _experiment(client)
    key = run_key(run)
    found = client.search_runs([experiment], f"tags.`{RUN_ID}` = '{key}'", max_results=1)
    if found:
        return MlflowRun(client, found[0])
    made = client.create_run(experiment, run_name=run.path.name, tags={RUN_ID: key})
    return MlflowRun(client, made)


def _experiment(client: mlflow.MlflowClient) -> str:
    """The id of the experiment, which is made if it does not exist."""
    if given := os.environ.get("MLFLOW_EXPERIMENT_ID"):
        return given
    name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or PLACE
    if (found := client.get_experiment_by_name(name)) is not None:
        return str(found.experiment_id)
    try:
        return str(client.create_experiment(name))
    except MlflowException:
        # Another process may have made it meanwhile.
        if (found := client.get_experiment_by_name(name)) is None:
            raise
        return str(found.experiment_id)


def _make_local_store(uri: str) -> None:
    """Makes the database of a local store if it does not exist.

    MLflow makes it in many steps, which leave a useless file if the process is killed meanwhile or
    if another process makes the same one.
    """
    if not uri.startswith(_SQLITE):
        return
    path = Path(uri.removeprefix(_SQLITE).partition("?")[0])
    with _locked(path.parent):
        if not path.exists():
            for left in path.parent.glob(f".{path.name}-*"):
                left.unlink()
            draft = path.with_name(f".{path.name}-{os.getpid()}")
            mlflow.MlflowClient(f"{_SQLITE}{draft}")
            draft.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


class MlflowRun:
    """See ``Tracker``."""

    def __init__(self, client: mlflow.MlflowClient, run: Any) -> None:
        self._client = client
        self.id = str(run.info.run_id)
        uri = redacted(mlflow.get_tracking_uri())
        page = f"{uri.rstrip('/')}/#/experiments/{run.info.experiment_id}/runs/{self.id}"
        self.link = page if uri.startswith("http") else f"run {self.id} in {uri}"
        self._parameters = set(run.data.params)
        self._latest = dict(run.data.metrics)
        self._running = run.info.status == "RUNNING"
        self.sent = int(self._latest.get("episodes", 0))
        self.content = run.data.tags.get(CONTENT, "")

    def describe(self, parameters: Mapping[str, str | int | float]) -> None:
        """See ``Tracker``."""
        named = {_name(name): str(value)[:_LONGEST_VALUE] for name, value in parameters.items()}
        new = [Param(name, named[name]) for name in named if name not in self._parameters]
        for start in range(0, len(new), _MOST_PARAMETERS):
            self._client.log_batch(self.id, params=new[start : start + _MOST_PARAMETERS])
        self._parameters |= set(named)

    def log(self, points: Sequence[Point]) -> None:
        """See ``Tracker``."""
        self._resume()
        batch: list[Metric] = []
        for point in points:
            metrics = _metrics(point.numbers, point.episodes)
            # A request has whole points, so that `sent` is true after it.
            if len(batch) + len(metrics) > _MOST_METRICS:
                self._client.log_batch(self.id, metrics=batch)
                batch = []
            batch += metrics
            self._latest |= {each.key: each.value for each in metrics}
        if batch:
            self._client.log_batch(self.id, metrics=batch)
        self.sent = points[-1].episodes if points else self.sent

    def summarize(self, numbers: Mapping[str, float]) -> None:
        """See ``Tracker``."""
        changed = [
            each
            for each in _metrics(numbers, int(numbers["episodes"]))
            if self._latest.get(each.key) != each.value
        ]
        for start in range(0, len(changed), _MOST_METRICS):
            self._client.log_batch(self.id, metrics=changed[start : start + _MOST_METRICS])
        self._latest |= {each.key: each.value for each in changed}

    def add(self, table: Table, pictures: Sequence[Pictured]) -> None:
        """See ``Tracker``. The table has the form of ``mlflow.log_table``."""
        names = [column.name for column in table.columns]
        rows = list(zip(*(table.values[name] for name in names), strict=True))
        # MLflow's pages show the tables that this tag lists.
        shown = json.dumps([{"path": TABLE, "type": "table"}])
        self._client.log_dict(self.id, {"columns": names, "data": rows}, TABLE)
        self._client.log_batch(self.id, tags=[RunTag(_TABLES, shown)])
        if not pictures:
            return
        with tempfile.TemporaryDirectory() as place:
            for each in pictures:
                folder = Path(place, each.record.episode_id)
                folder.mkdir()
                each.first.save(folder / "first.png")
                each.last.save(folder / "last.png")
            self._client.log_artifacts(self.id, place, "pictures")

    def close(self, *, complete: bool, content: str) -> None:
        """See ``Tracker``."""
        if content and content != self.content:
            self._client.set_tag(self.id, CONTENT, content)
        if self._running:
            self._client.set_terminated(self.id, "FINISHED" if complete else "KILLED")

    def _resume(self) -> None:
        if not self._running:
            self._client.update_run(self.id, status="RUNNING")
            self._running = True


def _metrics(numbers: Mapping[str, float], step: int) -> list[Metric]:
    now = int(time.time() * 1000)
    return [Metric(_name(name), value, now, step) for name, value in numbers.items()]


def _name(name: str) -> str:
    """A name that MLflow accepts: a path without empty parts and dots alone."""
    parts = (re.sub(r"[^\w. -]", "_", part) for part in name.split("/"))
    return "/".join(part if part.strip(".") else "_" for part in parts)[:_LONGEST_NAME]
