"""What ``--agent image:REF`` means, and what a user hears who wrote it wrong."""

from __future__ import annotations

import pytest

from env_service.sandbox.agents import AgentImage, find_agent, parse_agent, repository
from env_service.sandbox.errors import AgentSpecError

DIGEST = "a" * 64
GOOD = {
    "my-agent": "my-agent",
    "my-agent:1.2": "my-agent",
    "team/my_agent:latest": "team/my_agent",
    "registry.example:5000/team/my-agent:1.2": "registry.example:5000/team/my-agent",
    f"registry.example/agent@sha256:{DIGEST}": "registry.example/agent",
    f"agent:2@sha256:{DIGEST}": "agent",
    "[::1]:5000/agent": "[::1]:5000/agent",
    f"sha256:{DIGEST}": "",
    DIGEST: "",
    "sha256:0123456789ab": "",
}
BAD = (
    *("My-Agent", "agent:", "agent:tag:tag", "agent@sha256:12", "agent name", "-agent", "agent/"),
    *("/agent", "agent:a/b", "agent;rm", "--privileged", "agent\n", "../agent", "a" * 600),
)


@pytest.mark.parametrize(("reference", "name"), GOOD.items())
def test_a_name_is_read_as_docker_does(reference: str, name: str) -> None:
    spec = parse_agent(f"image:{reference}")
    assert spec.guest == AgentImage(reference)
    assert spec.label == f"image:{reference}"
    assert repository(reference) == name


@pytest.mark.parametrize("reference", BAD)
def test_what_is_no_name_is_refused(reference: str) -> None:
    with pytest.raises(AgentSpecError, match="is no name of an image"):
        parse_agent(f"image:{reference}")


def test_a_name_in_capitals_gets_the_reason() -> None:
    with pytest.raises(AgentSpecError, match="lower case"):
        parse_agent("image:MyAgent")


def test_no_name_at_all_gets_an_example() -> None:
    with pytest.raises(AgentSpecError, match="as in image:my-agent"):
        parse_agent("image:")


def test_arguments_are_split_as_a_shell_would_and_are_part_of_the_label() -> None:
    spec = parse_agent("image:my-agent", "--model 'a b' --seed 3")
    assert spec.guest == AgentImage("my-agent", ("--model", "a b", "--seed", "3"))
    assert spec.label == "image:my-agent --model 'a b' --seed 3"


def test_an_image_has_no_manifest_of_ours() -> None:
    assert find_agent("image:team/my-agent") is None
