"""Lines of an agent's output that the operator sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.sandbox.agent_output import LONGEST, MOST_WAITING, AgentLog


@pytest.fixture
def log(tmp_path: Path) -> AgentLog:
    return AgentLog(tmp_path / "guest-0.log", 4096)


def test_only_lines_that_begin_so_are_notices(log: AgentLog) -> None:
    log.write(b"episode 1\nnotice: it waits\n  notice: not this\nnotice:nor this\n")
    assert log.take_notices() == ["it waits"]
    assert log.take_notices() == []
    assert "episode 1" in log.tail()


def test_a_line_may_come_in_pieces(log: AgentLog) -> None:
    for piece in (b"x\nno", b"tice: it ", b"waits"):
        log.write(piece)
        assert log.take_notices() == []
    log.write(b"\nnotice: twice\r\n")
    assert log.take_notices() == ["it waits", "twice"]


def test_what_an_agent_can_write_on_a_terminal_is_bounded(log: AgentLog) -> None:
    log.write(b"notice: \x1b[2Jred\xff\n")
    (shown,) = log.take_notices()
    assert "\x1b" not in shown
    log.write(b"notice: " + b"y" * 100_000)
    log.write(b"z" * 100_000 + b"\n")
    assert log.take_notices() == ["y" * LONGEST]
    log.write(b"".join(b"notice: %d\n" % number for number in range(100)))
    assert log.take_notices() == [str(number) for number in range(100 - MOST_WAITING, 100)]
