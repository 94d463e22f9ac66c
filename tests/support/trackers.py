"""What Weights & Biases and MLflow wrote, and servers of theirs that work or fail."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from PIL import Image

from env_service.exports.job import Job
from env_service.exports.tracking import numbers, parameters, pictured, points
from env_service.results.report.episode_table import episode_table
from env_service.results.run_reader import RunContents
from tests.support.command_line import until
from tests.support.extras import extra_module


def wandb_module() -> Any:
    """W&B's package; skips the test if it is not installed."""
    return extra_module("wandb", "houseguest[wandb]", "REQUIRE_EXPORTS")


def mlflow_module() -> Any:
    """MLflow's package; skips the test if it is not installed."""
    return extra_module("mlflow", "houseguest[mlflow]", "REQUIRE_EXPORTS")


class WandbRecord:
    """An offline run of W&B, read with the messages of its package."""

    def __init__(self, folder: Path) -> None:
        records_of = extra_module("wandb.proto.wandb_internal_pb2", "houseguest[wandb]").Record
        (path,) = folder.glob("*.wandb")
        self.files = folder / "files"
        self.config: dict[str, Any] = {}
        self.summary: dict[str, Any] = {}
        self.history: list[dict[str, Any]] = []
        self.exit: int | None = None
        self.sent = b""
        for data in _blocks(path.read_bytes()):
            self.sent += data
            record = records_of.FromString(data)
            kind = record.WhichOneof("record_type")
            if kind == "run":
                self.run = record.run
            elif kind in ("config", "summary"):
                getattr(self, kind).update(_values(getattr(record, kind).update))
            elif kind == "history":
                self.history.append(_values(record.history.item))
            elif kind == "exit":
                self.exit = record.exit.exit_code

    def table(self, name: str) -> tuple[list[str], list[list[Any]]]:
        """The columns and rows of a logged table."""
        (entry,) = (each[name] for each in self.history if name in each)
        table = json.loads((self.files / entry["path"]).read_bytes())
        return table["columns"], table["data"]

    def images(self, name: str) -> list[Path]:
        """The files of logged images."""
        (entry,) = (each[name] for each in self.history if name in each)
        return [self.files / path for path in entry["filenames"]]


def _values(items: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in items:
        *outer, name = item.nested_key or [item.key]
        place = found
        for each in outer:
            place = place.setdefault(each, {})
        place[name] = json.loads(item.value_json)
    return found


def _blocks(data: bytes) -> Iterator[bytes]:
    """The records of a log in LevelDB's format: parts with a checksum, a length and a kind, in
    blocks of 32 KiB."""
    place, whole = 7, b""
    while place + 7 <= len(data):
        left = 32768 - place % 32768
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        part = data[place + 7 : place + 7 + length]
        place += 7 + length
        whole = part if kind in (1, 2) else whole + part
        if kind in (1, 4):
            yield whole


def check_mlflow(run: RunContents, client: Any, experiment: str, place: Path) -> None:
    """Compares the only run of an experiment with ours. ``place`` is for its pictures."""
    found = in_mlflow(client, experiment)
    assert found.info.run_name == run.path.name
    assert found.info.status == "FINISHED"
    assert found.data.params == {name: str(value) for name, value in parameters(run).items()}
    assert numbers(run).items() <= found.data.metrics.items()
    expected = {each.episodes: each.numbers["success_rate"] for each in points(run)}
    assert curve(client, found.info.run_id) == expected
    arguments = (found.info.experiment_id, "episodes.json", [found.info.run_id])
    frame = client.load_table(*arguments)
    table = episode_table([(run, list(Job((run,), run.path).episodes(run)))])
    for name in ("episode_id", "task_id", "success", "steps"):
        assert list(frame[name]) == table.values[name]
    for each in pictured(run):
        path = f"pictures/{each.record.episode_id}/last.png"
        saved = client.download_artifacts(found.info.run_id, path, str(place))
        pixels = Image.open(saved).convert("RGB").tobytes()
        assert pixels == each.last.convert("RGB").tobytes()


def in_mlflow(client: Any, experiment: str) -> Any:
    """The only run of an experiment."""
    (found,) = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    return found


def curve(client: Any, run_id: str, name: str = "success_rate") -> dict[int, float]:
    """A metric by step; no step twice."""
    history = client.get_metric_history(run_id, name)
    assert len({each.step for each in history}) == len(history)
    return {each.step: each.value for each in history}


@contextmanager
def mlflow_server(place: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A real tracking server with its data in a folder: its address and process."""
    mlflow_module()
    extra_module("flask_cors", "mlflow", "REQUIRE_EXPORTS")
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command = [sys.executable, "-m", "mlflow", "server", *options]
    log = (place / "server.log").open("wb")
    server = subprocess.Popen(command, cwd=place, stdout=log, stderr=log, process_group=0)
    address = f"http://127.0.0.1:{port}"

    def healthy() -> bool:
        assert server.poll() is None, (place / "server.log").read_text()
        with suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
            return bool(answer.status == 200)
        return False

    try:
        until(healthy)
        yield address, server
    finally:
        stop_group(server)
        log.close()


def stop_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a process with its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port at which nothing listens."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class SilentServer:
    """Accepts connections and never answers. ``called``: whether it has got a request."""

    def __init__(self) -> None:
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self.called = False
        self._kept: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._kept.append(self._door.accept()[0])
                self.called = True

    def close(self) -> None:
        """Drops every connection."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for each in self._kept:
            each.close()


@contextmanager
def silent_server() -> Iterator[SilentServer]:
    """A server that accepts connections and never answers."""
    with closing(SilentServer()) as server:
        yield server
