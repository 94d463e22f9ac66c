"""What an agent says of itself is compared with its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.results.manifest import read_manifest, write_manifest
from env_service.storage.signing_key import SigningKey
from env_service.submissions.check_report import StageFailedError
from env_service.submissions.failure_diagnosis import check_declared
from env_service.submissions.failures import SubmissionError
from env_service.submissions.manifest import SubmissionManifest
from env_service.submissions.scoring import TaskChoice, read_choices
from tests.support.played_run import play_run

MANIFEST = SubmissionManifest(
    name="a",
    version="1.0",
    contact="me",
    suites=("babyai",),
    model="m-1",
    configuration={"temperature": 0.5, "greedy": True, "prompt": "p"},
)
GOOD = {
    "agent_name": "another",
    "agent_version": "1.0",
    "model": "m-1",
    "configuration": {"temperature": "0.50", "greedy": "True", "prompt": "p", "more": "x"},
}


def run_that_declares(root: Path, declared: Mapping[str, Any]) -> Path:
    folder, _ = play_run(root, SigningKey.generate())
    manifest = replace(read_manifest(folder), declared=(declared,))
    write_manifest(folder, manifest, SigningKey.generate())
    return folder


def test_what_agrees_or_is_left_out_is_good(tmp_path: Path) -> None:
    run = run_that_declares(tmp_path, GOOD)
    assert check_declared(MANIFEST, [run]) == ()
    silent = replace(MANIFEST, model="", configuration={})
    assert check_declared(silent, [run]) == (
        "the manifest names no model, but the agent says 'm-1'",
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agent_version": "2.0"}, "version is '1.0' in the manifest, but the agent says '2.0'"),
        ({"model": "m-2"}, "model is 'm-1' in the manifest, but the agent says 'm-2'"),
        ({"configuration": {"temperature": "0.7"}}, "configuration.temperature is 0.5"),
        ({"configuration": {"greedy": "False"}}, "configuration.greedy is True"),
    ],
)
def test_what_differs_is_told(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    run = run_that_declares(tmp_path, {**GOOD, **change})
    with pytest.raises(StageFailedError, match="manifest") as caught:
        check_declared(MANIFEST, [run])
    assert caught.value.failure.value == "manifest_mismatch"
    assert told in caught.value.problem


def test_task_sets_are_read_though_their_names_hold_commas() -> None:
    given = ["babybench/predict:GoToLocal,Open:1-50,asgard/builtin-50-7", "babyai", "a.b:C/x"]
    assert read_choices(given) == (
        TaskChoice("babybench", "predict:GoToLocal,Open:1-50"),
        TaskChoice("asgard", "builtin-50-7"),
        TaskChoice("babyai"),
        TaskChoice("a.b:C", "x"),
    )
    with pytest.raises(SubmissionError, match="SUITE/TASKSET"):
        read_choices(["/evaluation"])
