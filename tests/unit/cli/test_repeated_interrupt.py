"""Ctrl-C that is pressed again and again."""

from __future__ import annotations

from env_service.cli.play_session import INTERRUPT_SECONDS, INTERRUPTS, RepeatedInterrupt


def test_who_presses_again_and_again_insists() -> None:
    insistence = RepeatedInterrupt()
    assert [insistence.press(100.0 + each) for each in range(INTERRUPTS)] == [False] * 3 + [True]


def test_who_presses_now_and_then_does_not() -> None:
    insistence = RepeatedInterrupt()
    assert not any(insistence.press(each * INTERRUPT_SECONDS) for each in range(3 * INTERRUPTS))
