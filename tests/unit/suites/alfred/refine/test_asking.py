"""What is asked again, what is kept, and what is left for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from env_service.chat.client import Message
from env_service.suites.alfred.refine.pipeline import PERSON, Asker, Entry, Item
from env_service.suites.alfred.refine.prompts import Prompts
from env_service.suites.alfred.refine.sources import Source, Stage
from env_service.suites.alfred.task import Goal, TaskType

PROMPTS = Prompts()
BOOK = Source("t0", Goal(TaskType.SIMPLE, "Book", "Desk"), "1. PutObject(book,desk)", ("Go.",))
MUG = Source("t1", Goal(TaskType.HEAT, "Mug", "Shelf"), "1. PutObject(mug,shelf)", ("Go.",))
BOOK_B, MUG_B = "Put the book on the desk.", "Put a heated mug on the shelf."
BOOK_P, MUG_P = "Lay the book on the desk.", "Place a warmed mug on the shelf."
ITEMS = [Item(BOOK, Stage.PARAPHRASE_1, BOOK_B), Item(MUG, Stage.PARAPHRASE_1, MUG_B)]


class Script:
    """Says what it is told to, and remembers what it was asked."""

    def __init__(self, *replies: str) -> None:
        self._replies = list(replies)
        self.asked: list[Sequence[Message]] = []

    def ask(self, messages: Sequence[Message]) -> str:
        """The next reply; the last one for ever."""
        self.asked.append(messages)
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def done(script: Script, items: Sequence[Item], retries: int = 2) -> list[Entry]:
    """The entries of some items, in the order of the items."""
    made = [entry for part in Asker(script, PROMPTS, retries).do(items) for entry in part]
    return sorted(made, key=lambda entry: entry.key[0])


def texts(entries: Sequence[Entry]) -> list[str]:
    """Their texts."""
    return [entry.text for entry in entries]


def test_a_good_batch_takes_one_request() -> None:
    script = Script(f"1. {BOOK_P}\n2. {MUG_P}")
    entries = done(script, ITEMS)
    assert texts(entries) == [BOOK_P, MUG_P]
    assert not any(entry.findings or entry.requests for entry in entries)
    assert [entry.made_of for entry in entries] == [BOOK_B, MUG_B]
    assert len(script.asked) == 1


def test_a_miscounted_batch_is_asked_again_with_the_reason() -> None:
    script = Script(f"1. {BOOK_P}", f"1. {BOOK_P}\n2. {MUG_P}")
    assert texts(done(script, ITEMS)) == [BOOK_P, MUG_P]
    *_, said, mend = script.asked[1]
    assert (said.role, said.text) == ("assistant", f"1. {BOOK_P}")
    assert "it has 1 line where there should be 2" in mend.text
    assert "exactly 2 lines" in mend.text


def test_a_batch_that_never_has_its_lines_is_asked_line_by_line() -> None:
    script = Script("No.", "No.", "No.", f"1. {BOOK_P}", f"1. {MUG_P}")
    entries = done(script, ITEMS)
    assert texts(entries) == [BOOK_P, MUG_P]
    assert [entry.requests for entry in entries] == [1, 1]


def test_only_the_bad_line_is_asked_again_with_what_is_wrong() -> None:
    script = Script(f"1. {BOOK_P}\n2. Place a mug on the shelf.", MUG_P)
    assert texts(done(script, ITEMS)) == [BOOK_P, MUG_P]
    assert [message.text for message in script.asked[1]][1] == f"1. {MUG_B}"
    assert "it has to say that the thing is heated" in script.asked[1][-1].text


def test_the_good_lines_of_a_batch_come_before_the_bad_one_is_asked_again() -> None:
    script = Script(f"1. {BOOK_P}\n2. Place a mug on the shelf.", MUG_P)
    parts = Asker(script, PROMPTS).do(ITEMS)
    assert texts(next(iter(parts))) == [BOOK_P]
    assert len(script.asked) == 1


def test_a_line_that_will_not_come_right_is_kept_and_flagged() -> None:
    entry = done(Script("Place a mug on the table."), ITEMS[1:])[0]
    assert entry.text == "Place a mug on the table."
    assert entry.flagged
    assert [each.partition(":")[0] for each in entry.findings] == ["destination", "state", "nouns"]
    assert entry.requests == 3


def test_the_best_of_several_is_kept() -> None:
    replies = ("Place a mug on the table.", "Place a mug on the shelf.", "Place it.\nThere.")
    entry = done(Script(*replies), ITEMS[1:])[0]
    assert entry.text == "Place a mug on the shelf."


@pytest.mark.parametrize("reply", ["", "   \n", "<think>so much to think"])
def test_nothing_is_kept_of_empty_replies(reply: str) -> None:
    entry = done(Script(reply), ITEMS[1:])[0]
    assert (entry.text, entry.done) == ("", False)
    assert "empty" in entry.findings[0]


def test_chatter_is_shown_to_people_and_goes_no_further() -> None:
    entry = done(Script("I could say:\n\nplace the mug.\nOr not."), ITEMS[1:])[0]
    assert entry.text == "I could say: place the mug. Or not."
    assert entry.findings == ("not_answered: it has 3 lines where there should be 1.",)
    assert not entry.done
    assert replace(entry, text=MUG_P, by=PERSON).done


def test_a_missing_full_stop_is_added() -> None:
    entry = done(Script(MUG_B.removesuffix(".")), [Item(MUG, Stage.BASE)])[0]
    assert (entry.text, entry.findings) == (MUG_B, ())


def test_no_retries_means_one_question() -> None:
    script = Script("Place a mug.")
    assert done(script, ITEMS[1:], retries=0)[0].flagged
    assert len(script.asked) == 1


def test_a_verdict_is_kept_with_its_reason() -> None:
    script = Script("Hm.", '{"Integrity": false, "Reason": "no  desk", "Type": 1}')
    entry = done(script, [Item(BOOK, Stage.INTEGRITY, "Go.", 0)])[0]
    assert (entry.type, entry.text, entry.requests) == (1, "no desk", 2)
    assert entry.done
    assert "no JSON object" in script.asked[1][-1].text


def test_a_verdict_that_never_comes_is_left_open() -> None:
    entry = done(Script("Hm."), [Item(BOOK, Stage.INTEGRITY, "Go.", 0)])[0]
    assert not entry.done
    assert entry.findings[0].startswith("not_answered: ")


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_its_prompt(stage: Stage) -> None:
    system, user = Asker(Script(""), PROMPTS).opening([Item(MUG, stage, MUG_B)])
    assert (system.role, user.role) == ("system", "user")
    wanted = MUG_B if stage is not Stage.BASE else MUG.action_sequence
    assert wanted in user.text
