"""A run's identity, its folder's name, and what its manifest keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from env_service.domain.data_node import FormatError
from env_service.results.manifest import MAX_DECLARED, Manifest, slug
from env_service.storage.canonical_json import canonical, parse
from tests.support.played_run import lab_manifest


def test_the_same_command_has_the_same_identity_on_another_day_and_machine() -> None:
    manifest = lab_manifest()
    later = replace(
        manifest,
        run_id="run-2",
        created="2026-12-24T18:00:00+00:00",
        hardware={"cpu": "another", "cores": 64},
        versions={"houseguest": "0.2.0"},
        protocol_revision=2,
        public_key="ab" * 32,
    ).with_declared({"agent_name": "late"})

    assert later.identity() == manifest.identity()


@pytest.mark.parametrize(
    "change",
    [
        {"suite": "babyai"},
        {"suite_version": "2"},
        {"task_set": "plans"},
        {"task_set_digest": "0" * 64},
        {"task_ids": ("lab/0",)},
        {"world": "heavy"},
        {"condition": {"feedback": "none"}},
        {"budgets": {"episode": 60}},
        {"repeats": 2},
        {"seed": 8},
        {"agent": "scripted 2"},
    ],
)
def test_whatever_defines_a_run_changes_its_identity(change: dict[str, Any]) -> None:
    manifest = lab_manifest()

    assert replace(manifest, **change).identity() != manifest.identity()


def test_the_identity_is_stable_over_releases() -> None:
    """Whoever changes this number sends every unfinished run back to its start."""
    manifest = replace(
        lab_manifest(),
        suite="babyai",
        suite_version="1",
        task_set="evaluation",
        task_set_digest="0" * 64,
        task_ids=("GoTo/1", "GoTo/2"),
        world="babyai",
        condition={"feedback": "simple"},
        seed=7,
        repeats=1,
        agent="random",
    )

    assert manifest.identity().startswith("350c516e16e92afb")


def test_a_manifest_survives_its_file() -> None:
    manifest = lab_manifest().with_declared({"model": "m"}).with_observation({"text": True})

    assert Manifest.from_json(parse(canonical(manifest.to_json()))) == manifest


def test_equal_declarations_are_kept_once_and_a_flood_not_at_all() -> None:
    manifest = lab_manifest().with_declared({"n": "0"}).with_declared({"n": "0"})
    assert manifest.declared == ({"n": "0"},)

    for number in range(3 * MAX_DECLARED):
        manifest = manifest.with_declared({"n": str(number)})

    assert len(manifest.declared) == MAX_DECLARED
    assert manifest.declared[-1] == {"n": str(3 * MAX_DECLARED - 1)}


def test_a_newer_schema_is_refused_with_advice() -> None:
    value = {**lab_manifest().to_json(), "schema_version": 99}

    with pytest.raises(FormatError, match="install a newer houseguest"):
        Manifest.from_json(value)


def test_a_missing_field_is_named() -> None:
    value = lab_manifest().to_json()
    del value["task_ids"]

    with pytest.raises(FormatError, match="manifest: lacks the key 'task_ids'"):
        Manifest.from_json(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", "random"),
        ("docker:ghcr.io/Me/agent:1.2", "docker-ghcr-io-me-agent-1-2"),
        ("../../etc", "etc"),
        ("", "unnamed"),
        ("日本", "unnamed"),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_slug_is_fit_for_a_file_system(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_a_suite_given_by_its_class_names_the_folder_by_the_class() -> None:
    name = lab_manifest().folder_name()

    assert name == f"labsuite-scripted-1-0-{lab_manifest().identity()[:10]}"


def test_a_digest_in_the_agents_specification_is_left_out_of_the_folders_name() -> None:
    manifest = replace(
        lab_manifest(), agent="mine@sha256:0123456789ab --prompts sha256:ba7816bf8f01"
    )

    assert manifest.folder_name() == f"labsuite-mine-prompts-{manifest.identity()[:10]}"
