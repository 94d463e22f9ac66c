"""How an agent was held in: kept with a run, and no part of what the run is."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.manifest import Manifest
from env_service.storage.canonical_json import canonical, parse
from tests.support.played_run import lab_manifest

GUEST = {
    "sandbox": "docker",
    "runtime": "runc",
    "limits": {"memory": 2**32, "cpus": 0.5, "seconds": None},
    "image": {"reference": "my-agent", "id": "sha256:1", "repo_digests": ["my-agent@sha256:2"]},
}


def test_a_manifest_keeps_it_and_is_still_the_same_run() -> None:
    manifest = replace(lab_manifest(), guest=GUEST)
    assert Manifest.from_json(parse(canonical(manifest.to_json()))) == manifest
    assert manifest.identity() == lab_manifest().identity()


def test_a_manifest_from_before_tells_nothing_of_it() -> None:
    value = lab_manifest().to_json()
    del value["guest"]
    assert Manifest.from_json(value).guest == {}


def test_a_run_that_goes_on_in_another_sandbox_remembers_both() -> None:
    begun = replace(lab_manifest(), guest=GUEST)
    now = replace(begun, guest={**GUEST, "runtime": "runsc"})
    resumed = begun.with_host(begun).with_host(now).with_host(now)
    assert [each["guest"]["runtime"] for each in resumed.resumed] == ["runsc"]
    assert resumed.guest == GUEST


def test_a_digest_is_left_out_of_the_folder_s_name() -> None:
    one = replace(lab_manifest(), agent="image:team/my-agent@sha256:0123456789ab")
    other = replace(lab_manifest(), agent="image:team/my-agent@sha256:ba9876543210")
    assert "image-team-my-agent-" in one.folder_name()
    assert "0123456789ab" not in one.folder_name()
    assert one.folder_name() != other.folder_name()
