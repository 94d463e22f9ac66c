"""What compose files promise, as far as it can be read off them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from env_service.suites.registry import load_suite

ROOT = Path(__file__).resolve().parents[2]
COMPOSE_FILES = ("compose.yaml", "compose.gpu.yaml", "compose.model-gpu.yaml")


def document(name: str) -> dict[str, Any]:
    """A compose file, as YAML has it."""
    read: dict[str, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return read


def composed(name: str) -> dict[str, Any]:
    """A compose file's services."""
    services: dict[str, Any] = document(name)["services"]
    return services


@pytest.mark.parametrize("name", composed("compose.yaml"))
def test_a_container_changes_nothing_and_may_do_nothing(name: str) -> None:
    service = composed("compose.yaml")[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"pids_limit", "mem_limit", "memswap_limit", "shm_size"} <= set(service)
    assert service["mem_limit"] == service["memswap_limit"]
    assert all("size=" in each for each in service["tmpfs"])
    assert "privileged" not in service
    assert not any("docker.sock" in str(volume) for volume in service.get("volumes", []))


def test_all_but_the_guest_whose_server_is_on_a_network_are_without_one() -> None:
    services = composed("compose.yaml")
    networked = {name for name, each in services.items() if each.get("network_mode") != "none"}
    assert networked == {"networked"}
    assert services["networked"]["networks"] == ["model"]


def test_that_network_leads_nowhere() -> None:
    network = document("compose.yaml")["networks"]["model"]
    assert network["internal"] is True
    assert network["driver_opts"] == {"com.docker.network.bridge.inhibit_ipv4": "true"}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("random", []),
        ("vlm", ["model:/run/houseguest-model:ro"]),
        ("local", [{"target": "/models", "read_only": True}]),
        ("networked", []),
    ],
)
def test_a_guest_gets_sockets_a_place_for_its_notes_and_its_weights(
    name: str, more: list[str | dict[str, Any]]
) -> None:
    guest = composed("compose.yaml")[name]
    service, notes, *others = guest["volumes"]
    assert [service, notes] == ["house:/run/houseguest:ro", "guest:/run/guest"]
    assert [_told(each) for each in others] == more
    assert not {"cap_add", "user", "privileged", "devices", "ports", "expose"} & set(guest)
    assert guest["cpus"]


def _told(volume: str | dict[str, Any]) -> str | dict[str, Any]:
    """A volume; of one in the long form what a test asks for."""
    if isinstance(volume, str):
        return volume
    return {"target": volume["target"], "read_only": volume["read_only"]}


def test_each_guest_has_a_profile_of_its_own() -> None:
    profiles = {name: each.get("profiles") for name, each in composed("compose.yaml").items()}
    assert profiles == {
        "house": None,
        "random": ["random"],
        "vlm": ["vllm"],
        "model": ["vllm"],
        "local": ["local"],
        "networked": ["network"],
        "conformance": ["conformance"],
    }
    chosen = (ROOT / ".env").read_text(encoding="utf-8").splitlines()
    assert [line for line in chosen if line and not line.startswith("#")] == [
        "COMPOSE_PROFILES=random"
    ]


def test_every_variable_that_compose_reads_is_told() -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in COMPOSE_FILES)
    told = (ROOT / ".env").read_text(encoding="utf-8")
    # Intervals are for tests, which cannot wait.
    read = set(re.findall(r"\$\{(\w+)", text)) - {"HOUSEGUEST_MODEL_INTERVAL", "status", "seat"}
    assert {
        name for name in read if name.isupper() and not re.search(rf"\b{name}\b", told)
    } == set()


def test_only_overrides_ask_for_a_graphics_card() -> None:
    base, *overrides = COMPOSE_FILES
    assert all("deploy" not in service for service in composed(base).values())
    for service in (each for name in overrides for each in composed(name).values()):
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device["driver"] == "nvidia"
        assert "gpu" in device["capabilities"]


def test_a_model_is_served_at_the_socket_that_its_guest_asks() -> None:
    services = composed("compose.yaml")
    place = "/run/houseguest-model/model.sock"
    assert services["vlm"]["environment"]["HOUSEGUEST_BASE_URL"] == f"unix:{place}"
    assert f"--uds {place}" in services["model"]["entrypoint"][2]
    assert place in services["model"]["healthcheck"]["test"][3]
    assert "model:/run/houseguest-model" in services["model"]["volumes"]


@pytest.mark.parametrize("name", composed("compose.yaml"))
def test_scripts_in_a_compose_file_are_shell_scripts(name: str) -> None:
    service = composed("compose.yaml")[name]
    if service.get("entrypoint", [])[:2] != ["sh", "-c"]:
        return
    script = service["entrypoint"][2].replace("$$", "$")
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)


GUESTS = ("random", "vlm", "local", "networked")


@pytest.mark.parametrize("name", GUESTS)
def test_a_service_that_has_nothing_to_play_ends_without_its_guests(
    name: str, tmp_path: Path
) -> None:
    guest = composed("compose.yaml")[name]
    assert guest["depends_on"]["house"] == {"condition": "service_healthy", "required": False}
    script = guest["entrypoint"][2].replace("$$", "$").replace("/run/houseguest", str(tmp_path))
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def run_command(name: str) -> tuple[list[str], str]:
    """What a compose file's service plays by default, and the rest of its command."""
    command = composed(name)["house"]["command"]
    found = re.fullmatch(r"run \$\{HOUSEGUEST_RUN:-(.*?)\} (.*)", command)
    assert found, command
    return found[1].split(), found[2]


def test_a_service_with_ai2thor_plays_asgardbench_and_is_run_as_the_one_without() -> None:
    played, rest = run_command("compose.gpu.yaml")
    assert rest == run_command("compose.yaml")[1]
    options = dict(zip(played[::2], played[1::2], strict=False))
    suite = load_suite(options["--suite"])
    assert (suite.name, options["--world"]) == ("asgard", "ai2thor")
    assert options["--world"] in suite.worlds
    assert "--fresh" in played


def test_the_override_checks_the_simulator_as_confined_as_the_service() -> None:
    check = composed("compose.gpu.yaml")["check"]
    service = composed("compose.yaml")["house"]
    for key in ("network_mode", "read_only", "cap_drop", "security_opt"):
        assert check[key] == service[key]
