"""JSON of unknown shape, and JSON among words."""

from __future__ import annotations

import pytest

from env_service.suites.json_node import objects_in


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("", []),
        ("no braces, [1, 2]", []),
        ('so: {"a": 1} and {"b": {"c": 2}}.', [{"a": 1}, {"b": {"c": 2}}]),
        ('{"a": 1', []),
        ('{broken {"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ('{"a": ' * 3_000, []),
        ('{"n": ' + "9" * 5_000 + '} {"a": 1}', [{"a": 1}]),
    ],
)
def test_objects_are_found_among_words_and_broken_ones_passed_over(text, objects) -> None:
    assert list(objects_in(text)) == objects
