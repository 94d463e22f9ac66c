"""Runs and sweeps that are sent to a tracker while they play."""

from __future__ import annotations

import json
import signal
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import houseguest as hg
from env_service.exports import tracking_process
from env_service.results.run_reader import RunContents, read_run
from tests.support.command_line import (
    LAB,
    Ask,
    finish,
    houseguest,
    lines,
    orphans,
    run_folder,
    until,
)
from tests.support.cutting_link import CuttingLink
from tests.support.played_run import LOSING, WINNING
from tests.support.trackers import (
    WandbRecord,
    check_mlflow,
    curve,
    free_port,
    in_mlflow,
    mlflow_module,
    mlflow_server,
    silent_server,
    wandb_module,
)
from tests.support.viewed import played

AGENT = """
import time
from houseguest_agent import Client

with Client("steady") as client:
    for episode in client.episodes():
        time.sleep(1)
        episode.act("win")
"""
SLOW = ("--suite", LAB, "--agent", "cmd:python steady.py", "--limit")
QUICK = ("--suite", "babyai", "--tasks", "GoToLocal", "--agent", "random", "--limit", "2")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server of MLflow."""
    with mlflow_server(tmp_path_factory.mktemp("server")) as (address, _):
        yield address


@pytest.fixture
def experiment(place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A new experiment, for all commands of the test."""
    (place / "steady.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID", raising=False)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", place.name)
    return place.name


@pytest.fixture
def client(server: str, experiment: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of the server, which the test's commands use too."""
    del experiment
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    return mlflow_module().MlflowClient(server)


def outcomes(folder: Path) -> list[tuple[str, bool, int]]:
    """What a run came to, by task."""
    records = read_run(folder).episodes
    return sorted((each.task_id, each.success, each.steps) for each in records)


def test_a_server_has_the_numbers_of_exported_runs(
    ask: Ask, client: Any, experiment: str, place: Path
) -> None:
    run = exported(place, "alice")
    out, _ = ask("export", "runs", "--to", "mlflow")
    check_mlflow(run, client, experiment, place)
    found = in_mlflow(client, experiment).info
    link = f"/#/experiments/{found.experiment_id}/runs/{found.run_id}"
    assert link in out
    assert "Exported 2 episodes of 1 run to mlflow" in out
    again, _ = ask("export", "runs", "--to", "mlflow", "--json")
    assert "is unchanged: http" in json.loads(again)["links"][0]


def exported(place: Path, agent: str) -> RunContents:
    """A finished run."""
    return read_run(played(place / "runs", agent, {"lab/0": WINNING, "lab/1": LOSING}))


@pytest.mark.parametrize("option", [("--out", "there"), ("--only", "success"), ("--replace",)])
def test_options_of_files_are_refused(ask: Ask, place: Path, option: tuple[str, ...]) -> None:
    exported(place, "alice")
    _, err = ask("export", "runs", "--to", "mlflow", *option, code=2)
    assert f"{option[0]} is only for files." in err


def test_a_run_from_python_is_tracked(
    place: Path, client: Any, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    given: Any = {"tasks": ["GoToLocal"], "limit": 2, "track": "mlflow", "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        run = hg.evaluate("babyai", "random", **given)
    found = in_mlflow(client, experiment)
    assert found.data.metrics["episodes"] == 2
    assert found.data.metrics["success_rate"] == run.success_rate
    assert found.data.params["run_id"] == run.id


def test_a_run_from_python_warns_if_the_tracker_is_away(
    place: Path, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow_module()
    monkeypatch.chdir(place)
    monkeypatch.setattr(tracking_process, "WAIT", 1.0)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{free_port()}")
    given: Any = {"tasks": ["GoToLocal"], "limit": 1, "track": "mlflow", "progress": False}
    with pytest.warns(UserWarning, match=f"not everything was sent: .*houseguest export {place}"):
        run = hg.evaluate("babyai", "random", **given)
    assert run.status == "complete"


def test_an_unknown_tracker_is_named_before_anything_starts(ask: Ask, place: Path) -> None:
    _, err = ask("run", *QUICK, "--track", "wand", code=2)
    assert "No tracker named 'wand'. Did you mean 'wandb'?" in err
    assert not (place / "runs").exists()


def test_a_run_is_sent_while_it_plays_and_continued_when_it_resumes(
    client: Any, experiment: str, place: Path
) -> None:
    process = houseguest(place, "run", *SLOW, "20", "--track", "mlflow")
    until(lambda: noted(place))
    run_id = noted(place)["id"]
    until(lambda: "success_rate" in client.get_run(run_id).data.metrics)
    assert client.get_run(run_id).info.status == "RUNNING"
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = finish(process, 130)
    before = len(read_run(run_folder(place)).episodes)
    assert f"MLflow: {before} episode" in err
    assert 0 < before < 20
    assert client.get_run(run_id).info.status == "KILLED"

    finish(houseguest(place, "run", *SLOW, "20", "--track", "mlflow", "--parallel", "4"))
    assert in_mlflow(client, experiment).info.run_id == run_id
    check_mlflow(read_run(run_folder(place)), client, experiment, place)


def noted(place: Path) -> Any:
    """The run's note about its tracker run; None before there is one."""
    found = "".join("".join(lines(path)) for path in place.glob("runs/*/logs/tracked-mlflow.json"))
    return json.loads(found) if found else None


def test_a_server_that_dies_halfway_does_not_touch_the_run(
    server: str, experiment: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = CuttingLink(server.removeprefix("http://"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://{link.address}")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    process = houseguest(place, "run", *SLOW, "12", "--track", "mlflow")
    until(lambda: noted(place))
    link.close()
    assert process.poll() is None
    _, err = finish(process)
    assert outcomes(run_folder(place)) == sorted((f"lab/{each}", True, 1) for each in range(12))
    assert "MLflow: not everything was sent: " in err
    assert orphans(place) == []

    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    finish(houseguest(place, "export", "runs", "--to", "mlflow"))
    client = mlflow_module().MlflowClient(server)
    check_mlflow(read_run(run_folder(place)), client, experiment, place)


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
@pytest.mark.parametrize("behaviour", ["refuses", "is silent"])
@pytest.mark.usefixtures("experiment")
def test_a_tracker_that_is_away_changes_no_result(
    ask: Ask, place: Path, tracker: str, behaviour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    {"mlflow": mlflow_module, "wandb": wandb_module}[tracker]()
    ask("run", *QUICK, "--out", "alone")
    monkeypatch.setattr(tracking_process, "WAIT", 1.0)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("WANDB_API_KEY", "5ecret" * 7)
    with silent_server() as silent:
        address = silent.address if behaviour == "is silent" else f"http://127.0.0.1:{free_port()}"
        monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
        monkeypatch.setenv("WANDB_BASE_URL", address)
        _, err = ask("run", *QUICK, "--track", tracker)
    assert "not everything was sent: " in err
    assert "5ecret" not in err
    (alone,) = (place / "alone").iterdir()
    assert outcomes(run_folder(place)) == outcomes(alone)
    assert b"5ecret" not in b"".join(
        path.read_bytes() for path in run_folder(place).rglob("*") if path.is_file()
    )
    assert orphans(place) == []


@pytest.mark.usefixtures("experiment")
def test_ctrl_c_skips_the_wait_for_a_tracker(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow_module()
    with silent_server() as silent:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", silent.address)
        process = houseguest(place, "run", *QUICK, "--track", "mlflow")
        heard = wait_for_line(process, "waiting up to")
        process.send_signal(signal.SIGINT)
        _, err = finish(process)
    assert "MLflow: waiting up to 60 s; Ctrl-C skips it." in heard
    assert "MLflow: not everything was sent: the wait was skipped." in err


def wait_for_line(process: subprocess.Popen[str], words: str) -> str:
    """The first line of the standard error with these words."""
    assert process.stderr is not None
    return next(line for line in process.stderr if words in line)


def test_a_run_is_sent_to_wandb_offline(
    ask: Ask, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb_module()
    monkeypatch.setenv("WANDB_MODE", "offline")
    out, err = ask("run", *QUICK, "--track", "wandb", "--json")
    (folder,) = (place / "wandb").glob("offline-run-*")
    assert f"W&B: 2 episodes -> wandb sync {folder}" in err
    found = WandbRecord(folder)
    summary = json.loads(out.splitlines()[-1])["summary"]["overall"]
    assert found.summary["success_rate"] == summary["success_rate"]
    assert found.exit == 0


PLAN = """
[defaults]
limit = 2
[[agents]]
agent = "random"
[[suites]]
suite = "babyai"
tasks = "GoToObj"
seed = [0, 1]
"""


def test_every_run_of_a_sweep_is_sent(ask: Ask, client: Any, experiment: str, place: Path) -> None:
    (place / "plan.toml").write_text(PLAN, encoding="utf-8")
    _, err = ask("sweep", "plan.toml", "--track", "mlflow")
    found = client.search_runs([client.get_experiment_by_name(experiment).experiment_id])
    assert sorted(each.data.params["seed"] for each in found) == ["0", "1"]
    assert [len(curve(client, each.info.run_id)) for each in found] == [2, 2]
    assert err.count("MLflow: 2 episodes -> http") == 2
