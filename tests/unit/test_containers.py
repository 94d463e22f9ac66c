"""What images promise, as far as it can be read off their Dockerfiles."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from env_service.container.health import problem
from env_service.container.requirements import PROJECTS, requirements
from env_service.submissions.manifest import parse_manifest
from env_service.suites.registry import load_suite
from env_service.worlds.ai2thor_unity.settings import PREFIX, ThorSettings

ROOT = Path(__file__).resolve().parents[2]
ENTRYPOINT = ROOT / "env_service/container/entrypoint.sh"
AGENTS = [ROOT / "agents" / name for name in ("random", "scripted", "translation", "vlm", "local")]
"""Guests in Python; those of other kinds look after their own images."""
BASES = {"python:3.11-slim-bookworm", "node:20-bookworm-slim", "houseguest"}
DOCKERFILES = [
    *sorted((ROOT / "env_service").glob("Dockerfile*")),
    *sorted((ROOT / "agents").glob("*/Dockerfile")),
]


def instructions(path: Path) -> list[str]:
    """A Dockerfile's instructions, each on one line."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_image_ends_as_an_ordinary_user(path: Path) -> None:
    users = [line for line in instructions(path) if line.startswith("USER ")]
    assert users[-1] == "USER 10001:10001"


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_an_image_copies_is_there(path: Path) -> None:
    for line in instructions(path):
        if not line.startswith("COPY ") or "--from=" in line:
            continue
        *sources, _ = (word for word in line.split()[1:] if not word.startswith("--"))
        for source in sources:
            # A pattern may match nothing, as long as something else is copied with it and the
            # folder that it is looked for in is there, which `build` is not in a fresh clone.
            fixed = Path(source.partition("[")[0]).parent if "[" in source else Path(source)
            assert (ROOT / fixed).exists(), line
            assert fixed.parts[:1] != ("build",), line


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_an_image_is_lent_while_it_is_built_is_there(path: Path) -> None:
    for line in instructions(path):
        for mount in re.findall(r"--mount=(\S+)", line):
            given = dict(each.partition("=")[::2] for each in mount.split(","))
            if given["type"] == "bind" and "from" not in given:
                assert (ROOT / given["source"]).exists(), line


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_image_can_be_built_from_another_base_and_without_a_registry(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "syntax=docker/" not in text
    froms = [line.split() for line in instructions(path) if line.startswith("FROM ")]
    stages = {words[3] for words in froms if len(words) > 3}
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, re.MULTILINE))
    bases = {words[1] for words in froms} - stages
    assert {arguments[base.strip("${}")] for base in bases} <= BASES
    assert "@sha256:" not in text


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
def test_an_agents_image_says_which_it_is_and_carries_its_manifest(folder: Path) -> None:
    lines = instructions(folder / "Dockerfile")
    (labels,) = (line for line in lines if line.startswith("LABEL "))
    described = tomllib.loads((folder / "agent.toml").read_text(encoding="utf-8"))
    assert f"houseguest.agent={folder.name}" in labels.split()
    shared = described.get("shared", False)
    assert ("houseguest.shared=true" in labels.split()) == shared
    (copied,) = (line for line in lines if line.endswith(" /houseguest-agent.yaml"))
    assert f"agents/{folder.name}/houseguest-agent.yaml" in copied.split()


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
def test_an_agents_manifest_could_be_submitted(folder: Path) -> None:
    manifest = parse_manifest((folder / "houseguest-agent.yaml").read_bytes())
    described = tomllib.loads((folder / "agent.toml").read_text(encoding="utf-8"))
    assert manifest.name == f"houseguest-{folder.name}"
    assert manifest.shared == described.get("shared", False)


def test_an_image_with_ai2thor_has_every_pack_that_its_default_run_reads() -> None:
    lines = instructions(ROOT / "env_service/Dockerfile.ai2thor")
    fetched = set(re.findall(r"data fetch (\S+) --yes", "".join(lines)))
    suite = load_suite("asgard")
    assert set(suite.data("official", "ai2thor")) == fetched
    assert any(line.startswith("ENV ") and "HOUSEGUEST_DATA=/opt/packs" in line for line in lines)
    assert "COPY --from=packs /opt/packs /opt/packs" in lines


def test_a_builder_is_sent_what_stands_in_for_downloads_and_git_is_not() -> None:
    sent = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert sent.index("**/build") < sent.index("!build/packs/asgard")
    assert sent.index("**/build") < sent.index("!build/thor-*.zip")
    assert "build/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_variables_for_the_simulator_are_ones_that_it_reads() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "env_service").glob("D*"))
    text += (ROOT / "compose.gpu.yaml").read_text(encoding="utf-8")
    told = str(ThorSettings.from_environment.__doc__)
    for name in set(re.findall(rf"{PREFIX}(\w+)", text)):
        assert f"_{name}" in told


def test_what_an_image_installs_first_is_all_that_the_service_needs() -> None:
    wanted = set(requirements(ROOT, ["ai2thor"]))
    own = tomllib.loads((ROOT / PROJECTS[0]).read_text(encoding="utf-8"))["project"]
    needed = {*own["dependencies"], *own["optional-dependencies"]["ai2thor"]}
    assert wanted >= {each for each in needed if not each.startswith("houseguest")}
    assert not any(each.startswith("houseguest") for each in wanted)


def test_a_guests_image_installs_first_all_that_it_needs() -> None:
    projects = ("agents/model_guest/pyproject.toml", *PROJECTS[1:])
    wanted = set(requirements(ROOT, ["vlm"], projects))
    own = tomllib.loads((ROOT / projects[0]).read_text(encoding="utf-8"))["project"]
    needed = {*own["dependencies"], *own["optional-dependencies"]["vlm"]}
    assert wanted >= {each for each in needed if not each.startswith("houseguest")}
    assert not any(each.startswith("houseguest") for each in wanted)


def test_the_requirements_of_an_unknown_extra_are_refused() -> None:
    with pytest.raises(KeyError, match="speed"):
        list(requirements(ROOT, ["speed"]))


@pytest.mark.skipif(os.geteuid() == 0, reason="root becomes another user there")
def test_an_ordinary_user_gets_a_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = [str(ENTRYPOINT), "sh", "-c", "echo $HOME"]
    done = subprocess.run(
        command, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(home)
    assert home.is_dir()


def test_the_script_that_images_start_with_is_a_shell_script() -> None:
    assert os.access(ENTRYPOINT, os.X_OK)
    subprocess.run(["sh", "-n", str(ENTRYPOINT)], check=True)


@contextmanager
def service(socket: Path, status: health_pb2.HealthCheckResponse.ServingStatus) -> Iterator[str]:
    """A server that says of itself what it is told to; yields its address."""
    server = grpc.server(futures.ThreadPoolExecutor(1))
    servicer = health.HealthServicer()
    servicer.set("", status)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    try:
        yield f"unix:{socket}"
    finally:
        server.stop(None)


def test_a_service_that_serves_is_well(tmp_path: Path) -> None:
    with service(tmp_path / "s", health_pb2.HealthCheckResponse.SERVING) as address:
        assert problem(address, patience=30) == ""


def test_a_service_that_closes_is_not(tmp_path: Path) -> None:
    with service(tmp_path / "s", health_pb2.HealthCheckResponse.NOT_SERVING) as address:
        assert problem(address, patience=30) == f"{address}: NOT_SERVING"


def test_where_nobody_listens_nothing_is_well(tmp_path: Path) -> None:
    assert problem(f"unix:{tmp_path}/nobody", patience=30).startswith(f"unix:{tmp_path}/nobody: ")
