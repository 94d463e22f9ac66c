from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from houseguest_agent.watchdog import Watchdog


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    watchdog = Watchdog()
    yield watchdog
    watchdog.close()


def test_a_wait_that_takes_too_long_is_cut(watchdog: Watchdog) -> None:
    cut = threading.Event()
    started = time.monotonic()
    watchdog.watch(cut.set, 0.1)
    assert cut.wait(60)
    assert time.monotonic() - started >= 0.1
    assert watchdog.barked


def test_a_wait_that_ends_in_time_is_left_alone(watchdog: Watchdog) -> None:
    cut = threading.Event()
    watchdog.watch(cut.set, 0.5)
    watchdog.rest()
    assert not cut.wait(0.7)
    assert not watchdog.barked


def test_each_watch_counts_anew(watchdog: Watchdog) -> None:
    cut = threading.Event()
    for _ in range(5):
        watchdog.watch(cut.set, 1.0)
        time.sleep(0.3)
        watchdog.rest()
    assert not cut.is_set()
    watchdog.watch(cut.set, 0.05)
    assert cut.wait(60), "a shorter watch wakes the dog earlier"
