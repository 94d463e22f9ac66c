"""Ctrl-C that is pressed again and again."""

from __future__ import annotations

from env_service.cli.insisting import TIMES, WITHIN, Insistence


def test_who_presses_again_and_again_insists() -> None:
    insistence = Insistence()
    assert [insistence.press(100.0 + each) for each in range(TIMES)] == [False] * 3 + [True]


def test_who_presses_now_and_then_does_not() -> None:
    insistence = Insistence()
    assert not any(insistence.press(each * WITHIN) for each in range(3 * TIMES))
