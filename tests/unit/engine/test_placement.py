"""Worlds are spread evenly over GPUs and cores, and never more than fit."""

from __future__ import annotations

from collections import Counter

import pytest

from env_service.engine.base import EngineError
from env_service.engine.placement import Place, Placement, Places


def test_worlds_go_round_the_gpus() -> None:
    places = Places(Placement((0, 2), worlds_per_gpu=3), cores=range(8)).take(5)
    assert [place.gpu for place in places] == [0, 2, 0, 2, 0]


def test_a_gpu_hosts_no_more_than_it_may() -> None:
    places = Places(Placement((0, 1), worlds_per_gpu=4), cores=range(8)).take(100)
    assert Counter(place.gpu for place in places) == {0: 4, 1: 4}


def test_workers_that_do_not_fit_are_refused_with_the_arithmetic() -> None:
    with pytest.raises(ValueError, match=r"12 workers.*2 GPUs × 4 worlds a GPU = 8 places.*most 8"):
        Placement((0, 1), worlds_per_gpu=4).check(12)
    Placement((0, 1), worlds_per_gpu=4).check(8)
    Placement().check(1000)


def test_what_one_run_holds_another_one_cannot_have() -> None:
    places = Places(Placement((0, 1), worlds_per_gpu=2), cores=range(8))
    first = places.take(3)
    (last,) = places.take(3)
    assert Counter(place.gpu for place in (*first, last)) == {0: 2, 1: 2}
    with pytest.raises(EngineError, match="other runs hold 4 of 2 GPUs × 2 worlds"):
        places.take(1)
    places.give_back(first)
    assert len(places.take(4)) == 3


def test_a_number_that_has_to_be_met_is_not_cut() -> None:
    places = Places(Placement((0,), worlds_per_gpu=4), cores=range(8))
    places.take(2, exactly=True)
    with pytest.raises(EngineError, match="hold 2 of 1 GPU × 4"):
        places.take(3, exactly=True)
    with pytest.raises(ValueError, match="5 workers do not fit"):
        places.take(5, exactly=True)


def test_cores_are_shared_out_and_none_twice() -> None:
    places = Places(Placement((0, 1), worlds_per_gpu=2), cores=range(9)).take(4)
    assert [place.cpus for place in places] == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_where_cores_are_fewer_than_worlds_nothing_is_pinned() -> None:
    places = Places(Placement((0,), worlds_per_gpu=4), cores=range(3)).take(4)
    assert {place.cpus for place in places} == {()}


@pytest.mark.parametrize(("each", "cpus"), [(2, [(0, 1), (2, 3)]), (5, [(), ()])])
def test_cores_for_each_world_can_be_asked_for(each: int, cpus: list[tuple[int, ...]]) -> None:
    placement = Placement((0, 1), cpus_per_world=each)
    assert [place.cpus for place in Places(placement, cores=range(8)).take(2)] == cpus


def test_a_run_in_a_shared_house_leaves_cores_for_the_others() -> None:
    places = Places(Placement((0,), worlds_per_gpu=4, shared=True), cores=range(8))
    (first,) = places.take(1)
    (second,) = places.take(1)
    assert (first.cpus, second.cpus) == ((0, 1), (2, 3))


def test_without_gpus_any_number_of_worlds_share_the_cores() -> None:
    places = Places(Placement(), cores=range(12)).take(6)
    assert {place.gpu for place in places} == {None}
    assert len({core for place in places for core in place.cpus}) == 12


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"gpus": (0,), "worlds_per_gpu": 0}, "worlds_per_gpu is 0"),
        ({"cpus_per_world": -1}, "cpus_per_world is -1"),
        ({"gpus": (1, 1)}, "each once"),
    ],
)
def test_a_placement_that_makes_no_sense_is_refused(wrong: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Placement(**wrong)  # type: ignore[arg-type]


def test_a_worker_on_a_gpu_is_told_which_and_counts_as_nvidia_smi_does() -> None:
    inherited = {"HOME": "/h", "CUDA_VISIBLE_DEVICES": "2,3", "HOUSEGUEST_THOR_GPU": "7"}
    assert Place(3, (4, 5)).environment(inherited) == {
        "HOME": "/h",
        "HOUSEGUEST_THOR_GPU": "7",
        "HOUSEGUEST_WORKER_GPU": "3",
        "HOUSEGUEST_WORKER_CPUS": "4,5",
        "OMP_NUM_THREADS": "2",
    }


def test_a_worker_on_no_gpu_is_told_of_none() -> None:
    inherited = {"CUDA_VISIBLE_DEVICES": "2"}
    assert Place().environment(inherited) == {
        "CUDA_VISIBLE_DEVICES": "2",
        "HOUSEGUEST_WORKER_GPU": "",
        "HOUSEGUEST_WORKER_CPUS": "",
    }
