"""Images that are handed in, in containers of a real engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.sandbox.docker.container import owned
from env_service.sandbox.docker.engine import connect
from env_service.sandbox.options import SandboxOptions
from env_service.submissions.submission_check import CheckOrder, check
from tests.support.command_line import Ask
from tests.support.docker import docker, need_engine
from tests.support.submitted_images import SubmittedImages, submitted_images

RUNC = SandboxOptions(runtime="runc", asked=frozenset({"--runtime"}))
PHASES = """
[hidden]
suite = "babybench"
task_sets = ["plan:Small-4Dists:{secret*2}"]
check = false
[open]
suite = "babyai"
"""


@pytest.fixture(scope="module")
def images() -> Iterator[SubmittedImages]:
    need_engine()
    with submitted_images() as built:
        yield built


def containers() -> list[str]:
    """Containers of this process's houses."""
    client = connect()
    try:
        return [name for name, owner in owned(client).items() if not owner.is_gone()]
    finally:
        client.close()


def test_a_good_image_passes_the_check_that_the_organiser_runs(
    images: SubmittedImages, ask: Ask
) -> None:
    check_it = ("submit", "check", images.good, "--suite", "babyai", "--runtime", "runc")
    report = json.loads(ask(*check_it, "--json")[0])
    assert report["passed"], report
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", report["digest"])
    assert report["manifest"]["name"] == "houseguest-random"
    stages = {stage["stage"]: stage for stage in report["stages"]}
    assert stages["limits"]["facts"]["memory_bytes"] == 512 * 2**20
    assert "no network" in stages["play babyai"]["facts"]["sandbox"]
    assert stages["conformance"]["facts"]["failed"] == 0
    assert stages["verification"]["facts"]["replayed"] == 3


@pytest.mark.parametrize(
    ("name", "failure", "told"),
    [
        ("bare", "manifest_missing", "has no /houseguest-agent.yaml: COPY one into it"),
        ("linked", "manifest_invalid", "this is a link to '/etc/passwd'"),
        ("lying", "manifest_mismatch", "version is '9.9' in the manifest"),
        ("crashing", "agent_crash", "3 ended as agent_crash"),
        ("greedy", "agent_oom", "0 of 3 episodes were scored"),
    ],
)
def test_what_is_wrong_with_an_image_has_its_class(
    images: SubmittedImages, tmp_path: Path, name: str, failure: str, told: str
) -> None:
    report = check(CheckOrder(getattr(images, name), tmp_path, suites=("babyai",), sandbox=RUNC))
    failed = report.failed
    assert failed is not None
    assert failed.failure is not None
    assert (failed.failure.value, told in failed.problem) == (failure, True), failed
    assert containers() == []


def test_an_image_that_is_not_there_is_named(images: SubmittedImages, ask: Ask) -> None:
    out, _ = ask("submit", "check", "houseguest-test-no-such-image", "--json", code=1)
    assert json.loads(out)["failure"] == "image_missing"


def test_an_agent_learns_nothing_of_a_hidden_set_nor_does_the_public(
    images: SubmittedImages, ask: Ask, place: Path
) -> None:
    (place / "queue").mkdir()
    (place / "queue" / "phases.toml").write_text(PHASES, encoding="utf-8")
    add = ("queue", "add", images.spying, "--team", "a", "--phase", "hidden", "--json")
    job = json.loads(ask(*add)[0])
    (done,) = json.loads(ask("queue", "work", "--runtime", "runc", "--json")[0])
    assert done["state"] == "scored", done
    (run,) = (place / "queue" / "private" / job["id"] / "runs").iterdir()
    manifest: dict[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    seeds = [task.rpartition("/")[2] for task in manifest["task_ids"]]
    hidden = {*manifest["task_ids"], *seeds, manifest["task_set"], "Small-4Dists", "hidden"}
    hidden |= {job["id"], manifest["run_id"], manifest["task_set_digest"], run.name}
    assert len(seeds) == 2
    seen = (run / "logs" / "guest-0.log").read_text(encoding="utf-8")
    assert seen.count("TOLD") > 4
    assert "mountinfo" in seen
    assert [word for word in hidden if word in seen] == []
    public = (place / "queue" / "public" / f"{job['id']}.json").read_text(encoding="utf-8")
    assert [word for word in hidden - {job["id"], "hidden"} if word in public] == []
    assert json.loads(public)["score"]["rates"]["over_all_planned"]["n"] == 2


def test_an_image_is_pinned_when_it_is_handed_in(
    images: SubmittedImages, ask: Ask, place: Path
) -> None:
    (place / "queue").mkdir()
    (place / "queue" / "phases.toml").write_text(PHASES, encoding="utf-8")
    tag = f"{images.crashing}-again"
    assert docker("tag", images.crashing, tag)[0] == 0
    try:
        add = ("queue", "add", tag, "--team", "a", "--phase", "open", "--json")
        first = json.loads(ask(*add)[0])
        assert docker("tag", images.good, tag)[0] == 0
        second = json.loads(ask(*add)[0])
    finally:
        docker("image", "rm", tag)
    assert first["digest"] != second["digest"]
    (done,) = json.loads(ask("queue", "work", "--once", "--runtime", "runc", "--json")[0])
    assert (done["digest"], done["failure"]) == (first["digest"], "agent_crash")
