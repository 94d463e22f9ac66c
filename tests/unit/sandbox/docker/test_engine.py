"""Which runtime isolates an agent, and what an image says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.sandbox.agents import AgentImage
from env_service.sandbox.docker.engine import (
    GVISOR_PIDS,
    Image,
    Runtime,
    choose_runtime,
    image_label,
    read_image,
)
from env_service.sandbox.errors import AgentStartError

PLAIN = {"Runtimes": {"runc": {"path": "runc"}}, "DefaultRuntime": "runc"}
SOCKETS = ["--host-uds=open"]


def engine(**runsc: Any) -> dict[str, Any]:
    """An engine that has gVisor, too."""
    runtimes = {"runc": {"path": "runc"}, "runsc": {"path": "/usr/bin/runsc", **runsc}}
    return {"Runtimes": runtimes, "DefaultRuntime": "runc"}


def test_the_engine_s_own_where_there_is_nothing_better() -> None:
    assert choose_runtime(PLAIN, "") == Runtime("runc")
    assert choose_runtime({}, "") == Runtime("runc")
    other = {"Runtimes": {"crun": {}, "runc": {}}, "DefaultRuntime": "crun"}
    assert choose_runtime(other, "").name == "crun"


def test_gvisor_where_the_engine_has_it_with_room_for_its_own_threads() -> None:
    runtime = choose_runtime(engine(runtimeArgs=SOCKETS), "")
    assert runtime == Runtime("runsc", gvisor=True)
    assert runtime.spare_pids == GVISOR_PIDS


def test_what_was_asked_for_comes_first() -> None:
    assert choose_runtime(engine(runtimeArgs=SOCKETS), "runc") == Runtime("runc")


def test_a_gpu_is_not_given_to_gvisor_unless_asked() -> None:
    info = engine(runtimeArgs=SOCKETS)
    assert not choose_runtime(info, "", gpus=True).gvisor
    assert choose_runtime(info, "runsc", gpus=True).gvisor


@pytest.mark.parametrize("flag", ["--host-uds=open", "--host-uds=all", "--fsgofer-host-uds=true"])
def test_gvisor_has_to_let_agents_open_the_service_s_socket(flag: str) -> None:
    assert choose_runtime(engine(runtimeArgs=["--platform=kvm", flag]), "").gvisor


@pytest.mark.parametrize("arguments", [None, [], ["--host-uds=none"], ["--platform=kvm"]])
def test_gvisor_that_keeps_agents_from_the_service_is_refused_with_the_remedy(
    arguments: list[str] | None,
) -> None:
    with pytest.raises(AgentStartError, match="--host-uds=open"):
        choose_runtime(engine(runtimeArgs=arguments), "")


def test_gvisor_under_another_name_is_still_gvisor() -> None:
    info = {"Runtimes": {"safe": {"path": "/opt/runsc", "runtimeArgs": SOCKETS}}}
    assert choose_runtime(info, "safe") == Runtime("safe", gvisor=True)
    by_type = {"Runtimes": {"runsc": {"runtimeType": "io.containerd.runsc.v1"}}}
    assert choose_runtime(by_type, "") == Runtime("runsc", gvisor=True)


def test_a_runtime_that_the_engine_does_not_have_is_named_with_those_it_has() -> None:
    with pytest.raises(AgentStartError, match="no such runtime, only runc"):
        choose_runtime(PLAIN, "kata")


# --- Images

ID = "sha256:0123456789abcdef" + "0" * 48


@pytest.mark.parametrize(
    ("reference", "label"),
    [
        ("my-agent", "image:my-agent@sha256:0123456789ab"),
        ("my-agent:v2", "image:my-agent@sha256:0123456789ab"),
        (ID, "image:sha256:0123456789ab"),
    ],
)
def test_the_label_has_the_name_and_the_content_whatever_the_tag(
    reference: str, label: str
) -> None:
    assert image_label(AgentImage(reference, image_id=ID)) == label


def test_the_label_has_the_arguments() -> None:
    agent = AgentImage("my-agent", ("--model", "a b"), image_id=ID)
    assert image_label(agent) == "image:my-agent@sha256:0123456789ab --model 'a b'"


def test_an_image_that_declares_nothing() -> None:
    nothing = {"User": "", "Volumes": None, "Labels": None, "Env": None}
    assert read_image({"Id": ID, "Config": nothing, "RepoDigests": None}) == Image(ID)
    assert read_image({"Id": ID}) == Image(ID)


def test_an_image_that_declares_much() -> None:
    config = {
        "User": "1000",
        "Volumes": {"/b": {}, "/a": {}},
        "Labels": {"houseguest.shared": "true"},
        "Env": ["PATH=/bin", "HOME=/home/agent"],
    }
    digests = [f"agent@{ID}"]
    read = read_image({"Id": ID, "Config": config, "RepoDigests": digests})
    assert read == Image(ID, (f"agent@{ID}",), "1000", ("/a", "/b"), shared=True, home=True)
