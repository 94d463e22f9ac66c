"""What an image tells of itself, and what of it counts."""

from __future__ import annotations

import pytest

from env_service.sandbox.agents import AgentImage
from env_service.sandbox.docker.images import Image, image_label, read_image

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
