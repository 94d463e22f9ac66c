"""The arguments that an agent's container is created with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from env_service.sandbox.agents import AgentImage
from env_service.sandbox.docker.engine import GVISOR_PIDS, Image, Runtime
from env_service.sandbox.docker.owner import Owner
from env_service.sandbox.docker.sandbox import (
    USER,
    Confinement,
    check_sources,
    describe,
    gpu_requests,
    recorded,
    safe_user,
)
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.options import MIB, MODEL, AgentLimits, ReadOnlyMount, SandboxOptions

AGENT_START = AgentStart("unix:/somewhere/agents/agent.sock", ("one", "two"), seed=3)
PLAIN = Confinement(
    agent=AgentImage("my-agent"),
    image=Image("sha256:1"),
    options=SandboxOptions(),
    runtime=Runtime("runc"),
    owner=Owner.myself(),
)
ENGINE = {"ServerVersion": "27.1.0"}


def settings(image: Image = PLAIN.image, **options: Any) -> dict[str, Any]:
    """The settings for an image, under some options."""
    return replace(PLAIN, image=image, options=SandboxOptions(**options)).settings(AGENT_START)


def test_an_agent_gets_nothing_that_it_was_not_given() -> None:
    made = settings()
    assert made["network_mode"] == "none"
    assert made["read_only"]
    assert made["cap_drop"] == ["ALL"]
    assert made["security_opt"] == ["no-new-privileges:true"]
    assert made["user"] == USER
    assert made["healthcheck"] == {"test": ["NONE"]}
    assert made["restart_policy"] == {"Name": "no"}
    assert made["log_config"]["Type"] == "none"
    assert not made["use_config_proxy"]
    assert not made["device_requests"]
    assert not made["privileged"]
    assert {"ports", "devices", "volumes", "cap_add"}.isdisjoint(made)


def test_the_image_is_meant_by_its_id_and_keeps_its_own_command() -> None:
    assert settings()["image"] == "sha256:1"
    assert settings()["command"] is None
    asked = replace(PLAIN, agent=AgentImage("my-agent", ("--model", "x")))
    assert asked.settings(AGENT_START)["command"] == ["--model", "x"]


def test_limits_are_the_user_s() -> None:
    made = settings(limits=AgentLimits(memory=100 * MIB, cpus=0.25, pids=9, scratch=MIB))
    assert made["mem_limit"] == made["memswap_limit"] == 100 * MIB
    assert made["nano_cpus"] == 250_000_000
    assert made["pids_limit"] == 9
    assert f"size={MIB}" in made["tmpfs"]["/tmp"].split(",")


def test_gvisor_needs_threads_of_its_own() -> None:
    made = replace(PLAIN, runtime=Runtime("runsc", gvisor=True)).settings(AGENT_START)
    assert made["runtime"] == "runsc"
    assert made["pids_limit"] == AgentLimits().pids + GVISOR_PIDS


def test_the_service_is_the_one_thing_that_is_mounted_and_cannot_be_changed() -> None:
    (service,) = settings()["mounts"]
    assert (service["Source"], service["Target"]) == ("/somewhere/agents", "/run/houseguest")
    assert service["Type"] == "bind"
    assert service["ReadOnly"]


def test_what_the_user_mounts_cannot_be_changed_nor_what_is_mounted_below() -> None:
    mount = ReadOnlyMount(Path("/weights"), PurePosixPath("/mnt/weights"))
    _, weights = settings(mounts=(mount,))["mounts"]
    assert (weights["Source"], weights["Target"]) == ("/weights", "/mnt/weights")
    assert weights["ReadOnly"]
    assert weights["BindOptions"]["NonRecursive"]


def test_the_agent_is_told_where_the_service_is_for_it() -> None:
    told = settings(environment={"API_KEY": "k", "HOUSEGUEST_SEED": "9"})["environment"]
    assert told["HOUSEGUEST_ADDRESS"] == "unix:/run/houseguest/agent.sock"
    assert told["HOUSEGUEST_TOKENS"] == "one,two"
    assert told["HOUSEGUEST_SEED"] == "3"
    assert told["API_KEY"] == "k"


def test_a_service_without_a_socket_cannot_be_reached() -> None:
    with pytest.raises(AgentStartError, match="needs a Unix socket"):
        PLAIN.settings(replace(AGENT_START, address="127.0.0.1:7000"))


def test_volumes_of_the_image_are_in_memory_and_bounded() -> None:
    image = Image("sha256:1", volumes=("/data", "/run/houseguest", "/tmp", "/dev/shm", "/data/"))
    made = settings(image)["tmpfs"]
    assert set(made) == {"/data", "/tmp"}
    for flags in made.values():
        assert {"noexec", "nosuid", "nodev"} <= set(flags.split(","))


def test_a_volume_where_something_is_mounted_is_that() -> None:
    mount = ReadOnlyMount(Path("/weights"), PurePosixPath("/data"))
    assert set(settings(Image("i", volumes=("/data",)), mounts=(mount,))["tmpfs"]) == {"/tmp"}


@pytest.mark.parametrize("volumes", [("/",), tuple(f"/v{number}" for number in range(40))])
def test_volumes_that_cannot_be_are_refused(volumes: tuple[str, ...]) -> None:
    with pytest.raises(AgentStartError, match="VOLUME"):
        settings(Image("i", volumes=volumes))


@pytest.mark.parametrize("user", ["1000:1000", "10001:10001", "65534:5"])
def test_a_numeric_user_is_kept(user: str) -> None:
    assert safe_user(user) == user


@pytest.mark.parametrize("user", ["1000", "1000:0", "1000:00"])
def test_nobody_is_of_roots_group(user: str) -> None:
    assert safe_user(user) == "1000:10001"


@pytest.mark.parametrize(
    "user",
    [
        *("", "0", "0:0", "00", "root", "agent", "root:1000", "0:1000", "1000:users", "1000:"),
        *(":5", "4294967296", "-1", "1_000", "１０００", "99999999999"),
    ],
)
def test_any_other_user_is_replaced(user: str) -> None:
    assert safe_user(user) == USER


def test_a_replaced_user_has_a_home_to_write_in() -> None:
    assert settings()["environment"]["HOME"] == "/tmp"
    assert "HOME" not in settings(Image("i", user="1000"))["environment"]
    assert "HOME" not in settings(Image("i", home=True))["environment"]
    assert settings(environment={"HOME": "/x"})["environment"]["HOME"] == "/x"


@pytest.mark.parametrize(
    ("gpus", "count", "ids"),
    [("all", -1, None), ("2", 2, None), ("device=0,2", None, ["0", "2"])],
)
def test_gpus_are_asked_for_as_docker_does(
    gpus: str, count: int | None, ids: list[str] | None
) -> None:
    (request,) = gpu_requests(gpus)
    assert request["Capabilities"] == [["gpu"]]
    assert request["Count"] == (count or 0)
    assert request["DeviceIDs"] == (ids or [])


@pytest.mark.parametrize("gpus", ["none", "0", "-1", "device=", "0,2"])
def test_what_names_no_gpus_is_refused(gpus: str) -> None:
    with pytest.raises(AgentStartError, match="GPUs must be all"):
        gpu_requests(gpus)


def test_the_engine_s_socket_is_never_shown_to_an_agent(tmp_path: Path) -> None:
    (tmp_path / "docker.sock").touch()
    mount = ReadOnlyMount(tmp_path, PurePosixPath("/mnt/run"))
    with pytest.raises(AgentStartError, match="root access to this machine"):
        check_sources((mount,), tmp_path / "docker.sock")
    check_sources((mount,), None)


def test_the_manifest_gets_the_whole_image_and_no_variable() -> None:
    options = SandboxOptions(environment={"API_KEY": "secret"})
    image = Image("sha256:1", ("agent@sha256:2",))
    facts = recorded(replace(PLAIN, image=image, options=options), ENGINE)
    assert facts["image"] == {
        "reference": "my-agent",
        "id": "sha256:1",
        "repo_digests": ["agent@sha256:2"],
    }
    assert facts["runtime"] == "runc"
    assert facts["network"] == "none"
    assert "secret" not in repr(facts) + repr(options)


class TestIsolation:
    """What a user is told of it."""

    def test_says_what_is_shut_off(self) -> None:
        told = describe(SandboxOptions(), Runtime("runc"), ENGINE)
        assert "no network" in told
        assert "on this machine's kernel" in told
        assert "4 GiB memory, 2 cpus, 256 processes" in told

    def test_says_what_a_network_opens(self) -> None:
        told = describe(SandboxOptions(network="models"), Runtime("runc"), ENGINE)
        assert "the network models" in told
        assert "services of this machine" in told

    def test_says_when_there_is_another_kernel(self) -> None:
        told = describe(SandboxOptions(), Runtime("runsc", gvisor=True), ENGINE)
        assert "runsc, a separate kernel" in told

    def test_says_what_the_engine_does_not_limit(self) -> None:
        told = describe(SandboxOptions(), Runtime("runc"), {**ENGINE, "PidsLimit": False})
        assert "does NOT limit processes" in told

    def test_says_what_else_was_opened(self) -> None:
        mounts = (
            ReadOnlyMount(Path("/weights"), PurePosixPath("/weights")),
            ReadOnlyMount(Path("/hidden"), MODEL),
        )
        options = SandboxOptions(
            limits=AgentLimits(gpus="all", seconds=60),
            mounts=mounts,
            model_server="http://127.0.0.1:8000",
        )
        told = describe(options, Runtime("runc"), ENGINE)
        for words in ("/weights", "http://127.0.0.1:8000", "GPUs (all)", "60 s"):
            assert words in told
        assert "/hidden" not in told

    def test_says_what_an_old_engine_leaves_open(self) -> None:
        old = {"ServerVersion": "20.10.24+dfsg1"}
        assert "io_uring" in describe(SandboxOptions(), Runtime("runc"), old)
        assert "io_uring" not in describe(SandboxOptions(), Runtime("runc"), ENGINE)
        assert "io_uring" not in describe(SandboxOptions(), Runtime("runsc", gvisor=True), old)
