"""Containers as a user meets them: ``docker compose up`` in a fresh clone.

What needs an engine runs where one answers; REQUIRE_DOCKER=1 turns a skip into a failure.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.compose_project import Project, model_image, project
from tests.support.docker import compose, need_compose

GPU = ("-f", "compose.yaml", "-f", "compose.gpu.yaml")
MODEL_GPU = ("-f", "compose.yaml", "-f", "compose.model-gpu.yaml")
OWNER = 12345
"""A user who is neither root nor in the images."""
PLAYED = "--suite babyai --tasks GoToLocal --limit 2 --fresh"


def config(*files: str, **environment: str) -> dict[str, Any]:
    """What Compose makes of the files."""
    need_compose()
    status, printed = compose(*files, "config", "--format", "json", **environment)
    assert status == 0, printed
    document: dict[str, Any] = json.loads(printed[printed.index("{") :])
    return document["services"]


def profile(name: str, *files: str, **environment: str) -> dict[str, Any]:
    """The services of a profile."""
    return config(*files, "--profile", name, **environment)


def test_without_a_word_a_random_guest_plays() -> None:
    assert set(config()) == {"house", "random"}


@pytest.mark.parametrize(
    ("name", "guests"),
    [("vllm", {"vlm", "model"}), ("local", {"local"}), ("network", {"networked"})],
)
def test_a_profile_takes_the_random_guests_seat(name: str, guests: set[str]) -> None:
    assert set(profile(name)) == {"house", *guests}
    assert set(config(COMPOSE_PROFILES=name)) == {"house", *guests}


def test_a_guest_waits_for_its_model() -> None:
    waits = profile("vllm")["vlm"]["depends_on"]
    assert {name: each["condition"] for name, each in waits.items()} == {
        "house": "service_healthy",
        "model": "service_healthy",
    }


def test_compose_takes_the_override_with_a_graphics_card() -> None:
    services = config(*GPU, THOR_PLATFORM="Linux64")
    assert set(services) == {"house", "random", "check"}
    for name in ("house", "check"):
        (device,) = services[name]["deploy"]["resources"]["reservations"]["devices"]
        assert set(device["capabilities"]) == {"gpu", "graphics", "utility", "compute"}
        assert services[name]["build"]["args"]["THOR_PLATFORM"] == "Linux64"
        assert services[name]["tmpfs"] == ["/tmp:size=4g,mode=1777,nosuid,nodev"]
        assert services[name]["environment"]["HOUSEGUEST_DATA"] == "/opt/packs"
    assert services["house"]["depends_on"]["check"]["condition"] == "service_completed_successfully"
    assert "deploy" not in services["random"]
    played = ["run", "--suite", "asgard", "--world", "ai2thor"]
    assert services["house"]["command"][:5] == played


@pytest.mark.parametrize(("name", "service"), [("vllm", "model"), ("local", "local")])
def test_a_model_gets_a_graphics_card_from_an_override(name: str, service: str) -> None:
    services = profile(name, *MODEL_GPU, HOUSEGUEST_MODEL_GPUS="2")
    with_card = {name for name, each in services.items() if "deploy" in each}
    assert with_card == {service}
    (device,) = services[service]["deploy"]["resources"]["reservations"]["devices"]
    assert (device["driver"], device["count"]) == ("nvidia", 2)
    assert services[service]["network_mode"] == "none"


def test_what_is_played_can_be_chosen() -> None:
    words = config(HOUSEGUEST_RUN="--suite babyai --tasks 'GoTo*'")["house"]["command"]
    assert words[:5] == ["run", "--suite", "babyai", "--tasks", "GoTo*"]


def test_the_guests_options_can_be_chosen() -> None:
    options = {"HOUSEGUEST_MODEL": "Some Model", "HOUSEGUEST_GUEST": "--temperature 0"}
    guest = profile("vllm", **options)["vlm"]
    assert guest["command"] == ["--model", "Some Model", "--temperature", "0"]


def test_data_packs_are_mounted_where_the_service_looks_for_them(tmp_path: Path) -> None:
    services = config(HOUSEGUEST_DATA=str(tmp_path))
    (packs,) = (each for each in services["house"]["volumes"] if each["source"] == str(tmp_path))
    assert packs["read_only"] is True
    assert packs["target"] == services["house"]["environment"]["HOUSEGUEST_DATA"]


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Project]:
    with project(tmp_path / "clone", HOUSEGUEST_RUN=f"{PLAYED} --parallel 2") as made:
        yield made


def journal(clone: Project) -> list[dict[str, Any]]:
    """The episodes of the one run that lies in runs/."""
    (file,) = clone.folder.glob("runs/*/episodes.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_fresh_clone_plays_a_run_and_leaves_its_results_here(clone: Project) -> None:
    own = clone.folder / "compose.yaml"
    if os.geteuid() == 0:
        os.chown(own, OWNER, OWNER)
    printed = clone.done("up", "--build")
    assert "[2/2]" in printed
    assert len(journal(clone)) == 2
    assert {path.stat().st_uid for path in clone.folder.glob("runs/**/*")} == {own.stat().st_uid}
    tokens = [line for line in printed.splitlines() if "HOUSEGUEST_TOKEN=" in line]
    assert len(tokens) == 2
    assert all("$(cat /run/houseguest/seat-" in line for line in tokens)


def test_the_conformance_kits_run_in_a_container(clone: Project) -> None:
    clone.done("build", "house")
    printed = clone.done("run", "--rm", "--build", "-T", "conformance", "rules", "agent")
    assert "hello-first" in printed


class TestWithAModel:
    """The profile `vllm`, with a small server in the place of vLLM."""

    @pytest.fixture
    def clone(self, clone: Project, tmp_path: Path) -> Iterator[Project]:
        weights = tmp_path / "models" / "tiny"
        weights.mkdir(parents=True)
        (weights / "config.json").write_text("{}", encoding="utf-8")
        for each in (weights.parent, weights):
            each.chmod(0o755)
        with model_image(tmp_path / "image") as image:
            clone.environment.update(
                HOUSEGUEST_MODELS=str(weights.parent),
                HOUSEGUEST_MODEL="tiny",
                HOUSEGUEST_MODEL_INTERVAL="1s",
                HOUSEGUEST_VLLM_IMAGE=image,
            )
            yield clone

    def test_it_plays_over_a_socket_and_ends_with_the_service(self, clone: Project) -> None:
        clone.done("--profile", "vllm", "up", "--build", "--exit-code-from", "house")
        assert len(journal(clone)) == 2
        (manifest,) = clone.folder.glob("runs/*/manifest.json")
        declared = json.loads(manifest.read_text(encoding="utf-8"))["declared"]
        assert {each["model"] for each in declared} == {"tiny"}
        places = {each["configuration"]["base_url"] for each in declared}
        assert places == {"unix:/run/houseguest-model/model.sock:/v1"}

    def test_a_model_that_is_not_there_is_told_with_those_that_are(self, clone: Project) -> None:
        clone.environment["HOUSEGUEST_MODEL"] = "other"
        status, printed = clone.compose(
            *("--profile", "vllm", "run", "--rm", "--no-deps", "-T", "model")
        )
        assert status == 2
        assert "HOUSEGUEST_MODEL has to name a folder in HOUSEGUEST_MODELS" in printed
        assert "tiny" in printed
