"""A pipe that tells of the end of the process that has its other end."""

from __future__ import annotations

import os
import select

from env_service.worlds.ai2thor_unity.lifeline import Lifeline


def cut(reading: int) -> bool:
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    return bool(poll.poll(0))


def test_it_is_cut_by_a_close_and_only_once() -> None:
    line = Lifeline()
    reading = os.dup(line.reading)
    line.hand_over()
    line.hand_over()
    assert not cut(reading)
    assert not line.closed
    line.close()
    line.close()
    assert line.closed
    assert cut(reading)
    os.close(reading)


def test_it_is_cut_when_it_is_forgotten() -> None:
    line = Lifeline()
    reading = os.dup(line.reading)
    del line
    assert cut(reading)
    os.close(reading)


def test_no_program_gets_an_end_unasked() -> None:
    line = Lifeline()
    assert line.reading > 2
    assert not os.get_inheritable(line.reading)
    line.hand_over()
    line.close()
