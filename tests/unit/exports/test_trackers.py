"""Runs in experiment trackers: what is sent, and what trackers then have."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from env_service.exports import tracking_process
from env_service.exports.formats import find_format
from env_service.exports.job import Job
from env_service.exports.tracking import (
    MOST_POINTS,
    TrackerError,
    numbers,
    parameters,
    pictured,
    points,
    redacted,
)
from env_service.exports.tracking_process import Tracking
from env_service.results.report.episode_table import episode_table
from env_service.results.run_reader import RunContents, read_run
from tests.support.command_line import until
from tests.support.played_run import LOSING, WINNING
from tests.support.trackers import (
    WandbRecord,
    check_mlflow,
    curve,
    free_port,
    in_mlflow,
    mlflow_module,
    silent_server,
    wandb_module,
)
from tests.support.viewed import played

TASKS = ("lab/0", "lab/1", "lab/2")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """The first task won, the others lost, with pictures."""
    root = tmp_path_factory.mktemp("tracked")
    actions = dict(zip(TASKS, (WINNING, LOSING, LOSING), strict=True))
    return read_run(played(root / "runs", "alice", actions))


def begun(run: RunContents, episodes: int) -> RunContents:
    """The run when so many of its episodes were final."""
    return replace(run, episodes=run.episodes[:episodes])


def export(run: RunContents, form: str, **options: Any) -> str:
    """Sends one run; where it is."""
    said: list[str] = []
    find_format(form).writer(form)(Job((run,), Path(), say=said.append, **options))
    return said[0]


# --- What is sent


def test_the_last_point_of_a_curve_has_the_numbers_of_the_summary(run: RunContents) -> None:
    *_, last = points(run)
    summary = numbers(run)
    shared = last.numbers.keys() & summary.keys()
    assert {"success_rate", "success_rate_low", "goal_conditions", "episodes"} <= shared
    assert {name: last.numbers[name] for name in shared} == {name: summary[name] for name in shared}
    assert summary["success_rate"] == run.summary.overall.rate == 1 / 3


def test_points_never_change_while_a_run_grows(run: RunContents) -> None:
    whole = list(points(run))
    assert list(points(begun(run, 2))) == whole[:2]
    assert list(points(run, after=2)) == whole[2:]


def test_curves_of_long_runs_have_a_bounded_number_of_points(run: RunContents) -> None:
    names = tuple(f"lab/{number}" for number in range(3 * MOST_POINTS))
    episodes = tuple(replace(run.episodes[0], task_id=name) for name in names)
    long = replace(run, manifest=replace(run.manifest, task_ids=names), episodes=episodes)
    last = 3 * MOST_POINTS
    assert [each.episodes for each in points(long, after=last - 6)] == [last - 3, last]


def test_pictures_are_of_episodes_that_succeeded_and_failed(run: RunContents) -> None:
    shown = pictured(run)
    assert [each.record.task_id for each in shown] == list(TASKS)
    assert {each.first.size for each in shown} == {(64, 64)}
    assert shown[0].caption == "lab/0, repeat 0: success"


def test_passwords_in_addresses_are_not_shown() -> None:
    text = "no answer from https://me:secret@host/api?a=b@c and http://host:80"
    assert redacted(text) == "no answer from https://host/api?a=b@c and http://host:80"


# --- Weights & Biases


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where W&B writes in offline mode."""
    wandb_module()
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_API_KEY", "5ecret" * 7)
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    # Settings are read once in a process.
    wandb_module().teardown()
    return tmp_path / "wandb"


def recorded(offline: Path) -> WandbRecord:
    """The only run there, once W&B's own process has written everything."""
    wandb_module().teardown()
    (folder,) = offline.glob("offline-run-*")
    return WandbRecord(folder)


def test_wandb_has_the_numbers_the_episodes_and_the_pictures(
    run: RunContents, offline: Path
) -> None:
    link = export(run, "wandb")
    found = recorded(offline)
    assert link == f"{run.path.name} -> wandb sync {found.files.parent}"
    assert (found.run.project, found.run.run_id) == ("houseguest", run.manifest.run_id)
    assert found.run.display_name == run.path.name
    assert parameters(run).items() <= found.config.items()
    assert numbers(run).items() <= found.summary.items()
    curve = [each["success_rate"] for each in found.history if "success_rate" in each]
    assert curve == [each.numbers["success_rate"] for each in points(run)]
    table = episode_table([(run, run.episodes)])
    names, rows = found.table("table/episodes")
    assert names == [column.name for column in table.columns]
    assert [row[names.index("success")] for row in rows] == [True, False, False]
    assert [row[names.index("steps")] for row in rows] == table.values["steps"]
    shown = pictured(run)
    for name, images in (
        ("first", [each.first for each in shown]),
        ("last", [each.last for each in shown]),
    ):
        paths = found.images(f"pictures/{name}")
        read = [Image.open(path).convert("RGB").tobytes() for path in paths]
        assert read == [each.convert("RGB").tobytes() for each in images]
    assert found.exit == 0


def test_wandb_gets_no_key_and_nothing_of_the_machine(run: RunContents, offline: Path) -> None:
    export(run, "wandb", pictures=False)
    found = recorded(offline)
    everything = found.sent + b"".join(
        path.read_bytes() for path in offline.rglob("*") if path.is_file()
    )
    assert b"5ecret" not in everything
    assert not (found.files / "wandb-metadata.json").exists()
    assert not (found.files / "requirements.txt").exists()
    assert not (found.files / "output.log").exists()


def test_an_offline_run_of_wandb_is_not_written_twice(run: RunContents, offline: Path) -> None:
    export(run, "wandb", pictures=False)
    with pytest.raises(TrackerError, match="Upload it with `wandb sync`, or remove it"):
        export(run, "wandb")
    assert len(list(offline.glob("offline-run-*"))) == 1


def test_an_unfinished_run_is_a_failed_one_in_wandb(run: RunContents, offline: Path) -> None:
    export(begun(run, 1), "wandb", pictures=False)
    assert recorded(offline).exit == 1


def test_a_server_of_wandb_that_refuses_is_named(
    run: RunContents, offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("WANDB_MODE", "online")
    monkeypatch.setenv("WANDB_BASE_URL", address)
    wandb_runs = import_module("env_service.exports.wandb_runs")
    monkeypatch.setattr(wandb_runs, "_PATIENCE", 1.0)
    with pytest.raises(TrackerError, match="W&B: ") as caught:
        export(run, "wandb", pictures=False)
    assert "5ecret" not in str(caught.value)


# --- MLflow


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a local store, which takes MLflow seconds to make."""
    mlflow = mlflow_module()
    address = f"sqlite:///{tmp_path_factory.mktemp('mlflow')}/mlflow.db"
    mlflow.MlflowClient(address).search_experiments()
    return address


@pytest.fixture
def store(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of a local store with a new experiment, named as ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID", raising=False)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", database)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", tmp_path.name)
    # On a busy machine, MLflow's import alone may take longer than users wait.
    monkeypatch.setattr(tracking_process, "WAIT", 300.0)
    client = mlflow_module().MlflowClient(database)
    client.create_experiment(tmp_path.name, (tmp_path / "files").as_uri())
    return client


def test_mlflows_store_has_the_numbers_the_episodes_and_the_pictures(
    run: RunContents, store: Any, tmp_path: Path
) -> None:
    export(run, "mlflow")
    check_mlflow(run, store, tmp_path.name, tmp_path)


def test_exporting_again_changes_nothing_in_mlflow(
    run: RunContents, store: Any, tmp_path: Path
) -> None:
    first = export(run, "mlflow", pictures=False)
    before = in_mlflow(store, tmp_path.name)
    again = export(run, "mlflow", pictures=False)
    assert first.replace("->", "is unchanged:") == again
    after = in_mlflow(store, tmp_path.name)
    assert after.to_dictionary() == before.to_dictionary()
    assert len(curve(store, after.info.run_id)) == 3


def test_a_run_that_has_grown_continues_in_mlflow(
    run: RunContents, store: Any, tmp_path: Path
) -> None:
    export(begun(run, 1), "mlflow", pictures=False)
    assert in_mlflow(store, tmp_path.name).info.status == "KILLED"
    export(run, "mlflow", pictures=False)
    found = in_mlflow(store, tmp_path.name)
    assert found.info.status == "FINISHED"
    assert curve(store, found.info.run_id) == {1: 1.0, 2: 0.5, 3: 1 / 3}
    assert found.data.metrics["unplayed"] == 0


def test_names_that_mlflow_refuses_are_written_differently(
    run: RunContents, store: Any, tmp_path: Path
) -> None:
    groups = ("odd (name)", "../up", "..")
    records = zip(run.episodes, groups, strict=True)
    odd = replace(run, episodes=tuple(replace(each, group=group) for each, group in records))
    export(odd, "mlflow", pictures=False)
    found = in_mlflow(store, tmp_path.name).data.metrics
    assert {"group/odd _name_/success_rate", "group/_/up/success_rate"} <= found.keys()


# --- The process that follows a run


def followed(run: RunContents, form: str, done: Callable[[], object]) -> list[str]:
    """What the user reads if the process gets a finished run; it has to end after ``done``."""
    said: list[str] = []
    with Tracking(form, said.append) as tracking:
        tracking.start(run.path)
        until(done)
    return said


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that waits for its tracker for a second."""
    monkeypatch.setattr(tracking_process, "WAIT", 1.0)


def process_of(place: Path) -> list[int]:
    """The processes that work in a folder, but for this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (entry / "cwd").readlink() == place and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def test_a_finished_run_is_sent_whole(run: RunContents, store: Any, tmp_path: Path) -> None:
    said = followed(run, "mlflow", lambda: True)
    assert said[-1].startswith("MLflow: 3 episodes -> run ")
    check_mlflow(run, store, tmp_path.name, tmp_path)
    note = json.loads((run.path / "logs" / "tracked-mlflow.json").read_bytes())
    assert note["id"] == in_mlflow(store, tmp_path.name).info.run_id


@pytest.mark.usefixtures("store")
def test_a_process_that_is_killed_is_named(run: RunContents, tmp_path: Path) -> None:
    def kill() -> bool:
        found = process_of(tmp_path)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        return bool(found)

    said = followed(run, "mlflow", kill)
    assert said[-1] == (
        "MLflow: not everything was sent: its process was stopped. To send the rest: houseguest"
        f" export {run.path} --to mlflow"
    )


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("form", ["mlflow", "wandb"])
def test_a_silent_server_is_given_up(
    run: RunContents, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    {"mlflow": mlflow_module, "wandb": wandb_module}[form]()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_API_KEY", "5ecret" * 7)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    with silent_server() as server:
        secret = server.address.replace("//", "//me:5ecret@")
        monkeypatch.setenv("MLFLOW_TRACKING_URI", secret)
        monkeypatch.setenv("WANDB_BASE_URL", server.address)
        said = followed(run, form, lambda: server.called)
    assert "it was not finished within 1 s. To send the rest: houseguest export" in said[-1]
    assert "5ecret" not in "".join(said)
    assert process_of(tmp_path) == []


def test_a_server_that_refuses_is_named(
    run: RunContents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow_module()
    monkeypatch.chdir(tmp_path)
    place = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://me:5ecret@{place}")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setattr(tracking_process, "WAIT", 150.0)
    said = followed(run, "mlflow", lambda: True)
    assert f"not everything was sent: API request to http://{place}/api" in said[-1]
    assert "5ecret" not in "".join(said)


@pytest.mark.usefixtures("store")
def test_a_run_without_an_episode_leaves_nothing(run: RunContents, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    (empty / "logs").mkdir(parents=True)
    shutil.copy(run.path / "manifest.json", empty)
    said = followed(replace(run, path=empty), "mlflow", lambda: True)
    assert said[-1] == "MLflow: the run has no episode, so nothing was sent."
