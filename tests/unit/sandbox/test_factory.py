"""Which sandbox an agent gets, and what it cannot have there."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from env_service.sandbox.agents import AgentCommand, AgentImage
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.factory import open_recorded, settle_kind
from env_service.sandbox.model_relay import read_model_server
from env_service.sandbox.options import AgentLimits, ReadOnlyMount, SandboxOptions

COMMAND = AgentCommand(("true",), shared=True)
IMAGE = AgentImage("my-agent")


def test_an_image_runs_in_docker_and_a_command_as_a_process() -> None:
    assert settle_kind(IMAGE, SandboxOptions()) == "docker"
    assert settle_kind(COMMAND, SandboxOptions()) == "process"
    assert settle_kind(COMMAND, SandboxOptions(kind="bwrap")) == "bwrap"


@pytest.mark.parametrize("kind", ["bwrap", "process"])
def test_an_image_runs_nowhere_else(kind: str) -> None:
    with pytest.raises(AgentSpecError, match="an image needs docker"):
        settle_kind(IMAGE, SandboxOptions(kind=kind))


def test_a_command_does_not_run_in_docker() -> None:
    with pytest.raises(AgentSpecError, match="needs an image"):
        settle_kind(COMMAND, SandboxOptions(kind="docker"))


def test_a_kind_that_does_not_exist() -> None:
    with pytest.raises(AgentSpecError, match="docker, bwrap, process"):
        settle_kind(COMMAND, SandboxOptions(kind="jail"))


def test_what_a_sandbox_cannot_do_is_refused_and_not_forgotten() -> None:
    asked = SandboxOptions(asked=frozenset({"--guest-memory", "--time-limit"}))
    with pytest.raises(AgentSpecError, match="process cannot enforce --guest-memory; docker and"):
        settle_kind(COMMAND, asked)
    asked = SandboxOptions(kind="bwrap", asked=frozenset({"--network"}))
    with pytest.raises(AgentSpecError, match="bwrap cannot enforce --network; docker can"):
        settle_kind(COMMAND, asked)


def test_a_process_records_that_nothing_bounds_it_but_time() -> None:
    opened = open_recorded(COMMAND, SandboxOptions(limits=AgentLimits(seconds=5)))
    assert opened.facts == {"sandbox": "process", "limits": {"seconds": 5}}
    assert opened.sandbox.shared
    assert opened.sandbox.isolation.startswith("none")


@pytest.mark.parametrize(
    "target",
    ["/", "/proc", "/sys/x", "/dev/shm", "/tmp/x", "/run", "/run/houseguest", "/a/../proc"],
)
def test_a_mount_hides_nothing_of_the_sandbox_s(tmp_path: Path, target: str) -> None:
    mount = ReadOnlyMount(tmp_path, PurePosixPath(target))
    with pytest.raises(AgentSpecError, match="--mount"):
        open_recorded(COMMAND, SandboxOptions(kind="bwrap", mounts=(mount,)))


def test_a_mount_has_to_be_there(tmp_path: Path) -> None:
    mount = ReadOnlyMount(tmp_path / "absent", PurePosixPath("/mnt/x"))
    with pytest.raises(AgentSpecError, match=r"the folder .* does not exist"):
        open_recorded(COMMAND, SandboxOptions(kind="bwrap", mounts=(mount,)))


@pytest.mark.parametrize(
    ("url", "host", "port", "told"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", 8000, ""),
        ("http://127.0.0.1:8000/v1/", "127.0.0.1", 8000, ""),
        ("http://gpu-box", "gpu-box", 80, ""),
        ("http://[::1]:8000/api/v2", "::1", 8000, ":/api/v2"),
    ],
)
def test_a_model_server_is_read(url: str, host: str, port: int, told: str) -> None:
    server = read_model_server(url)
    assert (server.host, server.port) == (host, port)
    assert server.base_url == f"unix:/run/houseguest-model/model.sock{told}"


@pytest.mark.parametrize(
    "url",
    [
        *("", "127.0.0.1:8000", "https://host:8000", "unix:/x", "http://", "http://host:99999"),
        *("http://user:word@host", "http://host?x=1", "http://host/a b", "ftp://host"),
    ],
)
def test_what_is_no_model_server_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(AgentSpecError, match="http://127"):
        read_model_server(url)
