"""What models say is read with patience, and miscounts are never guessed away."""

from __future__ import annotations

import pytest

from env_service.chat.asking import ReplyError
from env_service.suites.alfred.refine.replies import (
    LONGEST_VERDICT,
    clean,
    joined,
    read_line,
    read_lines,
    read_verdict,
)

TWO = ["Place the mug on the desk.", "Set two pens in the cup."]


@pytest.mark.parametrize(
    "reply",
    [
        "1. Place the mug on the desk.\n2. Set two pens in the cup.",
        "1) Place the mug on the desk.\n\n2) Set two pens in the cup.\n",
        "Place the mug on the desk.\nSet two pens in the cup.",
        "Here they are:\nPlace the mug on the desk.\nSet two pens in the cup.",
        "Here they are:\n1. Place the mug on the desk.\n2. Set two pens in the cup.",
        "1. Place the mug on the desk.\n2. Set two pens in the cup.\nAnything else?",
        "<think>1. what?\n2. that?\n3. so.</think>\n1. Place the mug on the desk.\n"
        "2. Set two pens in the cup.",
        "what a task</think>Place the mug on the desk.\nSet two pens in the cup.",
        "```text\n1. Place the mug on the desk.\n2. Set two pens in the cup.\n```",
        '- "Place the mug on the desk."\n- "Set two pens in the cup."',
        "**1.** “Place the mug on the desk.”\n**2.** “Set two pens in the cup.”",
        "[1] Place the mug on the desk.\r\n[2] Set  two pens in\u00a0the cup.",
        "1. **Place the mug on the desk.**\n2. *Set two pens in the cup.*",
    ],
    ids=range(13),
)
def test_lines_are_found_in_whatever_is_around_them(reply: str) -> None:
    reply = reply.replace("[1] ", "(1) ").replace("[2] ", "(2) ")
    assert [clean(line) for line in read_lines(reply, 2)] == TWO


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("1. one.", "it has 1 line where there should be 2"),
        ("1. one.\n2. two.\n3. three.", "it has 3 lines where there should be 2"),
        ("one.\ntwo.\nthree.", "it has 3 lines"),
        ("1. one.\n3. three.", "numbered 1, 3, not 1 to 2"),
        ("2. one.\n1. two.", "numbered 2, 1"),
        ("", "it is empty"),
        ("<think>for ever and", "it is empty"),
    ],
)
def test_a_wrong_number_of_lines_is_told(reply: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem):
        read_lines(reply, 2)


def test_a_number_that_belongs_to_the_command_stays() -> None:
    assert read_line("2 mugs belong on the desk.") == "2 mugs belong on the desk."
    assert read_line("1. 2 mugs belong on the desk.") == "2 mugs belong on the desk."


def test_what_will_not_come_right_is_kept_on_one_line() -> None:
    assert joined("Well.\n\nPerhaps\tso.") == "Well. Perhaps so."


@pytest.mark.parametrize(
    "reply",
    [
        '{"Integrity": false, "Reason": "no lamp", "Type": 2}',
        'Sure!\n```json\n{"Integrity": false, "Reason": "no lamp", "Type": 2}\n```\nBye {you}',
        "{'Integrity': False, 'Reason': 'no lamp', 'Type': 2}",
        '{"integrity": "false", "reason": "no lamp", "type": "2"}',
        '{"Integrity": false, "Reason": "no lamp", "Type": "Type 2",}',
        "{“Integrity”: false, “Reason”: “no lamp”, “Type”: 2}",
        '<think>{"Integrity": true, "Type": 5}</think>'
        '{"Integrity": false, "Reason": "no lamp", "Type": 2.0}',
        '{"Integrity": true, "Type": 5} or rather {"Integrity": false, "Reason": "no lamp",'
        ' "Type": 2}',
    ],
    ids=range(8),
)
def test_a_verdict_is_found_in_whatever_is_around_it(reply: str) -> None:
    verdict = read_verdict(reply)
    assert (verdict.type, verdict.reason, verdict.sound) == (2, "no lamp", False)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("I would say that it is fine.", "no JSON object"),
        ('{"Integrity": true, "Reason": "x"', "no JSON object"),
        ('{"Integrity": true, "Reason": "x", "Type": 6}', "from 1 to 5"),
        ('{"Integrity": "maybe", "Reason": "x", "Type": 5}', "true or false"),
        ('{"Integrity": true, "Reason": "x", "Type": 3}', "Integrity is true, but Type is 3"),
        ('{"Integrity": false, "Reason": "x", "Type": 5}', "5 means no fault"),
        ("{" * 5000, "no JSON object"),
    ],
    ids=range(7),
)
def test_a_verdict_that_is_none_is_refused(reply: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem):
        read_verdict(reply)


def test_what_cannot_be_read_is_no_part_of_a_line() -> None:
    assert read_line("Put the\x00 mug\x1b on \u202ethe\u202c shelf.") == "Put the mug on the shelf."


def test_a_reply_that_is_nothing_but_braces_is_read_at_its_end_alone() -> None:
    with pytest.raises(ReplyError, match="no JSON object"):
        read_verdict("{" * 200_000 + "}" + "{" * LONGEST_VERDICT)
    told = '{"Integrity": true, "Reason": "", "Type": 5}'
    assert read_verdict("{ well, } " * 50_000 + told).sound
