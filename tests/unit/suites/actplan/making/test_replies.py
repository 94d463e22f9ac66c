"""Reading what models say."""

from __future__ import annotations

import pytest

from env_service.chat.asking import ReplyError
from env_service.suites.actplan.making.requests import (
    left_out,
    read_definition,
    read_description,
    read_sentences,
)
from env_service.worlds.activity.bddl.parser import read_problem
from tests.support.making_home import CLEAN_TABLE, DESCRIPTION, NORMAL, SENTENCE

ONE = "The basket has no bottom, so a bag is used."
TWO = "One of the cookies is burnt to a crisp."


@pytest.mark.parametrize(
    "reply",
    [
        NORMAL,
        f"```\n{NORMAL}```",
        f"<think>(define (problem no))</think>Sure:\n```lisp\n{NORMAL}\n```\nDone (I hope).",
        f"First try:\n(define (problem broken\n\nBetter:\n{NORMAL}",
        NORMAL.replace("(:init", "; a smiley :)\n(:init"),
    ],
    ids=range(5),
)
def test_a_definition_is_found_whatever_is_around_it(reply: str) -> None:
    found = read_definition(reply)
    assert read_problem(found, "x") == read_problem(NORMAL, "y")


def test_of_several_definitions_the_last_counts() -> None:
    assert read_definition(f"{NORMAL}\nNo:\n{CLEAN_TABLE}") == CLEAN_TABLE


@pytest.mark.parametrize(
    ("reply", "told"),
    [("", "no definition"), ("I cannot.", "no definition"), (NORMAL[:-20], "never closed")],
)
def test_no_definition_is_told(reply: str, told: str) -> None:
    with pytest.raises(ReplyError, match=told):
        read_definition(reply)


@pytest.mark.parametrize(
    "reply",
    [
        f'["{ONE}", "{TWO}"]',
        f'```json\n[\n "{ONE}",\n "{TWO[:-1]}"\n]\n```',
        f'[{{"circumstance": "{ONE}"}}, {{"circumstance": "{TWO}"}}]',
        f"Here they are:\n1. {ONE}\n2. {TWO}",
        f"- {ONE}\n- {TWO[0].lower()}{TWO[1:]}\n- And a third one that nobody has asked for.",
    ],
    ids=range(5),
)
def test_sentences_are_read_from_lists_of_all_sorts(reply: str) -> None:
    assert read_sentences(reply, 2) == (ONE, TWO)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("", "it has 0 sentences"),
        (f'["{ONE}"]', "it has 1 sentence,"),
        (f'["{ONE}", "{ONE.upper()}"]', "is repeated"),
        (f'["{ONE}", "Too short."]', "has 2 words"),
        (f'["{ONE}", "Now basket.n.01_1 is broken and gone."]', "an identifier"),
    ],
)
def test_sentences_that_will_not_do(reply: str, told: str) -> None:
    with pytest.raises(ReplyError, match=told):
        read_sentences(reply, 2)


def test_a_description_names_every_kind_of_thing() -> None:
    problem = read_problem(NORMAL, "x")
    assert read_description(f'"{DESCRIPTION}"', problem) == DESCRIPTION
    assert left_out("Two cookies, tables, a cabinet.", problem) == ("basket",)
    with pytest.raises(ReplyError, match="does not name basket, cabinet"):
        read_description(
            DESCRIPTION.replace("cabinet", "cupboard").replace("basket", "box"), problem
        )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Pack the cookies.", "has 3 words"),
        (f"{DESCRIPTION} " * 10, "300 are due"),
        (f"{DESCRIPTION} Use walk_to.", "an identifier"),
        (f"{DESCRIPTION} Use grab(cookie).", "an identifier"),
    ],
    ids=range(4),
)
def test_a_description_that_will_not_do(text: str, told: str) -> None:
    with pytest.raises(ReplyError, match=told):
        read_description(text, read_problem(NORMAL, "x"))


def test_a_description_tells_its_circumstance() -> None:
    problem = read_problem(NORMAL, "x")
    with pytest.raises(ReplyError, match="out of the ordinary"):
        read_description(DESCRIPTION, problem, SENTENCE)
    told = f"{DESCRIPTION} {SENTENCE}"
    assert read_description(told, problem, SENTENCE) == told
