from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from model_guest.weights.batcher import Batcher, Limits, TooLargeError


class Recorder:
    """Doubles numbers, notes the batches, and fails at some."""

    def __init__(self, fits: int = 100) -> None:
        self.fits = fits
        self.batches: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()

    def work(self, jobs: Sequence[int]) -> list[int]:
        self.gate.wait(60)
        self.batches.append(list(jobs))
        if len(jobs) > self.fits:
            raise TooLargeError
        if -1 in jobs:
            raise ValueError("minus one")
        return [2 * job for job in jobs]


def batcher(recorder: Recorder, most: int = 8, wait: float = 0.05) -> Batcher[int, int]:
    return Batcher(recorder.work, lambda job: job >= 1000, Limits(most, wait))


def ask_all(
    recorder: Recorder, numbers: Sequence[int], most: int = 8, wait: float = 0.05
) -> list[int]:
    made = batcher(recorder, most, wait)
    with ThreadPoolExecutor(len(numbers)) as pool:
        answers = list(pool.map(made.ask, numbers))
    made.close()
    return answers


def test_requests_that_come_together_are_answered_together() -> None:
    recorder = Recorder()
    assert ask_all(recorder, [1, 2, 3, 4], wait=0.5) == [2, 4, 6, 8]
    assert len(recorder.batches) < 4


def test_a_full_batch_does_not_wait() -> None:
    recorder = Recorder()
    made: Batcher[int, int] = Batcher(recorder.work, lambda _: 0, Limits(2, 3600.0))
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(made.ask, [1, 2])) == [2, 4]
    made.close()


def test_kinds_are_not_mixed() -> None:
    recorder = Recorder()
    ask_all(recorder, [1, 1000, 2, 2000])
    assert all(len({job >= 1000 for job in batch}) == 1 for batch in recorder.batches)


def test_memory_that_runs_out_halves_the_batch_for_good() -> None:
    recorder = Recorder(fits=2)
    recorder.gate.clear()
    made = batcher(recorder, wait=0.3)
    with ThreadPoolExecutor(9) as pool:
        answers = [pool.submit(made.ask, n) for n in range(9)]
        recorder.gate.set()
        assert sorted(each.result(60) for each in answers) == [2 * n for n in range(9)]
    assert made.most == 2
    made.close()


def test_a_request_too_large_by_itself_fails_alone() -> None:
    recorder = Recorder(fits=0)
    made = batcher(recorder)
    with pytest.raises(TooLargeError):
        made.ask(1)
    recorder.fits = 5
    assert made.ask(1) == 2
    made.close()


def test_one_bad_request_does_not_spoil_its_neighbours() -> None:
    recorder = Recorder()
    made = batcher(recorder)
    with ThreadPoolExecutor(3) as pool:
        good, bad, other = (pool.submit(made.ask, n) for n in (1, -1, 3))
        assert (good.result(60), other.result(60)) == (2, 6)
        with pytest.raises(ValueError, match="minus one"):
            bad.result(60)
    made.close()


def test_a_closed_model_refuses() -> None:
    made = batcher(Recorder())
    made.close()
    made.close()
    with pytest.raises(RuntimeError, match="closed"):
        made.ask(1)
