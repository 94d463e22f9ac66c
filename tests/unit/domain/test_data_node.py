"""Values of unknown shape, and JSON among words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from env_service.domain.data_node import DataError, DataNode, load_json, objects_in

DOCUMENT = {
    "name": "a",
    "blank": "",
    "half": "\ud800",
    "lines": "a\nb",
    "count": 3,
    "rate": 0.5,
    "huge": 10**400,
    "yes": True,
    "nothing": None,
    "words": ["a", "b"],
    "inner": {"deep": [{"x": "1"}]},
}


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda node: node["name"].text(1), "a"),
        (lambda node: node["blank"].string(), ""),
        (lambda node: node["count"].whole(3, 3), 3),
        (lambda node: node["count"].number(), 3.0),
        (lambda node: node["yes"].flag(), True),
        (lambda node: node["nothing"].or_none(DataNode.text), None),
        (lambda node: node.optional("nothing"), None),
        (lambda node: node.get("nothing", 7).whole(), 7),
        (lambda node: node.get("absent", 7).whole(), 7),
        (lambda node: node["words"].texts(), ("a", "b")),
        (lambda node: node["name"].one_of("letter", "ab"), "a"),
        (lambda node: node["inner"]["deep"].items()[0].mapped(DataNode.text), {"x": "1"}),
    ],
)
def test_what_is_right_is_read(read: Callable[[DataNode], object], value: object) -> None:
    assert read(DataNode(DOCUMENT, "doc")) == value


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        (lambda node: node["absent"], "lacks the key 'absent'"),
        (lambda node: node["name"]["x"], "name: is 'a', not an object of keys and values"),
        (lambda node: node["name"].items(), "name: is 'a', not a list: put it in brackets"),
        (lambda node: node["words"].items(1), "words: has 2 items; there may be 1 at most"),
        (lambda node: node["count"].string(), "count: is 3, not a text: put it in quotes"),
        (lambda node: node["name"].text(0), "name: is longer than 0 characters: shorten it"),
        (lambda node: node["blank"].text(), "blank: is empty, not a text"),
        (lambda node: node["half"].string(), "half: is '\\ud800', which has half of a character"),
        (lambda node: node["lines"].line(9), "lines: is 'a\\nb'; it has to be one line"),
        (lambda node: node["blank"].title(9), "blank: is empty, not a text"),
        (lambda node: node["yes"].whole(), "yes: is True, not a whole number"),
        (lambda node: node["yes"].number(), "yes: is True, not a number"),
        (lambda node: node["huge"].number(), "not a finite number"),
        (lambda node: node["count"].whole(4), "count: is 3; it has to be at least 4"),
        (lambda node: node["count"].whole(0, 2), "count: is 3; it has to be from 0 to 2"),
        (lambda node: node["rate"].number(most=0.1), "rate: is 0.5; it has to be at most 0.1"),
        (lambda node: node["count"].flag(), "count: is 3, not true or false"),
        (lambda node: node["name"].one_of("word", ["aa"]), "no word 'a'. Did you mean 'aa'?"),
        (lambda node: node["inner"]["deep"].texts(), "inner.deep[0]: is {'x': '1'}, not a text"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    read: Callable[[DataNode], object], problem: str
) -> None:
    with pytest.raises(DataError) as caught:
        read(DataNode(DOCUMENT, "doc"))
    assert str(caught.value).startswith("doc: ")
    assert problem in str(caught.value)


def test_a_key_that_nobody_asked_for_is_refused() -> None:
    inner = DataNode({"memory": 1, "mem": 2}, "doc", "limits")
    inner["memory"].whole()
    with pytest.raises(DataError, match=r"doc: unknown key 'limits.mem'\. Did you mean 'lim"):
        inner.check_keys()
    inner.get("mem", 0)
    inner.check_keys()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b'{"a": 1,\n]', "doc: line 2: is not JSON"),
        (b"\xff", "doc: byte 0: is not text in UTF-8"),
        ("[" * 100_000, "doc: is nested too deeply"),
        ("9" * 5_000, "doc: cannot be read"),
    ],
)
def test_what_is_no_json_is_named(text: str | bytes, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        load_json(text, "doc")


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
