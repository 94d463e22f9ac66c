"""What a submission gets of the machine."""

from __future__ import annotations

from env_service.sandbox.options import GIB
from env_service.submissions.manifest import Hardware
from env_service.submissions.resource_grants import ResourceCeiling, grant

CEILING = ResourceCeiling(memory=4 * GIB, cpus=2, gpus=1, seconds=60)


def test_a_modest_wish_is_fulfilled_without_a_word() -> None:
    granted = grant(Hardware(gpus=1, memory=GIB, cpus=0.5), CEILING)
    assert (granted.limits.memory, granted.limits.cpus, granted.limits.gpus) == (GIB, 0.5, "1")
    assert granted.limits.seconds == 60
    assert granted.notes == ()


def test_more_than_the_maximum_is_cut_and_said() -> None:
    granted = grant(Hardware(gpus=2, memory=32 * GIB, cpus=16), CEILING)
    assert (granted.limits.memory, granted.limits.cpus) == (4 * GIB, 2)
    assert granted.limits.gpus == "1"
    assert len(granted.notes) == 3
    assert "32 GiB of memory; it gets the organiser's maximum of 4 GiB" in granted.notes[0]


def test_no_gpu_is_given_where_there_is_none() -> None:
    granted = grant(Hardware(gpus=1), ResourceCeiling())
    assert granted.limits.gpus == ""
    assert "1 GPUs; it gets none" in granted.notes[0]
