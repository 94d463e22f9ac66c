"""Texts from elsewhere do nothing to a terminal."""

from __future__ import annotations

from env_service.domain.printable import safe

REPLACED = "\N{REPLACEMENT CHARACTER}"


def test_a_tab_is_spaces_and_what_else_moves_a_cursor_is_replaced() -> None:
    assert safe("\tfrom agent.rb:12") == "    from agent.rb:12"
    assert safe("\x1b[2Jhäuslich 家\r\n") == f"{REPLACED}[2Jhäuslich 家{REPLACED}{REPLACED}"
