"""What a world says of itself: kept with a run, and never mixed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.results.manifest import Manifest, build_changes, build_facts
from env_service.storage.canonical_json import canonical, parse
from tests.support.played_run import lab_manifest

FACTS = {"platform": "Linux64", "commit": "f0825767", "driver": "535.1", "gpus": "H100"}


def test_a_manifest_keeps_what_the_world_says_and_is_still_the_same_run() -> None:
    manifest = replace(lab_manifest(), world_facts=FACTS)

    assert Manifest.from_json(parse(canonical(manifest.to_json()))) == manifest
    assert manifest.identity() == lab_manifest().identity()


def test_a_manifest_from_before_tells_nothing_of_its_world() -> None:
    value = lab_manifest().to_json()
    del value["world_facts"]

    assert Manifest.from_json(value).world_facts == {}


def test_a_driver_is_the_machines_all_else_is_the_build() -> None:
    assert build_facts({**FACTS, "quality": "Ultra"}) == {
        "platform": "Linux64",
        "commit": "f0825767",
        "quality": "Ultra",
    }


@pytest.mark.parametrize(
    ("now", "changes"),
    [
        (FACTS, ""),
        ({**FACTS, "driver": "570.2", "gpus": "A100", "display": "Xvfb"}, ""),
        ({**FACTS, "platform": "CloudRendering"}, "platform Linux64 → CloudRendering"),
        ({**FACTS, "quality": "Low"}, "quality unknown → Low"),
        ({"platform": "Linux64"}, "commit f0825767 → unknown"),
        ({}, ""),
    ],
)
def test_what_changed_in_a_build_is_told(now: dict[str, str], changes: str) -> None:
    assert build_changes(FACTS, now) == changes


def test_another_driver_is_noted_once() -> None:
    begun = replace(lab_manifest(), world_facts=FACTS)
    now = replace(begun, world_facts={**FACTS, "driver": "570.2"})
    resumed = begun.with_host(begun).with_host(now).with_host(now)

    (item,) = resumed.resumed
    assert item["world_facts"]["driver"] == "570.2"
    assert resumed.known_world() == FACTS


def test_the_world_of_a_run_from_before_is_the_first_that_is_told() -> None:
    now = replace(lab_manifest(), world_facts=FACTS)

    assert lab_manifest().with_host(now).known_world() == FACTS
