"""What the containers of compose.yaml can reach, and what they cannot: tried from inside."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import host_listener
from tests.support.compose_project import Project, container, model_image, project
from tests.support.docker import BASE, docker, need_engine

MIB = 2**20
PLACES = ["/new", "/etc/new", "/agent/new", "/run/new", "/run/houseguest/new"]
MODEL_PORT = 8000
CONFINED = {"ReadonlyRootfs": True, "CapDrop": ["ALL"], "CapAdd": None, "Privileged": False}


def base() -> str:
    return os.environ.get("HOUSEGUEST_BASE", BASE)


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project whose service is open and waits for its guest, and whose model's server runs."""
    place = tmp_path_factory.mktemp("isolation")
    weights = place / "models" / "tiny"
    weights.mkdir(parents=True)
    (weights / "config.json").write_text("{}", encoding="utf-8")
    for each in (weights.parent, weights, *weights.iterdir()):
        # That they stay as they are is left to their mount.
        each.chmod(0o777)
    settings = {
        "HOUSEGUEST_MODELS": str(weights.parent),
        "HOUSEGUEST_MODEL": "tiny",
        "HOUSEGUEST_MODEL_INTERVAL": "1s",
    }
    with (
        model_image(place / "image") as image,
        project(place / "clone", HOUSEGUEST_VLLM_IMAGE=image, **settings) as made,
    ):
        made.done("--profile", "random", "--profile", "vllm", "build")
        made.done("--profile", "vllm", "up", "--detach", "--wait", "house", "model")
        yield made


@pytest.fixture(scope="module")
def listener() -> Iterator[dict[str, Any]]:
    """The addresses of the engine's host, on which a server listens."""
    need_engine()
    source = Path(host_listener.__file__).read_text(encoding="utf-8")
    with container("--network", "host", base(), "python", "-c", source) as identity:
        end = time.monotonic() + 60
        while not (printed := docker("logs", identity)[1]).startswith("{"):
            assert time.monotonic() < end, printed
            time.sleep(0.1)
        yield json.loads(printed)


def host(listener: dict[str, Any]) -> list[tuple[str, int]]:
    """Where a server listens on the host."""
    return [(address, listener["port"]) for address in listener["addresses"]]


def test_the_host_that_nobody_shall_reach_is_within_an_ordinary_containers_reach(
    listener: dict[str, Any],
) -> None:
    code = f"import socket; [socket.create_connection(each, 5) for each in {host(listener)!r}]"
    assert listener["addresses"]
    # The client may warn of how the engine's networks are set up.
    status, output = docker("run", "--rm", base(), "python", "-c", code)
    assert status == 0, output


@pytest.mark.parametrize(
    ("service", "sockets"),
    [
        ("random", ["/run/houseguest/agent.sock"]),
        ("vlm", ["/run/houseguest/agent.sock", "/run/houseguest-model/model.sock"]),
    ],
)
def test_a_guest_reaches_its_sockets_alone(
    playing: Project, listener: dict[str, Any], service: str, sockets: list[str]
) -> None:
    found = playing.probe(service, tcp=host(listener), write=[*PLACES, "/run/houseguest-model/new"])
    assert found["service"] == "open"
    assert found["sockets"] == sockets
    assert found["interfaces"] == ["lo"]
    assert found["routes"] == []
    assert found["outside"] == "ENETUNREACH"
    assert set(found["tcp"].values()) == {"ENETUNREACH"}
    assert found["processes"] == []
    assert "done" not in found["write"].values()
    assert found["write"]["/run/houseguest/new"] == "EROFS"


@pytest.mark.parametrize("service", ["random", "vlm", "networked"])
def test_a_guest_is_nobody_in_particular(playing: Project, service: str) -> None:
    found = playing.probe(service)
    assert found["user"] == 10001
    assert {int(mask, 16) for mask in found["capabilities"]} == {0}
    assert found["no_new_privileges"] == "1"


def test_the_server_of_a_model_reaches_nothing_and_changes_no_weights(
    playing: Project, listener: dict[str, Any]
) -> None:
    found = playing.probe(
        "model", tcp=host(listener), write=["/models/new", "/models/tiny/config.json", "/etc/new"]
    )
    assert found["sockets"] == ["/run/houseguest-model/model.sock"]
    assert found["routes"] == []
    assert found["outside"] == "ENETUNREACH"
    assert set(found["tcp"].values()) == {"ENETUNREACH"}
    assert set(found["write"].values()) == {"EROFS"}


def test_a_guest_on_the_network_reaches_its_models_server_and_nothing_else(
    playing: Project, listener: dict[str, Any]
) -> None:
    network = playing.environment["HOUSEGUEST_NETWORK"]
    playing.done("--profile", "network", "create", "--no-recreate", "networked")
    weights = f"{playing.environment['HOUSEGUEST_MODELS']}:/models:ro"
    on_network = ("--network", network, "--network-alias", "model", "--volume", weights)
    server = (
        playing.environment["HOUSEGUEST_VLLM_IMAGE"],
        "/models/tiny",
        "--port",
        str(MODEL_PORT),
    )
    with container(base(), "sleep", "600") as stranger, container(*on_network, *server) as model:
        gateway = address(model, network, "Gateway")
        elsewhere = [(address(stranger, "bridge", "IPAddress"), 22), (gateway, listener["port"])]
        own = [(address(model, network, "IPAddress"), MODEL_PORT)]
        found = playing.probe("networked", tcp=[*own, *elsewhere, *host(listener)], write=PLACES)
        # Its name is known, and it answers as a guest would ask.
        played = playing.done(
            *("--profile", "network", "run", "--rm", "--no-deps", "-T"),
            *("--entrypoint", "python", "networked", "agent.py", "--model", "model", "--check"),
        )
    reached = {place for place, said in found["tcp"].items() if said == "done"}
    assert reached == {f"{host}:{port}" for host, port in own}
    # Older engines leave a way out by the gateway, which nobody is: packets to it get nowhere.
    ways = [line.split() for line in found["routes"]]
    assert {as_address(way[2]) for way in ways} <= {"0.0.0.0", gateway}
    assert found["sockets"] == ["/run/houseguest/agent.sock"]
    assert "done" not in found["write"].values()
    assert "http://model:8000/v1 answers" in played


def as_address(packed: str) -> str:
    """An address as the kernel's table of routes has it: hexadecimal, in the machine's order."""
    return socket.inet_ntoa(struct.pack("=I", int(packed, 16)))


def address(identity: str, network: str, name: str) -> str:
    """Where a container is on a network, or the network's gateway."""
    form = f'{{{{(index .NetworkSettings.Networks "{network}").{name}}}}}'
    status, printed = docker("inspect", "--format", form, identity)
    assert status == 0, printed
    return printed.strip()


@pytest.mark.parametrize(
    ("service", "memory", "cpus", "processes"),
    [("random", 1024 * MIB, 1, 256), ("vlm", 1024 * MIB, 1, 256), ("model", 2**36, 0, 4096)],
)
def test_the_engine_holds_containers_to_what_was_promised(
    playing: Project, service: str, memory: int, cpus: int, processes: int
) -> None:
    playing.done("--profile", "*", "create", "--no-recreate", "random", "vlm", "model")
    found = playing.inspect(service)
    limits = found["HostConfig"]
    assert (limits["Memory"], limits["MemorySwap"]) == (memory, memory)
    assert (limits["NanoCpus"], limits["PidsLimit"]) == (cpus * 10**9, processes)
    assert {name: limits[name] for name in CONFINED} == CONFINED
    assert limits["SecurityOpt"] == ["no-new-privileges:true"]
    assert limits["NetworkMode"] == "none"
    assert set(limits["Tmpfs"]) == {"/tmp"}
    assert "size=" in limits["Tmpfs"]["/tmp"]
    assert found["Config"]["User"] == "10001:10001"
    written = {each["Destination"] for each in found["Mounts"] if each["RW"]}
    assert written == {"/run/houseguest-model" if service == "model" else "/run/guest"}
