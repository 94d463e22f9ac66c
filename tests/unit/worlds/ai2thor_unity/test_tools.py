"""Tools are asked without harm, whatever they do."""

from __future__ import annotations

from env_service.worlds.ai2thor_unity.graphics.external_tools import ask


def test_a_tool_that_works_is_quoted() -> None:
    answer = ask("sh", "-c", "echo here; echo aside >&2")

    assert (answer.well, answer.output, answer.fault) == (True, "here\n", "")


def test_a_tool_that_fails_has_its_last_words() -> None:
    answer = ask("sh", "-c", "echo first >&2; echo last >&2; exit 3")

    assert (answer.well, answer.status) == (False, 3)
    assert answer.fault == "sh ended with status 3: last"
    assert ask("sh", "-c", "echo outcry; exit 9").fault == "sh ended with status 9: outcry"
    assert ask("sh", "-c", "kill -11 $$").fault == "sh was killed by signal 11"


def test_a_tool_that_is_missing_or_hangs_is_no_error() -> None:
    assert ask("no-such-tool").fault == "no-such-tool is not installed"
    late = ask("sleep", "60", seconds=0.2)
    assert (late.status, late.fault) == (None, "sleep did not end within 0.2 s")


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert ask("sh", "-c", r"printf 'a\377b'").output == "a�b"
